"""PM-18: what was used is asked, and this deploys, hosts or runs on it."""

from cognition.ranking.pool import Column, Pool
from cognition.ranking.signal import Signal
from cognition.ranking.vocabulary import USE, used
from cognition.words import words


def of(pool: Pool) -> Column:
    """Return, for each candidate, how far it says what was used."""
    if USE.isdisjoint(words(pool.query.folded)):
        return pool.none
    return pool.column(pool.said.meeting(used, frozenset({"use"})))


SIGNAL = Signal(
    "used",
    "says what was used",
    of,
    weight=0.0,
    published=1.0,
    rule="PM-18",
)
