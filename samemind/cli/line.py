"""Read a command line: which verb, with which options, and how the answer is to be printed.

`--home`, `--json` and `--raw` are taken from anywhere on the line first. Then only the verb that was named
gets a parser, made from its declaration: making one for each of dozens costs more than a call to the
daemon.
"""

import argparse
import re
import shutil
import sys
from collections.abc import Sequence
from typing import Any, Final, NoReturn

from replica.values import dataclass
from samemind._catalog import FORMERLY, SHORT_FOR
from samemind.catalog import ALIKE_MIN, names_under, verb_named
from samemind.declaring import Command, Declared, Takes, declared
from samemind.errors import Usage

# A path that the daemon would otherwise look for in its own working directory.
_PATHS: Final = (Takes.PATH, Takes.NEW_PATH)
STANDARD_INPUT: Final = "-"
# How a result may be printed (samemind.cli.formats).
FORMATS: Final = ("table", "csv", "jsonl", "json")
# What an option is called by another verb, or by other tools; who types it is told ours, where the verb has that.
_ALSO_CALLED: Final = {
    "-n": "-k", "--limit": "-k", "--top-k": "-k", "--top": "-k", "-k": "-n", "--count": "-n", "--max": "-n",
    "--out": "--output", "--file": "--output", "--force": "--yes", "--after": "--since", "--before": "--until",
    "--from": "--since", "--to": "--until", "--label": "--tag", "--labels": "--tag", "--tags": "--tag",
}  # fmt: skip
_MANY: Final = "remember-many"
_FEED: Final = "calendar-feed"
# The verbs that are an option of another where they are typed.
TYPED: Final = {_MANY: "remember --batch FILE", _FEED: "calendar --feed"}
# What every verb takes.
EVERYWHERE: Final = ("--home", "--json", "--raw", "--help")
# A longer usage is read by nobody: it tells what is wanted, and where the rest stands.
USAGE_CHARACTERS_MAX: Final = 160
# Longer lines are hard to follow; on a narrower terminal each word would have a line of its own.
HELP_WIDTH_MAX: Final = 100
HELP_WIDTH_MIN: Final = 50


@dataclass(frozen=True, slots=True)
class Line:
    """What was typed. `verb` is empty when none was named; `help` when an explanation was asked for."""

    home: str | None
    json: bool
    raw: bool
    help: bool
    verb: str
    words: tuple[str, ...]


def read_line(words: Sequence[str]) -> Line:
    """Part what every verb takes from what only the verb can read. Behind `--` everything is the verb's."""
    home: str | None = None
    json = raw = help_wanted = False
    rest: list[str] = []
    waiting = iter(words)
    for word in waiting:
        if word == "--":
            rest += [word, *waiting]
        elif word == "--json":
            json = True
        elif word == "--raw":
            raw = True
        elif word in ("-h", "--help"):
            help_wanted = True
        elif word == "--version" and not rest:
            rest.append("version")  # what every other command answers to
        elif word == "--home":
            home = next(waiting, None)
            if home is None:
                raise Usage("--home: expected the folder of a device, got nothing")
        elif word.startswith("--home="):
            home = word.removeprefix("--home=")
        else:
            rest.append(word)
    if not rest or rest[0] == "--":
        return Line(home, json, raw, help_wanted, "", tuple(rest))
    # Where there are verbs of two words that begin so, the second is no argument: a slip in it is named as one.
    if names_under(rest[0]) and len(rest) > 1 and not rest[1].startswith("-"):
        return Line(home, json, raw, help_wanted, " ".join(rest[:2]), tuple(rest[2:]))
    return Line(home, json, raw, help_wanted, rest[0], tuple(rest[1:]))


def find_verb(line: Line) -> Command[Any, Any]:
    """Return the verb that is meant."""
    name = SHORT_FOR.get(line.verb, FORMERLY.get(line.verb, line.verb))
    if name == "remember" and any(word == "--batch" or word.startswith("--batch=") for word in line.words):
        name = _MANY
    if name == "calendar" and "--feed" in line.words:
        name = _FEED
    return verb_named(name)


def read_words(verb: Command[Any, Any], words: Sequence[str]) -> dict[str, Any]:
    """Return the options that the words behind a verb give, as plain values; `Usage` says what is wrong with them."""
    parser = parser_of(verb)
    # Words may go on behind an option; read so, argparse would take what stands behind two dashes for options.
    found = vars(parser.parse_args(words) if "--" in words else parser.parse_intermixed_args(words))
    known = declared(verb.options)
    for joined in (one.name for one in known if one.word.joined and one.name in found):
        found[joined] = " ".join(found[joined]) if found[joined] else None
    if found.get("text") == STANDARD_INPUT:
        found["text"] = _standard_input()
    if found.get("batch") == STANDARD_INPUT:
        del found["batch"]
        found["lines"] = _standard_input().split("\n")
    if "conversation" in found:
        # What is in the files goes on, not where they are: no other door may name a file.
        found["conversation"] = [line for name in found["conversation"] for line in _lines_of(name)]
    if verb.name == "import":
        from samemind.control.pouring import STANDARD_INPUT_PATH  # import alone needs it

        found["files"] = [STANDARD_INPUT_PATH if each == STANDARD_INPUT else each for each in found["files"]]
    takes = {one.name: one.word.takes for one in known}
    paths = {name for name in found if takes.get(name) in _PATHS}
    for name in found.keys() - paths:  # a file may be called as it likes
        for text in found[name] if isinstance(found[name], list) else [found[name]]:
            if isinstance(text, str) and not _is_utf8(text):
                raise Usage(
                    f"expected text in UTF-8 for {name}, got other bytes: {text!r:.60}", code="unreadable"
                )
    for name in paths:
        from samemind.formats.arguments import full_path, new_path  # a few verbs need them

        given = found[name]
        if takes[name] is Takes.NEW_PATH:
            found[name] = new_path(given)
        else:
            found[name] = full_path(given) if isinstance(given, str) else [full_path(each) for each in given]
    return found


def parser_of(verb: Command[Any, Any]) -> argparse.ArgumentParser:
    """Return a parser for one verb; what was not given is not in its answer."""
    parser = _Parser(
        prog=f"samemind {TYPED[verb.name].partition(' ')[0] if verb.name in TYPED else verb.name}",
        description=(verb.options.__doc__ or "").strip(),
        argument_default=argparse.SUPPRESS,
        allow_abbrev=False,
        add_help=False,
        formatter_class=_Formatter,
    )
    for one in declared(verb.options):
        _add(parser, one, required=is_required(verb, one))
    if verb.rows:
        parser.add_argument(
            "--format", choices=FORMATS, metavar="FORMAT", help=f"how to print it: {', '.join(FORMATS)}"
        )
    return parser


def is_required(verb: Command[Any, Any], one: Declared) -> bool:
    """Say whether an option has to be typed: `remember --batch` has nothing else to go by."""
    return one.required or (verb.name == _MANY and one.name == "batch")


def _add(parser: argparse.ArgumentParser, one: Declared, *, required: bool) -> None:
    word = one.word
    if not word.flag:
        if word.metavar:  # what has neither is for other doors
            many: dict[str, Any] = (
                {"nargs": "+" if one.required else "*"}
                if one.many or word.joined
                else {}
                if one.required
                else {"nargs": "?"}
            )
            parser.add_argument(one.name, metavar=word.metavar, help=word.help, **many)
        return
    flags = [flag for flag in (word.short, word.flag) if flag]
    if one.type is bool:
        parser.add_argument(*flags, dest=one.name, action="store_true", help=word.help)
        if word.formerly:
            parser.add_argument(word.formerly, dest=one.name, action="store_true", help=argparse.SUPPRESS)
        return
    parser.add_argument(
        *flags,
        dest=one.name,
        action="append" if one.many else "store",
        type=one.type,
        required=required,
        choices=word.choices or None,
        metavar=word.metavar or one.name.upper(),  # choices stand in the help, where a line of them can break
        help=f"{word.help}: {', '.join(word.choices)}" if word.choices else word.help,
    )


class _Formatter(argparse.HelpFormatter):
    """As wide as the terminal, which may be wider than a line that is easily read."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=help_width())


def help_width() -> int:
    """Return how long a line of help may be; where there is no terminal, 80 characters."""
    return max(HELP_WIDTH_MIN, min(shutil.get_terminal_size().columns, HELP_WIDTH_MAX))


class _Parser(argparse.ArgumentParser):
    """A parser that raises instead of printing and leaving: with `--json` an error is a document like any other."""

    def error(self, message: str) -> NoReturn:
        message += self._guess(message)
        verb, usage = self.prog.partition(" ")[2], " ".join(self.format_usage().split())
        if len(usage) > USAGE_CHARACTERS_MAX:
            wanted = "".join(
                f" [{each.metavar}]" if each.nargs in ("?", "*") else f" {each.metavar}"
                for each in self._actions
                if not each.option_strings
            )
            usage = f"usage: {self.prog} [OPTIONS]{wanted}\n`samemind help {verb}` tells the options"
        raise Usage(f"{verb}: {message}", hint=usage)

    def _guess(self, message: str) -> str:
        """Return which option was meant where one that does not exist was typed, and one is near."""
        unknown = re.match(r"unrecognized arguments: (--[\w-]+|-\w)", message)
        if unknown is None:
            return ""
        from difflib import get_close_matches  # a slip alone needs it

        known = [*self._option_string_actions, *EVERYWHERE]
        ours = _ALSO_CALLED.get(unknown[1])
        near = [ours] if ours in known else get_close_matches(unknown[1], known, 1, ALIKE_MIN)
        return f"; did you mean {near[0]}?" if near else ""


def _lines_of(name: str) -> list[str]:
    if name == STANDARD_INPUT:
        return _standard_input().split("\n")
    try:
        with open(name, encoding="utf-8") as file:
            return file.read().split("\n")
    except UnicodeDecodeError as error:
        raise Usage(
            f"{name}: expected text in UTF-8, found other bytes: {error.reason}", code="unreadable"
        ) from None


def _is_utf8(text: str) -> bool:
    """Say whether all that was typed or piped could be read: Python keeps other bytes as halves of letters."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _standard_input() -> str:
    try:
        return sys.stdin.read().removesuffix("\n")
    except UnicodeDecodeError as error:
        raise Usage(
            f"expected text in UTF-8 on standard input, found other bytes: {error.reason}", code="unreadable"
        ) from None
