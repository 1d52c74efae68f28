"""Archive a memory: it is kept, and shown only on request."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.commands.memories._parts import memory_lines
from samemind.declaring import Agents, Command, Effects, Method, Takes, Workspace, argument
from samemind.formats.memory_view import MemoryView

if TYPE_CHECKING:
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive:
    """Archive a memory: it is kept, and shown only on request."""

    rid: str = argument("its id", takes=Takes.RID)


async def run(device: "Device", options: Archive) -> MemoryView:
    """Put it out of the way."""
    from samemind.commands.memories._changes import set_fields

    return await set_fields(device, options.rid, {"archived": True})


COMMAND: Final = Command(
    "archive",
    Archive,
    MemoryView,
    run=run,
    render=memory_lines,
    effects=Effects.CHANGE,
    agents=Agents.FULL,
    panel=True,
    library=Method("archive"),
    idempotent=True,
    workspace=Workspace.CHANGED_BY_ID,
    place=11,
)
