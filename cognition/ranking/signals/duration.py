"""PM-14: a duration is asked for, and here are digits and a unit."""

import re

from cognition.ranking.pool import Column, Pool
from cognition.ranking.signal import Signal

_ASKS = re.compile(r"\b(lifetime|duration|how long|ttl|expir\w*|timeout)\b")
_DURATION = re.compile(
    r"\d+\s*[- ]?(ms|s|sec\w*|m|min\w*|h|hours?|hrs?|d|days?|weeks?|months?|years?|stunden|tage?|минут\w*|дн\w+)\b"
)


def of(pool: Pool) -> Column:
    """Return, for each candidate, how far it names a duration, as was asked."""
    if _ASKS.search(pool.query.folded) is None:
        return pool.none
    return pool.column([_DURATION.search(row.text.casefold()) is not None for row in pool.rows])


SIGNAL = Signal(
    "duration",
    "names a duration, as was asked",
    of,
    weight=0.0,
    published=1.0,
    rule="PM-14",
)
