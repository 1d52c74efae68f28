"""Memori: what is recalled often is wanted again."""

from cognition.ranking import scoring
from cognition.ranking.pool import Column, Pool
from cognition.ranking.signal import Signal


def of(pool: Pool) -> Column:
    """Return, for each candidate, how far it is often recalled."""
    return scoring.access_boost(pool.numbers("accesses")) - 1


SIGNAL = Signal(
    "use",
    "is often recalled",
    of,
    weight=0.04,
    prior=True,
    published=0.4,
    taught_as="decay",
)
