"""PM-15: what holds now is asked for, and this says that it does."""

import re

from cognition.ranking.pool import Column, Pool
from cognition.ranking.signal import Signal

_ASKS = re.compile(r"\b(now|current|currently|today|these days|at the moment|nowadays|still)\b")
_NOW = re.compile(r"\b(now|current|currently|these days|at the moment|as of|since|nowadays|today|latest)\b")


def of(pool: Pool) -> Column:
    """Return, for each candidate, how far it says that it holds now, as was asked."""
    if _ASKS.search(pool.query.folded) is None:
        return pool.none
    return pool.column([_NOW.search(row.text.casefold()) is not None for row in pool.rows])


SIGNAL = Signal(
    "current",
    "says that it holds now, as was asked",
    of,
    weight=0.0,
    published=1.0,
    rule="PM-15",
)
