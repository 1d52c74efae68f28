"""Show one contradiction: who said what and when, what holds, and what was decided."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.commands.contradictions._parts import ID_DIGITS, ContradictionView, status_words, subject
from samemind.declaring import Agents, Command, Effects, Method, Takes, Workspace, argument, option
from samemind.errors import NotFound
from samemind.formats.options import TIME
from samemind.formats.printable import one_line
from samemind.formats.rendering import Document, clock, day_or_clock

if TYPE_CHECKING:
    import sqlite3

    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowContradiction:
    """Show one contradiction: who said what and when, what holds, and what was decided."""

    id: str = argument("its id, or at least its first 6 characters", takes=Takes.ID)
    as_of: str | None = option("--as-of", f"as it was then: {TIME}", takes=Takes.TIME)


async def run(device: "Device", options: ShowContradiction) -> ContradictionView:
    """Show one, with everything that was claimed and decided."""
    from cognition.contradictions.snoozing import snoozed
    from replica.reads.devices import device_names
    from samemind.commands.contradictions._work import (
        end_of,
        find_contradiction,
        judged_then,
        view_of,
    )

    until_ms = end_of(options.as_of, device.now_ms())

    def read(connection: "sqlite3.Connection") -> ContradictionView:
        record = find_contradiction(connection, options.id)
        judged = judged_then(connection, record, until_ms)
        if judged.status is None:
            raise NotFound(f"there was no such contradiction at {options.as_of}")
        return view_of(
            connection, record, judged, device_names(connection), snoozed(connection, device.now_ms())
        )

    return await device.replica.read(read)


_DEVICE_DIGITS: Final = 12


_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"


def render(document: Document) -> list[str]:
    """Return one with who said what and when, and what was decided."""
    lines = [f"{subject(document['entity'], document['relation'])}{status_words(document)}", ""]
    for letter, side in zip(_LETTERS, (document["a"], document["b"], *document["others"]), strict=False):
        lines.append(f"{letter}  {one_line(side['value'])}   {_said(side)}")
        lines.append(f"   {one_line(side['text'])}")
    lines.append("")
    for belief in _told_once(document["beliefs"]):
        until = f" until {day_or_clock(belief['valid_until'])}" if belief["valid_until"] else ""
        since = day_or_clock(belief["valid_from"]) if belief["valid_from"] else "?"
        lines.append(
            f"{belief['standing']:<9} {one_line(belief['value'])}  from {since}{until}  {_said(belief)}"
        )
    for made in document["resolutions"]:
        kept, hidden = (", ".join(map(one_line, made[name])) for name in ("kept", "hidden"))
        who = one_line(made["device_name"] or "") or made["device"][:_DEVICE_DIGITS]
        lines.append(
            f"decided   keep {kept or 'none'}, hide {hidden or 'none'}  on {who} {clock(made['at'])}"
        )
    if document["status"] == "open":
        lines += [
            "",
            f"samemind contradictions resolve {document['id'][:ID_DIGITS]} --keep-a | --keep-b | … [--since TIME]",
        ]
    return lines


def _told_once(beliefs: list[Document]) -> list[Document]:
    """Return the claims without those that were dated anew: what such a telling says still is held, from then on."""
    held = {(each["rid"], each["value"]) for each in beliefs if each["standing"] == "held"}
    return [
        each for each in beliefs if each["standing"] == "held" or (each["rid"], each["value"]) not in held
    ]


def _said(each: Document) -> str:
    who = f"{one_line(each['speaker'])}, " if each["speaker"] else ""
    where = one_line(each["device_name"] or "") or each["device"][:_DEVICE_DIGITS]
    when = f" {clock(each['told_at'])}" if each["told_at"] else ""
    return f"({who}{one_line(where)}{when})"


COMMAND: Final = Command(
    "contradictions show",
    ShowContradiction,
    ContradictionView,
    run=run,
    render=render,
    effects=Effects.READ,
    agents=Agents.FULL,
    panel=True,
    library=Method(
        "contradiction", "Return one contradiction: who said what and when, what holds, and what was decided."
    ),
    workspace=Workspace.CONTRADICTION,
    place=2,
)
