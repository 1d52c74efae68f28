"""Edit the text of a memory; edits made elsewhere at the same time are merged."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.commands.memories._parts import memory_lines
from samemind.declaring import Agents, Command, Effects, Method, Takes, Workspace, argument, option
from samemind.formats.memory_view import MemoryView

if TYPE_CHECKING:
    import sqlite3

    from replica import Core
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class EditMemory:
    """Edit the text of a memory; edits made elsewhere at the same time are merged."""

    rid: str = argument("its id", takes=Takes.RID)
    text: str = argument("the new text; - reads it from standard input", metavar="TEXT")
    was: str | None = option("--was", "fail with exit code 4 unless this is its text now", metavar="TEXT")


async def run(device: "Device", options: EditMemory) -> MemoryView:
    """Change a memory's words; concurrent changes elsewhere keep theirs."""
    from samemind.commands.contradictions._correcting import rewrite, text_unless_changed
    from samemind.commands.memories._changes import seen_with
    from samemind.formats.ids import find_memory
    from samemind.formats.views import memory_view
    from samemind.held_back import change_kept_back

    def write(core: "Core", connection: "sqlite3.Connection") -> MemoryView:
        rid = find_memory(connection, options.rid)
        text = text_unless_changed(connection, rid, was=options.was, wanted=options.text)
        held = None
        if text != options.text or memory_view(connection, rid).variants:
            held = change_kept_back(device, connection, rid, options.text)
            if held is None:
                rewrite(device, core, connection, rid, options.text)
        return seen_with(connection, rid, held)

    return await device.replica.run(write)


COMMAND: Final = Command(
    "edit",
    EditMemory,
    MemoryView,
    run=run,
    render=memory_lines,
    effects=Effects.DESTROY,
    agents=Agents.FULL,
    panel=True,
    library=Method(
        "edit",
        "Edit the text of a memory; `NeedsDecision` if it is no longer what it `was`.",
    ),
    idempotent=True,
    workspace=Workspace.CHANGED_BY_ID,
    place=6,
    elsewhere=("update",),
)
