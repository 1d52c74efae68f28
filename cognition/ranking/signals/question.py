"""In talk, who asks does not answer."""

from cognition.ranking.pool import Column, Pool
from cognition.ranking.signal import Signal


def of(pool: Pool) -> Column:
    """Return, for each candidate, how far it asks rather than tells."""
    return pool.asking


SIGNAL = Signal(
    "question",
    "asks rather than tells",
    of,
    weight=-1.03,
    published=-0.5,
)
