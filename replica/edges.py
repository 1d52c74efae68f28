"""Say who wrote what an edge shows now."""

from collections.abc import Iterable, Iterator

from replica.core import Core
from replica.ids import Origin
from replica.state.cells import edge_key
from replica.state.register import winner

Edge = tuple[str, str, str]


def edge_writers(core: Core, edges: Iterable[Edge]) -> Iterator[tuple[Edge, Origin]]:
    """Return with each edge who last wrote its weight."""
    by_key = {edge_key(*edge): edge for edge in edges}
    for key, register in core.store.load(by_key).items():
        assert isinstance(register, dict)
        dot, _, _ = winner(register)
        yield by_key[key], core.feeds[dot.feed].origin
