"""Explain the verbs: for people as text, for programs as one document."""

from typing import Any, Final

from samemind.cli.line import Line, find_verb, parser_of
from samemind.cli.printing import Printer
from samemind.surface.catalog import FAMILIES, verb_named
from samemind.surface.declare import Verb, declared

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
_TITLES = {
    "memories": "Memories",
    "answers": "For prompts, and why",
    "past": "The past",
    "graph": "Knowledge graph",
    "contradictions": "What cannot all be true",
    "thinking": "Thinking",
    "keeping": "What comes up by itself, and who you are",
    "taking": "What is still to be taken in",
    "portable": "In and out",
    "carry": "By file, to other devices",
    "group": "Other devices",
    "panel": "In a browser",
    "agents": "Agents",
    "service": "As a service",
    "keeping_safe": "Backups, and encryption",
    "device": "This device",
}


# As wide as the longest of two words: `contradictions resolve`.
_NAME_WIDTH: Final = 22


def show_help(line: Line, printer: Printer) -> None:
    """Explain everything, or the one verb that was named."""
    named = line.words[0] if line.verb == "help" and line.words else "" if line.verb == "help" else line.verb
    if printer.json:
        verbs = (
            [verb_named(named)]
            if named
            else [verb_named(name) for names in FAMILIES.values() for name in names]
        )
        document = {"verbs": [_describe(verb) for verb in verbs], "exit_codes": EXIT_CODES}
        printer.document(document)
    elif named:
        if named == "demo":
            printer.text("usage: samemind demo\n\nTwo devices on this machine, one memory.")
        else:
            verb = find_verb(Line(None, False, False, True, named, line.words))
            printer.text(parser_of(verb).format_help().rstrip())
    else:
        printer.text(_overview())


def _overview() -> str:
    lines = ["usage: samemind [--home DIR] [--json | --raw] VERB …", "", "One memory on all your devices."]
    for family, names in FAMILIES.items():
        lines += ["", _TITLES[family]]
        lines += [f"  {name:<{_NAME_WIDTH}} {verb_named(name).help}" for name in names]
    lines += [
        "",
        "More",
        *(
            f"  {name:<{_NAME_WIDTH}} {said}"
            for name, said in (
                ("demo", "Two devices on this machine, one memory."),
                ("completion SH", "Print what completes verbs and options in bash, zsh or fish."),
                ("help VERB", "Explain a verb."),
            )
        ),
    ]
    lines += [
        "",
        "Ids may be shortened to any 6 or more characters that only one has. --json prints one document.",
    ]
    return "\n".join(lines)


def _describe(verb: Verb[Any, Any]) -> dict[str, Any]:
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
                "required": one.required,
                "repeatable": one.many,
                "choices": list(one.word.choices) or None,
                "default": None if one.required else one.default,
                "help": one.word.help,
            }
            for one in declared(verb.options)
        ],
        "result": list(verb.result.__dataclass_fields__),
    }
