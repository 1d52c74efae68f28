"""YantrikDB: what was told of late."""

from cognition.ranking.pool import Column, Pool
from cognition.ranking.signal import Signal


def of(pool: Pool) -> Column:
    """Return, for each candidate, how far it is new."""
    return pool.worth.recency


SIGNAL = Signal(
    "recency",
    "is new",
    of,
    weight=0.03,
    prior=True,
    published=0.3,
    taught_as="recency",
)
