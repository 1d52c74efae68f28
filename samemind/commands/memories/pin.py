"""Pin a memory: it stays in the core profile, however much it fades."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.commands.memories._parts import memory_lines
from samemind.declaring import Agents, Command, Effects, Method, Takes, Workspace, argument
from samemind.formats.memory_view import MemoryView

if TYPE_CHECKING:
    import sqlite3

    from replica import Core
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """Pin a memory: it stays in the core profile, however much it fades."""

    rid: str = argument("its id", takes=Takes.RID)


async def run(device: "Device", options: Pin) -> MemoryView:
    """Keep it in the core profile; that stays short enough to be read whole."""
    import replica
    from replica import Write
    from samemind.commands.memories._pins import check_pins
    from samemind.formats.ids import find_memory
    from samemind.formats.views import memory_view

    def write(core: "Core", connection: "sqlite3.Connection") -> MemoryView:
        rid = find_memory(connection, options.rid)
        check_pins(connection, rid)
        core.commit([Write(replica.Set("pinned", True), rid)], device.now_ms())
        return memory_view(connection, rid)

    return await device.replica.run(write)


COMMAND: Final = Command(
    "pin",
    Pin,
    MemoryView,
    run=run,
    render=memory_lines,
    effects=Effects.CHANGE,
    agents=Agents.FULL,
    panel=True,
    library=Method("pin", "Pin a memory: keep it in the core profile."),
    idempotent=True,
    workspace=Workspace.CHANGED_BY_ID,
    place=9,
)
