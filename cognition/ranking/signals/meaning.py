"""The cosine of question and memory, in spreads above the middle of the store: it differs from question to question."""

from cognition.ranking.pool import Column, Pool
from cognition.ranking.signal import Signal


def of(pool: Pool) -> Column:
    """Return, for each candidate, how far it is about the same (cosine)."""
    return pool.standing


SIGNAL = Signal(
    "meaning",
    "is about the same (cosine)",
    of,
    weight=0.85,
    published=2.5,
)
