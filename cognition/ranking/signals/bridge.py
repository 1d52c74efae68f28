"""PM-10: what the field calls it is there."""

from cognition.ranking.pool import Column, Pool
from cognition.ranking.signal import Signal


def of(pool: Pool) -> Column:
    """Return, for each candidate, how far it has what the field calls it."""
    return pool.with_bridge


SIGNAL = Signal(
    "bridge",
    "has what the field calls it",
    of,
    weight=1.0,
    prior=True,
    published=1.0,
    rule="PM-10",
)
