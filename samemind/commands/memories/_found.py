"""Tell what was found in a memory when it was read, for whoever asks later than it was told."""

import sqlite3

from cognition.tellings import tellings_with
from replica import MemoryId, facts_of, show_memory_id
from samemind.commands.contradictions._work import open_of
from samemind.commands.memories._remembered import Remembered


def found_in(connection: sqlite3.Connection, rid: MemoryId, *, dropped: int) -> Remembered:
    """Return what a memory that was told before holds, repeats and contradicts now; nothing of one that is gone."""
    return Remembered(
        rid=show_memory_id(rid),
        op_id=None,
        facts=[show_memory_id(fact) for fact in facts_of(connection, rid)],
        says_same=[show_memory_id(other) for other in sorted(tellings_with(connection, rid) - {rid})],
        contradictions=[slot.hex() for slot in open_of(connection, rid)],
        facts_dropped=dropped,
        read=True,
    )
