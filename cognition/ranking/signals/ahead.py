"""In talk, what is told is taken up: the next turn says its words again, and says them of it.

So nothing is lifted that stands beside nothing of what was asked.
"""

from cognition.ranking.pool import Column, Pool
from cognition.ranking.signal import Signal
from cognition.ranking.signals.echo import of as echo


def of(pool: Pool) -> Column:
    """Return, for each candidate, how far the turn after it has a word like each that was asked for."""
    return pool.at(echo(pool), 1) if pool.has_turns else pool.none


SIGNAL = Signal(
    "ahead",
    "comes just ahead of what has a word like each that was asked for",
    of,
    weight=0.69,
)
