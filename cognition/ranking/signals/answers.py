"""In talk, what follows a question tells something, and what follows one that fits is the answer to it."""

from typing import Final

from cognition.ranking.pool import Column, Pool
from cognition.ranking.signal import Signal

# What it says of a turn that it follows a question of whatever; fitted once as a signal of its own (0.5 beside 1.5).
WHATEVER: Final = 0.3


def of(pool: Pool) -> Column:
    """Return, for each candidate, how far it follows a question, and one that fits."""
    return pool.at((WHATEVER + pool.evidence) * pool.asking, -1)


SIGNAL = Signal(
    "answers",
    "follows a question, and one that fits",
    of,
    weight=1.52,
    published=1.4,
)
