"""In talk, an answer stands next to the words of the question: two turns before them."""

from cognition.ranking.pool import Column, Pool
from cognition.ranking.signal import Signal


def of(pool: Pool) -> Column:
    """Return, for each candidate, how far it comes, two turns before, ahead of what fits."""
    return pool.at(pool.evidence, 2)


SIGNAL = Signal(
    "after",
    "comes, two turns before, ahead of what fits",
    of,
    weight=0.0,
    published=0.5,
)
