"""Who asks what Ann likes is answered by what Ann said."""

import numpy as np

from cognition.ranking.pool import Column, Pool
from cognition.ranking.signal import Signal


def of(pool: Pool) -> Column:
    """Return, for each candidate, how far it was said by the one who is named."""
    names = pool.names
    if not names:
        return pool.none
    return np.array([speaker in names for speaker in pool.all_of("speaker")], np.float64)


SIGNAL = Signal(
    "speaker",
    "was said by the one who is named",
    of,
    weight=1.80,
    published=2.4,
)
