"""Say who wrote what an edge, a shared setting or a judgment shows now."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from replica.core import Core
from replica.ids import Origin
from replica.limits import SURENESS_MAX
from replica.ops import SameSlot
from replica.state.cells import CellKind, Key, edge_key, setting_key
from replica.state.register import winner
from replica.storage.same_slots import claims_judged, rank_of

Edge = tuple[str, str, str]
Named = TypeVar("Named")


def edge_writers(core: Core, edges: Iterable[Edge]) -> Iterator[tuple[Edge, Origin]]:
    """Return with each edge who last wrote its weight."""
    return _writers(core, {edge_key(*edge): edge for edge in edges})


def setting_writers(core: Core, names: Iterable[str]) -> Iterator[tuple[str, Origin]]:
    """Return with each setting who last wrote its value."""
    return _writers(core, {setting_key(name): name for name in names})


def judgment_writers(core: Core, names: Iterable[bytes]) -> Iterator[tuple[bytes, Origin]]:
    """Return with each judgment on two claims who last said it."""
    return _writers(core, {Key(CellKind.SAME_SLOT, name): name for name in names})


def without_judge(core: Core, name: bytes, device: bytes) -> SameSlot:
    """Return what takes back what a device said of two claims: what others said at the same time, else nothing."""
    key = Key(CellKind.SAME_SLOT, name)
    register = core.store.load([key]).get(key, {})
    assert isinstance(register, dict)
    others = {dot: held for dot, held in register.items() if core.feeds[dot.feed].origin.device != device}
    same, sureness = winner(others)[2] if others else (None, SURENESS_MAX)
    return SameSlot.of(*claims_judged(name), same, by=rank_of(name), sureness=sureness)


def _writers(core: Core, by_key: Mapping[Key, Named]) -> Iterator[tuple[Named, Origin]]:
    for key, register in core.store.load(by_key).items():
        assert isinstance(register, dict)
        dot, _, _ = winner(register)
        yield by_key[key], core.feeds[dot.feed].origin
