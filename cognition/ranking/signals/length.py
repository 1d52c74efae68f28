"""In talk, a turn of two words hardly answers anything."""

import numpy as np

from cognition.ranking.pool import Column, Pool
from cognition.ranking.signal import Signal

# A turn of this many characters has said something; longer ones say no more by their length.
LENGTH_SATED = 400


def of(pool: Pool) -> Column:
    """Return, for each candidate, how far it is long enough to say something."""
    if not pool.has_turns:
        return np.ones(len(pool))
    lengths = np.log1p(list(map(len, pool.all_of("text")))) / np.log(LENGTH_SATED)
    return np.where(pool.told > 0, np.minimum(1.0, lengths), 1.0)


SIGNAL = Signal(
    "length",
    "is long enough to say something",
    of,
    weight=4.71,
    published=1.5,
)
