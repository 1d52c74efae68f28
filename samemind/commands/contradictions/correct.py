"""Correct a memory: replace a text that is wrong; the old text stays in its history."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.commands.contradictions._parts import ID_DIGITS, Corrected, raised
from samemind.declaring import Command, CoreTool, Effects, Method, Takes, Workspace, argument
from samemind.formats.printable import one_line
from samemind.formats.rendering import HELD_BACK, Document

if TYPE_CHECKING:
    import sqlite3

    from replica import Core
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class Correct:
    """Correct a memory: replace a text that is wrong; the old text stays in its history."""

    rid: str = argument("its id", takes=Takes.RID)
    text: str = argument("the right text; - reads it from standard input", metavar="TEXT")


async def run(device: "Device", options: Correct) -> Corrected:
    """Put it right."""
    from replica import show_memory_id
    from samemind.commands.contradictions._correcting import rewrite
    from samemind.formats.ids import find_memory
    from samemind.formats.views import memory_view
    from samemind.held_back import change_kept_back

    def write(core: "Core", connection: "sqlite3.Connection") -> Corrected:
        rid = find_memory(connection, options.rid)
        held = change_kept_back(device, connection, rid, options.text)
        if held is None:
            return rewrite(device, core, connection, rid, options.text)[0]
        text = memory_view(connection, rid).text
        return Corrected(rid=show_memory_id(rid), text=text, held=show_memory_id(held))

    return await device.replica.run(write)


def render(document: Document) -> list[str]:
    """Return what a memory says now."""
    lines = [f"{document['rid']}  {one_line(document['text'])}"]
    if document["held"] is not None:
        lines.append(f"{document['held']} {HELD_BACK}")
    lines += [f"settles {each[:ID_DIGITS]}" for each in document["settled"]]
    return lines + raised(document)


COMMAND: Final = Command(
    "correct",
    Correct,
    Corrected,
    run=run,
    render=render,
    effects=Effects.DESTROY,
    agents=CoreTool(
        place=5,
        name="correct",
        title="Correct",
        description=(
            "Replace what a memory says because it is wrong or no longer so. What it said before "
            "stays in its history."
        ),
    ),
    panel=True,
    library=Method("correct", "Correct a memory: replace a text that is wrong."),
    idempotent=True,
    workspace=Workspace.CHANGED_BY_ID,
    place=7,
)
