"""PM-19: how far not one word of the question is there, nor one like it, nor one that stands for it."""

import numpy as np

from cognition.ranking.pool import Column, Pool
from cognition.ranking.signal import Signal

# A word that is as like a term as this is shared with the question.
SHARED = 0.5


def of(pool: Pool) -> Column:
    """Return, for each candidate, how far it has no word of the question."""
    if not pool.topic:
        return pool.none
    shared = pool.alike.max(axis=1, initial=0.0) / SHARED
    stands_for = np.maximum(pool.with_verb, pool.with_bridge)
    return pool.of_facts(np.maximum(0, 1 - np.maximum(shared, stands_for)))


SIGNAL = Signal(
    "nothing shared",
    "has no word of the question",
    of,
    weight=0.0,
    published=-1.5,
    rule="PM-19",
)
