"""Hand a base to another replica, and merge one that was handed over.

A snapshot is the base: folded state with a dot on every live item and head, tombstones, and for each feed its place,
the short ids of all its ops (the spine), the signature of its last, and what its writer had seen. The ops above it
follow as ops. Its maker signs it: what lies below the base is vouched for by a member, not by each author.

It is merged, never put in place of anything: a device that was away, or two halves of a group that compacted while
apart, lose nothing and bring nothing back. Then the log is folded anew on top.
"""

import hashlib
from bisect import bisect_left
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from typing import Any, Final

import zstandard

from replica.codec import decode_payload, pack, unpack
from replica.collector import collector_paused
from replica.core import Core
from replica.errors import InvalidOp
from replica.feeds import Chain, Feed, chain_to, cut, join
from replica.ids import ID8_BYTES, OpId, Place
from replica.incarnations import Why
from replica.limits import SNAPSHOT_BYTES_FREE, SNAPSHOT_BYTES_MAX, SNAPSHOT_RATIO_MAX
from replica.oplog import Changes, Row, SpinePiece, Status
from replica.ops import Kind, Remember
from replica.refold import changes_to, refold
from replica.signing import verify
from replica.snapshot_adds import AddedRow, columns_of, read_columns
from replica.snapshot_parts import Snapshot, SnapshotFeed, read_maker, read_parts
from replica.state.cells import Cell, Key, Part, State, encode_cell, memory_key, only_add, read_cell, renumber
from replica.state.memories import Add, Added, MemoryCell
from replica.state.merge import merge_states
from replica.state.reading import CellReader
from replica.state.register import Dot, Vector

# What is signed here, and nowhere else; its number is not that of the layout.
_CONTEXT: Final = b"samemind snapshot 1\0"
# How a snapshot is laid out, as the version of a kind that no op has: who knows another layout waits for an upgrade.
_LAYOUT_KIND: Final = 0
_LAYOUT: Final = 2
_COMPRESSION_LEVEL: Final = 3
# What begins a frame of zstd that every reader skips; its size follows in four bytes, little end first.
_SKIPPED: Final = b"\x50\x2a\x4d\x18"

_tuple = tuple.__new__  # by name it takes three times as long, and there is one for each memory


def make_snapshot(core: Core) -> bytes:
    """Return this replica's base as signed, compressed bytes."""
    with collector_paused():
        body = _body(core)
    signature = core.sign(_CONTEXT + hashlib.sha256(body).digest())
    return _sealed(pack([signature, body]))


def _body(core: Core) -> bytes:
    included = [feed for feed in core.feeds if feed.base_seq > feed.fork]
    number = {feed.no: i for i, feed in enumerate(included)}

    def renumbered(vector: Vector) -> Vector:
        return {number[no]: seq for no, seq in vector.items() if no in number}

    origins = list(dict.fromkeys(feed.origin for feed in core.feeds))
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
    as_here = all(no == i for no, i in [*number.items(), *origin_at.items()])
    cells: list[tuple[int, bytes, bytes]] = []
    adds: list[AddedRow] = []
    for part, name, data in core.store.packed_base():
        plain = unpack(data)
        if part == Part.MEMORY and (add := only_add(plain)) is not None:
            feed, seq, _, hlc, text, fields = add
            adds.append(_tuple(AddedRow, (name, number[feed], seq, hlc, text, fields)))
            continue
        if not as_here:
            moved = renumber(
                read_cell(part, plain),
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
        ]
    )


def read_snapshot(data: bytes, core: Core) -> Snapshot:
    """Return the snapshot that a member made; `InvalidOp` when nobody in the group signed it, or it is none.

    Its cells are read when it is absorbed, which may raise `InvalidOp` too. Of one that is not understood here only the
    maker and the kinds are read: whatever else a later version says, it says in its own way.
    """
    signature, body = unseal(data)
    plain = unpack(body)
    maker, kinds = read_maker(plain)
    key = core.membership.public_key(maker)
    if key is None or not verify(key, _CONTEXT + hashlib.sha256(body).digest(), signature):
        raise InvalidOp("expected a snapshot that a member signed, got one that nobody here did")
    return read_parts(plain) if _understands(core, kinds) else Snapshot(maker, kinds)


def _sealed(plain: bytes) -> bytes:
    """Compress a snapshot; one that packs better than a receiver believes is filled up, and says nothing more by it."""
    packed = zstandard.ZstdCompressor(level=_COMPRESSION_LEVEL).compress(plain)
    lacking = -(-len(plain) // SNAPSHOT_RATIO_MAX) - len(packed)
    if lacking <= 0 or len(plain) <= SNAPSHOT_BYTES_FREE:
        return packed
    return packed + _SKIPPED + lacking.to_bytes(4, "little") + bytes(lacking)


def unseal(data: bytes) -> tuple[bytes, bytes]:
    """Return the signature of a snapshot and what it says, as nobody has judged it yet."""
    try:
        size_max = min(SNAPSHOT_BYTES_MAX, max(SNAPSHOT_BYTES_FREE, SNAPSHOT_RATIO_MAX * len(data)))
        size = zstandard.frame_content_size(data)
        if not 0 <= size <= size_max:
            raise InvalidOp(
                f"expected a snapshot of at most {size_max} bytes in {len(data)}, got one of {size}"
            )
        outer = unpack(zstandard.ZstdDecompressor().decompress(data, max_output_size=size_max))
    except zstandard.ZstdError as error:
        raise InvalidOp(f"expected a snapshot, got bytes that are not one: {error}") from None
    match outer:
        case [bytes(signature), bytes(body)]:
            return signature, body
    raise InvalidOp("expected a snapshot [signature, body]")


def absorb(core: Core, snapshot: Snapshot, now_ms: int) -> bool:
    """Merge a snapshot into the base and fold the log anew; False if it is not understood here."""
    if not _understands(core, snapshot.kinds):
        return False
    with collector_paused(), core.undoing():
        _Absorption(core, snapshot).run(now_ms)
    core.merged += 1
    return True


def not_understood(snapshot: Snapshot) -> str:
    """Say why a snapshot is not taken that `absorb` did not understand, and who has to be upgraded."""
    if snapshot.kinds.get(_LAYOUT_KIND, 0) < _LAYOUT:
        return f"the snapshot is laid out as by an older version: upgrade {snapshot.maker.hex()[:8]}, which made it"
    return "the snapshot is of a later version than that of the device which got it: upgrade that"


def _understands(core: Core, kinds: Mapping[int, int]) -> bool:
    return kinds.get(_LAYOUT_KIND) == _LAYOUT and all(
        version <= core.understood.get(kind, 0) for kind, version in kinds.items() if kind != _LAYOUT_KIND
    )


@dataclass(slots=True)
class _Absorption:
    """The work of merging one snapshot."""

    core: Core
    snapshot: Snapshot
    covered: Vector = field(default_factory=dict)
    """How far the snapshot reaches on each feed here."""
    _chains: list[Chain] = field(default_factory=list)
    """For each feed of the snapshot, the stretches of feeds here that its whole chain runs through."""
    _leaving: dict[tuple[int, int], Row] = field(default_factory=dict)
    """What leaves the log here for the base, by feed and seq: as its authors signed it."""

    def run(self, now_ms: int) -> None:
        core, feeds = self.core, self.core.feeds
        old_base = {feed.no: feed.base_seq for feed in feeds}
        mine = State(dict(core.store.all_base_cells()), core.store.base_tombstones())
        changes = Changes()
        mine_in_it = False
        for i, feed in enumerate(self.snapshot.feeds):
            mine_in_it |= self._place(i, feed, changes)
        if mine_in_it:
            core.incarnate(Why.ECHO, now_ms)
        self._take_vectors()
        known = core.store.all_memories() | core.store.all_tombstones()
        theirs, added = self._read_state(known | {key.name for key in mine.cells})
        if all(old_base[feed.no] <= feed.fork for feed in feeds if feed.no in old_base):
            merged = theirs  # nothing of mine was ever folded away: a newcomer's case, and a large one
        else:
            merged = merge_states(
                mine,
                theirs,
                lambda dot: old_base.get(dot.feed, 0) >= dot.seq,
                lambda dot: self.covered.get(dot.feed, 0) >= dot.seq,
            )
        for rid in core.erased:
            merged.kill(rid)
        base_tombstones = set(merged.tombstones)
        rows = [row for row in core.store.rows() if row.seq > feeds[row.feed].base_seq]
        refolded = refold(
            merged,
            rows,
            feeds,
            core.feeds.vector_at,
            understood=core.understood,
            erased=core.erased,
            added=added,
        )
        base_cells: dict[Key, Any] = dict.fromkeys(mine.cells)
        base_cells |= merged.cells
        if core.store.all_tombstones() - refolded.state.tombstones:
            raise InvalidOp(
                "expected every deletion that the snapshot covers, got it without one that is held here"
            )
        state_changes = changes_to(core.store, refolded)
        changes.cells, changes.memories = state_changes.cells, state_changes.memories
        changes.statuses, changes.tombstones = state_changes.statuses, state_changes.tombstones
        changes.base_cells, changes.base_tombstones = base_cells, base_tombstones
        changes.added = list(added.values())
        changes.feeds, changes.parts_gone = list(feeds), True
        core.horizon_ms = max(core.horizon_ms, min(now_ms, self.snapshot.horizon_ms))
        core.totals = refolded.totals
        core.write(changes, now_ms)
        core.partials.clear()

    def _read_state(self, known: Set[bytes]) -> tuple[State, dict[bytes, Added]]:
        """Return the state that the snapshot holds, with the numbers of this replica in its dots; cells in order.

        Memories that were only added are apart, where none is `known` here: there is nothing to merge them with.
        """
        snapshot = self.snapshot
        as_there = self._is_numbered_alike()
        added = {each.rid: each for each in read_columns(snapshot.adds, snapshot.id8, ops=snapshot.ops())}
        if not as_there:
            added = {rid: Added(rid, self._dot(dot), add) for rid, dot, add in added.values()}
        if self._leaving:  # a newcomer's log holds none, and a newcomer reads the most
            for rid, dot, add in added.values():
                self._check_said(rid, dot, add)
        if any(rid in added for rid in snapshot.tombstones):
            raise InvalidOp("expected a memory or its tombstone, got both")
        cells: dict[Key, Cell] = {memory_key(rid): added.pop(rid).cell() for rid in known & added.keys()}
        reader = CellReader(snapshot.place, snapshot.writers())
        for cell in snapshot.cells:
            match cell:
                case [part, name, data]:
                    key, read = reader.read(part, name, data)
                    if key in cells or (key.part is Part.MEMORY and key.name in added):
                        raise InvalidOp("expected each cell once, got one twice")
                    if isinstance(read, MemoryCell) and read.is_only_added():
                        raise InvalidOp("expected a memory that was only added in the columns, got its cell")
                    cells[key] = read if as_there else renumber(read, self._dot, self._origin)
                case _:
                    raise InvalidOp("expected a cell [part, name, bytes]")
        state = State({key: cells[key] for key in sorted(cells)}, set(snapshot.tombstones))
        if any(memory_key(rid) in cells for rid in state.tombstones):
            raise InvalidOp("expected a memory or its tombstone, got both")
        if self._leaving:
            for key, cell in state.cells.items():
                if isinstance(cell, MemoryCell):
                    for dot, add in cell.adds.items():
                        self._check_said(key.name, dot, add)
        return state, added

    def _check_said(self, rid: bytes, dot: Dot, add: Add) -> None:
        """Refuse a memory that was added in other words than its author signed, where that op is held here."""
        row = self._leaving.get((dot.feed, dot.seq))
        if row is None or row.payload is None:
            return
        if row.kind == Kind.REMEMBER and row.status == Status.FOLDED and row.rid == rid:
            said = decode_payload(row.kind, row.payload)
            if isinstance(said, Remember) and add == Add(row.hlc, said.text, dict(said.fields)):
                return
        raise InvalidOp("expected a memory as the op that added it says, got another than is held here")

    def _place(self, i: int, feed: SnapshotFeed, changes: Changes) -> bool:
        """Give the ops of one of the snapshot's feeds their places here; say whether news of my own were among them."""
        core, feeds = self.core, self.core.feeds
        chain = [] if feed.parent is None else cut(self._chains[feed.parent], feed.fork)
        held, at = self._held(feed)
        if at is not None:
            chain = chain_to(feeds, at.feed, held)
        for last, no in chain:
            self._raise_base(no, last, changes)
        news = held < feed.seq
        if news:
            own = self._continue(feed, held, chain)
            for seq in range(held + 1, feed.seq + 1):
                core.feeds.know(own.no, seq, feed.id8(seq))
            changes.spine.append(SpinePiece(own.no, held + 1, feed.spine[(held - feed.fork) * ID8_BYTES :]))
            own.seq, own.head = feed.seq, feed.head
            own.base_seq, own.base_head = feed.seq, feed.head
            own.base_signature = feed.signature or None
            chain = chain_to(feeds, own.no, feed.seq)
        self._chains.append(chain)
        for last, no in chain:
            self.covered[no] = max(self.covered.get(no, 0), last)
        return news and feed.origin == core.origin

    def _held(self, feed: SnapshotFeed) -> tuple[int, Dot | None]:
        """Return up to which seq of this feed its ops are held here, and where that op stands."""
        low, high, found = feed.fork, feed.seq, None
        while low < high:
            middle = (low + high + 1) // 2
            dot = self.core.feeds.locate(Place(feed.origin, middle, feed.id8(middle)))
            if dot is None:
                high = middle - 1
            else:
                low, found = middle, dot
        return low, found

    def _continue(self, feed: SnapshotFeed, held: int, chain: Chain) -> Feed:
        """Return the feed here on which the ops after `held` go."""
        feeds = self.core.feeds
        if held == 0:
            return feeds.start(feed.origin)
        no = chain[-1][1]
        if feeds[no].seq == held:
            return feeds[no]
        seen = self._vector(feed.fork_vector) if held == feed.fork else self.core.feeds.vector_at(no, held)
        return feeds.start(feed.origin, no, held, seen)

    def _raise_base(self, no: int, last: int, changes: Changes) -> None:
        """Let the ops of a feed that the snapshot covers leave the log for the base."""
        core, feed = self.core, self.core.feeds[no]
        if last <= feed.base_seq:
            return
        rows = list(core.store.feed_rows(no, feed.base_seq + 1, last))
        vector = core.feeds.vector_at(no, last)
        assert vector is not None, "what is in the log has a vector"
        self._leaving |= {(no, row.seq): row for row in rows}
        changes.compacted += [row.pos for row in rows]
        changes.spine.append(SpinePiece(no, feed.base_seq + 1, b"".join(row.id[:ID8_BYTES] for row in rows)))
        feed.base_seq, feed.base_head, feed.base_vector = last, OpId(rows[-1].id), vector
        feed.base_signature = rows[-1].signature

    def _take_vectors(self) -> None:
        """Say what the writer of each feed's last op had seen, where the snapshot brought that op."""
        for i, theirs in enumerate(self.snapshot.feeds):
            last, no = self._chains[i][-1]
            feed = self.core.feeds[no]
            if last == theirs.seq == feed.base_seq:
                # The op may have come to me in the midst of a batch, which is signed at its end only.
                feed.base_signature = feed.base_signature or theirs.signature or None
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
        return self.core.feeds.origin_number(self.snapshot.origins[number])

    def _vector(self, theirs: Vector) -> Vector:
        vector: Vector = {}
        for i, seq in theirs.items():
            join(vector, {no: last for last, no in cut(self._chains[i], seq)})
        return vector
