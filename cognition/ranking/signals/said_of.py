"""Who asks for something is answered by what says of it what it is."""

from cognition.ranking.phrasing import phrasing
from cognition.ranking.pool import Column, Pool
from cognition.ranking.signal import Signal
from cognition.ranking.stem import stem


def of(pool: Pool) -> Column:
    """Return, for each candidate, how much of what is asked for it says something of."""
    column = pool.blank()
    asked = [stem(term) for term in pool.topic]
    for i in pool.leading:
        told = phrasing(pool.rows[i].text).said_of
        if not told.isdisjoint(asked):
            column[i] = sum(rarity for term, rarity in zip(asked, pool.rarity, strict=True) if term in told)
    return pool.of_facts(column)


SIGNAL = Signal(
    "said of",
    "says what that is which was asked for",
    of,
    weight=0.0,
)
