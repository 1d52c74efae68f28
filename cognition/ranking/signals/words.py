"""BM25 over stems, as a share of the best and as far as the best covers the question."""

from cognition.ranking.pool import Column, Pool
from cognition.ranking.signal import Signal


def of(pool: Pool) -> Column:
    """Return, for each candidate, how far it holds the words that were asked for (BM25)."""
    return pool.held


SIGNAL = Signal(
    "words",
    "holds the words that were asked for (BM25)",
    of,
    weight=0.1,
    prior=True,
    published=1.0,
)
