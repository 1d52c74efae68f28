"""Count what waits for a cycle of thinking."""

import sqlite3
from typing import Final

# What holds the memories that wait, by what is to be done with them.
_WAITS: Final = {
    "compare": "claim_unread",
    "link": "telling_unlinked",
    "consolidate": "consolidation_due",
    "patterns": "(SELECT id FROM pattern_queue UNION SELECT id FROM pattern_unlike)",
}


def waiting(connection: sqlite3.Connection) -> dict[str, int]:
    """Return how many memories wait, by what for; nothing of what none waits for."""
    counts = {
        name: int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
        for name, table in _WAITS.items()
    }
    return {name: count for name, count in counts.items() if count}
