"""Keep a replica in dictionaries: for simulations of a thousand devices, where SQLite would want 80 KB each.

Nothing survives the process. A batch that fails half-way must leave no trace in the cells: memories are kept as bytes,
and read anew for every batch; those that were only added, nearly all, as the op that did it, which all replicas of a
process share. The other kinds of cells are never changed in place, so they are kept as they are.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, KeysView, Mapping, Sequence, Set
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from itertools import compress, islice, repeat, takewhile
from operator import attrgetter, itemgetter, lt
from typing import Final

from replica.codec import decode_payload
from replica.erasure import Proof
from replica.feeds import Feed
from replica.ids import ID8_BYTES, DeviceId, OpId, Origin
from replica.membership import IntroducedMember, Membership, Revocation
from replica.oplog import Changes, FoldStatus, LogEntry, LogRow, OriginOf, PartRow, SpinePiece
from replica.ops import Op, OpKind, Remember
from replica.remains import joined
from replica.rows import row_of
from replica.state.adds import Add
from replica.state.cells import Cell, CellKind, Key, decode_cell, encode_cell, memory_key
from replica.state.memories import BareMemory, MemoryCell
from replica.state.register import Dot, Vector

_FOLDED: Final = FoldStatus.FOLDED
# By name it takes three times as long, and every op that is taken or sent on makes one.
_entry = partial(tuple.__new__, LogEntry)
_seq, _pos = attrgetter("seq"), attrgetter("pos")

# Memories that are made at once: few beside what is kept of all.
_PAGE: Final = 1_000

_Kept = bytes | Op | BareMemory | Cell


class _Log:
    """The log in columns: a few bytes for each op beside the op itself, which replicas of one process share."""

    def __init__(self) -> None:
        self.positions = array("q")
        self.feeds = array("I")
        self.ops: list[Op] = []
        self.signatures: dict[int, bytes] = {}
        """By position: only the last op that a frame holds of a feed has one."""
        self.statuses: dict[int, int] = {}
        """By position, of those that are not folded."""
        self.by_feed: dict[int, array[int]] = {}
        """Where in the columns the ops of a feed are, one after the other."""

    def append(self, entries: Iterable[LogEntry]) -> None:
        """Add ops at the end."""
        ops, by_feed, positions, feeds = self.ops, self.by_feed, self.positions, self.feeds
        for pos, feed, op, signature, status in entries:
            try:
                by_feed[feed].append(len(ops))
            except KeyError:
                by_feed[feed] = array("I", [len(ops)])
            positions.append(pos)
            feeds.append(feed)
            ops.append(op)
            if signature is not None:
                self.signatures[pos] = signature
            if status != _FOLDED:
                self.statuses[pos] = status

    def sort_feeds(self) -> None:
        """Put the ops of each feed in their order: what comes late may come from its end on."""
        if self.positions and self.positions[0] > 0:
            return
        for no, held in self.by_feed.items():
            self.by_feed[no] = array("I", sorted(held, key=lambda at: self.ops[at].seq))

    def behind(self, after: int) -> int:
        """Return where the ops behind a position begin."""
        return bisect_right(self.positions, after)

    def columns(self, start: int, known: Vector) -> Iterator[tuple[object, ...]]:
        """Return the values of the entries from here on that `known` does not cover."""
        positions, feeds, ops = self.positions, self.feeds, self.ops
        rows = zip(
            islice(positions, start, None),
            islice(feeds, start, None),
            islice(ops, start, None),
            map(self.signatures.get, islice(positions, start, None)),
            map(self.statuses.get, islice(positions, start, None), repeat(_FOLDED)),
            strict=False,
        )
        if not known:
            return rows
        reached = map(known.get, islice(feeds, start, None), repeat(0))
        return compress(rows, map(lt, reached, map(_seq, islice(ops, start, None))))

    def entry(self, at: int) -> LogEntry:
        """Return what is in the columns here."""
        pos = self.positions[at]
        signature, status = self.signatures.get(pos), self.statuses.get(pos, _FOLDED)
        return LogEntry(pos, self.feeds[at], self.ops[at], signature, status)

    def entries(self, start: int = 0) -> Iterator[LogEntry]:
        """Return everything from here on."""
        return map(self.entry, range(start, len(self.ops)))

    def op(self, feed: int, seq: int) -> Op | None:
        """Return one op, if it is here."""
        held = self.by_feed.get(feed, ())
        at = self._reach(held, seq)
        op = self.ops[held[at]] if at < len(held) else None
        return op if op is not None and op.seq == seq else None

    def _reach(self, held: Sequence[int], seq: int) -> int:
        """Return where the ops of a feed from this seq on begin: mostly they are unbroken."""
        at = 0 if not held else seq - self.ops[held[0]].seq
        if 0 <= at < len(held) and self.ops[held[at]].seq == seq:
            return at
        return bisect_left(held, seq, key=lambda each: self.ops[each].seq)

    def of_feed(self, feed: int, first: int, last: int) -> Iterator[LogEntry]:
        """Return the ops of one feed from seq `first` to `last`, as far as they are here."""
        held = self.by_feed.get(feed)
        if held is None:
            return iter(())
        return map(self.entry, held[self._reach(held, first) : self._reach(held, last + 1)])


class MemoryStore:
    """A `replica.oplog.Store` that forgets everything when it goes."""

    def __init__(self) -> None:
        self._feeds: list[Feed] = []
        self._first_feed: dict[Origin, int] = {}
        """The feed of an origin that came first: the others are branches, and rare."""
        self._first_feeds: set[int] = set()
        """The same ones, by number."""
        self._meta: dict[str, bytes] = {}
        self._log = _Log()
        self._cells: dict[Key, _Kept] = {}
        self._tombstones: set[bytes] = set()
        self._base: dict[Key, _Kept] = {}
        self._base_tombstones: set[bytes] = set()
        self._spine: dict[int, list[SpinePiece]] = {}
        self._remains: dict[bytes, bytes] = {}
        self._proofs: dict[bytes, Proof] = {}
        self._unpurged: set[OpId] = set()
        self._ahead: set[OpId] = set()
        self._idle: set[OpId] = set()
        self._members: list[IntroducedMember] = []
        self._further: list[IntroducedMember] = []
        self._revocations: list[Revocation] = []
        self._parts: dict[DeviceId, list[PartRow]] = {}

    def feeds(self) -> list[Feed]:
        """Return every feed, in the order of their numbers."""
        return [feed.copy() for feed in self._feeds]

    def meta(self) -> Mapping[str, bytes]:
        """Return the replica's own small facts."""
        return dict(self._meta)

    def id_at(self, feed: int, seq: int) -> bytes:
        """Return the id of an op that lies on this very feed."""
        op = self._log.op(feed, seq)
        if op is not None:
            return op.id
        piece = next(piece for piece in reversed(self._spine[feed]) if piece.first <= seq)
        at = (seq - piece.first) * ID8_BYTES
        return piece.ids[at : at + ID8_BYTES]

    def short_ids(self, feed: int, first: int, last: int) -> bytes:
        """Return 8 bytes of the id of each op of this very feed from `first` to `last`; zeros where none is held."""
        spine = {
            piece.first + at // ID8_BYTES: piece.ids[at : at + ID8_BYTES]
            for piece in self._spine.get(feed, ())
            for at in range(0, len(piece.ids), ID8_BYTES)
        }
        ids = []
        for seq in range(first, last + 1):
            op = self._log.op(feed, seq)
            ids.append(spine.get(seq, bytes(ID8_BYTES)) if op is None else op.id[:ID8_BYTES])
        return b"".join(ids)

    def spine(self, feed: int) -> bytes:
        """Return the short ids of all of a feed's ops that are in the base."""
        return b"".join(piece.ids for piece in self._spine.get(feed, ()))

    lags = False

    def follow(self) -> None:
        """Do nothing: there are no derived tables."""

    def all_came(self) -> None:
        """Do nothing: nothing was left out."""

    def rows_ahead(self) -> AbstractContextManager[None]:
        """Give none: nobody waits for what is written in memory."""
        return nullcontext()

    def shrink(self) -> None:
        """There is nothing to give back."""

    def rows(self, *, after: int = 0, limit: int | None = None) -> Iterable[LogRow]:
        """Return ops in commit order."""
        return map(row_of, islice(self._log.entries(self._log.behind(after)), limit))

    def entries(self, after: int, known: Vector, origin_of: OriginOf) -> Iterable[LogEntry]:
        """Return the ops behind a position that `known` does not cover, in commit order."""
        log = self._log
        return map(_entry, log.columns(log.behind(after), known))

    def feed_rows(self, feed: int, first: int, last: int) -> Iterable[LogRow]:
        """Return the ops of one feed from seq `first` to `last`."""
        return map(row_of, self._log.of_feed(feed, first, last))

    def seen_rows(self, feed: int, first: int, last: int) -> Iterable[LogRow]:
        """Return those of `feed_rows` that had seen something new of others."""
        return [row_of(each) for each in self._log.of_feed(feed, first, last) if each.op.seen]

    def memory_rows(self, rid: bytes) -> Iterable[LogRow]:
        """Return the ops on one memory, in commit order."""
        return [row_of(each) for each in self._log.entries() if each.op.rid == rid]

    def late_rows(self) -> Iterable[LogRow]:
        """Return the ops that came after their effect was known by a member's word, as they came."""
        return map(row_of, takewhile(lambda each: each.pos < 1, self._log.entries()))

    def last_late(self) -> int | None:
        """Return the position of the last of those; None if there is none."""
        behind = self._log.behind(0)
        return self._log.positions[behind - 1] if behind else None

    def unknown_rows(self) -> Iterable[LogRow]:
        """Return the ops that were not understood, in commit order."""
        return [row_of(each) for each in self._log.entries() if each.status == FoldStatus.UNKNOWN]

    def load(self, keys: Iterable[Key]) -> dict[Key, Cell]:
        """Return those of the cells that exist."""
        return self._read(self._cells, keys)

    def bare_adds(self, first: int, last: int) -> Set[int]:
        """Return the positions of ops that added a memory which is kept as this op, and is in no base."""
        return {
            each.pos
            for each in self._log.entries()
            if first <= each.pos <= last
            and each.op.kind == OpKind.REMEMBER
            and each.op.rid is not None
            and (key := memory_key(each.op.rid)) not in self._base
            and isinstance(kept := self._cells.get(key), Op)
            and kept.id == each.op.id
            and kept.payload is not None
        }

    def load_base(self, keys: Iterable[Key]) -> dict[Key, Cell]:
        """Return those of the cells that exist in the base."""
        return self._read(self._base, keys)

    def all_base_cells(self) -> Iterator[tuple[Key, Cell]]:
        """Return every cell of the base."""
        yield from self._read(self._base, self._base).items()

    def packed_base(self) -> Iterator[tuple[int, bytes, bytes]]:
        """Give part, name and encoded cell of everything in the base, ordered by part and name."""
        for key, cell in sorted(self.all_base_cells(), key=itemgetter(0)):
            yield key.part, key.name, encode_cell(cell)

    def base_tombstones(self) -> set[bytes]:
        """Return the memories that were forgotten by compacted ops."""
        return set(self._base_tombstones)

    def remains(self) -> list[bytes]:
        """Return the frames of what stayed of deletions below the base."""
        return [self._remains[op_id] for op_id in sorted(self._remains)]

    def proofs(self) -> list[Proof]:
        """Return every proof of an erasure."""
        return [self._proofs[op_id] for op_id in sorted(self._proofs)]

    def tombstoned(self, rids: Iterable[bytes]) -> set[bytes]:
        """Return those of the memories that were forgotten."""
        return self._tombstones.intersection(rids)

    def proofs_ahead(self) -> tuple[set[OpId], set[OpId]]:
        """Return the proofs whose ops have not come: those that act, and those that wait."""
        return set(self._ahead), set(self._idle)

    def unpurged(self) -> set[OpId]:
        """Return the ids of the proofs that were not purged yet."""
        return set(self._unpurged)

    def make_room(self) -> None:
        """Do nothing: there is no disk."""

    def purge(self) -> bool:
        """Do nothing: what was dropped from a dictionary is gone."""
        return True

    def all_cells(self) -> Iterator[tuple[Key, Cell]]:
        """Return every cell."""
        yield from self._read(self._cells, self._cells).items()

    def keys(self) -> KeysView[Key]:
        """Return the key of every cell."""
        return self._cells.keys()

    def all_memories(self) -> set[bytes]:
        """Return the id of every memory that lives."""
        return {name for part, name in self._cells if part is CellKind.MEMORY}

    def all_tombstones(self) -> set[bytes]:
        """Return every forgotten memory's id."""
        return set(self._tombstones)

    def parts(self, peer: DeviceId) -> list[PartRow]:
        """Return the parts that have come of a peer's snapshot, from the first on."""
        return list(self._parts.get(peer, ()))

    def parts_bytes(self) -> dict[DeviceId, int]:
        """Return of each peer how many bytes of a snapshot of its have come and wait for the rest."""
        return {peer: sum(len(row.part) for row in rows) for peer, rows in self._parts.items()}

    def membership(self) -> Membership:
        """Return the group as it was last told."""
        return Membership(self._members, self._revocations, self._further)

    def check(self, cells: Iterable[tuple[Key, Cell]]) -> list[str]:
        """Return nothing: nothing is kept beside the cells."""
        return []

    def write(self, changes: Changes, now_ms: int) -> None:
        """Keep the changes."""
        if changes.count_added is not None:
            changes.count_added(changes.bare)
        self._append(changes.entries)
        for feed in changes.feeds:
            del self._feeds[feed.no : feed.no + 1]
            self._feeds.insert(feed.no, feed.copy())
            self._first_feeds.add(self._first_feed.setdefault(feed.origin, feed.no))
        self._tombstones -= changes.tombstones_gone
        self._base_tombstones -= changes.tombstones_gone
        self._tombstones |= changes.tombstones
        self._proofs |= {proof.id: proof for proof in changes.proofs}
        self._unpurged |= {proof.id for proof in changes.proofs}
        self._proofs |= {proof.id: proof for proof in changes.idle}
        self._idle -= {proof.id for proof in changes.proofs}
        self._idle |= {proof.id for proof in changes.idle}
        if changes.ahead:
            self._ahead |= {proof.id for proof in changes.proofs}
        self._ahead -= set(changes.arrived)
        self._unpurged -= set(changes.purged)
        settled = self._bare_memories(changes.settled)
        # Before a cell is kept as an op: what leaves the log now, somebody else's base may tell otherwise.
        self._rewrite_log(changes)
        self._keep(self._cells, changes.cells)
        for one in changes.bare:
            self._cells[memory_key(one.rid)] = self._as_kept(one.rid, one.cell())
        for piece in changes.spine:
            self._spine.setdefault(piece.feed, []).append(piece)
        for op_id, frame in changes.remains_cut:
            if frame is None:
                del self._remains[op_id]
            else:
                self._remains[op_id] = frame
        for remains in changes.remains:
            self._remains[remains.id] = joined(self._remains.get(remains.id, remains.frame), remains.frame)
        self._keep(self._base, changes.base_cells)
        self._base |= settled
        self._keep_added(changes)
        self._base_tombstones |= changes.base_tombstones
        self._tombstones |= changes.base_tombstones
        if changes.parts_gone is True:
            self._parts.clear()
        elif changes.parts_gone:
            self._parts.pop(changes.parts_gone, None)
        if (part := changes.part) is not None:
            before = self._parts.get(part.peer, [])[: part.no]
            self._parts[part.peer] = [row for row in before if row.digest == part.digest] + [part]
        self._members += changes.members
        self._further += changes.further
        self._revocations += changes.revocations
        self._meta |= changes.meta()

    def _bare_memories(self, positions: Sequence[int]) -> dict[Key, _Kept]:
        """Return what ops in the log that added memories say of these."""
        wanted, found = set(positions), dict[Key, _Kept]()
        for each in self._log.entries() if wanted else ():
            if each.pos in wanted and each.op.rid is not None:
                ((dot, add),) = self._added_by(each.op).adds.items()
                found[memory_key(each.op.rid)] = BareMemory(each.op.rid, dot, add)
        return found

    def _append(self, entries: Sequence[LogEntry]) -> None:
        """Add ops at the end, or before all others those that came late."""
        if not entries or entries[0].pos > 0:
            self._log.append(entries)
            return
        old, self._log = self._log, _Log()
        self._log.append(sorted([*old.entries(), *entries], key=_pos))
        self._log.sort_feeds()

    def _rewrite_log(self, changes: Changes) -> None:
        """Take payloads, statuses and whole rows out of the log, as erasing and compacting do."""
        if not (changes.erased or changes.statuses or changes.compacted):
            return
        erased, statuses, gone = dict(changes.erased), dict(changes.statuses), set(changes.compacted)
        old, self._log = self._log, _Log()
        self._log.append(
            entry._replace(
                op=entry.op._replace(payload=None, payload_hash=erased[entry.pos])
                if entry.pos in erased
                else entry.op,
                status=statuses.get(entry.pos, entry.status),
            )
            for entry in old.entries()
            if entry.pos not in gone
        )
        self._log.sort_feeds()

    def _keep(self, held: dict[Key, _Kept], cells: dict[Key, Cell | None]) -> None:
        for key, cell in cells.items():
            if cell is None:
                held.pop(key, None)
            else:
                held[key] = self._as_kept(key.name, cell) if type(cell) is MemoryCell else cell

    def _keep_added(self, changes: Changes) -> None:
        """Keep the memories that a base brought as bytes, a page at a time: as values they take thrice as much."""
        for start in range(0, len(changes.added), _PAGE):
            page = changes.added[start : start + _PAGE]
            if changes.count_added is not None:
                changes.count_added(page)
            for one in page:
                key = memory_key(one.rid)
                self._cells[key] = self._base[key] = encode_cell(one.cell())

    def _as_kept(self, rid: bytes, cell: MemoryCell) -> _Kept:
        if not cell.is_only_added():
            return encode_cell(cell)
        ((dot, add),) = cell.adds.items()
        op = self._log.op(dot.feed, dot.seq)
        if op is None or op.payload is None or dot.feed not in self._first_feeds:
            return BareMemory(rid, dot, add)
        return op

    def _read(self, held: dict[Key, _Kept], keys: Iterable[Key]) -> dict[Key, Cell]:
        found: dict[Key, Cell] = {}
        for key in keys:
            kept = held.get(key)
            if kept is None:
                continue
            if isinstance(kept, Op):
                found[key] = self._added_by(kept)
            elif isinstance(kept, BareMemory):
                found[key] = kept.cell()
            else:
                found[key] = decode_cell(key.part, kept) if isinstance(kept, bytes) else kept
        return found

    def _added_by(self, op: Op) -> MemoryCell:
        """Return the memory that this op added, of which nothing was said since."""
        assert op.payload is not None
        body = decode_payload(op.kind, op.payload)
        assert isinstance(body, Remember)
        dot = Dot(self._first_feed[op.origin], op.seq, op.id[:8])
        return MemoryCell.added(dot, Add(op.hlc, body.text, dict(body.fields)))
