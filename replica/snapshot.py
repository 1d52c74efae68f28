"""Hand a base to another replica, and merge one that was handed over.

A snapshot is the base: folded state with a dot on every live item and head, tombstones, and for each feed its place,
the short ids of all its ops (the spine), the signature of its last, and what its writer had seen. The ops above it
follow as ops. Its maker signs it: what lies below the base is vouched for by a member, not by each author.

It is merged, never put in place of anything: a device that was away, or two halves of a group that compacted while
apart, lose nothing and bring nothing back. Then the log is folded anew on top. And it takes nothing away from whoever
holds better evidence: what is held here is folded here, whatever the snapshot says of it, ops that are held stay in the
log, and one that covers nothing else is not merged at all (`replica.state.merge` has the rules).
"""

import hashlib
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, NamedTuple

from replica.chains import Chains
from replica.codec import pack, unpack
from replica.collector import collector_paused
from replica.core import Core, TakingIn
from replica.errors import InvalidOp, StoreFailed
from replica.evidence import Fault
from replica.feeds import Chain, Feed, chain_to, cut, join
from replica.folding import Totals, count_added
from replica.ids import ID8_BYTES, DeviceId, OpId, OpRef, Origin
from replica.incarnations import ChainEvent
from replica.limits import (
    CHAINS_OF_ONE_SEEN_MAX,
    SNAPSHOT_BYTES_FREE,
    SNAPSHOT_BYTES_MAX,
    SNAPSHOT_RATIO_MAX,
)
from replica.meta import Vouched
from replica.oplog import Changes, LogRow, Remains, SpinePiece
from replica.pruning import Pruning
from replica.refold import added_by, changes_to, refold
from replica.remains import SignedChanges, read_remains, remains_of, without_edits
from replica.signing import verify
from replica.snapshot_adds import Added, AddedRow, columns_of
from replica.snapshot_ahead import PACKED_MIN, PackedAdds, pack_ahead
from replica.snapshot_parts import Snapshot, SnapshotFeed, read_maker, read_parts
from replica.state.cells import (
    Cell,
    CellKind,
    Key,
    State,
    encode_cell,
    maker_of,
    memory_key,
    only_add,
    read_cell,
    renumber,
)
from replica.state.memories import BareMemory, MemoryCell
from replica.state.merge import News, merge_states
from replica.state.reading import CellReader
from replica.state.register import Dot, Vector
from replica.vouched import split, voucher
from replica.zstd import NotCompressed, compress, decompress, stated_size

# What is signed here, and nowhere else; its number is not that of the layout.
_CONTEXT: Final = b"samemind snapshot 1\0"
# How a snapshot is laid out, as the version of a kind that no op has: who knows another layout waits for an upgrade.
_LAYOUT_KIND: Final = 0
_LAYOUT: Final = 3
# What 0.1.0 wrote: without the remains of deletions, and without a word on who vouches for what.
_LAYOUT_BEFORE: Final = 2
# What begins a frame of zstd that every reader skips; its size follows in four bytes, little end first.
_SKIPPED: Final = b"\x50\x2a\x4d\x18"

# A device begins a feed once; what else might move the places of ops comes seldom, and never by who only tells.
_AHEAD_TRIES: Final = 2

_tuple = tuple.__new__  # by name it takes three times as long, and there is one for each memory

Holds = Callable[[Origin, int], bool]
"""Whether an op, by its place, stays in what is handed over."""


def make_snapshot(core: Core, holds: Holds | None = None) -> bytes:
    """Return this replica's base as signed, compressed bytes.

    With `holds`, which says of a feed's last op whether it stays: without the feeds that do not, as far as what they
    did can be told apart.
    """
    gone = frozenset(
        feed.no for feed in core.feeds if holds is not None and not holds(feed.origin, feed.base_seq)
    )
    with collector_paused():
        body = _body(core, gone)
    signature = core.sign(_CONTEXT + hashlib.sha256(body).digest())
    return _sealed(pack([signature, body]))


def _body(core: Core, gone: Set[int]) -> bytes:
    included = [feed for feed in core.feeds if feed.base_seq > feed.fork and feed.no not in gone]
    number = {feed.no: i for i, feed in enumerate(included)}

    def renumbered(vector: Vector) -> Vector:
        return {number[no]: seq for no, seq in vector.items() if no in number}

    origins = list(dict.fromkeys(feed.origin for feed in core.feeds if feed.no not in gone))
    pruning = Pruning.of(core, gone) if gone else None
    feeds = [
        [
            feed.origin.device,
            feed.origin.incarnation,
            None if feed.parent is None else number[feed.parent],
            feed.fork,
            renumbered(feed.fork_vector),
            feed.base_seq,
            feed.base_head,
            feed.base_signature or b"",
            renumbered(feed.base_vector),
            core.store.spine(feed.no),
        ]
        for feed in included
    ]
    origin_at = {core.feeds.origin_number(origin): i for i, origin in enumerate(origins)}
    as_here = pruning is None and all(no == i for no, i in [*number.items(), *origin_at.items()])
    cells: list[tuple[int, bytes, bytes]] = []
    adds: list[AddedRow] = []
    for part, name, data in core.store.packed_base():
        plain = unpack(data)
        if part == CellKind.MEMORY and (add := only_add(plain)) is not None:
            feed, seq, _, hlc, text, fields = add
            if feed in gone:
                continue
            adds.append(_tuple(AddedRow, (name, number[feed], seq, hlc, text, fields)))
            continue
        if not as_here:
            held: Cell | None = read_cell(part, plain)
            if pruning is not None and held is not None:
                held = pruning.pruned(Key(CellKind(part), name), held)
            if held is None:
                continue
            if isinstance(held, MemoryCell) and held.is_only_added():  # as it is by now
                ((dot, add_left),) = held.adds.items()
                adds.append(AddedRow(name, number[dot.feed], dot.seq, *add_left))
                continue
            moved = renumber(
                held,
                lambda dot: Dot(number[dot.feed], dot.seq, dot.id8),
                lambda origin: origin_at[origin],
            )
            data = encode_cell(moved)
        cells.append((part, name, data))
    return pack(
        [
            core.device,
            {_LAYOUT_KIND: _LAYOUT, **dict(sorted(core.understood.items()))},
            feeds,
            [list(origin) for origin in origins],
            cells,
            sorted(core.store.base_tombstones()),
            core.horizon_ms,
            columns_of(adds),
            core.store.remains() if pruning is None else pruning.remains(),
            sorted([number[no], first, last, by] for no, first, last, by in core.vouched if no in number),
        ]
    )


def read_snapshot(data: bytes, core: Core) -> Snapshot:
    """Return the snapshot that a member made; `InvalidOp` when nobody in the group signed it, or it is none.

    Its cells are read when it is absorbed, which may raise `InvalidOp` too. Of one that is not understood here only the
    maker and the kinds are read: whatever else a later version says, it says in its own way.
    """
    with collector_paused():
        signature, body = unseal(data)
    maker, kinds = read_maker(body)
    key = core.membership.public_key(maker)
    if key is None or not verify(key, _CONTEXT + hashlib.sha256(body).digest(), signature):
        raise InvalidOp("expected a snapshot that a member signed, got one that nobody here did")
    if not _understands(core, kinds):
        return Snapshot(maker, kinds)
    with collector_paused():
        return read_parts(body, is_old=kinds[_LAYOUT_KIND] == _LAYOUT_BEFORE)


def _sealed(plain: bytes) -> bytes:
    """Compress a snapshot; one that packs better than a receiver believes is filled up, and says nothing more by it."""
    packed = compress(plain)
    lacking = -(-len(plain) // SNAPSHOT_RATIO_MAX) - len(packed)
    if lacking <= 0 or len(plain) <= SNAPSHOT_BYTES_FREE:
        return packed
    return packed + _SKIPPED + lacking.to_bytes(4, "little") + bytes(lacking)


def unseal(data: bytes) -> tuple[bytes, bytes]:
    """Return the signature of a snapshot and what it says, as nobody has judged it yet."""
    try:
        size_max = min(SNAPSHOT_BYTES_MAX, max(SNAPSHOT_BYTES_FREE, SNAPSHOT_RATIO_MAX * len(data)))
        size = stated_size(data)
        if size is None or size > size_max:
            raise InvalidOp(
                f"expected a snapshot of at most {size_max} bytes in {len(data)}, got one of {size or 'no stated size'}"
            )
        outer = unpack(decompress(data, size_max))
    except NotCompressed as error:
        raise InvalidOp(f"expected a snapshot, got bytes that are not one: {error}") from None
    match outer:
        case [bytes(signature), bytes(body)]:
            return signature, body
    raise InvalidOp("expected a snapshot [signature, body]")


def absorb(core: Core, snapshot: Snapshot, now_ms: int) -> bool:
    """Merge what a snapshot covers that is not held, and fold the log anew; False if it is not understood here."""
    if not _understands(core, snapshot.kinds):
        return False
    with core.taking() as taking_in, collector_paused(), ExitStack() as kept:
        ahead = None
        if core.give_way is not None and snapshot.adds is not None and len(snapshot.adds.feeds) >= PACKED_MIN:
            ahead = _done_ahead(core, snapshot, taking_in, core.give_way, kept)
        with core.undoing():
            _Absorption(core, snapshot, taking_in, core.feeds, ahead).run(now_ms)
    return True


def _done_ahead(
    core: Core, snapshot: Snapshot, taking_in: TakingIn, give_way: Callable[[], None], kept: ExitStack
) -> "_Ahead | None":
    """Read and pack the memories of a snapshot as its ops would stand here now; in between, others may write.

    None if they stand elsewhere then: a first op of this device takes the place of those that follow. What is packed is
    there until `kept` is closed.
    """
    for _ in range(_AHEAD_TRIES):
        give_way()
        work = _Absorption(core, snapshot, taking_in, Chains(core.store))
        work.check_heads()
        work.place()
        added = work.read_adds()
        taking_in.memories = len(added)
        give_way()
        packed = None
        with ExitStack() as keeps:
            lacking = work.lacking(added)
            if len(lacking) >= PACKED_MIN:
                with suppress(StoreFailed):  # without room beside the store, all of it may have room within
                    rows = keeps.enter_context(core.store.rows_ahead())
                    if rows is not None:
                        packed = pack_ahead(lacking, rows, work.feeds.origin_of, give_way, taking_in)
            now = _Absorption(core, snapshot, taking_in, Chains(core.store))
            now.place()
            if now.stands_like(work):
                kept.push(keeps.pop_all())
                return _Ahead(added, packed)
    return None


def stranger_in(core: Core, snapshot: Snapshot) -> DeviceId | None:
    """Return a device that wrote some of a snapshot and is no member here; its introduction may be yet to come."""
    known = core.membership.members
    return next((origin.device for origin in snapshot.origins if origin.device not in known), None)


def may_begin(core: Core, snapshot: Snapshot, peer: DeviceId | None, now_ms: int) -> bool:
    """Say whether the chains that a snapshot begins here may begin now, and count them if so."""
    begun = Counter(
        feed.origin.device
        for feed in snapshot.feeds
        if feed.fork < feed.seq
        and core.feeds.locate(OpRef(feed.origin, feed.fork + 1, feed.id8(feed.fork + 1))) is None
    )
    if core.beginnings(peer, now_ms).allow_all(begun):
        return True
    if peer is not None:
        core.accuse(peer, Fault.CHAINS, now_ms)
    return False


def charge(core: Core, peer: DeviceId, news: Sequence[Vouched], data: bytes, now_ms: int) -> None:
    """Count what a snapshot brought against the quota of whoever handed it over, as if it had come as ops."""
    own = sum(each.ops for each in news if core.feeds.origin_of(each.feed).device == peer)
    others = sum(each.ops for each in news) - own
    core.quotas.charge_base(peer, (own, others), stated_size(data) or 0, len(data), now_ms)
    core.write(Changes(), now_ms)


def not_understood(snapshot: Snapshot) -> str:
    """Say why a snapshot is not taken that `absorb` did not understand, and who has to be upgraded."""
    if snapshot.kinds.get(_LAYOUT_KIND, 0) < _LAYOUT_BEFORE:
        return f"the snapshot is laid out as by an older version: upgrade {snapshot.maker.hex()[:8]}, which made it"
    return "the snapshot is of a later version than that of the device which got it: upgrade that"


def _understands(core: Core, kinds: Mapping[int, int]) -> bool:
    return kinds.get(_LAYOUT_KIND) in (_LAYOUT_BEFORE, _LAYOUT) and all(
        version <= core.understood.get(kind, 0) for kind, version in kinds.items() if kind != _LAYOUT_KIND
    )


def _up_to_signed(rows: Iterable[LogRow]) -> Iterator[LogRow]:
    for row in rows:
        yield row
        if row.signature is not None:
            return


class _Ahead(NamedTuple):
    """What of the work was done ahead: the memories, read and judged, and those of them that are packed."""

    added: Added
    packed: PackedAdds | None


@dataclass(slots=True)
class _Absorption:
    """The work of merging one snapshot."""

    core: Core
    snapshot: Snapshot
    taking_in: TakingIn
    feeds: Chains
    """Those of the core, or as many to try with: they get the snapshot's feeds."""
    ahead: _Ahead | None = None
    covered: Vector = field(default_factory=dict)
    """How far the snapshot reaches on each feed here."""
    _chains: list[Chain] = field(default_factory=list)
    """For each feed of the snapshot, the runs of feeds here that its whole chain runs through."""
    _held: Vector = field(default_factory=dict)
    """What was held before."""
    _new: list[tuple[int, SnapshotFeed, int]] = field(default_factory=list)
    """The feeds of the snapshot with ops that were not held: the feed here, the feed there, up to where it was held."""
    _added_above: Set[bytes] = frozenset()
    """Memories that were added by ops which are held and which the snapshot does not cover."""

    def run(self, now_ms: int) -> None:
        core, feeds = self.core, self.feeds
        self.check_heads()
        old_base = {feed.no: feed.base_seq for feed in feeds}
        self.place()
        rows = list(core.store.rows())
        self._added_above = added_by(row for row in rows if row.seq > self.covered.get(row.feed, 0))
        mine = self._fold_covered([row for row in rows if self._in_log_and_covered(row, old_base)])
        known = core.store.all_memories() | core.store.all_tombstones()
        theirs, added = self._read_state(known | {key.name for key in mine.cells})
        self.taking_in.memories = len(added)
        self._compare(mine, theirs, now_ms)
        remains, signed = self._read_remains()
        changes = Changes(parts_gone=True)
        if not self._new:  # nothing is covered that is not held: there is nothing to take
            core.write(changes, now_ms)
            core.partials.clear()
            return
        waited = core.arrived_proofs()  # the ops that they waited for never come: they are in the base
        core.erase(waited, changes)
        signed.rids.update(*(proof.rids for proof in waited))
        merged = self._merge(mine, theirs, added, signed)
        base_cells: dict[Key, Any] = dict.fromkeys(key for key, _ in core.store.all_base_cells())
        for rid in core.erased:
            merged.kill(rid)
        base_tombstones = set(merged.tombstones)
        self._raise_bases(base_tombstones, changes)
        self._keep_remains(remains, base_tombstones, changes)
        changes.remains_cut = core.edits_cut(base_tombstones - core.store.base_tombstones())
        refolded = refold(
            merged,
            [row for row in rows if row.seq > feeds[row.feed].base_seq],
            feeds,
            core.feeds.vector_at,
            understood=core.understood,
            added=added.pop if added else None,
        )
        base_cells |= merged.cells
        assert not core.store.all_tombstones() - refolded.state.tombstones, "deletions that are held stay"
        state_changes = changes_to(core.store, refolded)
        changes.cells, changes.memories = state_changes.cells, state_changes.memories
        changes.statuses, changes.tombstones = state_changes.statuses, state_changes.tombstones
        changes.base_cells, changes.base_tombstones = base_cells, base_tombstones
        self._add(added, changes, refolded.totals)
        changes.feeds = list(feeds)
        core.horizon_ms = max(core.horizon_ms, min(now_ms, self.snapshot.horizon_ms))
        core.totals = refolded.totals
        core.vouched = [*core.vouched, *self._vouched()]
        core.asked.clear()
        if any(theirs.origin == core.origin for _, theirs, _ in self._new):
            core.incarnate(ChainEvent.ECHO, now_ms)
        core.write(changes, now_ms)
        core.partials.clear()
        core.merged += 1

    def _add(self, added: Added, changes: Changes, totals: Totals) -> None:
        """Let memories be written, and counted, unless they are packed and counted as they are."""
        changes.added = added
        packed = None if self.ahead is None else self.ahead.packed
        if packed is not None and added.has_same_as(packed.added):
            changes.rows_ahead = packed.rows
            totals.count(packed.totals.visible, packed.totals.cells)
        else:
            self.taking_in.written = 0
            changes.count_added = partial(self._count, totals)

    def _count(self, totals: Totals, page: Sequence[BareMemory]) -> None:
        """Add memories that are about to be written to the set hashes."""
        count_added(totals, self.feeds.origin_of, page)
        self.taking_in.written += len(page)

    # -- what it says ----------------------------------------------------------------------------------------

    def check_heads(self) -> None:
        """Refuse a snapshot that names ops of no member, or heads that their authors did not sign.

        A feed may end unsigned where a branch of it begins: the branch's first header holds the id of that op, and
        the branch ends signed.
        """
        snapshot, membership = self.snapshot, self.core.membership
        stems = {(feed.parent, feed.fork) for feed in snapshot.feeds}
        for i, feed in enumerate(snapshot.feeds):
            key = membership.public_key(feed.origin.device)
            if key is None:
                raise InvalidOp("expected a snapshot of ops by members, got one of a stranger's")
            if not membership.allows(feed.origin, feed.seq):
                raise InvalidOp("expected a snapshot of this group, got ops that it was rebuilt without")
            if not feed.signature and (i, feed.seq) in stems:
                continue
            if not self.core.is_signed(feed.origin.device, feed.head, feed.signature):
                raise InvalidOp("expected each feed of a snapshot to end at an op that its author signed")
        if (stranger := stranger_in(self.core, snapshot)) is not None:
            raise InvalidOp(f"expected a snapshot of members' ops, got one that names {stranger.hex()[:8]}")
        begun = Counter(feed.origin.device for feed in snapshot.feeds)
        if max(begun.values(), default=0) > 2 * CHAINS_OF_ONE_SEEN_MAX:  # some may not have seen each other
            raise InvalidOp(f"expected at most {2 * CHAINS_OF_ONE_SEEN_MAX} feeds of one device")

    def read_adds(self) -> Added:
        """Return the memories that were only added, with the numbers of this replica in their dots."""
        snapshot = self.snapshot
        assert snapshot.adds is not None, "nothing is absorbed that is not understood"
        return Added(
            snapshot.adds,
            snapshot.ids,
            ops=snapshot.ops(),
            dot_here=None if self._is_numbered_alike() else self._dot,
        )

    def lacking(self, added: Added) -> Added:
        """Return those of which nothing is held here."""
        store, held = self.core.store, self._held
        goes = None
        if any(held.get(no, 0) for no in self.covered):
            goes = lambda dot: held.get(dot.feed, 0) >= dot.seq  # noqa: E731
        return added.without(store.all_memories() | store.all_tombstones(), goes)

    def _read_state(self, known: Set[bytes]) -> tuple[State, Added]:
        """Return the state that the snapshot holds, with the numbers of this replica in its dots; cells in order.

        Memories that were only added are apart, where none is `known` here: there is nothing to merge them with.
        """
        snapshot = self.snapshot
        as_there = self._is_numbered_alike()
        added = self.read_adds() if self.ahead is None else self.ahead.added
        if added.having({*snapshot.tombstones}):
            raise InvalidOp("expected a memory or its tombstone, got both")
        cells: dict[Key, Cell] = {memory_key(one.rid): one.cell() for one in added.taken_out(known)}
        reader = CellReader(snapshot.place, snapshot.writers(), snapshot.devices())
        for cell in snapshot.cells:
            match cell:
                case [part, name, data]:
                    key, read = reader.read(part, name, data)
                    if key in cells:
                        raise InvalidOp("expected each cell once, got one twice")
                    if isinstance(read, MemoryCell) and read.is_only_added():
                        raise InvalidOp("expected a memory that was only added in the columns, got its cell")
                    if key.part is CellKind.FEEDBACK and self.feeds.locate(maker_of(key)) is None:
                        raise InvalidOp("expected a lesson of an op of the snapshot, got one of another")
                    cells[key] = read if as_there else renumber(read, self._dot, self._origin)
                case _:
                    raise InvalidOp("expected a cell [part, name, bytes]")
        if added.having({key.name for key in cells if key.part is CellKind.MEMORY}):
            raise InvalidOp("expected each cell once, got one twice")
        state = State({key: cells[key] for key in sorted(cells)}, set(snapshot.tombstones))
        if any(memory_key(rid) in cells for rid in state.tombstones):
            raise InvalidOp("expected a memory or its tombstone, got both")
        return state, added

    def _read_remains(self) -> tuple[list[Remains], SignedChanges]:
        """Return what signed ops came along and are new, and what such come to."""
        core = self.core
        signed = SignedChanges(set(core.erased))
        held = set(core.store.remains())
        fresh: list[Remains] = []
        for data in self.snapshot.remains:
            remains, proof = read_remains(data, core.membership, core.verify)
            if any(core.feeds.locate(place) is None for place in proof.places):
                raise InvalidOp("expected the remains of ops that the snapshot covers, got one beside it")
            signed.add(proof, lambda place: not self._was_folded(place))
            if remains.frame not in held:
                fresh.append(remains)
        return fresh, signed

    def _was_folded(self, place: OpRef) -> bool:
        """Say whether an op was held here before, and not by somebody's word alone."""
        dot = self.feeds.locate(place)
        return (
            dot is not None
            and dot.seq <= self._held.get(dot.feed, 0)
            and voucher(self.core, dot.feed, dot.seq) is None
        )

    def _keep_remains(self, fresh: Sequence[Remains], gone: Set[bytes], changes: Changes) -> None:
        """Keep the signed ops that came along, but not the words edited into memories that are gone from the base."""
        cut = dict(without_edits([each.frame for each in fresh], gone))
        for op_id, frame in fresh:
            kept = cut.get(op_id, frame)
            if kept is not None:
                changes.remains.append(Remains(op_id, kept))

    def _vouched(self) -> Iterator[Vouched]:
        """Give whose word the ops are taken on that were not held here."""
        snapshot, members = self.snapshot, self.core.membership.members
        for no, theirs, held in self._new:
            number = next(i for i, feed in enumerate(snapshot.feeds) if feed is theirs)
            told = [
                (first, last, by)
                for at, first, last, by in snapshot.vouched
                if at == number and by in members and by != self.core.device
            ]
            for first, last, by in split(held + 1, theirs.seq, told, snapshot.maker):
                yield Vouched(no, first, last, by)

    # -- what is held ----------------------------------------------------------------------------------------

    def _in_log_and_covered(self, row: LogRow, old_base: Mapping[int, int]) -> bool:
        return old_base[row.feed] < row.seq <= self.covered.get(row.feed, 0)

    def _fold_covered(self, rows: Sequence[LogRow]) -> State:
        """Return what is known here of what the snapshot covers: its ops that are in the log, folded on my base."""
        core = self.core
        base = State(dict(core.store.all_base_cells()), core.store.base_tombstones())
        if not rows:
            return base
        return refold(
            base,
            rows,
            core.feeds,
            core.feeds.vector_at,
            understood=core.understood,
        ).state

    def _compare(self, mine: State, theirs: State, now_ms: int) -> None:
        """Accuse a maker who leaves out, or changes, memories that signed ops in the log here added."""
        for key, cell in mine.cells.items():
            if not isinstance(cell, MemoryCell) or key.name in theirs.tombstones:
                continue
            told = theirs.cells.get(key)
            adds = told.adds if isinstance(told, MemoryCell) else {}
            for dot, add in cell.adds.items():
                if self._was_in_log(dot) and adds.get(dot) != add:
                    self.core.accuse(self.snapshot.maker, Fault.SNAPSHOT_DENIES, now_ms)
                    return

    def _was_in_log(self, dot: Dot) -> bool:
        feed = self.feeds[dot.feed]
        return feed.base_seq < dot.seq <= min(self._held.get(dot.feed, 0), self.covered.get(dot.feed, 0))

    def _merge(self, mine: State, theirs: State, added: Added, signed: SignedChanges) -> State:
        """Return what the base comes to; memories of `added` that no op which was not held can have made go from it."""
        is_disjoint = not any(self._held.get(no, 0) for no in self.covered) and not mine.cells
        above = self._added_above
        is_apart = not above or (
            above.isdisjoint(theirs.tombstones) and above.isdisjoint(key.name for key in theirs.cells)
        )
        if is_disjoint and not mine.tombstones and is_apart:
            return theirs  # a newcomer's case, and a large one

        def held(dot: Dot) -> bool:
            return self._held.get(dot.feed, 0) >= dot.seq

        def covers(dot: Dot) -> bool:
            return self.covered.get(dot.feed, 0) >= dot.seq

        def is_new(place: OpRef) -> bool:
            dot = self.feeds.locate(place)
            return dot is not None and covers(dot) and not held(dot)

        added.drop(held)
        news = News(
            covers,
            held,
            is_new,
            {self.feeds[no].origin_no for no, _, _ in self._new},
            {theirs.origin.device for _, theirs, _ in self._new},
            signed.rids | mine.tombstones,
            signed.edits,
            self._added_above,
            signed.taken_back,
        )
        return merge_states(mine, theirs, news)

    # -- where its ops stand ---------------------------------------------------------------------------------

    def place(self) -> None:
        """Give the ops of the snapshot their places here."""
        self._held = self.feeds.held()
        for feed in self.snapshot.feeds:
            self._place(feed)

    def stands_like(self, other: "_Absorption") -> bool:
        """Say whether its ops have the same places here as in another work on the same snapshot."""
        return self._chains == other._chains and self._is_numbered_alike() == other._is_numbered_alike()

    def _place(self, feed: SnapshotFeed) -> None:
        """Give the ops of one of the snapshot's feeds their places here."""
        feeds = self.feeds
        chain = [] if feed.parent is None else cut(self._chains[feed.parent], feed.fork)
        held, at = self._find(feed)
        if at is not None:
            chain = chain_to(feeds, at.feed, held)
        if held < feed.seq:
            own = self._continue(feed, held, chain)
            self._new.append((own.no, feed, held))
            feeds.know(own.no, held + 1, feed.spine[(held - feed.fork) * ID8_BYTES :])
            feeds.grow(own, feed.seq, feed.head)
            chain = chain_to(feeds, own.no, feed.seq)
        self._chains.append(chain)
        for last, no in chain:
            self.covered[no] = max(self.covered.get(no, 0), last)

    def _find(self, feed: SnapshotFeed) -> tuple[int, Dot | None]:
        """Return up to which seq of this feed its ops are held here, and where that op stands."""
        low, high, found = feed.fork, feed.seq, None
        while low < high:
            middle = (low + high + 1) // 2
            dot = self.feeds.locate(OpRef(feed.origin, middle, feed.id8(middle)))
            if dot is None:
                high = middle - 1
            else:
                low, found = middle, dot
        return low, found

    def _continue(self, feed: SnapshotFeed, held: int, chain: Chain) -> Feed:
        """Return the feed here on which the ops after `held` go."""
        feeds = self.feeds
        if held == 0:
            return feeds.start(feed.origin)
        no = chain[-1][1]
        if feeds[no].seq == held:
            return feeds[no]
        seen = self.feeds.vector_at(no, held) if held <= self._held.get(no, 0) else None
        if seen is None and held == feed.fork:
            seen = self._vector(feed.fork_vector)
        return feeds.start(feed.origin, no, held, seen)

    def _raise_bases(self, gone: Set[bytes], changes: Changes) -> None:
        """Let the base reach as far as the snapshot does. Ops that are held stay in the log, below its end."""
        for no, last in self.covered.items():
            self._raise_base(no, min(last, self._held.get(no, 0)), gone, changes)
        for no, theirs, held in self._new:
            own = self.feeds[no]
            changes.spine.append(SpinePiece(no, held + 1, theirs.spine[(held - theirs.fork) * ID8_BYTES :]))
            own.base_seq, own.base_head = theirs.seq, theirs.head
            own.base_signature = theirs.signature or None
        self._take_vectors()

    def _raise_base(self, no: int, last: int, gone: Set[bytes], changes: Changes) -> None:
        core, feed = self.core, self.feeds[no]
        if last <= feed.base_seq:
            return
        rows = list(core.store.feed_rows(no, feed.base_seq + 1, last))
        vector = core.feeds.vector_at(no, last)
        assert vector is not None, "what is in the log has a vector"
        changes.spine.append(SpinePiece(no, feed.base_seq + 1, b"".join(row.id[:ID8_BYTES] for row in rows)))
        on = core.store.feed_rows(no, last + 1, feed.seq) if rows[-1].signature is None else ()
        changes.remains += remains_of(core.feeds, rows, gone, beyond=list(_up_to_signed(on)))
        feed.base_seq, feed.base_head, feed.base_vector = last, OpId(rows[-1].id), vector
        feed.base_signature = rows[-1].signature

    def _take_vectors(self) -> None:
        """Say what the writer of each feed's last op had seen, where the snapshot brought that op."""
        new = {no: held for no, _, held in self._new}
        for i, theirs in enumerate(self.snapshot.feeds):
            last, no = self._chains[i][-1]
            feed = self.feeds[no]
            if last == theirs.seq == feed.base_seq:
                # The op may have come to me in the midst of a batch, which is signed at its end only.
                feed.base_signature = feed.base_signature or theirs.signature or None
                if new.get(no, last) < last:
                    feed.base_vector = self._vector(theirs.vector)
                    if feed.seq == feed.base_seq:
                        feed.vector = dict(feed.base_vector)

    def _is_numbered_alike(self) -> bool:
        """Say whether feeds and origins have the same numbers here as in the snapshot, as where nothing was held."""
        return all(chain == [(chain[-1][0], i)] for i, chain in enumerate(self._chains)) and all(
            self._origin(i) == i for i in self.snapshot.writers()
        )

    def _dot(self, dot: Dot) -> Dot:
        chain = self._chains[dot.feed]
        return Dot(chain[bisect_left(chain, (dot.seq, -1))][1], dot.seq, dot.id8)

    def _origin(self, number: int) -> int:
        return self.feeds.origin_number(self.snapshot.origins[number])

    def _vector(self, theirs: Vector) -> Vector:
        vector: Vector = {}
        for i, seq in theirs.items():
            join(vector, {no: last for last, no in cut(self._chains[i], seq)})
        return vector
