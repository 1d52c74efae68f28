"""Promise some columns to whoever joins tables of their own with what the replica shows: read-only views.

A join needs both tables in one statement, so it cannot stand behind a function of the replica. It names these views
instead, and the tables' own names stay here. SQLite puts a view of one table in the place of its name before it plans,
so a join over it is the join over the table. A migration that changes a table makes the views anew.
"""

import sqlite3
from typing import Final

from replica.fields import FIELDS

_FIELDS: Final = ", ".join(f'"{name}"' for name in FIELDS)
VIEWS: Final = {
    "shown_memory": f"""SELECT id, rid, text, content, created, updated, feed, accesses, last_access, {_FIELDS}
        FROM memory""",
    "shown_claim": """SELECT id, claim, feed, seq, hlc, entity, relation, value, valid_from, replaces, verdicts
        FROM claim""",
    "shown_edge": "SELECT source, relation, target, weight, hlc FROM edge",
    "shown_link": "SELECT link, one, other, sureness FROM says_same",
    "shown_same_slot": """SELECT judgment, one, claim, other, against, by, same, sureness, hlc, op,
        feed FROM same_slot""",
    "shown_proposal": "SELECT proposal, rid FROM proposal_member",
    "known_feed": "SELECT no, device, incarnation FROM feed",
    "forgotten_memory": "SELECT rid FROM tombstone",
}


def make_views(connection: sqlite3.Connection) -> None:
    """Create the views, or make them anew."""
    for name, select in VIEWS.items():
        connection.execute(f"DROP VIEW IF EXISTS {name}")
        connection.execute(f"CREATE VIEW {name} AS {select}")
