"""Mark a goal as reached."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.commands.keeping._parts import GoalView, goal_line
from samemind.declaring import Agents, Command, Effects, Method, Takes, argument
from samemind.formats.rendering import Document

if TYPE_CHECKING:
    import sqlite3

    from replica import Core
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishGoal:
    """Mark a goal as reached."""

    rid: str = argument("the id of its memory", takes=Takes.RID)


async def run(device: "Device", options: FinishGoal) -> GoalView:
    """Write one field of the goal's memory, so that a change of its words elsewhere stays."""
    import replica
    from replica import Write
    from samemind.commands.keeping._goals import read_view
    from samemind.formats.ids import find_memory

    def write(core: "Core", connection: "sqlite3.Connection") -> GoalView:
        rid, now_ms = find_memory(connection, options.rid), device.now_ms()
        before = read_view(connection, rid, now_ms)
        if before.status != "done":
            core.commit([Write(replica.Set("goal", "done"), rid)], now_ms)
        return read_view(connection, rid, now_ms)

    return await device.replica.run(write)


def render(document: Document) -> list[str]:
    return [goal_line(document)]


COMMAND: Final = Command(
    "goals done",
    FinishGoal,
    GoalView,
    run=run,
    render=render,
    place=9,
    effects=Effects.CHANGE,
    agents=Agents.FULL,
    panel=True,
    library=Method("finish_goal"),
    idempotent=True,
)
