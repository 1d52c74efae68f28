"""Say who wrote what an edge or a shared setting shows now."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from replica.core import Core
from replica.ids import Origin
from replica.state.cells import Key, edge_key, setting_key
from replica.state.register import winner

Edge = tuple[str, str, str]
Named = TypeVar("Named")


def edge_writers(core: Core, edges: Iterable[Edge]) -> Iterator[tuple[Edge, Origin]]:
    """Return with each edge who last wrote its weight."""
    return _writers(core, {edge_key(*edge): edge for edge in edges})


def setting_writers(core: Core, names: Iterable[str]) -> Iterator[tuple[str, Origin]]:
    """Return with each setting who last wrote its value."""
    return _writers(core, {setting_key(name): name for name in names})


def _writers(core: Core, by_key: Mapping[Key, Named]) -> Iterator[tuple[Named, Origin]]:
    for key, register in core.store.load(by_key).items():
        assert isinstance(register, dict)
        dot, _, _ = winner(register)
        yield by_key[key], core.feeds[dot.feed].origin
