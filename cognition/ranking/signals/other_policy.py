"""PM-13: a policy on something is asked for, and this does not name it."""

from cognition.ranking.pool import Column, Pool
from cognition.ranking.query import ASKS_POLICY
from cognition.ranking.signal import Signal
from cognition.words import STOP_WORDS


def of(pool: Pool) -> Column:
    """Return, for each candidate, how far it is no policy on what was asked."""
    asked = ASKS_POLICY.search(pool.query.folded)
    subject = asked.group(1) if asked is not None else None
    if subject is None or subject in STOP_WORDS:
        return pool.none
    return pool.column(~pool.said.with_stem(subject))


SIGNAL = Signal(
    "other policy",
    "is no policy on what was asked",
    of,
    weight=0.0,
    published=-1.0,
    rule="PM-13",
)
