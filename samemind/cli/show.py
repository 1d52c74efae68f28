"""Say in plain text what a verb's result says: lines for people, and one bare line for `--raw`."""

from collections.abc import Callable, Mapping
from typing import Final

from samemind.catalog import NAMES, verb_named
from samemind.cli import show_mailbox
from samemind.printable import one_line
from samemind.rendering import Document, pairs, plain, titled


def show(verb: str, document: Document, *, terminal: bool = False) -> list[str]:
    """Return a result as lines for people, on a terminal as rows that fit it."""
    if terminal and verb == "list":
        from samemind.cli.terminal import memory_rows  # for whoever sits there

        return memory_rows(document, titled)
    render = _SHOWN.get(verb) or (verb_named(verb).render if verb in NAMES else None) or pairs
    return render(document)


def show_said(verb: str, document: Document) -> list[str]:
    """Return what a verb says before its end as lines for people."""
    render = verb_named(verb).render_said or pairs
    return render(document)


def raw_line(verb: str, document: Document) -> str:
    """Return a result as one line without decoration."""
    if "text" in document and "rid" in document:
        return _bare(document)
    for name in ("results", "memories"):
        if isinstance(document.get(name), list):
            return " | ".join(map(_bare, document[name]))
    if verb == "remember":
        return one_line(document["rid"])
    return " ".join(
        f"{name}={plain(value)}" for name, value in document.items() if value not in (None, [], {}, "")
    )


def _bare(memory: Document) -> str:
    return one_line(f"{memory['rid']} {titled(memory)}")


_SHOWN: Final[Mapping[str, Callable[[Document], list[str]]]] = {
    **show_mailbox.SHOWN,
    "version": lambda document: [document["version"]],
    "completion": lambda document: [document["script"]],
}
