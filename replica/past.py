"""Make the replica as it was at some moment: the log folded anew up to then, into another store.

Which ops had been written by a moment is told by their stamps. What one device knew at that moment is what it had
merged by its last op before it: later arrivals show in no op of its, so nobody can tell when they came. An op in the
base has left its stamp behind, so the past begins where the base ends (the horizon); what was erased is in no past.
"""

from collections.abc import Iterator

from replica.chains import Chains
from replica.errors import NameNotFound
from replica.hlc import COUNTER_BITS
from replica.ids import DeviceId
from replica.meta import Meta
from replica.oplog import Changes, LogRow, MemoryChange, Store
from replica.ops import UNDERSTOOD
from replica.refold import refold
from replica.state.cells import CellKind, State
from replica.state.memories import MemoryCell, show
from replica.state.register import Vector


class BeyondHorizon(NameNotFound):
    """The log tells nothing of that time any more; `horizon_ms` is where what it tells begins."""

    def __init__(self, horizon_ms: int) -> None:
        super().__init__(f"the log no longer covers that time: it begins at {horizon_ms} ms since 1970")
        self.horizon_ms = horizon_ms


def rebuild(store: Store, into: Store, *, until_ms: int, seen_by: DeviceId | None = None) -> None:
    """Fold what was stamped up to a moment, itself included, into an empty store.

    With `seen_by`, only what that device knew by then. `store` is only read. `BeyondHorizon` where ops of that time
    have left the log.
    """
    horizon_ms = Meta.read(store.meta()).horizon_ms
    if until_ms < horizon_ms:
        raise BeyondHorizon(horizon_ms)
    feeds = Chains(store)
    known = None if seen_by is None else _known_to(store, feeds, seen_by, until_ms)
    base = State(dict(store.all_base_cells()), store.base_tombstones())
    refolded = refold(
        base,
        _rows(store, feeds, until_ms, known),
        feeds,
        feeds.vector_at,
        understood=UNDERSTOOD,
        erased=_erased(store),
    )
    membership = store.membership()
    changes = Changes(
        feeds=list(feeds),
        members=[*membership.members.values()],
        cells=dict(refolded.state.cells),
        tombstones=set(refolded.state.tombstones),
    )
    for key, cell in refolded.state.cells.items():
        if key.part is CellKind.MEMORY and isinstance(cell, MemoryCell):
            changes.memories.append(MemoryChange(key.name, None, show(key.name, cell), cell))
    into.write(changes, until_ms)


def _rows(store: Store, feeds: Chains, until_ms: int, known: Vector | None) -> Iterator[LogRow]:
    for row in store.rows():
        if (
            row.hlc >> COUNTER_BITS <= until_ms
            and row.seq > feeds[row.feed].base_seq
            and (known is None or row.seq <= known.get(row.feed, 0))
        ):
            yield row


def _known_to(store: Store, feeds: Chains, device: DeviceId, until_ms: int) -> Vector:
    """Return what a device had merged by its last op up to a moment."""
    known: Vector = {}
    for feed in feeds:
        if feed.origin.device != device:
            continue
        last = feed.base_seq
        for row in store.feed_rows(feed.no, feed.base_seq + 1, feed.seq):
            if row.hlc >> COUNTER_BITS > until_ms:
                break
            last = row.seq
        vector = feeds.vector_at(feed.no, last) if last > feed.fork else None
        for no, seq in (vector or {}).items():
            known[no] = max(known.get(no, 0), seq)
    return feeds.closed(known)


def _erased(store: Store) -> set[bytes]:
    _, idle = store.proofs_ahead()
    return {rid for proof in store.proofs() if proof.id not in idle for rid in proof.rids}
