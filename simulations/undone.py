"""What was wrong here once: `simulations.bugs` plants it again, and each kept seed must fail under its own.

Each returns what to swap in the product for the length of a run, as in `simulations.mistakes.in_folding`.
"""

from collections.abc import Sequence, Set
from typing import Any

import replica.codec
import replica.rows
import replica.snapshot
import replica.state.fold
import replica.storage.memory_store
import replica.storage.store
import sync.parts
from replica.chains import Chains
from replica.core import Core
from replica.feeds import join
from replica.ids import DeviceId, OpId
from replica.oplog import Changes, Partial
from replica.ops import Edit
from replica.outbox import Outbox
from replica.partial import partial_from
from replica.state.memories import MemoryCell
from replica.state.register import Vector, saw
from replica.state.text import EditedText, base_name
from simulations.patching import Swap
from simulations.world import World
from sync.exchange import Exchange
from sync.wire.messages import Base, Heads, decode_message


def any_update(world: World) -> Sequence[Swap]:
    return [(replica.rows, "check_update", lambda update: None)]


def any_count(world: World) -> Sequence[Swap]:
    beyond = 1 << 64
    return [(replica.codec, "ACCESSES_MAX", beyond), (replica.codec, "MS_MAX", beyond)]


def unsigned_end(world: World) -> Sequence[Swap]:
    """The signature that a snapshot brings for an op that is held already is dropped."""
    right = replica.snapshot._Absorption._take_vectors

    def take_vectors(self: Any) -> None:
        signatures = [feed.base_signature for feed in self.core.feeds]
        right(self)
        for feed, signature in zip(self.core.feeds, signatures, strict=True):
            feed.base_signature = signature

    return [(replica.snapshot._Absorption, "_take_vectors", take_vectors)]


def short_stem(world: World) -> Sequence[Swap]:
    """Where a branch leaves a compacted stem, only the spine says which op that was."""
    right = Chains.id_at

    def id_at(self: Chains, no: int, seq: int) -> OpId:
        feed = self[no]
        while seq <= feed.fork:
            assert feed.parent is not None
            feed = self[feed.parent]
        return right(self, feed.no, seq)

    return [(Chains, "id_at", id_at)]


def part_of_none(world: World) -> Sequence[Swap]:
    """Where the first part of a snapshot could not be written, the next link asks for what follows no part."""

    def held(core: Core, peer: DeviceId) -> Partial | None:
        return partial_from(core, peer) or core.partials.get(peer)

    return [(sync.parts, "partial_from", held)]


def parts_shared(world: World) -> Sequence[Swap]:
    """What has come on one link to a peer goes on with what comes on another, and ends with whatever ends there."""

    def begin(self: Any, part: Base) -> Partial:
        kept = partial_from(self._core, self._peer)
        resumes = kept is not None and (kept.digest, kept.count) == (part.digest, part.count)
        coming = kept if kept is not None and resumes else Partial(part.digest, part.count)
        self._core.partials[self._peer] = coming
        del coming.parts[part.index :]
        return coming

    return [(sync.parts.Incoming, "_begin", begin)]


def sent_back(world: World) -> Sequence[Swap]:
    """Nobody notes that who sent a snapshot holds it: being the base now, it is sent back."""
    right = Exchange._absorb

    def absorb(self: Exchange, data: bytes, now_ms: int) -> tuple[str | None, bool]:
        outbox, self._outbox = self._outbox, None
        try:
            return right(self, data, now_ms)
        finally:
            self._outbox = outbox

    return [(Exchange, "_absorb", absorb)]


def any_text(world: World) -> Sequence[Swap]:
    """An edit goes into the document of whatever text its writer had seen, also of one that it does not name."""

    def edit(cell: MemoryCell, rid: bytes, told: Edit, vector: Vector) -> bool:
        for dot, add in cell.adds.items():
            if saw(vector, dot):
                base = base_name(rid, add.text)
                cell.edits.setdefault(base, EditedText.from_base(rid, add.text)).apply(told.update)
                return True
        return False

    return [(replica.state.fold, "_edit", edit)]


def base_as_it_is_now(world: World) -> Sequence[Swap]:
    """Asked again while a snapshot is on its way, a device takes what its base holds by now for what it is sending."""
    right = Exchange.receive

    def receive(self: Exchange, data: bytes, now_ms: int) -> list[bytes]:
        if self._leaving.is_under_way and isinstance(decode_message(data), Heads):
            join(self._leaving.reaches, Outbox({}).sent_base(self._core))
        return right(self, data, now_ms)

    return [(Exchange, "receive", receive)]


def proof_forgotten(world: World) -> Sequence[Swap]:
    """Of a memory that the log forgets, the base keeps the edits without what proves them."""
    right = replica.snapshot._Absorption._keep_remains

    def keep_remains(self: Any, fresh: Any, gone: Set[bytes], changes: Changes) -> None:
        right(self, fresh, gone | self.core.store.all_tombstones(), changes)

    return [(replica.snapshot._Absorption, "_keep_remains", keep_remains)]


def one_part_proven(world: World) -> Sequence[Swap]:
    """Of remains that end at the same op, the first that was kept stays, and the rest of the run is not proven."""

    def first(one: bytes, other: bytes) -> bytes:
        return one

    return [(replica.storage.memory_store, "joined", first), (replica.storage.store, "joined", first)]
