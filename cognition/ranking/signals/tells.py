"""Who asks where somebody works is answered by who says, in whatever language, that they work somewhere.

Where somebody else works is no answer, and shares more words with the question than most answers do. PM-64: words
alone cannot tell "Alice works at Stripe", asked "where do I work", from "My job is at Novo". So the one counts as much
against as the other does for. Other shares of that moved no family of questions by more than a tenth of a point.
Of whom "where does she live" asks nobody knows here: what is said of anybody may be the answer, and nothing is against.
"""

from cognition.ranking.pool import Column, Pool
from cognition.ranking.signal import Signal


def of(pool: Pool) -> Column:
    """Return, for each candidate, 1 where it states what is asked for of whom it is asked, -1 where of others."""
    asked = pool.query.asked
    if asked is None:
        return pool.none
    column = pool.blank()
    telling = frozenset(pool.telling)
    for i in pool.leading:
        row = pool.rows[i]
        if i in telling:
            column[i] = 1.0
        elif not asked.of_whoever and row.id not in pool.believed and asked.is_told(row.text):
            column[i] = -1.0
    return column


SIGNAL = Signal(
    "tells",
    "states what was asked for, of whom it was asked and of nobody else",
    of,
    weight=2.60,
)
