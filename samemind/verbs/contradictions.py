"""Show what contradicts itself, and settle it.

Contradictions are computed from what was claimed; what a person decides about one is written as verdicts on claims.
Both are read and written here in one call on the store's thread each.
"""

import sqlite3
from collections.abc import Iterable

from cognition.contradictions.relations import (
    Attention,
)
from cognition.contradictions.slots import Status
from replica import MemoryId


def open_among(connection: sqlite3.Connection, slots: Iterable[bytes]) -> list[bytes]:
    """Return those of the slots that wait for an answer, but for what is only listed."""
    return [
        slot
        for slot in slots
        if connection.execute(
            "SELECT 1 FROM contradiction WHERE slot = ? AND status = ? AND attention != ?",
            (slot, Status.OPEN.value, Attention.QUIET.value),
        ).fetchone()
    ]


def open_of(connection: sqlite3.Connection, rid: MemoryId) -> list[bytes]:
    """Return the slots that wait for an answer among those in which a memory, or a fact of it, states something."""
    rows = connection.execute(
        """SELECT DISTINCT s.slot FROM claim_slot s JOIN memory m ON m.id = s.id
           WHERE m.rid = ?1 OR m.parent = ?1 ORDER BY s.slot""",
        (rid,),
    )
    return open_among(connection, [slot for (slot,) in rows.fetchall()])
