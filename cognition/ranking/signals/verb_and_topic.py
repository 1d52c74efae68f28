"""PM-08: the verb is there, and so is something that it is asked of."""

from cognition.ranking.pool import Column, Pool
from cognition.ranking.signal import Signal


def of(pool: Pool) -> Column:
    """Return, for each candidate, how far it has the verb and what it is asked of."""
    topic = [i for i, term in enumerate(pool.topic) if not pool.query.tables.verbs.of(term)]
    if not topic or len(topic) == len(pool.topic):
        return pool.none
    column: Column = pool.with_verb * (pool.exact[:, topic].max(axis=1) > 0)
    return column


SIGNAL = Signal(
    "verb and topic",
    "has the verb and what it is asked of",
    of,
    weight=0.0,
    published=0.5,
    rule="PM-08",
)
