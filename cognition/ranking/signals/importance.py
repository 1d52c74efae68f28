"""YantrikDB: importance, as far as the memory is about the question."""

from cognition.ranking.pool import Column, Pool
from cognition.ranking.signal import Signal


def of(pool: Pool) -> Column:
    """Return, for each candidate, how far it matters, and is about this."""
    return pool.worth.importance


SIGNAL = Signal(
    "importance",
    "matters, and is about this",
    of,
    weight=0.1,
    prior=True,
    published=1.0,
    taught_as="importance",
)
