"""Hold rows of memories that come within a base, packed before the transaction that writes them.

They lie in a database of their own beside the store's: in a file without a name, which is gone with the connection
whatever ends the program, or in memory where the store is encrypted. From there SQLite copies a row in a fraction of
the time that it takes to make and bind it, during which nobody else could write.
"""

import sqlite3
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import contextmanager
from functools import partial
from typing import Final

from replica.beside import thread_beside
from replica.errors import StoreFailed
from replica.fields import FIELDS
from replica.state.cells import CellKind
from replica.state.memories import BareMemory
from replica.storage.added import packed_cells
from replica.storage.shown import NEW_COLUMNS, NewRows, rows_of
from replica.storage.sql import insert_many

# Columns without a type hold what was bound, as it was bound.
# Rows that are packed and kept so many at a time lie in the processor's caches meanwhile; who tells something waits for
# the keeping of as many.
_PACKED_AT_ONCE: Final = 20_000
_NAMES: Final = ", ".join(f'"{name}"' for name in ("cell", *NEW_COLUMNS, *FIELDS, "more"))
_CREATE: Final = f"CREATE TABLE ahead.added ({_NAMES})"


class PackedRows:
    """A `replica.oplog.RowsAhead` in SQLite."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._filled = dict.fromkeys(NEW_COLUMNS)
        self.pages: list[tuple[int, Set[str]]] = []

    def pack(
        self,
        added: Sequence[BareMemory],
        count: Callable[[Sequence[BareMemory]], None],
        passed: Callable[[int], None],
    ) -> None:
        """Pack memories page by page: while SQLite keeps some, the next are counted and made ready in a thread."""

        def ready(start: int) -> Callable[[], None]:
            page = added[start : start + _PACKED_AT_ONCE]
            count(page)
            return self._packed(page)

        with thread_beside() as begin:
            made: Callable[[], Callable[[], None]] = partial(ready, 0)
            for start in range(0, len(added), _PACKED_AT_ONCE):
                keep, following = made(), start + _PACKED_AT_ONCE
                if following < len(added):
                    made = begin(partial(ready, following))
                keep()
                passed(min(following, len(added)))

    def _packed(self, page: Sequence[BareMemory]) -> Callable[[], None]:
        """Return what keeps some memories, behind those before."""
        fields = NewRows(0, page).fields
        columns, rows = rows_of(page, fields, packed_cells(page))
        names = ", ".join(f'"{name}"' for name in ("cell", *columns))
        marks = f"({', '.join('?' * (1 + len(columns)))})"

        def keep() -> None:
            try:
                self._connection.execute("BEGIN")
                insert_many(self._connection, f"INSERT INTO ahead.added ({names}) VALUES", marks, rows)
                self._connection.execute("COMMIT")
            except sqlite3.OperationalError as error:
                raise _no_room(error) from error
            self._filled |= dict.fromkeys(columns)
            self.pages.append((len(page), fields))

        return keep

    def write(self, last: int) -> None:
        """Write all that is kept, inside a transaction, under the numbers that follow `last`."""
        names = ", ".join(f'"{name}"' for name in self._filled)
        self._connection.execute(
            f"INSERT INTO cell SELECT {CellKind.MEMORY:d}, rid, cell, x'' FROM ahead.added ORDER BY rowid"
        )
        self._connection.execute(
            f"""INSERT INTO memory (id, {names}, accesses, last_access)
                SELECT rowid + ?, {names}, 0, 0 FROM ahead.added ORDER BY rowid""",
            (last,),
        )


@contextmanager
def packed_rows(connection: sqlite3.Connection) -> Iterator[PackedRows]:
    """Give room beside a store until the block ends."""
    try:
        connection.execute("ATTACH '' AS ahead")
    except sqlite3.OperationalError as error:
        raise _no_room(error) from error
    try:
        connection.execute("PRAGMA ahead.journal_mode = OFF")  # nobody needs it after an error
        connection.execute(_CREATE)
        yield PackedRows(connection)
    finally:
        if connection.in_transaction:
            connection.rollback()
        connection.execute("DETACH ahead")


def _no_room(error: sqlite3.OperationalError) -> StoreFailed:
    return StoreFailed(f"a base could not be packed beside the store ({error})")
