"""Read what was claimed from memories."""

import sqlite3

from replica.ids import MemoryId


def memories_claiming(connection: sqlite3.Connection) -> dict[int, MemoryId]:
    """Return the memories that claims were taken from, by the numbers of their rows."""
    rows = connection.execute("SELECT id, rid FROM memory WHERE id IN (SELECT id FROM claim)")
    return {number: MemoryId(rid) for number, rid in rows}
