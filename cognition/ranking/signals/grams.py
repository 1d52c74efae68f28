"""BM25 over runs of three and four letters: of a word, a slip, a compound or another ending leaves most."""

from cognition.ranking.pool import Column, Pool
from cognition.ranking.signal import Signal


def of(pool: Pool) -> Column:
    """Return, for each candidate, how far it has the letters of what was asked for (3- and 4-grams)."""
    return pool.grams


SIGNAL = Signal(
    "grams",
    "has the letters of what was asked for (3- and 4-grams)",
    of,
    weight=0.0,
)
