"""Keep a replica in dictionaries: for simulations of a thousand devices, where SQLite would want 80 KB each.

Nothing survives the process. A batch that fails half-way must leave no trace in the cells: memories are kept as bytes,
and read anew for every batch; those that were only added, nearly all, as that add. The other kinds of cells are never
changed in place, so they are kept as they are.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from operator import itemgetter
from typing import NamedTuple

from replica.erasure import Proof
from replica.feeds import Feed
from replica.ids import ID8_BYTES, DeviceId, OpId
from replica.membership import Member, Membership, Revocation
from replica.oplog import Changes, PartRow, Row, SpinePiece, Status
from replica.state.cells import Cell, Key, decode_cell, encode_cell
from replica.state.memories import Add, MemoryCell
from replica.state.register import Dot


class _Added(NamedTuple):
    """A memory of which nothing is known but one add."""

    dot: Dot
    add: Add


_Kept = bytes | _Added | Cell


class MemoryStore:
    """A `replica.oplog.Store` that forgets everything when it goes."""

    def __init__(self) -> None:
        self._feeds: list[Feed] = []
        self._meta: dict[str, bytes] = {}
        self._rows: list[Row] = []
        self._rows_by_feed: dict[int, list[Row]] = {}
        self._cells: dict[Key, _Kept] = {}
        self._tombstones: set[bytes] = set()
        self._base: dict[Key, _Kept] = {}
        self._base_tombstones: set[bytes] = set()
        self._spine: dict[int, list[SpinePiece]] = {}
        self._proofs: dict[bytes, Proof] = {}
        self._unpurged: set[OpId] = set()
        self._members: list[Member] = []
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
        rows = self._rows_by_feed.get(feed)
        if rows and seq >= rows[0].seq:
            return rows[seq - rows[0].seq].id
        piece = next(piece for piece in reversed(self._spine[feed]) if piece.first <= seq)
        at = (seq - piece.first) * ID8_BYTES
        return piece.ids[at : at + ID8_BYTES]

    def spine(self, feed: int) -> bytes:
        """Return the short ids of all of a feed's ops that are in the base."""
        return b"".join(piece.ids for piece in self._spine.get(feed, ()))

    def shrink(self) -> None:
        """There is nothing to give back."""

    def rows(self, *, after: int = 0, limit: int | None = None) -> Iterable[Row]:
        """Return ops in commit order."""
        start = bisect_right(self._rows, after, key=lambda row: row.pos)
        return self._rows[start:] if limit is None else self._rows[start : start + limit]

    def feed_rows(self, feed: int, first: int, last: int) -> Iterable[Row]:
        """Return the ops of one feed from seq `first` to `last`."""
        rows = self._rows_by_feed.get(feed, [])
        if not rows:
            return []
        at = max(0, first - rows[0].seq)
        return rows[at : max(at, last - rows[0].seq + 1)]

    def seen_rows(self, feed: int, first: int, last: int) -> Iterable[Row]:
        """Return those of `feed_rows` that had seen something new of others."""
        return [row for row in self.feed_rows(feed, first, last) if row.seen]

    def memory_rows(self, rid: bytes) -> Iterable[Row]:
        """Return the ops on one memory, in commit order."""
        return [row for row in self._rows if row.rid == rid]

    def unknown_rows(self) -> Iterable[Row]:
        """Return the ops that were not understood, in commit order."""
        return [row for row in self._rows if row.status == Status.UNKNOWN]

    def load(self, keys: Iterable[Key]) -> dict[Key, Cell]:
        """Return those of the cells that exist."""
        return _read(self._cells, keys)

    def load_base(self, keys: Iterable[Key]) -> dict[Key, Cell]:
        """Return those of the cells that exist in the base."""
        return _read(self._base, keys)

    def all_base_cells(self) -> Iterator[tuple[Key, Cell]]:
        """Return every cell of the base."""
        yield from _read(self._base, self._base).items()

    def packed_base(self) -> Iterator[tuple[int, bytes, bytes]]:
        """Give part, name and encoded cell of everything in the base, ordered by part and name."""
        for key, cell in sorted(self.all_base_cells(), key=itemgetter(0)):
            yield key.part, key.name, encode_cell(cell)

    def base_tombstones(self) -> set[bytes]:
        """Return the memories that were forgotten by compacted ops."""
        return set(self._base_tombstones)

    def proofs(self) -> list[Proof]:
        """Return every proof of an erasure."""
        return [self._proofs[op_id] for op_id in sorted(self._proofs)]

    def tombstoned(self, rids: Iterable[bytes]) -> set[bytes]:
        """Return those of the memories that were forgotten."""
        return self._tombstones.intersection(rids)

    def unpurged(self) -> set[OpId]:
        """Return the ids of the proofs that were not purged yet."""
        return set(self._unpurged)

    def purge(self) -> bool:
        """Do nothing: what was dropped from a dictionary is gone."""
        return True

    def all_cells(self) -> Iterator[tuple[Key, Cell]]:
        """Return every cell."""
        yield from _read(self._cells, self._cells).items()

    def all_tombstones(self) -> set[bytes]:
        """Return every forgotten memory's id."""
        return set(self._tombstones)

    def parts(self, peer: DeviceId) -> list[PartRow]:
        """Return the parts that have come of a peer's snapshot, from the first on."""
        return list(self._parts.get(peer, ()))

    def membership(self) -> Membership:
        """Return the group as it was last told."""
        return Membership(self._members, self._revocations)

    def check(self) -> list[str]:
        """Return nothing: nothing is kept beside the cells."""
        return []

    def write(self, changes: Changes, now_ms: int) -> None:
        """Keep the changes."""
        self._rows += changes.rows
        for row in changes.rows:
            try:
                self._rows_by_feed[row.feed].append(row)
            except KeyError:
                self._rows_by_feed[row.feed] = [row]
        for feed in changes.feeds:
            del self._feeds[feed.no : feed.no + 1]
            self._feeds.insert(feed.no, feed.copy())
        _keep(self._cells, changes.cells)
        self._tombstones |= changes.tombstones
        self._proofs |= {proof.id: proof for proof in changes.proofs}
        self._unpurged |= {proof.id for proof in changes.proofs}
        self._unpurged -= set(changes.purged)
        self._rewrite_log(changes)
        for piece in changes.spine:
            self._spine.setdefault(piece.feed, []).append(piece)
        _keep(self._base, changes.base_cells)
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
        self._revocations += changes.revocations
        self._meta |= changes.meta

    def _rewrite_log(self, changes: Changes) -> None:
        """Take payloads, statuses and whole rows out of the log, as erasing and compacting do."""
        if not (changes.erased or changes.statuses or changes.compacted):
            return
        erased, statuses, gone = dict(changes.erased), dict(changes.statuses), set(changes.compacted)
        rows = [row for row in self._rows if row.pos not in gone]
        for i, row in enumerate(rows):
            if row.pos in erased:
                row = row._replace(payload=None, payload_hash=erased[row.pos])
            rows[i] = row._replace(status=statuses.get(row.pos, row.status))
        self._rows = rows
        self._rows_by_feed = {}
        for row in rows:
            self._rows_by_feed.setdefault(row.feed, []).append(row)


def _keep(held: dict[Key, _Kept], cells: dict[Key, Cell | None]) -> None:
    for key, cell in cells.items():
        if cell is None:
            held.pop(key, None)
        else:
            held[key] = _as_kept(cell) if type(cell) is MemoryCell else cell


def _as_kept(cell: MemoryCell) -> _Kept:
    if cell.is_only_added():
        ((dot, add),) = cell.adds.items()
        return _Added(dot, add)
    return encode_cell(cell)


def _read(held: dict[Key, _Kept], keys: Iterable[Key]) -> dict[Key, Cell]:
    found: dict[Key, Cell] = {}
    for key in keys:
        kept = held.get(key)
        if kept is None:
            continue
        if isinstance(kept, _Added):
            found[key] = MemoryCell.added(*kept)
        else:
            found[key] = decode_cell(key.part, kept) if isinstance(kept, bytes) else kept
    return found
