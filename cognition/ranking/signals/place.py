"""In talk, an answer stands in certain places: the first turn says what it is about, and what fits is taken up."""

import numpy as np

from cognition.ranking.pool import Column, Pool
from cognition.ranking.signal import Signal


def of(pool: Pool) -> Column:
    """Return, for each candidate, 1 where it opens its conversation, or how far it follows, two turns on, what fits."""
    if not pool.has_turns:
        return pool.none
    opens = np.array([position == 0 for position in pool.all_of("position")], bool)
    column: Column = np.where(opens, 1.0, pool.at(pool.evidence, -2))
    return column


SIGNAL = Signal(
    "place",
    "opens its conversation, or comes two turns after a match",
    of,
    weight=1.50,
    published=1.3,
)
