"""Take what shows of one store over to another, as it was at a moment: all to which nothing happened since.

Nearly everything of a store is such, and to copy a row takes a fiftieth of folding its ops anew. What was touched since
is named here and left to whoever folds (`replica.past`): the memories in a table of the reading connection alone, which
goes with it.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from replica.fields import FIELDS
from replica.hlc import at_end_of
from replica.oplog import LogRow
from replica.ops import NEEDS_RID, OpKind
from replica.rows import log_row
from replica.storage.sql import index_made_anew, insert_many, select_named
from replica.storage.told import ALL_OPS, first_aside

# Rows that lie in memory between the two stores at a time.
_COPIED_AT_ONCE: Final = 2_000
# Kinds that say something of the one memory of their op; SET is such where it has one.
_OF_ONE_MEMORY: Final = ", ".join(str(int(kind)) for kind in sorted({*NEEDS_RID, OpKind.SET}))
_BESIDE: Final = f"(o.rid IS NULL OR o.kind NOT IN ({_OF_ONE_MEMORY}))"
# A memory's own columns, and whether none is filled beside them: fewer values are bound for most.
_PLAIN: Final = ("id", "rid", "text", "content", "created", "updated", "feed", "accesses", "last_access")
_FIELDS: Final = (*(f'"{name}"' for name in FIELDS), "more")
_BARE: Final = f"coalesce({', '.join(_FIELDS)}) IS NULL"
# What shows beside memories: each is small, and copied whole.
_BESIDE_MEMORIES: Final = ("edge", "setting", "lesson", "says_same", "proposal_member", "same_slot")
_OF_MEMORIES: Final = ("claim", "raised_trigger")
# What is not in the picture: written later, or beyond what was known.
_SINCE: Final = "(o.hlc > ? OR o.seq > p.seq)"
# Above every seq and every position.
_EVERY: Final = 2**62


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
        self._of_memories = "rid NOT IN temp.touched"

    def go_on(self, until_ms: int, known: Mapping[int, int] | None, bases: Mapping[int, int]) -> None:
        """Become the picture of a later moment, of those memories alone that were touched since this one."""
        self._connection.execute("ALTER TABLE temp.touched RENAME TO wanted")
        self._connection.execute("DROP TABLE temp.pictured")
        self._last = at_end_of(until_ms)
        self._of_memories += " AND rid IN temp.wanted"
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

    def copy(self, target: sqlite3.Connection) -> None:
        """Copy all that shows, but for the memories that were touched and what hangs on them.

        Within the caller's transaction on `target`, whose tables are empty.
        """
        with index_made_anew(target, "memory_by_content"):
            self._copy(target, "memory", f"WHERE {_BARE} AND {self._of_memories}", _PLAIN)
            self._copy(target, "memory", f"WHERE NOT {_BARE} AND {self._of_memories}", (*_PLAIN, *_FIELDS))
        for table in _OF_MEMORIES:
            self._copy(target, table, f"WHERE id IN (SELECT id FROM memory WHERE {self._of_memories})")
        for table in _BESIDE_MEMORIES:
            self._copy(target, table)

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

    def _rows(self, where: str, *values: Any) -> Iterator[LogRow]:
        return map(
            log_row, self._connection.execute(f"SELECT o.* {self._from} AND {where} ORDER BY o.pos", values)
        )

    def _copy(
        self, target: sqlite3.Connection, table: str, where: str = "", columns: tuple[str, ...] = ("*",)
    ) -> None:
        rows = self._connection.execute(f"SELECT {', '.join(columns)} FROM {table} {where}")
        names = "" if columns == ("*",) else f"({', '.join(columns)})"
        marks = f"({', '.join('?' * len(rows.description))})"
        while page := rows.fetchmany(_COPIED_AT_ONCE):
            insert_many(target, f"INSERT INTO {table} {names} VALUES", marks, page)


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
