"""Whether a memory, or the turns around it together, hold the terms of the question."""

import numpy as np

from cognition.ranking.pool import Column, Pool
from cognition.ranking.signal import Signal


def of(pool: Pool) -> Column:
    """Return, for each candidate, how far it is among turns that hold all that was asked for."""
    around = pool.exact
    if pool.has_turns:
        around = np.maximum.reduce([around, pool.at(around, -1), pool.at(around, 1)])
    column: Column = around @ pool.rarity
    return column


SIGNAL = Signal(
    "covered",
    "is among turns that hold all that was asked for",
    of,
    weight=1.86,
    published=1.5,
)
