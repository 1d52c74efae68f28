"""Show the triggers that hang on memories in a table, so that a list of them need not open cells.

One row for each trigger of each memory, under the memory's number. A trigger may hang on several memories (two devices
that were apart chose different ones): whoever reads joins the rows of one trigger as cells join (`HeldTrigger`).
"""

import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from replica.ids import MEMORY_ID_BYTES, DeviceId, MemoryId
from replica.state.memories import HeldTrigger, MemoryCell
from replica.storage.of_memories import shown_rows, write_rows
from replica.storage.sql import select_named

_COLUMNS: Final = "trigger_id, status, raised, kind, about, delivered, delivered_by"


class ShownTrigger(NamedTuple):
    """One row of the table, with the id of the memory that it hangs on."""

    rid: MemoryId
    trigger: bytes
    held: HeldTrigger


class LatelyRaised(NamedTuple):
    """A trigger, the kind that its op named, and the device that told the memory on which it hangs."""

    trigger: bytes
    kind: str
    device: DeviceId


_SHOWN: Final = f"""SELECT m.rid, {", ".join(f"t.{name}" for name in _COLUMNS.split(", "))}
    FROM raised_trigger t JOIN memory m ON m.id = t.id"""


def read_triggers(connection: sqlite3.Connection, trigger: bytes | None = None) -> Iterator[ShownTrigger]:
    """Return the rows of every trigger that was ever raised, or of this one alone, in no particular order."""
    if trigger is not None:
        return read_triggers_named(connection, [trigger])
    return map(_shown, connection.execute(_SHOWN))


def read_triggers_named(connection: sqlite3.Connection, triggers: Sequence[bytes]) -> Iterator[ShownTrigger]:
    """Return the rows of these triggers, in no particular order."""
    return map(_shown, select_named(connection, f"{_SHOWN} WHERE t.trigger_id IN", triggers))


def lately_raised(connection: sqlite3.Connection, since: int, until: int) -> Iterator[LatelyRaised]:
    """Return what was raised from a stamp on, up to another one, the latest first."""
    rows = connection.execute(
        """SELECT t.trigger_id, t.kind, f.device FROM raised_trigger t
           JOIN memory m ON m.id = t.id JOIN feed f ON f.no = m.feed
           WHERE t.raised BETWEEN ? AND ? ORDER BY t.raised DESC, t.trigger_id""",
        (since, until),
    )
    return (LatelyRaised(trigger, kind, DeviceId(device)) for trigger, kind, device in rows)


def _shown(columns: Sequence[Any]) -> ShownTrigger:
    rid, named, status, raised, kind, about, delivered, device = columns
    others = tuple(MemoryId(about[at : at + MEMORY_ID_BYTES]) for at in range(0, len(about), MEMORY_ID_BYTES))
    delivery = None if delivered is None else (delivered, device)
    return ShownTrigger(MemoryId(rid), named, HeldTrigger(status, (raised, kind, others), delivery))


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
