"""Show what came of rebuilding a group, and of moving into one, as lines for people."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from samemind.printable import one_line
from samemind.rendering import Document, counted

# A screen of them; --json has all.
_LISTED_MAX: Final = 20
_TEXT_CHARACTERS: Final = 60


def _rebuilt(document: Document) -> list[str]:
    would = "would be " if document["dry_run"] else ""
    lines = [
        f"{would}left out, with {counted(document['ops_left_out'], 'write')}: {_names(document['left_out'])}",
        f"{would}kept: {counted(document['memories'], 'memory', 'memories')}, {counted(document['ops'], 'write')}",
    ]
    if document["known"]:
        lines.append(f"of earlier devices all stays that is here: {_names(document['known'])}")
    for key, said in (
        ("memories_back", "back, since only they had forgotten it"),
        ("memories_kept", "kept in this device's name"),
        ("texts_mended", "reads as those left it who stay"),
        ("words_lost", "erased by them: its words are not here any more"),
    ):
        lines += _some(document[key], lambda rid, said=said: f"{rid}  {said}")  # type: ignore[misc]
    lines += _some(document["memories_left_out"], _left_out)
    if document["dry_run"]:
        return [*lines, "nothing was changed"]
    lines.append(f"what was there is kept in {document['before']}; to take it back: samemind restore FILE")
    if document["stays"]:
        lines.append(f"next, here: samemind up, then samemind pair for each of {_names(document['stays'])}")
        lines.append("and there: samemind down, then samemind group rejoin CODE")
    return lines


def _rejoined(document: Document) -> list[str]:
    memories, writes = counted(document["memories"], "memory", "memories"), counted(document["ops"], "write")
    lines = [
        f"in the group of {one_line(document['name'])}; both show: {document['words']}",
        f"{memories}; {writes} of here are new there",
    ]
    lines += _some(document["memories_told_again"], lambda rid: f"{rid}  told again")
    lines += [f"not taken over: {reason}" for reason in document["refused"]]
    return [*lines, f"what was there is kept in {document['before']}; to take it back: samemind restore FILE"]


def _left_out(memory: Document) -> str:
    text = one_line(memory["text"])
    short = text if len(text) <= _TEXT_CHARACTERS else f"{text[: _TEXT_CHARACTERS - 1]}…"
    edited = ", and somebody who stays had changed it" if memory["edited"] else ""
    return f"{memory['rid']}  goes: told by {one_line(memory['told_by'])} alone{edited}: {short}"


def _some(items: Sequence[Any], line: Callable[[Any], str]) -> list[str]:
    more = len(items) - _LISTED_MAX
    return [*map(line, items[:_LISTED_MAX]), *([f"and {more} more: --json lists all"] if more > 0 else [])]


def _names(names: Sequence[str]) -> str:
    return ", ".join(map(one_line, names)) or "nobody"


SHOWN: Final[Mapping[str, Callable[[Document], list[str]]]] = {
    "group rebuild": _rebuilt,
    "group rejoin": _rejoined,
}
