"""PM-17: who belongs to a group is asked, and here are several names."""

import re

from cognition.extraction.names import proper_nouns
from cognition.ranking.pool import Column, Pool
from cognition.ranking.signal import Signal

# Two searches: one expression with anything in between looks from every "who" to the end of a pasted page.
_ASKS_WHO = re.compile(r"\bwho(se)?\b")
_GROUP = re.compile(r"\b(team|group|members?|staff|crew|board|band|family)\b")
# A roster names at least this many people.
_ROSTER_MIN = 2


def of(pool: Pool) -> Column:
    """Return, for each candidate, how far it names several people, as was asked."""
    asked = _ASKS_WHO.search(pool.query.folded)
    if asked is None or _GROUP.search(pool.query.folded, asked.end()) is None:
        return pool.none
    return pool.column([len(proper_nouns(row.text)) >= _ROSTER_MIN for row in pool.rows])


SIGNAL = Signal(
    "roster",
    "names several people, as was asked",
    of,
    weight=0.0,
    published=1.0,
    rule="PM-17",
)
