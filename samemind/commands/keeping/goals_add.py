"""Add a goal: a memory like any other; what is remembered of it later counts as progress."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.commands.keeping._parts import GoalView, goal_line
from samemind.declaring import Agents, Command, Effects, Method, argument, option
from samemind.formats.rendering import Document

if TYPE_CHECKING:
    import sqlite3

    from replica import Core, MemoryId
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class AddGoal:
    """Add a goal: a memory like any other; what is remembered of it later counts as progress."""

    text: str = argument("the goal", metavar="TEXT", joined=True)
    source: str | None = option("--source", "where it comes from")


async def run(device: "Device", options: AddGoal) -> GoalView:
    """Remember a goal; one that is open in the same words is that goal."""
    import replica
    from replica import Remember, Write, new_memory_id
    from replica.codec import check_text
    from replica.reads.profile import open_goal_saying
    from samemind.commands.keeping._goals import read_view
    from samemind.held_back import kept_back

    check_text(options.text)

    def write(core: "Core", connection: "sqlite3.Connection") -> GoalView:
        now_ms = device.now_ms()
        known = open_goal_saying(connection, replica.content_number(options.text))
        if known is not None:
            return read_view(connection, known, now_ms)
        rid, fields = new_memory_id(now_ms, device.random), {"goal": "open"}
        if options.source is not None:
            fields["source"] = options.source
        held = kept_back(connection, rid, options.text, fields, now_ms)
        if held is not None:
            return _held(held, options.text, now_ms)
        core.commit([Write(Remember(options.text, fields), rid)], now_ms)
        return read_view(connection, rid, now_ms)

    return await device.replica.run(write)


def _held(rid: "MemoryId", text: str, now_ms: int) -> GoalView:
    """Return the goal that there will be under this id once it is released."""
    from cognition.extraction.secrets import masked
    from replica import show_memory_id
    from samemind.formats.times import at_stamp

    return GoalView(
        rid=show_memory_id(rid),
        text=masked(text),
        status="open",
        created_at=at_stamp(now_ms << 16),
        progress=[],
        last_progress_at=None,
        stagnant=False,
        held=True,
    )


def render(document: Document) -> list[str]:
    return [goal_line(document)]


COMMAND: Final = Command(
    "goals add",
    AddGoal,
    GoalView,
    run=run,
    render=render,
    place=8,
    effects=Effects.ADD,
    agents=Agents.FULL,
    panel=True,
    library=Method("add_goal", "Add a goal."),
)
