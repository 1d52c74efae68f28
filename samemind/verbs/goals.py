"""State goals, and see how they go."""

import sqlite3

import replica
from cognition.extraction.secrets import masked
from cognition.triggers.goals import Goal, read_goal, read_goals
from replica import Core, MemoryId, Remember, Write, new_memory_id, show_memory_id
from replica.codec import check_text
from samemind.device import Device
from samemind.errors import NotFound
from samemind.results.keeping import Goals, GoalView
from samemind.surface.keeping import AddGoal, FinishGoal, ListGoals
from samemind.times import at_ms, at_stamp
from samemind.verbs.held import kept_back
from samemind.verbs.ids import find_memory
from samemind.verbs.moments import moment_of, read_at


async def goals_list(device: Device, options: ListGoals) -> Goals:
    """List goals with what was told of each."""
    now_ms = moment_of(device, options.as_of)

    def read(connection: sqlite3.Connection) -> Goals:
        return Goals(goals=[_view(goal, now_ms) for goal in read_goals(connection, done=options.all)])

    return await read_at(device, options.as_of, options.seen_by, read)


async def goals_add(device: Device, options: AddGoal) -> GoalView:
    """Remember a goal; one that is open in the same words is that goal."""
    check_text(options.text)

    def write(core: Core, connection: sqlite3.Connection) -> GoalView:
        now_ms = device.now_ms()
        for (known,) in connection.execute(
            "SELECT rid FROM memory WHERE content = ? AND goal = 'open'",
            (replica.content_number(options.text),),
        ):
            return _shown(connection, known, now_ms)
        rid, fields = new_memory_id(now_ms, device.random), {"goal": "open"}
        held = kept_back(connection, rid, options.text, fields, now_ms)
        if held is not None:
            return _held(held, options.text, now_ms)
        core.commit([Write(Remember(options.text, fields), rid)], now_ms)
        return _shown(connection, rid, now_ms)

    return await device.replica.run(write)


async def goals_done(device: Device, options: FinishGoal) -> GoalView:
    """Write one field of the goal's memory, so that a change of its words elsewhere stays."""

    def write(core: Core, connection: sqlite3.Connection) -> GoalView:
        rid, now_ms = find_memory(connection, options.rid), device.now_ms()
        before = _shown(connection, rid, now_ms)
        if before.status != "done":
            core.commit([Write(replica.Set("goal", "done"), rid)], now_ms)
        return _shown(connection, rid, now_ms)

    return await device.replica.run(write)


def _shown(connection: sqlite3.Connection, rid: MemoryId, now_ms: int) -> GoalView:
    goal = read_goal(connection, rid)
    if goal is None:
        raise NotFound(
            f"the memory {show_memory_id(rid)} is no goal", hint="`samemind goals list` shows them"
        )
    return _view(goal, now_ms)


def _held(rid: MemoryId, text: str, now_ms: int) -> GoalView:
    """Return the goal that there will be under this id once it is released."""
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


def _view(goal: Goal, now_ms: int) -> GoalView:
    return GoalView(
        rid=show_memory_id(goal.rid),
        text=goal.text,
        status=goal.status,
        created_at=at_stamp(goal.created_ms << 16),
        progress=[show_memory_id(each.rid) for each in goal.progress],
        last_progress_at=at_ms(goal.progress[0].created_ms) if goal.progress else None,
        stagnant=goal.is_stagnant(now_ms),
    )
