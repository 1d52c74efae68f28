"""YantrikDB: who asks sadly is answered by what was sad."""

from cognition.ranking.pool import Column, Pool
from cognition.ranking.signal import Signal


def of(pool: Pool) -> Column:
    """Return, for each candidate, how far it feels as the question does."""
    return pool.worth.mood


SIGNAL = Signal(
    "mood",
    "feels as the question does",
    of,
    weight=0.1,
    prior=True,
    published=1.0,
)
