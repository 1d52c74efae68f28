"""Wrong rules of compaction, snapshots and erasure, after which ops are gone for good: what `simulations.bugs` plants.

Each returns what to swap in the product for the length of a run, as in `simulations.mistakes.in_folding`.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import replica.admission
import replica.compaction
import replica.outbox
import replica.snapshot
import replica.state.merge
import sync.exchange
import sync.parts
from replica.core import Core
from replica.frame import Frame
from replica.oplog import LogRow
from replica.outbox import Outbox
from replica.snapshot_parts import Snapshot, SnapshotFeed, read_parts
from replica.state.cells import CellKind, State
from replica.state.memories import MemoryCell
from replica.state.merge import News
from replica.state.register import Dot
from replica.storage.memory_store import MemoryStore
from replica.storage.store import SqliteStore
from simulations.patching import Swap, swapped
from simulations.world import World


def replace_state(world: World) -> Sequence[Swap]:
    def theirs(mine: State, theirs: State, news: News) -> State:
        return theirs

    return [(replica.snapshot, "merge_states", theirs)]


def union(world: World) -> Sequence[Swap]:
    right = replica.state.merge.merge_states

    def union(mine: State, theirs: State, news: News) -> State:
        return right(mine, theirs, replace(news, covers=lambda dot: False, held=lambda dot: False))

    return [(replica.snapshot, "merge_states", union)]


def mid_commit(world: World) -> Sequence[Swap]:
    right = replica.compaction._choose

    def choose(*args: Any) -> tuple[list[LogRow], dict[int, int]]:
        return right(*args)[0][:1], {}

    return [(replica.compaction, "_choose", choose)]


def no_spine(world: World) -> Sequence[Swap]:
    def held(self: Any, feed: SnapshotFeed) -> tuple[int, Dot | None]:
        feeds = self.core.feeds
        for own in feeds.of(feed.origin):
            seq = min(own.seq, feed.seq)
            if seq > max(feed.fork, own.fork):
                return seq, Dot(own.no, seq, feeds.id8(own.no, seq))
        return feed.fork, None

    return [(replica.snapshot._Absorption, "_find", held)]


def no_full_vector(world: World) -> Sequence[Swap]:
    right = replica.outbox.frame_of

    def frame_of(*args: Any) -> Frame:
        frame = right(*args)
        return frame._replace(segments=tuple(each._replace(vector=None) for each in frame.segments))

    return [(replica.outbox, "frame_of", frame_of), (replica.admission, "_past_unknown", lambda *_: False)]


class _Knowing:
    """A status that nothing has, in place of `FoldStatus`."""

    UNKNOWN = -1


def compact_unknown(world: World) -> Sequence[Swap]:
    return [(replica.compaction, "FoldStatus", _Knowing)]


def snapshot_of_state(world: World) -> Sequence[Swap]:
    """Whatever is held is folded into the base just before it is handed over, understood or not."""
    right = replica.snapshot.make_snapshot

    def make(core: Core) -> bytes:
        with swapped(replica.compaction, "FoldStatus", _Knowing):
            rows = replica.compaction.compactable(core, [])
            if rows:
                core.write(replica.compaction._into_base(core, rows), 0)
        return right(core)

    def lacks_anything(self: Outbox, core: Core) -> bool:
        return self.lacking(core) > 0

    return [(sync.parts, "make_snapshot", make), (Outbox, "lacks_base", lacks_anything)]


def tombstones_collected(world: World) -> Sequence[Swap]:
    stores = (SqliteStore, MemoryStore)
    return [(store, "base_tombstones", lambda self: set()) for store in stores]


def accesses_added(world: World) -> Sequence[Swap]:
    """Totals of one origin are added where bases merge, instead of taking the higher."""
    right = replica.state.merge.merge_states

    def merge(mine: State, theirs: State, news: News) -> State:
        merged = right(mine, theirs, news)
        for key, cell in merged.cells.items():
            a, b = mine.cells.get(key), theirs.cells.get(key)
            if isinstance(cell, MemoryCell) and isinstance(a, MemoryCell) and isinstance(b, MemoryCell):
                for origin in a.accesses.keys() & b.accesses.keys():
                    count = a.accesses[origin][0] + b.accesses[origin][0]
                    cell.accesses[origin] = (count, cell.accesses[origin][1])
        return merged

    return [(replica.snapshot, "merge_states", merge)]


def old_takes_new(world: World) -> Sequence[Swap]:
    right = replica.snapshot.read_snapshot

    def read(data: bytes, core: Core) -> Snapshot:
        if (snapshot := right(data, core)).feeds:
            return snapshot
        snapshot = read_parts(replica.snapshot.unseal(data)[1])
        known = (CellKind.MEMORY, CellKind.EDGE)  # what an old program has tables for
        layout = {replica.snapshot._LAYOUT_KIND: replica.snapshot._LAYOUT}
        return snapshot._replace(
            kinds=layout, cells=tuple(cell for cell in snapshot.cells if cell[0] in known)
        )

    return [(sync.exchange, "read_snapshot", read)]


def keeps_erased(world: World) -> Sequence[Swap]:
    return [(Core, "erase", lambda self, proofs, changes: None)]


def tags_united(world: World) -> Sequence[Swap]:
    """Where bases merge, nothing stays taken off of what came with a memory."""
    return [(replica.state.merge, "_taken_off", lambda mine, theirs, living, news: {})]
