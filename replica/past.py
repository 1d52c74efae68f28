"""Make what a replica showed at some moment, in another store.

To nearly all that shows nothing happened since: it is copied. What an op since then touched is folded anew from the
log, up to that moment. So a question about the past costs O(n), most of it copying, and a fold of what changed since.

Which ops had been written by a moment is told by their stamps. What one device knew at that moment is what it had
merged by its last op before it: later arrivals show in no op of its, so nobody can tell when they came. An op in the
base has left its stamp behind, so the past begins where the base ends (the horizon); what was erased is in no past.
"""

import sqlite3
from collections.abc import Sequence

from replica.chains import Chains
from replica.errors import NameNotFound
from replica.hlc import COUNTER_BITS
from replica.ids import DeviceId
from replica.meta import Meta
from replica.oplog import Changes, MemoryChange
from replica.ops import UNDERSTOOD
from replica.refold import refold
from replica.rows import body_of, op_of
from replica.state.cells import CellKind, Key, State, decode_cell, memory_key
from replica.state.fold import keys_of
from replica.state.memories import MemoryCell, show
from replica.state.register import Vector
from replica.storage.picture import CopiedTables, Picture, picture_at
from replica.storage.sql import read_together
from replica.storage.store import SqliteStore


class BeyondHorizon(NameNotFound):
    """The log tells nothing of that time any more; `horizon_ms` is where what it tells begins."""

    def __init__(self, horizon_ms: int) -> None:
        super().__init__(f"the log no longer covers that time: it begins at {horizon_ms} ms since 1970")
        self.horizon_ms = horizon_ms


def rebuild(
    store: SqliteStore,
    moments: Sequence[tuple[sqlite3.Connection, int]],
    *,
    seen_by: DeviceId | None = None,
    changed_since_ms: int | None = None,
    derived: Sequence[CopiedTables] = (),
) -> None:
    """Make each of some empty stores show what `store` showed at its moment, of all that was stamped by then.

    With `seen_by`, only what that device knew by then. With `changed_since_ms`, which is no later, of memories only
    those that something happened to since that moment, or since that device knew what it did by then. `store` is only
    read, as it is at one time for all of them, and they read its file beside it until then (`connect_beside`): they get
    no log, and cells only of what was folded anew. `derived`, which both have, are copied with what is copied, and told
    of what was folded anew. `BeyondHorizon` where ops of that time have left the log.
    """
    with read_together(store.connection, *(into for into, _ in moments)):
        folded = [
            _copy(
                store,
                into,
                until_ms=until_ms,
                seen_by=seen_by,
                changed_since_ms=changed_since_ms,
                derived=derived,
            )
            for into, until_ms in moments
        ]
    for (into, until_ms), changes in zip(moments, folded, strict=True):
        into.execute("DETACH now")
        SqliteStore(into, derived).write(changes, until_ms)


def _copy(
    store: SqliteStore,
    into: sqlite3.Connection,
    *,
    until_ms: int,
    seen_by: DeviceId | None,
    changed_since_ms: int | None,
    derived: Sequence[CopiedTables],
) -> Changes:
    """Copy what nothing happened to, and return what was folded anew."""
    horizon_ms = Meta.read(store.meta()).horizon_ms
    if until_ms < horizon_ms:
        raise BeyondHorizon(horizon_ms)
    feeds = Chains(store)
    bases = {feed.no: feed.base_seq for feed in feeds}
    first_ms = until_ms if changed_since_ms is None else changed_since_ms

    def known(until_ms: int) -> Vector | None:
        return None if seen_by is None else _known_to(store, feeds, seen_by, until_ms)

    with picture_at(store.connection, first_ms, known(first_ms), bases) as picture:
        if changed_since_ms is not None:
            _touch(picture, feeds)
            picture.go_on(until_ms, known(until_ms), bases)
        beside = _touch(picture, feeds)
        base = State(
            {memory_key(name): decode_cell(CellKind.MEMORY, cell) for name, cell in picture.base_memories()},
            store.base_tombstones(),
        )
        base.cells.update(store.load_base(beside))
        refolded = refold(
            base,
            picture.rows_to_fold(),
            feeds,
            feeds.vector_at,
            understood=UNDERSTOOD,
        ).state
        picture.copy(into, derived)
        touched = picture.touched_of(key.name for key in refolded.cells if key.part is CellKind.MEMORY)
    return _changes(store, feeds, refolded, touched, beside)


def _touch(picture: Picture, feeds: Chains) -> set[Key]:
    """Note the memories that ops which are not in the picture act on beside their own; return what else they act on."""
    beside: set[Key] = set()
    for row in picture.rows_since():
        op = op_of(row, feeds[row.feed].origin)
        if (body := body_of(op, UNDERSTOOD)) is not None:
            keys = keys_of(op, body)
            picture.touch(key.name for key in keys if key.part is CellKind.MEMORY)
            beside.update(key for key in keys if key.part is not CellKind.MEMORY)
    return beside


def _changes(
    store: SqliteStore, feeds: Chains, refolded: State, touched: set[bytes], beside: set[Key]
) -> Changes:
    """Return what was folded anew: of memories and of all else, what was touched; the rest was folded in part."""
    changes = Changes(
        feeds=list(feeds),
        members=[*store.membership().members.values()],
        cells={key: refolded.cells.get(key) for key in beside},
        tombstones=refolded.tombstones,
    )
    for key, cell in refolded.cells.items():
        if isinstance(cell, MemoryCell) and key.name in touched:
            changes.cells[key] = cell
            changes.memories.append(MemoryChange(key.name, None, show(key.name, cell), cell))
    return changes


def _known_to(store: SqliteStore, feeds: Chains, device: DeviceId, until_ms: int) -> Vector:
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
