"""Who asks where somebody works is answered by who says, in whatever language, that they work somewhere.

Where somebody else works is no answer, and shares more words with the question than most answers do.
"""

from typing import Final

from cognition.ranking.pool import Column, Pool
from cognition.ranking.signal import Signal

# How much it speaks against a memory that it states this of somebody else, as against for it: fitted once as a signal
# of its own (-1.1 beside 2.5).
OF_OTHERS: Final = -0.45


def of(pool: Pool) -> Column:
    """Return, for each candidate, whether it states what is asked for of whom it is asked, or of somebody else."""
    asked = pool.query.asked
    column = pool.none
    if asked is None:
        return column
    telling = frozenset(pool.telling)
    for i in pool.leading:
        row = pool.rows[i]
        if i in telling:
            column[i] = 1.0
        elif row.id not in pool.believed and asked.is_told(row.text):
            column[i] = OF_OTHERS
    return column


SIGNAL = Signal(
    "tells",
    "states what was asked for, of whom it was asked and of nobody else",
    of,
    weight=2.60,
)
