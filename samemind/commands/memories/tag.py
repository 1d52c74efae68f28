"""Add labels to a memory, or remove them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.commands.memories._parts import memory_lines
from samemind.declaring import Agents, Command, Effects, Method, Takes, Workspace, argument, option
from samemind.formats.memory_view import MemoryView

if TYPE_CHECKING:
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class TagMemory:
    """Add labels to a memory, or remove them."""

    rid: str = argument("its id", takes=Takes.RID)
    tags: tuple[str, ...] = argument("the labels", metavar="TAG", many=True)
    remove: bool = option("--remove", "remove them", default=False)


async def run(device: "Device", options: TagMemory) -> MemoryView:
    """Put labels on, or take them off."""
    from samemind.commands.memories._changes import set_fields
    from samemind.formats.fields import LABELS_OFF, LABELS_ON

    labels = sorted({each.strip() for each in options.tags})
    return await set_fields(device, options.rid, {LABELS_OFF if options.remove else LABELS_ON: labels})


COMMAND: Final = Command(
    "tag",
    TagMemory,
    MemoryView,
    run=run,
    render=memory_lines,
    effects=Effects.CHANGE,
    agents=Agents.FULL,
    panel=True,
    library=Method("tag"),
    idempotent=True,
    workspace=Workspace.CHANGED_BY_ID,
    place=8,
)
