"""PM-11: "what's the fix" asks for a note that begins with "Fix:"."""

import re

from cognition.ranking.pool import Column, Pool
from cognition.ranking.signal import Signal

_PREFIX = re.compile(r"what(?:'s|’s| is| was)? the (\w+)\b")


def of(pool: Pool) -> Column:
    """Return, for each candidate, how far it is labelled as what was asked for."""
    asked = _PREFIX.search(pool.query.folded)
    if asked is None:
        return pool.none
    return pool.column([row.text.casefold().startswith(f"{asked.group(1)}:") for row in pool.rows])


SIGNAL = Signal(
    "prefix",
    "is labelled as what was asked for",
    of,
    weight=0.0,
    published=2.0,
    rule="PM-11",
)
