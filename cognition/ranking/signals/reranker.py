"""What a model says that reads question and text together; `cognition.reranking.mixing` asks it of the best."""

from cognition.ranking.pool import Column, Pool
from cognition.ranking.signal import Signal


def of(pool: Pool) -> Column:
    """Return, for each candidate, how far it answers, to a model that holds question and text side by side."""
    return pool.none


SIGNAL = Signal(
    "reranker",
    "answers, to a model that holds question and text side by side",
    of,
    weight=4.0,
    prior=True,
    published=4.0,
)
