"""What a signal is: one reason to rank a candidate higher, or lower where its weight is negative."""

from collections.abc import Callable

from cognition.ranking.pool import Column, Pool
from replica.values import dataclass

SIMILARITY = "similarity"


@dataclass(frozen=True, slots=True)
class Signal:
    """One reason; each lives in a file of `cognition.ranking.signals`, which is all that knows of it."""

    name: str
    says: str
    """What is so of a memory that it speaks for."""
    of: Callable[[Pool], Column]
    """Gives each candidate something between 0 and 1, or spreads above the middle."""
    weight: float
    """Fitted by `python -m tests.bench.fitting --write`; nobody types it. A signal of weight 0 is not asked."""
    prior: bool = False
    """Whether its weight is not fitted: it decides between equals only, or the data say nothing of it."""
    taught_as: str = SIMILARITY
    """Under which of the five names feedback teaches it."""
    rule: str | None = None
    """Which of the fourteen published rules on predicates it is."""
    published: float | None = None
    """What it weighed where it was published, or by hand: for whoever switches it on."""
