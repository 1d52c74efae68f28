"""Read what stands out of all memories: core facts, blocks and goals. What is archived is left out."""

import sqlite3
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from replica.ids import MemoryId

_CATEGORY = "json_extract(meta, '$.category')"

# An index has to find them, in this order (`replica.derived`).
CORE_ROWS: Final = f"""SELECT id, rid, {_CATEGORY} AS category, certainty, updated, pinned, workspace FROM memory
    WHERE category = ? AND ifnull(archived, 0) = 0 ORDER BY updated DESC LIMIT ?"""


class CoreRow(NamedTuple):
    """A memory with a category; `number` is its row, `updated` a stamp."""

    number: int
    rid: MemoryId
    category: str
    certainty: float | None
    updated: int
    pinned: int | None
    workspace: str | None


class BlockRow(NamedTuple):
    """A memory that is an editable block; `updated` is a stamp."""

    rid: MemoryId
    label: str
    text: str
    updated: int


class GoalRow(NamedTuple):
    """A memory that is a goal, open or done; `created` is a stamp."""

    rid: MemoryId
    text: str
    status: str
    created: int


def core_rows(connection: sqlite3.Connection, category: str, *, limit: int) -> list[CoreRow]:
    """Return the memories of a category, at most the `limit` that were heard last."""
    rows = connection.execute(CORE_ROWS, (category, limit))
    return [CoreRow(number, MemoryId(rid), *row) for number, rid, *row in rows]


def surest_numbers(connection: sqlite3.Connection, workspace: str | None, *, limit: int) -> list[int]:
    """Return the rows of at most `limit` memories of a workspace with a category: the surest, then the latest first."""
    rows = connection.execute(
        f"""SELECT id FROM memory WHERE {_CATEGORY} IS NOT NULL AND workspace IS ?
           AND ifnull(archived, 0) = 0 ORDER BY certainty DESC, updated DESC, rid LIMIT ?""",
        (workspace, limit),
    )
    return [number for (number,) in rows]


def block_rows(connection: sqlite3.Connection) -> list[BlockRow]:
    """Return all blocks, in the order of labels, then of ids."""
    rows = connection.execute(
        """SELECT rid, block, text, updated FROM memory WHERE block IS NOT NULL AND ifnull(archived, 0) = 0
           ORDER BY block, rid"""
    )
    return [BlockRow(MemoryId(rid), *row) for rid, *row in rows]


def blocks_by_turns(connection: sqlite3.Connection, limit: int) -> Iterator[BlockRow]:
    """Give at most `limit` blocks, by turns among the devices that told of them; in the order of labels and ids."""
    numbers = connection.execute(
        """SELECT id FROM (
               SELECT b.id AS id, row_number() OVER (PARTITION BY f.device ORDER BY b.block, b.rid) AS nth
               FROM memory b JOIN feed f ON f.no = b.feed WHERE b.block IS NOT NULL AND ifnull(b.archived, 0) = 0
           ) ORDER BY nth, id LIMIT ?""",
        (limit,),
    ).fetchall()
    named = ", ".join("?" * len(numbers))
    rows = connection.execute(
        f"SELECT rid, block, text, updated FROM memory WHERE id IN ({named}) ORDER BY block, rid",
        [number for (number,) in numbers],
    )
    return (BlockRow(MemoryId(rid), *row) for rid, *row in rows)


def goal_rows(connection: sqlite3.Connection, states: Sequence[str]) -> list[GoalRow]:
    """Return the goals of these states, the oldest first."""
    rows = connection.execute(
        f"""SELECT rid, text, goal, created FROM memory
            WHERE goal IS NOT NULL AND goal IN ({",".join("?" * len(states))})
            AND ifnull(archived, 0) = 0 ORDER BY created, rid""",
        states,
    )
    return [GoalRow(MemoryId(rid), *row) for rid, *row in rows]


def open_goals_by_turns(connection: sqlite3.Connection, limit: int) -> list[GoalRow]:
    """Return at most `limit` open goals, the oldest first, but by turns among the devices that told of them."""
    rows = connection.execute(
        """SELECT m.rid, m.text, m.goal, m.created FROM (
               SELECT g.id AS id, row_number() OVER (PARTITION BY f.device ORDER BY g.created, g.rid) AS nth
               FROM memory g JOIN feed f ON f.no = g.feed WHERE g.goal = 'open' AND ifnull(g.archived, 0) = 0
           ) JOIN memory m USING (id) ORDER BY nth, m.created, m.rid LIMIT ?""",
        (limit,),
    )
    return [GoalRow(MemoryId(rid), *row) for rid, *row in rows]


def goal_row(connection: sqlite3.Connection, rid: MemoryId) -> GoalRow | None:
    """Return one goal, archived or not; None where the memory is none."""
    row = connection.execute(
        "SELECT text, goal, created FROM memory WHERE rid = ? AND goal IS NOT NULL", (rid,)
    ).fetchone()
    return None if row is None else GoalRow(rid, *row)


def open_goal_saying(connection: sqlite3.Connection, content: int) -> MemoryId | None:
    """Return an open goal of this content; None where there is none."""
    row = connection.execute(
        "SELECT rid FROM memory WHERE content = ? AND goal = 'open'", (content,)
    ).fetchone()
    return None if row is None else MemoryId(row[0])
