"""Read facts, and which memories they were taken from."""

import sqlite3
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from replica.ids import DeviceId, MemoryId
from replica.storage.sql import select_named


def numbers_with_facts(connection: sqlite3.Connection, rid: bytes) -> list[int]:
    """Return the number of a memory's row, and those of the facts that were taken from it."""
    rows = connection.execute("SELECT id FROM memory WHERE rid = ?1 OR parent = ?1", (rid,))
    return [number for (number,) in rows]


def numbers_beside(connection: sqlite3.Connection, rids: Sequence[bytes]) -> set[int]:
    """Return the numbers of the rows of memories, and those of the facts that were taken from them."""
    own = select_named(connection, "SELECT id FROM memory WHERE rid IN", rids)
    facts = select_named(connection, "SELECT id FROM memory WHERE parent IN", rids)
    return {number for (number,) in (*own, *facts)}


def facts_of(connection: sqlite3.Connection, rid: bytes) -> list[MemoryId]:
    """Return the memories of single facts that stand beside one, in the order of their ids."""
    rows = connection.execute("SELECT rid FROM memory WHERE parent = ? ORDER BY rid", (rid,))
    return [MemoryId(fact) for (fact,) in rows]


def orphans_of(connection: sqlite3.Connection, rid: bytes, device: DeviceId) -> list[MemoryId]:
    """Return the memories that a device wrote beside one, where that one does not show any more."""
    rows = connection.execute(
        """SELECT f.rid FROM memory f JOIN feed o ON o.no = f.feed WHERE f.parent = ?1 AND o.device = ?2
           AND NOT EXISTS (SELECT 1 FROM memory WHERE rid = ?1)""",
        (rid, device),
    )
    return [MemoryId(fact) for (fact,) in rows]


def parent_of(connection: sqlite3.Connection, rid: bytes) -> MemoryId | None:
    """Return the memory that a fact was taken from; None of what is no fact, or does not show."""
    row = connection.execute("SELECT parent FROM memory WHERE rid = ?", (rid,)).fetchone()
    return None if row is None or row[0] is None else MemoryId(row[0])


def all_facts(connection: sqlite3.Connection) -> Iterator[tuple[MemoryId, MemoryId]]:
    """Return every fact and the memory that it was taken from, in no particular order."""
    rows = connection.execute("SELECT rid, parent FROM memory WHERE parent IS NOT NULL")
    return ((MemoryId(rid), MemoryId(parent)) for rid, parent in rows)


def fact_numbers_of(connection: sqlite3.Connection, rid: bytes) -> list[int]:
    """Return the rows of the facts that stand beside a memory, in their order."""
    rows = connection.execute("SELECT id FROM memory WHERE parent = ? ORDER BY id", (rid,))
    return [number for (number,) in rows]


class Kin(NamedTuple):
    """The row of a memory, the content that its duplicates share, and the memory that it was taken from."""

    id: int
    content: int
    parent: bytes | None


def kin_of(connection: sqlite3.Connection, rid: bytes) -> Kin | None:
    """Return what tells a memory's duplicates and facts; None where it does not show."""
    row = connection.execute("SELECT id, content, parent FROM memory WHERE rid = ?", (rid,)).fetchone()
    return None if row is None else Kin(*row)


def parents_of(connection: sqlite3.Connection, numbers: Sequence[int]) -> set[bytes]:
    """Return the memories that those of these rows were taken from that are facts."""
    rows = select_named(connection, "SELECT parent FROM memory WHERE parent IS NOT NULL AND id IN", numbers)
    return {parent for (parent,) in rows}
