"""PM-07: the verb of the question, or one of its meaning, is there."""

from cognition.ranking.pool import Column, Pool
from cognition.ranking.signal import Signal


def of(pool: Pool) -> Column:
    """Return, for each candidate, how far it has the verb, or one of its meaning."""
    return pool.with_verb


SIGNAL = Signal(
    "verb",
    "has the verb, or one of its meaning",
    of,
    weight=1.58,
    published=0.5,
    rule="PM-07",
)
