"""ML-64: what was quoted, or a name of several words, stands there as it was asked."""

from cognition.ranking.pool import Column, Pool
from cognition.ranking.signal import Signal
from cognition.words import words


def of(pool: Pool) -> Column:
    """Return, for each candidate, how far it has the very words that were quoted, or the whole name."""
    phrases = [f" {each.strip(chr(34))} " for each in pool.query.phrases]
    if not phrases:
        return pool.none
    texts = [f" {' '.join(words(row.text))} " for row in pool.rows]
    return pool.column([any(each in text for each in phrases) for text in texts])


SIGNAL = Signal(
    "phrase",
    "has the very words that were quoted, or the whole name",
    of,
    weight=0.15,
    prior=True,
    published=1.5,
)
