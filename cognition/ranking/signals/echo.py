"""How well each term of the question is met by the nearest word of the text: "physician" by "doctor"."""

from cognition.ranking.pool import Column, Pool
from cognition.ranking.signal import Signal


def of(pool: Pool) -> Column:
    """Return, for each candidate, how far it has a word like each that was asked for."""
    column: Column = pool.alike @ pool.rarity
    return column


SIGNAL = Signal(
    "echo",
    "has a word like each that was asked for",
    of,
    weight=1.75,
    published=2.3,
)
