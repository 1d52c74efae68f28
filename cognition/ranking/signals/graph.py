"""What is named here is connected to what was asked, over one edge of the graph or two."""

from cognition.ranking.pool import Column, Pool
from cognition.ranking.signal import Signal


def of(pool: Pool) -> Column:
    """Return, for each candidate, how far it names what is connected to the question."""
    if not pool.connected:
        return pool.none
    return pool.column([number in pool.connected for number in pool.all_of("id")])


SIGNAL = Signal(
    "graph",
    "names what is connected to the question",
    of,
    weight=0.1,
    prior=True,
    published=1.0,
    taught_as="graph",
)
