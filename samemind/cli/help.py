"""Explain the verbs: for people as text, for programs as one document."""

import textwrap
from collections.abc import Iterable
from typing import Any, Final

from samemind._catalog import DAILY, FAMILIES, HELP_OF, SHORT_FOR
from samemind.catalog import NAMES, names_under, verb_named
from samemind.cli.line import TYPED, Line, find_verb, help_width, is_required, parser_of, read_line
from samemind.cli.printing import Printer
from samemind.commands import TITLES
from samemind.config import Home
from samemind.declaring import Command, declared

EXIT_CODES = {
    0: "ok",
    1: "failure",
    2: "usage, also an ambiguous prefix",
    3: "not found",
    4: "needs a decision",
    5: "peer or daemon unreachable",
    6: "locked or not permitted",
    130: "interrupted",
}


# As wide as the longest of two words: `contradictions resolve`.
_NAME_WIDTH: Final = 22
# What the command does itself: how it is typed, and what it does.
_COMMANDS: Final = {
    "demo": ("demo", "Two devices on this machine, one memory."),
    "completion": (
        "completion SH",
        "Print what completes a line in bash, zsh or fish: verbs, options, ids, devices.",
    ),
    "version": ("version", "Say which version this is."),
    "help": ("help VERB", "Explain a verb."),
}
SHORT_OF: Final = {long: short for short, long in SHORT_FOR.items()}
_ENDING: Final = (
    "Ids may be shortened to any 6 or more characters that only one has. --json prints one document."
)
_MORE: Final = "`samemind help {}`, and likewise for the others, tells its options."


def show_help(line: Line, printer: Printer) -> None:
    """Explain everything, the one verb that was named, or all that begin with that word."""
    asked = read_line(line.words) if line.verb == "help" else line
    named, several = asked.verb, names_under(asked.verb)
    if printer.json:
        verbs = [verb_named(name) for name in (several or ([named] if named else NAMES))]
        document = {"verbs": [_describe(verb) for verb in verbs], "exit_codes": EXIT_CODES}
        printer.document(document)
    elif several:
        printer.text(
            "\n".join(
                [
                    f"usage: samemind {named} WORD …",
                    "",
                    *_listed(several),
                    "",
                    textwrap.fill(_MORE.format(several[0]), help_width()),
                ]
            )
        )
    elif named:
        if named in _COMMANDS:
            typed, said = _COMMANDS[named]
            printer.text(f"usage: samemind {typed}\n\n{said}")
        else:
            printer.text(parser_of(find_verb(asked)).format_help().rstrip())
    elif not (line.verb or line.help):
        printer.text(_first_page(Home.choose(line.home)))
    else:
        printer.text(_overview())


def _first_page(home: Home) -> str:
    """Return what to do next on this device, and the verbs of every day."""
    if not home.store.exists():
        next_step = ('samemind remember "Ann moved to Lisbon"', "save a first memory on this device")
    elif not home.control.exists():
        next_step = ("samemind up --background", "keep this device in sync; `samemind pair` adds another")
    else:
        next_step = ('samemind recall "where does Ann live?"', "ask what is remembered here")
    return "\n".join(
        [
            "One memory on all your devices.",
            "",
            f"Next: {next_step[0]}",
            f"      {next_step[1]}",
            "",
            *(_entry(SHORT_OF.get(name, name), HELP_OF[name]) for name in DAILY),
            "",
            textwrap.fill(
                f"`samemind help` lists all {len(NAMES)} verbs, `samemind help VERB` explains one.",
                help_width(),
            ),
        ]
    )


def _overview() -> str:
    lines = ["usage: samemind [--home DIR] [--json | --raw] VERB …", "", "One memory on all your devices."]
    for family, names in FAMILIES.items():
        lines += ["", TITLES[family], *_listed(names)]
    lines += ["", "More", *(_entry(typed, said) for typed, said in _COMMANDS.values())]
    lines += ["", textwrap.fill(_ENDING, help_width())]
    return "\n".join(lines)


def _listed(names: Iterable[str]) -> list[str]:
    return [_entry(TYPED.get(name, name), HELP_OF[name]) for name in names]


def _entry(typed: str, said: str) -> str:
    """Return what a verb does beside its name, in a column of its own."""
    return textwrap.fill(
        said,
        help_width(),
        initial_indent=f"  {typed:<{_NAME_WIDTH}} ",
        subsequent_indent=" " * (_NAME_WIDTH + 3),
        break_on_hyphens=False,
    )


def _describe(verb: Command[Any, Any]) -> dict[str, Any]:
    return {
        "name": verb.name,
        "help": verb.help,
        "streams": verb.streams,
        "options": [
            {
                "name": one.name,
                "flag": one.word.flag or None,
                "short": one.word.short or None,
                "type": one.type.__name__,
                "required": is_required(verb, one),
                "repeatable": one.many,
                "choices": list(one.word.choices) or None,
                "default": None if one.required else one.default,
                "help": one.word.help,
            }
            for one in declared(verb.options)
            if one.word.flag or one.word.metavar  # what has neither is for other interfaces
        ],
        "result": list(verb.result.__dataclass_fields__),
    }
