"""Bring back an archived memory."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.commands.memories._parts import memory_lines
from samemind.declaring import Agents, Command, Effects, Method, Takes, Workspace, argument
from samemind.formats.memory_view import MemoryView

if TYPE_CHECKING:
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class Unarchive:
    """Bring back an archived memory."""

    rid: str = argument("its id", takes=Takes.RID)


async def run(device: "Device", options: Unarchive) -> MemoryView:
    """Bring it back."""
    from samemind.commands.memories._changes import set_fields

    return await set_fields(device, options.rid, {"archived": None})


COMMAND: Final = Command(
    "unarchive",
    Unarchive,
    MemoryView,
    run=run,
    render=memory_lines,
    effects=Effects.CHANGE,
    agents=Agents.FULL,
    panel=True,
    library=Method("unarchive"),
    idempotent=True,
    workspace=Workspace.CHANGED_BY_ID,
    place=12,
)
