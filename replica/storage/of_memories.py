"""Keep a table in step that shows a part of each memory's cell in rows of its own: its claims, its triggers.

Such a table has the number of the memory in its first column, `id`; what else a row holds, its owner says.
"""

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from replica.state.memories import MemoryCell

RowsOf = Callable[[MemoryCell], Iterable[tuple[Any, ...]]]
"""Return a cell's rows as columns, without the number of the memory."""


def write_rows(
    connection: sqlite3.Connection,
    table: str,
    columns: str,
    rows_of: RowsOf,
    stale: Sequence[tuple[int]],
    cells: Sequence[tuple[int, MemoryCell]],
) -> None:
    """Follow a batch: the numbers of memories that showed before, and the cells of those that have rows, by number."""
    if stale:
        connection.executemany(f"DELETE FROM {table} WHERE id = ?", stale)
    rows = [(number, *row) for number, cell in cells for row in rows_of(cell)]
    if rows:
        marks = ", ".join("?" * len(rows[0]))
        connection.executemany(f"INSERT INTO {table} (id, {columns}) VALUES ({marks})", rows)


def shown_rows(connection: sqlite3.Connection, table: str, columns: str) -> dict[bytes, set[tuple[Any, ...]]]:
    """Return a whole table by memory, as its owner made the rows, to be checked against the cells."""
    names = ", ".join(f"t.{name}" for name in columns.split(", "))
    held: dict[bytes, set[tuple[Any, ...]]] = {}
    for rid, *row in connection.execute(f"SELECT m.rid, {names} FROM {table} t JOIN memory m ON m.id = t.id"):
        held.setdefault(rid, set()).add(tuple(row))
    return held
