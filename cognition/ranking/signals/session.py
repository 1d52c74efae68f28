"""A conversation stays with its topic: who stands in the one with the best evidence is likelier to be right."""

from cognition.ranking.pool import Column, Pool
from cognition.ranking.signal import Signal


def of(pool: Pool) -> Column:
    """Return, for each candidate, how far it is of the conversation that has what fits best."""
    return pool.of_conversations(pool.evidence)


SIGNAL = Signal(
    "session",
    "is of the conversation that has what fits best",
    of,
    weight=2.40,
    published=2.6,
)
