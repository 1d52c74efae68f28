"""Complete a command line in a shell: verbs, options and choices with what they mean, ids, and names of devices.

The script that `samemind completion SHELL` prints asks the command itself at each Tab, by argcomplete. Only the verb
that stands on the line gets a parser, as everywhere; ids and names are asked of whoever holds the store.

    eval "$(samemind completion bash)"                                  in ~/.bashrc
    eval "$(samemind completion zsh)"                                   in ~/.zshrc, behind compinit
    samemind completion fish > ~/.config/fish/completions/samemind.fish
"""

import argparse
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from argcomplete import autocomplete
from argcomplete.completers import BaseCompleter, FilesCompleter
from argcomplete.lexers import split_line
from argcomplete.shell_integration import shellcode

from samemind._catalog import HELP_OF, SHORT_FOR
from samemind.catalog import COMMANDS, NAMES, names_under, verb_named
from samemind.cli.line import EVERYWHERE, TYPED, parser_of
from samemind.config import Home
from samemind.declaring import by_name, declared
from samemind.errors import SamemindError, Usage
from samemind.formats.printable import one_line

SHELLS: Final = ("bash", "zsh", "fish")
# As many ids as are looked through at a glance.
OFFERED_MAX: Final = 40
_FILES: Final = frozenset({"FILE"})
_MEMORIES: Final = frozenset({"RID", "ID", "A", "B"})
_DEVICES: Final = frozenset({"DEVICE", "PEER"})
# What ID means to commands to which it is no memory's: a device, or what their family lists, by what is said of each.
_OF_DEVICES: Final = frozenset(
    {"carry export", "group rebuild", "group restore", "peers add", "peers rename", "peers revoke", "phone"}
)
_LISTED: Final = {"contradictions": ("entity", "relation"), "held": ("shown",), "triggers": ("reason",)}
_SAID_OF_COMMANDS: Final = {
    "completion": "Print what completes verbs, options, ids and names in bash, zsh or fish.",
    "demo": "Two devices on this machine, one memory.",
    "help": "Explain a verb.",
    "version": "Say which version this is.",
}
_SAID_EVERYWHERE: Final = {
    "--home": "the folder of a device",
    "--json": "print one JSON document",
    "--raw": "print one bare line",
    "--help": "explain the verb",
}
Completer = Callable[..., Any]


class _Nothing(BaseCompleter):
    """Completes what is told in one's own words."""

    def __call__(self, **_: object) -> Sequence[str]:
        return ()


def completion_script(words: Sequence[str]) -> str:
    """Return the script for the shell that was named."""
    if len(words) != 1 or words[0] not in SHELLS:
        raise Usage(f"expected a shell among {', '.join(SHELLS)}; got {' '.join(words)[:40]!r}")
    script: str = shellcode(["samemind"], shell=words[0])
    return script.strip()


def complete(environment: Mapping[str, str]) -> None:
    """Answer a shell that completes, by what it says in its variables, and end this process."""
    line, point = environment.get("COMP_LINE", ""), int(environment.get("COMP_POINT", "0"))
    *_, typed, _ = split_line(line, point)
    home, verb, behind = _read(typed[1:])
    if verb == "help":
        explained = _read(typed[1 + behind :])[1]
        second = {each.partition(" ")[2]: HELP_OF[each] for each in names_under(explained)}
        parser = _choosing("verb", second if explained else _first_words())
    else:
        parser = _parser(verb, home)
    # argcomplete counts from one, and passes over the words before the one that it takes for the command.
    os.environ["_ARGCOMPLETE"] = str(1 + behind)
    autocomplete(parser, always_complete_options="long", default_completer=_Nothing())


def _read(words: Sequence[str]) -> tuple[str | None, str, int]:
    """Return the home that is named, the verb as far as it is typed, and which word of `words` it ends before."""
    home: str | None = None
    verb = ""
    end = 0
    place = 0
    while place < len(words):
        word = words[place]
        if word == "--home":
            place += 1
            home = words[place] if place < len(words) else None
        elif word.startswith("--home="):
            home = word.removeprefix("--home=")
        elif word.startswith("-"):
            pass
        elif not verb:
            verb, end = word, place + 1
        elif names_under(verb) and place == end:
            verb, end = f"{verb} {word}", place + 1
        place += 1
    return home, verb, end


def _parser(verb: str, home: str | None) -> argparse.ArgumentParser:
    if not verb:
        return _choosing("verb", _first_words())
    if verb == "completion":
        return _choosing("shell", dict.fromkeys(SHELLS, ""))
    under = names_under(verb)
    name = SHORT_FOR.get(verb, verb)
    known = name in NAMES
    parser = parser_of(verb_named(name)) if known else _choosing("word", {})
    if under:
        second = {each.partition(" ")[2]: HELP_OF[each] for each in under}
        parser.add_argument("second", nargs="?").completer = _given(second)  # type: ignore[attr-defined]
    for action in parser._actions:
        if action.choices is None and not hasattr(action, "completer"):
            action.completer = _completer_of(name, action, home)  # type: ignore[attr-defined]
    if name == "remember":
        batch = by_name(verb_named("remember-many").options)["batch"].word
        parser.add_argument(batch.flag, help=batch.help).completer = FilesCompleter()  # type: ignore[attr-defined]
    if name == "calendar":
        for one in declared(verb_named("calendar-feed").options):
            parser.add_argument(one.word.flag, action="store_true", help=one.word.help)
    if known:
        _add_everywhere(parser)
    return parser


def _first_words() -> dict[str, str]:
    """Return what may stand first on a line, each with what it does."""
    found = {name: said for name, said in _SAID_OF_COMMANDS.items() if name in COMMANDS}
    for name in NAMES:
        first, _, second = name.partition(" ")
        if not second and first not in TYPED:
            found[first] = HELP_OF[name]
        elif second and first not in found:
            found[first] = ", ".join(each.partition(" ")[2] for each in names_under(first))
    return dict(sorted(found.items()))


def _choosing(name: str, offered: Mapping[str, str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="samemind", add_help=False)
    parser.add_argument(name, nargs="*").completer = _given(offered)  # type: ignore[attr-defined]
    _add_everywhere(parser)
    return parser


def _add_everywhere(parser: argparse.ArgumentParser) -> None:
    for flag in EVERYWHERE:
        if flag == "--home":
            parser.add_argument(flag, help=_SAID_EVERYWHERE[flag]).completer = FilesCompleter()  # type: ignore[attr-defined]
        else:
            parser.add_argument(flag, action="store_true", help=_SAID_EVERYWHERE[flag])


def _given(offered: Mapping[str, str]) -> Completer:
    return lambda **_: dict(offered)


def _completer_of(verb: str, action: argparse.Action, home: str | None) -> Completer:
    """Return what completes an argument; nothing does what is told in one's own words."""
    metavar, family = str(action.metavar or ""), verb.partition(" ")[0]
    if metavar in _FILES:
        return FilesCompleter()
    if metavar in _DEVICES or (metavar == "ID" and verb in _OF_DEVICES and action.dest != "keep"):
        return lambda **_: _named(home, "", "device")
    if metavar == "ID" and family in _LISTED:
        return lambda **_: _listed(home, family)
    if metavar in _MEMORIES:
        return lambda prefix, **_: _named(home, prefix, "memory")
    return _Nothing()


def _named(home: str | None, prefix: str, kind: str) -> dict[str, str]:
    """Return the ids of memories that begin so with what they say, or the names of devices with their ids."""
    found: dict[str, str] = {}
    for each in _asked("ids", {"beginnings": [prefix] if prefix else [], "limit": OFFERED_MAX}, home):
        if each["kind"] != kind:
            continue
        if kind == "device":
            found[one_line(each["text"])] = each["short"]
        else:
            # What is typed is longer than the shortest already, or its beginning.
            found[each["short"] if each["short"].startswith(prefix) else each["id"]] = one_line(each["text"])
    return found


def _listed(home: str | None, family: str) -> dict[str, str]:
    """Return the ids of what commands like `contradictions resolve` are about, with what is said of each."""
    return {
        each["id"]: one_line(" ".join(each[name] for name in _LISTED[family]))
        for each in _asked(f"{family} list", {}, home)
    }


def _asked(verb: str, options: Mapping[str, Any], home: str | None) -> list[Mapping[str, Any]]:
    """Ask who holds the store which there are, or open it; where that cannot be, nothing is offered."""
    from samemind.cli.printing import Printer
    from samemind.control.client import Control

    try:
        chosen = Home.choose(home)
        if not chosen.store.exists():
            return []
        control = Control.connect(chosen)
        if control is not None:
            answers: list[Mapping[str, Any]] = [
                found for _, found in control.ask(verb, options) if found is not None
            ]
        else:
            from samemind.cli.opening import ask_here

            answers = [ask_here(verb_named(verb), options, chosen, Printer(json=True, raw=False)) or {}]
    except (SamemindError, OSError):
        return []
    return [each for answer in answers if answer for each in verb_named(verb).records(answer)]
