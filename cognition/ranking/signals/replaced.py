"""What was true once is no answer to what is true now.

Where claims were read, they say what was replaced. Where none were, there is still one such thing at a time: of what
states it, the latest stands.
"""

from cognition.ranking.pool import Column, Pool
from cognition.ranking.signal import Signal


def of(pool: Pool) -> Column:
    """Return, for each candidate, whether something later says otherwise of what is asked for, as far as is known."""
    asked = pool.query.asked
    if asked is None or asked.past:
        return pool.none
    if pool.believed:
        return pool.column([pool.believed.get(number, 1.0) == 0 for number in pool.all_of("id")])
    column = pool.blank()
    column[pool.telling[:-1]] = 1.0
    return column


SIGNAL = Signal(
    "replaced",
    "says of what was asked for what no longer holds",
    of,
    weight=-4.0,  # behind what holds, and before what has nothing to do with it
    prior=True,
)
