"""What several commands do with goals."""

import sqlite3

from cognition.triggers.goals import Goal, read_goal
from replica import MemoryId, show_memory_id
from samemind.commands.keeping._parts import GoalView
from samemind.errors import NotFound
from samemind.formats.times import at_ms, at_stamp


def read_view(connection: sqlite3.Connection, rid: MemoryId, now_ms: int) -> GoalView:
    goal = read_goal(connection, rid)
    if goal is None:
        raise NotFound(
            f"the memory {show_memory_id(rid)} is no goal", hint="`samemind goals list` shows them"
        )
    return goal_view(goal, now_ms)


def goal_view(goal: Goal, now_ms: int) -> GoalView:
    return GoalView(
        rid=show_memory_id(goal.rid),
        text=goal.text,
        status=goal.status,
        created_at=at_stamp(goal.created_ms << 16),
        progress=[show_memory_id(each.rid) for each in goal.progress],
        last_progress_at=at_ms(goal.progress[0].created_ms) if goal.progress else None,
        stagnant=goal.is_stagnant(now_ms),
    )
