"""A question for a time is answered by what names one."""

from cognition.ranking.pool import Column, Pool
from cognition.ranking.reading import TIME
from cognition.ranking.signal import Signal


def of(pool: Pool) -> Column:
    """Return, for each candidate, how far it names a time, as was asked."""
    if not pool.query.asks_when:
        return pool.none
    return pool.column(pool.said.naming(TIME))


SIGNAL = Signal(
    "when",
    "names a time, as was asked",
    of,
    weight=0.0,
    published=2.0,
)
