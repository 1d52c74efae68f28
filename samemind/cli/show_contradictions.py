"""Say in plain text what contradicts itself, and how to settle it."""

from collections.abc import Sequence
from typing import Final

from samemind.printable import one_line
from samemind.rendering import HELD_BACK, Document, clock

_DEVICE_DIGITS: Final = 12
# Enough of an id to type, as prefixes of six and more are taken.
_ID_DIGITS: Final = 12
_ATTENTION: Final = {"ask": "to be asked", "mention": "mentioned where it comes up", "quiet": "only listed"}
_SETTLED: Final = {
    "change": "settled by a change of mind",
    "resolution": "settled by a decision",
}
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"


def contradictions(document: Document) -> list[str]:
    """Return a list of them, a line each."""
    lines = [_line(each) for each in document["contradictions"]]
    left = document["total"] - len(lines)
    return [*lines, f"and {left} more"] if lines and left > 0 else lines or ["nothing contradicts itself"]


def nominated(nominees: Sequence[Document]) -> list[str]:
    """Return the older memories that a new one may repeat or contradict, a line each."""
    lines = []
    for each in nominees:
        values = "; ".join(
            f"{one_line(value['before'])} then, {one_line(value['now'])} now" for value in each["values"]
        )
        when = f"  ({clock(each['told_at'])})" if each["told_at"] else ""
        lines.append(
            f"  compare {each['rid']}  {one_line(each['text'])}{when}{f'  {values}' if values else ''}"
        )
    return lines


def review(document: Document) -> list[str]:
    """Return pairs that nobody judged, three lines each."""
    lines = []
    for each in document["nominees"]:
        when = f"  ({clock(each['told_at'])})" if each["told_at"] else ""
        lines.append(f"{each['rid']}  {one_line(each['text'])}{when}")
        lines += [*nominated([each["nominee"]]), f"    {one_line(each['nominee']['why'])}"]
    left = document["total"] - len(document["nominees"])
    return [*lines, f"and {left} more"] if lines and left > 0 else lines or ["nothing waits to be judged"]


def settled(document: Document) -> list[str]:
    """Return the verdict that stands."""
    stands = f"{document['a']} and {document['b']}: {document['verdict']}, by {document['by']}"
    lines = [stands if document["changed"] else f"{stands} (it stood already)"]
    return [*lines, *(f"contradiction {each[:_ID_DIGITS]}" for each in document["contradictions"])]


def contradiction(document: Document) -> list[str]:
    """Return one with who said what and when, and what was decided."""
    lines = [f"{one_line(document['entity'])} {one_line(document['relation'])}: {_status(document)}", ""]
    for letter, side in zip(_LETTERS, (document["a"], document["b"], *document["others"]), strict=False):
        lines.append(f"{letter}  {one_line(side['value'])}   {_said(side)}")
        lines.append(f"   {one_line(side['text'])}")
    lines.append("")
    for belief in document["beliefs"]:
        until = f" until {clock(belief['valid_until'])}" if belief["valid_until"] else ""
        since = clock(belief["valid_from"]) if belief["valid_from"] else "?"
        lines.append(
            f"{belief['standing']:<9} {one_line(belief['value'])}  from {since}{until}  {_said(belief)}"
        )
    for made in document["resolutions"]:
        kept, hidden = (", ".join(map(one_line, made[name])) for name in ("kept", "hidden"))
        who = made["device_name"] or made["device"][:_DEVICE_DIGITS]
        lines.append(
            f"decided   keep {kept or 'none'}, hide {hidden or 'none'}  on {who} {clock(made['at'])}"
        )
    if document["status"] == "open":
        lines += [
            "",
            f"samemind contradictions resolve {document['id'][:_ID_DIGITS]} --keep-a | --keep-b | …",
        ]
    return lines


def resolved(document: Document) -> list[str]:
    """Return how a contradiction stands after a decision."""
    found = document["contradiction"]
    held = dict.fromkeys(
        one_line(belief["value"]) for belief in found["beliefs"] if belief["standing"] == "held"
    )
    return [f"{one_line(found['entity'])} {one_line(found['relation'])}: {' and '.join(held)}"]


def corrected(document: Document) -> list[str]:
    """Return what a memory says now."""
    lines = [f"{document['rid']}  {one_line(document['text'])}"]
    if document["held"] is not None:
        lines.append(f"{document['held']} {HELD_BACK}")
    lines += [f"settles {each[:_ID_DIGITS]}" for each in document["settled"]]
    return lines + raised(document)


def raised(document: Document) -> list[str]:
    """Return which questions stand between a memory and others, where it was told or corrected."""
    return [f"contradicted: {each[:_ID_DIGITS]}" for each in document["contradictions"]]


def _line(each: Document) -> str:
    values = " or ".join(one_line(side["value"]) for side in (each["a"], each["b"], *each["others"]))
    return (
        f"{each['id'][:_ID_DIGITS]}  {each['severity']:<6} {one_line(each['entity'])} "
        f"{one_line(each['relation'])}: {values}  ({_status(each)})"
    )


def _status(each: Document) -> str:
    if each["status"] == "open":
        return f"open, {_ATTENTION.get(each['attention'], each['attention'])}"
    return _SETTLED.get(each["settled_by"], "settled")


def _said(each: Document) -> str:
    who = f"{one_line(each['speaker'])}, " if each["speaker"] else ""
    where = each["device_name"] or each["device"][:_DEVICE_DIGITS]
    when = f" {clock(each['told_at'])}" if each["told_at"] else ""
    return f"({who}{one_line(where)}{when})"
