"""Who asks where somebody works is answered by who says, in whatever language, that they work somewhere.

Where somebody else works is no answer, and shares more words with the question than most answers do.
"""

from typing import Final

from cognition.ranking.pool import Column, Pool
from cognition.ranking.signal import Signal

# How much it speaks against a memory that it states this of somebody else, as against for it: fitted once as a signal
# of its own (-1.1 beside 2.5).
OF_OTHERS: Final = -0.45
# PM-64: and where who asks has said it of themselves, as much against as that is for it. Words alone cannot tell:
# "Alice works at Stripe" shares more of them with "where do I work" than "My job is at Novo" does.
BESIDE_OWN: Final = -1.0
# Who says it of themselves under a name of their own may be who asks, and more often is somebody else.
OF_A_SPEAKER: Final = 0.5


def of(pool: Pool) -> Column:
    """Return, for each candidate, whether it states what is asked for of whom it is asked, or of somebody else."""
    asked = pool.query.asked
    column = pool.none
    if asked is None:
        return column
    telling = frozenset(pool.telling)
    own = asked.of_self and any(pool.selves.is_own(pool.rows[i].speaker) for i in telling)
    for i in pool.leading:
        row = pool.rows[i]
        if i in telling:
            column[i] = OF_A_SPEAKER if asked.of_self and not pool.selves.is_own(row.speaker) else 1.0
        elif row.id not in pool.believed and asked.is_told(row.text):
            column[i] = BESIDE_OWN if own else OF_OTHERS
    return column


SIGNAL = Signal(
    "tells",
    "states what was asked for, of whom it was asked and of nobody else",
    of,
    weight=2.60,
)
