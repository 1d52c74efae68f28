"""Take what shows of one store over to another, as it was at a moment: all to which nothing happened since.

Nearly everything of a store is such, and to copy a row takes a fiftieth of folding its ops anew. What was touched since
is named here and left to whoever folds (`replica.past`): the memories in a table of the reading connection alone, which
goes with it. What is copied is named by the numbers of its memories, in spans: SQLite copies each by itself.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any, Final, Protocol

from replica.fields import FIELDS
from replica.hlc import at_end_of
from replica.oplog import LogRow
from replica.ops import NEEDS_RID, OpKind
from replica.rows import log_row
from replica.storage.shown import DerivedTables
from replica.storage.sql import index_made_anew, insert_many, select_named
from replica.storage.told import ALL_OPS, first_aside

# Kinds that say something of the one memory of their op; SET is such where it has one.
_OF_ONE_MEMORY: Final = ", ".join(str(int(kind)) for kind in sorted({*NEEDS_RID, OpKind.SET}))
_BESIDE: Final = f"(o.rid IS NULL OR o.kind NOT IN ({_OF_ONE_MEMORY}))"
_MEMORY: Final = ", ".join(
    (
        *("id", "rid", "text", "content", "created", "updated", "feed", "accesses", "last_access"),
        *(f'"{name}"' for name in FIELDS),
        "more",
    )
)
# What shows beside memories: each is small, and copied whole.
_BESIDE_MEMORIES: Final = ("edge", "setting", "lesson", "says_same", "proposal_member", "same_slot")
_OF_MEMORIES: Final = ("claim", "raised_trigger")
# What is not in the picture: written later, or beyond what was known.
_SINCE: Final = "(o.hlc > ? OR o.seq > p.seq)"
# Up to this part of all, memories that were touched are taken out of a copy of the whole, which is quicker than to copy
# the others in spans; out of a copied index of words, where to take one out costs more than to file it, up to this one.
_WHOLE_PART: Final = 2
_CARRIED_PART: Final = 8
# Above every seq, every position and every number of a memory.
_EVERY: Final = 2**62


class CopiedTables(DerivedTables, Protocol):
    """Derived tables of which what hangs on a memory follows from what that memory shows, and from nothing else."""

    of_memories: tuple[str, ...]
    """The tables that are copied with a memory: those with a row's number of it, `id`."""

    def carry(self, connection: sqlite3.Connection, but: Sequence[int]) -> None:
        """Copy what is not copied with each memory, from `now`, and take out what it has of these numbers.

        The memories are those of `now`; these ones leave next.
        """

    def fill(self, connection: sqlite3.Connection) -> None:
        """Make what is not copied with each memory of those that are there: some of the store's."""


class Picture:
    """What is read of a store for a picture of it at a moment; made by `picture_at`."""

    def __init__(self, connection: sqlite3.Connection, until_ms: int) -> None:
        self._connection = connection
        # What is kept aside does not show yet: it is folded like what was touched since.
        aside = first_aside(connection)
        self._unshown = _EVERY if aside is None else aside
        self._from = (
            f"FROM {'op' if aside is None else ALL_OPS} o CROSS JOIN temp.pictured p ON p.feed = o.feed"
            " WHERE o.pos > 0 AND o.seq > p.base"
        )
        self._last = at_end_of(until_ms)
        self._goes_on = False

    def go_on(self, until_ms: int, known: Mapping[int, int] | None, bases: Mapping[int, int]) -> None:
        """Become the picture of a later moment, of those memories alone that were touched since this one."""
        self._connection.execute("ALTER TABLE temp.touched RENAME TO wanted")
        self._connection.execute("DROP TABLE temp.pictured")
        self._last = at_end_of(until_ms)
        self._goes_on = True
        self._note(known, bases)

    def rows_since(self) -> Iterator[LogRow]:
        """Return the ops that are not in the picture and may say something of others than their own memory."""
        return self._rows(f"{_SINCE} AND {_BESIDE}", self._last)

    def touch(self, rids: Iterable[bytes]) -> None:
        """Note memories that are to be folded anew."""
        self._connection.executemany(
            "INSERT OR IGNORE INTO temp.touched VALUES (?)", ((rid,) for rid in rids)
        )

    def touched_of(self, rids: Iterable[bytes]) -> set[bytes]:
        """Return those of these memories that were touched."""
        found = select_named(self._connection, "SELECT rid FROM temp.touched WHERE rid IN", [*rids])
        return {rid for (rid,) in found}

    def rows_to_fold(self) -> Iterator[LogRow]:
        """Return, in commit order, the ops of the picture that act on what was touched, or move what writers saw."""
        return self._rows(
            f"NOT ({_SINCE}) AND ({_BESIDE} OR o.seen != x'' OR o.rid IN temp.touched)", self._last
        )

    def base_memories(self) -> Iterator[tuple[bytes, bytes]]:
        """Return the names and encoded cells of the touched memories that are in the base."""
        return self._connection.execute(
            """SELECT name, CASE WHEN base = x'' THEN state ELSE base END FROM temp.touched
               CROSS JOIN cell ON part = 0 AND name = rid WHERE base IS NOT NULL"""
        )

    def copy(self, target: sqlite3.Connection, derived: Sequence[CopiedTables] = ()) -> None:
        """Copy all that shows, but for the memories that were touched and what hangs on them.

        Within the caller's transaction on `target`, whose tables are empty and which reads this store, too
        (`replica.storage.sql.read_together`).
        """
        target.execute("CREATE TABLE span (first INTEGER, last INTEGER)")
        touched = [] if self._goes_on else [*self._numbers("touched")]
        insert_many(target, "INSERT INTO span VALUES", "(?, ?)", [*self._spans(touched)])
        ((there,),) = self._connection.execute("SELECT count(*) FROM memory")
        # A whole table SQLite carries over without looking into its rows, where both have the same columns in the same
        # order: in a quarter of the time of copying spans, while deleting a row takes half of copying one.
        whole = not self._goes_on and _columns(target, "main") == _columns(target, "now")
        carried = False
        if whole and len(touched) <= there // _WHOLE_PART:
            target.execute("INSERT INTO main.memory SELECT * FROM now.memory")
            if carried := len(touched) <= there // _CARRIED_PART:
                for each in derived:
                    each.carry(target, touched)
            target.executemany("DELETE FROM main.memory WHERE id BETWEEN ? AND ?", _runs(touched))
        else:
            with index_made_anew(target, "memory_by_content"):
                _copy_spans(target, "memory", _MEMORY)
        if not carried:
            for each in derived:
                each.fill(target)
        for table in chain(_OF_MEMORIES, *(each.of_memories for each in derived)):
            _copy_spans(target, table, "*")
        target.execute("DROP TABLE span")
        for table in _BESIDE_MEMORIES:
            target.execute(f"INSERT INTO main.{table} SELECT * FROM now.{table}")

    def _spans(self, touched: Iterable[int]) -> Iterator[tuple[int, int]]:
        """Return the first and the last number of each span of memories that are copied; these were touched."""
        if self._goes_on:
            yield from _runs(self._numbers("wanted", "WHERE rid NOT IN temp.touched"))
            return
        first = 0
        for begins, ends in _runs(touched):
            yield first, begins - 1
            first = ends + 1
        yield first, _EVERY

    def _numbers(self, table: str, where: str = "") -> Iterator[int]:
        """Return the numbers of the memories of a table that show, ascending."""
        return (
            number
            for (number,) in self._connection.execute(
                f"SELECT id FROM temp.{table} CROSS JOIN memory USING (rid) {where} ORDER BY id"
            )
        )

    def _note(self, known: Mapping[int, int] | None, bases: Mapping[int, int]) -> None:
        """Note up to where each feed is in the picture, and whose memories were touched by what is not."""
        self._connection.execute("CREATE TEMP TABLE touched (rid BLOB PRIMARY KEY) WITHOUT ROWID")
        self._connection.execute(
            "CREATE TEMP TABLE pictured (feed INTEGER PRIMARY KEY, base INTEGER, seq INTEGER)"
        )
        self._connection.executemany(
            "INSERT INTO pictured VALUES (?, ?, ?)",
            [(feed, base, _EVERY if known is None else known.get(feed, 0)) for feed, base in bases.items()],
        )
        self._connection.execute(
            f"INSERT OR IGNORE INTO touched SELECT o.rid {self._from}"
            f" AND o.rid IS NOT NULL AND ({_SINCE} OR o.pos >= ?)",
            (self._last, self._unshown),
        )
        # Derived tables did not hear of these, so nothing that hangs on them can be copied.
        self._connection.execute(
            "INSERT OR IGNORE INTO touched SELECT rid FROM unfollowed CROSS JOIN memory ON id >= first"
        )

    def _rows(self, where: str, *values: Any) -> Iterator[LogRow]:
        return map(
            log_row, self._connection.execute(f"SELECT o.* {self._from} AND {where} ORDER BY o.pos", values)
        )


def _runs(numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Return the first and the last of each run of ascending numbers that follow one another."""
    first = last = None
    for number in numbers:
        if last is None or number != last + 1:
            if first is not None and last is not None:
                yield first, last
            first = number
        last = number
    if first is not None and last is not None:
        yield first, last


def _columns(connection: sqlite3.Connection, schema: str) -> list[tuple[Any, ...]]:
    return connection.execute("SELECT name FROM pragma_table_info('memory', ?)", (schema,)).fetchall()


def _copy_spans(target: sqlite3.Connection, table: str, columns: str) -> None:
    names = "" if columns == "*" else f"({columns})"
    target.execute(
        f"""INSERT INTO main.{table} {names} SELECT {columns if names else "o.*"}
            FROM span CROSS JOIN now.{table} o ON o.id BETWEEN first AND last"""
    )


@contextmanager
def picture_at(
    connection: sqlite3.Connection,
    until_ms: int,
    known: Mapping[int, int] | None,
    bases: Mapping[int, int],
) -> Iterator[Picture]:
    """Begin a picture of a store up to a moment, itself included; with `known`, of no op of a feed above that.

    `bases`: the last op of each feed that is in the base. The connection is in a transaction, so that all is read of
    one moment, and may be open for reading alone.
    """
    picture = Picture(connection, until_ms)
    try:
        picture._note(known, bases)
        yield picture
    finally:
        for table in ("touched", "pictured", "wanted"):
            connection.execute(f"DROP TABLE IF EXISTS temp.{table}")
