"""YantrikDB: importance times what has not faded."""

from cognition.ranking.pool import Column, Pool
from cognition.ranking.signal import Signal


def of(pool: Pool) -> Column:
    """Return, for each candidate, how far it matters, and has not faded."""
    return pool.worth.strength


SIGNAL = Signal(
    "strength",
    "matters, and has not faded",
    of,
    weight=0.02,
    prior=True,
    published=0.2,
    taught_as="decay",
)
