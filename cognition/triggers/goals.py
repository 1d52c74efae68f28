"""Follow goals: what was told of each since it was stated, and whether it has gone quiet.

A goal is a memory whose field says so, and what is told of it is progress: a later memory that shares its telling
words. Words alone decide, since every device has the same ones; vectors may differ. So progress needs no op of its
own, and a goal that two devices hold goes alike on both.
"""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from cognition.ranking.reading import stems_of, telling
from cognition.triggers.kinds import STAGNATION_MS
from replica import MemoryId
from replica.reads.profile import GoalRow, goal_row, goal_rows, open_goals_by_turns

# Fewer than two words in common happen by chance; a goal of one telling word has no more to share.
SHARED_MIN: Final = 2
# The latest that hold any word of a goal are looked at; what is shown of them is the latest few.
_LOOKED_AT: Final = 500
# Of what holds such a word, the rows that came last are found: to put all of a common word in order by time takes a
# second for a million. Memories come in the order in which they are told, but for what devices told while apart.
_FOUND_MAX: Final = 2_000
PROGRESS_MAX: Final = 20
# What goals are told with says nothing of what they are about.
_STATED_WITH: Final = """
    want wants wanted goal goals plan plans aim hope wish become start stop get make try finish complete learn
"""
_GOAL_WORDS: Final = frozenset(_STATED_WITH.split())


@dataclass(frozen=True, slots=True)
class GoalProgress:
    """A memory about a goal."""

    rid: MemoryId
    text: str
    created_ms: int


@dataclass(frozen=True, slots=True)
class Goal:
    """A goal, and what was told of it since, the latest first."""

    rid: MemoryId
    text: str
    status: str
    created_ms: int
    progress: tuple[GoalProgress, ...]

    @property
    def last_ms(self) -> int:
        """When it was stated, or last told of."""
        return max([self.created_ms, *(each.created_ms for each in self.progress[:1])])

    def is_stagnant(self, now_ms: int) -> bool:
        """Say whether it has gone quiet."""
        return self.status == "open" and now_ms - self.last_ms >= STAGNATION_MS


def read_goals(connection: sqlite3.Connection, *, done: bool = False) -> Iterator[Goal]:
    """Return the open goals, the oldest first; with `done`, those that are reached too."""
    states = ("open", "done") if done else ("open",)
    for row in goal_rows(connection, states):
        yield _followed(connection, row)


def open_goals(connection: sqlite3.Connection, limit: int) -> Iterator[Goal]:
    """Return at most `limit` open goals; where there are more, the devices that told of them take turns."""
    for row in open_goals_by_turns(connection, limit):
        yield _followed(connection, row)


def read_goal(connection: sqlite3.Connection, rid: MemoryId) -> Goal | None:
    """Return one goal; None where the memory is none."""
    row = goal_row(connection, rid)
    return None if row is None else _followed(connection, row)


def _followed(connection: sqlite3.Connection, row: GoalRow) -> Goal:
    progress = _progress(connection, row.text, row.created)
    return Goal(row.rid, row.text, row.status, row.created >> 16, progress)


def is_about(goal: str, text: str) -> bool:
    """Say whether a text tells of a goal."""
    wanted = _stems(goal)
    return bool(wanted) and len(wanted & stems_of(text)) >= min(SHARED_MIN, len(wanted))


def _progress(connection: sqlite3.Connection, goal: str, stated: int) -> tuple[GoalProgress, ...]:
    wanted = [word for word in telling(goal) if word not in _GOAL_WORDS]
    if not wanted:
        return ()
    asked = " OR ".join(f'"{word}"' for word in wanted)
    rows = connection.execute(
        """SELECT m.rid, m.text, m.created FROM (
               SELECT rowid FROM memory_text WHERE memory_text MATCH ? ORDER BY rowid DESC LIMIT ?
           ) f JOIN shown_memory m ON m.id = f.rowid
           WHERE m.created > ? AND m.goal IS NULL AND m.block IS NULL
           AND m.parent IS NULL AND ifnull(m.archived, 0) = 0 ORDER BY m.created DESC, m.rid LIMIT ?""",
        (f"text : ({asked})", _FOUND_MAX, stated, _LOOKED_AT),
    )
    found = [
        GoalProgress(MemoryId(rid), text, created >> 16)
        for rid, text, created in rows
        if is_about(goal, text)
    ]
    return tuple(found[:PROGRESS_MAX])


def _stems(goal: str) -> frozenset[str]:
    return stems_of(goal) - stems_of(" ".join(sorted(_GOAL_WORDS)))
