"""Show one memory."""

from typing import TYPE_CHECKING, Final

from replica.values import dataclass
from samemind.commands.memories._parts import memory_lines
from samemind.declaring import Agents, Command, Effects, Method, Takes, Workspace, argument, option
from samemind.formats.memory_view import MemoryView
from samemind.formats.options import MomentOptions

if TYPE_CHECKING:
    import sqlite3

    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class GetMemory(MomentOptions):
    """Show one memory."""

    rid: str = argument("its id, or at least its first 6 characters", takes=Takes.RID)
    guess: bool = option(
        "--guess", "guess its type, feeling, people and places where they are not given", default=False
    )


async def run(device: "Device", options: GetMemory) -> MemoryView:
    """Show one memory, or a summary, as it is or as it was."""
    from samemind.commands.memories._standing import view_of, with_guess
    from samemind.formats.ids import find_memory
    from samemind.moments import moment_of, read_at

    now_ms = moment_of(device, options.as_of)

    def read(connection: "sqlite3.Connection") -> MemoryView:
        rid = find_memory(connection, options.rid, summary=True)
        view = view_of(connection, rid, now_ms=now_ms, profile=device.profile)
        return with_guess(connection, view) if options.guess else view

    return await read_at(device, options.as_of, options.seen_by, read)


COMMAND: Final = Command(
    "get",
    GetMemory,
    MemoryView,
    run=run,
    render=memory_lines,
    effects=Effects.READ,
    agents=Agents.FULL,
    panel=True,
    library=Method("get", "Return one memory, as it is or as it was."),
    workspace=Workspace.READ_BY_ID,
    opens_mind=False,
    place=4,
    elsewhere=("cat", "show", "view"),
)
