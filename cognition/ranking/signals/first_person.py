"""PM-64: the asker asks of themselves, and this is said of oneself."""

from cognition.ranking.pool import Column, Pool
from cognition.ranking.reading import SELF
from cognition.ranking.signal import Signal


def of(pool: Pool) -> Column:
    """Return, for each candidate, how far it is said of oneself, as was asked."""
    if not pool.query.of_self:
        return pool.none
    return pool.column(pool.said.naming(SELF))


SIGNAL = Signal(
    "self",
    "is said of oneself, as was asked",
    of,
    weight=0.05,
    prior=True,
    published=0.5,
)
