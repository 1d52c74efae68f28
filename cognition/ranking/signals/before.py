"""In talk, an answer stands next to the words of the question: two turns after them."""

from cognition.ranking.pool import Column, Pool
from cognition.ranking.signal import Signal


def of(pool: Pool) -> Column:
    """Return, for each candidate, how far it follows, two turns on, what fits."""
    return pool.at(pool.evidence, -2)


SIGNAL = Signal(
    "before",
    "follows, two turns on, what fits",
    of,
    weight=1.48,
    published=1.3,
)
