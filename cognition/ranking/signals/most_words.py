"""PM-09: nearly all words of the question are there."""

from cognition.ranking.pool import Column, Pool
from cognition.ranking.signal import Signal

# All but this share of a question's words is most of them.
_MOST = 0.75


def of(pool: Pool) -> Column:
    """Return, for each candidate, how far it has nearly all words of the question."""
    if len(pool.topic) < 2:
        return pool.none
    return pool.of_facts(pool.column(pool.exact.mean(axis=1) >= _MOST))


SIGNAL = Signal(
    "most words",
    "has nearly all words of the question",
    of,
    weight=0.0,
    published=0.5,
    rule="PM-09",
)
