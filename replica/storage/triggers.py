"""Show the triggers that hang on memories in a table, so that a list of them need not open cells.

One row for each trigger of each memory, under the memory's number. A trigger may hang on several memories (two devices
that were apart chose different ones): whoever reads joins the rows of one trigger as cells join (`HeldTrigger`).
"""

import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from replica.ids import MEMORY_ID_BYTES, MemoryId
from replica.state.memories import HeldTrigger, MemoryCell
from replica.storage.of_memories import shown_rows, write_rows

_COLUMNS: Final = "trigger_id, status, raised, kind, about, delivered, delivered_by"


class ShownTrigger(NamedTuple):
    """One row of the table, with the id of the memory that it hangs on."""

    rid: MemoryId
    trigger: bytes
    held: HeldTrigger


def read_triggers(connection: sqlite3.Connection, trigger: bytes | None = None) -> Iterator[ShownTrigger]:
    """Return the rows of every trigger that was ever raised, or of this one alone, in no particular order."""
    columns = ", ".join(f"t.{name}" for name in _COLUMNS.split(", "))
    sql = f"SELECT m.rid, {columns} FROM raised_trigger t JOIN memory m ON m.id = t.id"
    if trigger is None:
        rows = connection.execute(sql)
    else:
        rows = connection.execute(f"{sql} WHERE t.trigger_id = ?", (trigger,))
    for rid, *row in rows:
        named, status, raised, kind, about, delivered, device = row
        others = tuple(
            MemoryId(about[at : at + MEMORY_ID_BYTES]) for at in range(0, len(about), MEMORY_ID_BYTES)
        )
        delivery = None if delivered is None else (delivered, device)
        yield ShownTrigger(MemoryId(rid), named, HeldTrigger(status, (raised, kind, others), delivery))


def write_triggers(
    connection: sqlite3.Connection, stale: Sequence[tuple[int]], cells: Sequence[tuple[int, MemoryCell]]
) -> None:
    """Follow a batch: see `write_rows`."""
    write_rows(connection, "raised_trigger", _COLUMNS, trigger_rows, stale, cells)


def trigger_rows(cell: MemoryCell) -> Iterator[tuple[Any, ...]]:
    """Return a cell's triggers as columns, without the number of the memory."""
    for trigger, held in cell.triggers.items():
        raised, kind, about = held.raised
        yield (trigger, held.status, raised, kind, b"".join(about), *(held.delivered or (None, None)))


def shown_triggers(connection: sqlite3.Connection) -> dict[bytes, set[tuple[Any, ...]]]:
    """Return the whole table by memory, as `trigger_rows` has it, to be checked against the cells."""
    return shown_rows(connection, "raised_trigger", _COLUMNS)
