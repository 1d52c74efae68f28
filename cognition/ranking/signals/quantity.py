"""PM-16: how many or how long is asked, and here is a number."""

from cognition.ranking.pool import Column, Pool
from cognition.ranking.reading import NUMBER
from cognition.ranking.signal import Signal


def of(pool: Pool) -> Column:
    """Return, for each candidate, how far it names a number, as was asked."""
    if not pool.query.asks_number:
        return pool.none
    return pool.column(pool.said.naming(NUMBER))


SIGNAL = Signal(
    "quantity",
    "names a number, as was asked",
    of,
    weight=0.0,
    published=0.7,
    rule="PM-16",
)
