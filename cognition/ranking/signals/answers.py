"""In talk, what follows a question that fits is the answer to it."""

from cognition.ranking.pool import Column, Pool
from cognition.ranking.signal import Signal


def of(pool: Pool) -> Column:
    """Return, for each candidate, how far it follows a question that fits."""
    return pool.at(pool.evidence * pool.asking, -1)


SIGNAL = Signal(
    "answers",
    "follows a question that fits",
    of,
    weight=1.86,
    published=1.4,
)
