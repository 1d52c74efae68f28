"""What is believed of the very thing that is asked for, whatever else shares words with the question."""

from cognition.ranking.pool import Column, Pool
from cognition.ranking.signal import Signal


def of(pool: Pool) -> Column:
    """Return, for each candidate, how far it makes the live claim of the slot that is asked for."""
    if not pool.believed:
        return pool.none
    return pool.column([pool.believed.get(number, 0.0) for number in pool.all_of("id")])


SIGNAL = Signal(
    "believed",
    "says what is believed of what was asked for, now or at its time",
    of,
    weight=30.0,
    prior=True,
)
