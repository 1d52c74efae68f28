"""Count what waits for a cycle of thinking."""

import sqlite3
from typing import Final

# What holds the memories that wait, by what is to be done with them; none is in two tables of one line.
_WAITS: Final = {
    "compare": ("claim_unread",),
    "link": ("telling_unlinked",),
    "consolidate": ("consolidation_due",),
    "patterns": ("pattern_queue", "pattern_unlike"),
}


def waiting(connection: sqlite3.Connection) -> dict[str, int]:
    """Return how many memories wait, by what for; nothing of what none waits for."""
    counts = {
        name: sum(int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]) for table in tables)
        for name, tables in _WAITS.items()
    }
    return {name: count for name, count in counts.items() if count}
