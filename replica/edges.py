"""Say who wrote what an edge shows now."""

from collections.abc import Iterable, Iterator

from replica.core import Core
from replica.ids import DeviceId
from replica.state.cells import edge_key
from replica.state.register import winner

Edge = tuple[str, str, str]


def edges_by(core: Core, device: DeviceId, edges: Iterable[Edge]) -> Iterator[Edge]:
    """Return those of the edges whose weight was last written by a device."""
    by_key = {edge_key(*edge): edge for edge in edges}
    for key, register in core.store.load(by_key).items():
        assert isinstance(register, dict)
        dot, _, _ = winner(register)
        if core.feeds[dot.feed].origin.device == device:
            yield by_key[key]
