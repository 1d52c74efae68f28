"""In talk, the first turn says what it is about."""

import numpy as np

from cognition.ranking.pool import Column, Pool
from cognition.ranking.signal import Signal


def of(pool: Pool) -> Column:
    """Return, for each candidate, how far it opens its conversation."""
    if not pool.has_turns:
        return pool.none
    return np.array([position == 0 for position in pool.all_of("position")], np.float64)


SIGNAL = Signal(
    "opening",
    "opens its conversation",
    of,
    weight=1.75,
    published=1.3,
)
