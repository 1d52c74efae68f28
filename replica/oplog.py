"""What a store must offer the core: the log, the state, and one atomic write.

The core decides, a store keeps. Everything one batch of ops changes reaches the store as one `Changes` value and is
written in one transaction, so a crash leaves either all of it or none. `storage/store.py` keeps it in SQLite,
`storage/memory_store.py` in dictionaries for large simulations; `tests/conformance` holds both to the same contract.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, fields
from enum import IntEnum
from typing import Final, NamedTuple, Protocol

from replica.erasure import Proof
from replica.feeds import Feed
from replica.ids import DeviceId, OpId, Origin
from replica.membership import IntroducedMember, Membership, Revocation
from replica.ops import Op
from replica.state.cells import Cell, Key
from replica.state.memories import BareMemory, Memory, MemoryCell
from replica.state.register import Vector

OriginOf = Callable[[int], Origin]
"""Whose a feed is, by its local number."""


class FoldStatus(IntEnum):
    """Whether an op in the log has been folded, and if not, why."""

    FOLDED = 0
    UNKNOWN = 1
    """Its kind or version is newer than this program: kept, forwarded, folded after an upgrade."""
    UNFOLDABLE = 2
    """Its author made its body wrong: kept and forwarded, without effect, on every device alike."""


class LogRow(NamedTuple):
    """One op in the log: `pos` is its place in this replica's commit order, `feed` its local feed number.

    `seen` is packed as on the wire, empty when nothing was seen. `payload_hash` is kept only where the payload was
    erased; `signature` only where a commit was signed and the signature reached us.
    """

    pos: int
    feed: int
    seq: int
    hlc: int
    kind: int
    version: int
    ends: bool
    rid: bytes | None
    seen: bytes
    payload: bytes | None
    payload_hash: bytes | None
    id: bytes
    signature: bytes | None
    status: int


class LogEntry(NamedTuple):
    """One op as it enters the log or leaves it for a peer: a `LogRow` with the op whole.

    A store may keep the op as it is, so that replicas in one process share the same few immutable values.
    """

    pos: int
    feed: int
    op: Op
    signature: bytes | None
    status: int


class MemoryChange(NamedTuple):
    """What a batch did to what shows of one memory; `None` where it did not or does not show.

    `cell` is the memory's cell after the batch, if it has one.
    """

    rid: bytes
    before: Memory | None
    after: Memory | None
    cell: MemoryCell | None


class SpinePiece(NamedTuple):
    """Short ids of one feed's ops that are in the base: 8 bytes each, from seq `first` on."""

    feed: int
    first: int
    ids: bytes


class Remains(NamedTuple):
    """What is left of a run of ops that left the log: a frame, named by the id of its last op."""

    id: OpId
    frame: bytes


class PartRow(NamedTuple):
    """Part `no` of `parts` of a snapshot that is coming from a peer; `digest` is the SHA-256 of the whole."""

    peer: DeviceId
    no: int
    digest: bytes
    parts: int
    part: bytes


@dataclass(slots=True)
class Partial:
    """The first parts of one snapshot of `count` parts; `digest` is the SHA-256 of the whole."""

    digest: bytes
    count: int
    parts: list[bytes] = field(default_factory=list)


@dataclass(slots=True)
class Changes:
    """Everything one transaction writes. A cell that maps to None is taken away."""

    entries: list[LogEntry] = field(default_factory=list)
    feeds: list[Feed] = field(default_factory=list)
    cells: dict[Key, Cell | None] = field(default_factory=dict)
    tombstones: set[bytes] = field(default_factory=set)
    memories: list[MemoryChange] = field(default_factory=list)
    bare: Sequence[BareMemory] = ()
    """Memories that ops of this batch added, and of which nothing else is known: the ops are all that is kept of them
    beside what shows."""
    members: list[IntroducedMember] = field(default_factory=list)
    further: list[IntroducedMember] = field(default_factory=list)
    """Introductions of devices that another one made known, and of the root."""
    revocations: list[Revocation] = field(default_factory=list)
    proofs: list[Proof] = field(default_factory=list)
    ahead: bool = False
    """Whether those proofs came ahead of their ops."""
    idle: list[Proof] = field(default_factory=list)
    """Proofs that wait for their ops, and erase nothing until then."""
    arrived: list[OpId] = field(default_factory=list)
    """Proofs whose ops have come now."""
    purged: list[OpId] = field(default_factory=list)
    """Proofs whose words are in no file of the home any more, by the id of their op."""
    erased: list[tuple[int, bytes]] = field(default_factory=list)
    """Rows whose payload goes, by position, with the payload's hash that stays."""
    statuses: list[tuple[int, FoldStatus]] = field(default_factory=list)
    """Rows whose status is another one now, by position."""
    compacted: list[int] = field(default_factory=list)
    """Rows that leave the log for the base, by position."""
    settled: list[int] = field(default_factory=list)
    """Those of them, in their order, that added a memory of which nothing else is known (`Store.bare_adds`): what they
    say is its cell, in the state and in the base alike."""
    spine: list[SpinePiece] = field(default_factory=list)
    remains: list[Remains] = field(default_factory=list)
    """What stays of deletions and edits whose ops leave the log; it is joined with what is held under the same id."""
    remains_cut: list[tuple[OpId, bytes | None]] = field(default_factory=list)
    """Remains that say less from now on, or (None) nothing, since what they edited is gone; `remains` come after."""
    base_cells: dict[Key, Cell | None] = field(default_factory=dict)
    base_tombstones: set[bytes] = field(default_factory=set)
    tombstones_gone: set[bytes] = field(default_factory=set)
    """Tombstones of the base that rested on a member's word, and do not any more; `tombstones` come after this."""
    added: Sequence[BareMemory] = ()
    """Memories of which nothing was held here, with their cells: those are of the state and of the base alike."""
    rows_ahead: "RowsAhead | None" = None
    """Where all of `added` was packed before, in this order, and is counted."""
    count_added: Callable[[Sequence[BareMemory]], None] | None = None
    """Called for those of `added` and of `bare` that are written together, each once and maybe in another thread,
    before `meta`."""
    part: PartRow | None = None
    """The next part of a peer's snapshot; those of an older one of its go, and what stands behind this one."""
    parts_gone: DeviceId | bool = False
    """No part of this peer's snapshot is wanted any more, or (True) of anybody's."""
    meta: Callable[[], Mapping[str, bytes]] = dict
    """Gives those of the replica's own small facts that are new, when all else is written."""
    may_follow: bool = False
    """Whether it may show later, where it does nothing but add memories (`Store.follow`)."""
    more_comes: bool = False
    """Whether whoever handed this over has more to hand over, and `Store.all_came` is called after that."""

    def is_of_ops_alone(self) -> bool:
        """Say whether there is nothing in it but ops, the cells and memories that they changed, and small facts."""
        return not any(map(self.__getattribute__, _BESIDE_OPS))


# What a commit of ops leaves empty, but for those that delete, or add very many.
_BESIDE_OPS: Final = tuple(
    each.name
    for each in fields(Changes)
    if each.name not in ("entries", "feeds", "cells", "memories", "bare", "meta", "may_follow", "more_comes")
)


class RowsAhead(Protocol):
    """Memories of a base, packed before the transaction that writes them (`Store.rows_ahead`)."""

    @property
    def pages(self) -> Sequence[tuple[int, Set[str]]]:
        """Return of each page that is kept how many memories it has, and the fields that any of them has."""
        ...

    def pack(
        self,
        added: Sequence[BareMemory],
        count: Callable[[Sequence[BareMemory]], None],
        passed: Callable[[int], None],
    ) -> None:
        """Pack memories page by page; `StoreFailed` where there is no room.

        `count` is called for each page, maybe in another thread; `passed` behind each, with how many are packed, in no
        transaction: the store may be written there.
        """
        ...

    def write(self, last: int) -> None:
        """Write all that is kept, inside a transaction, under the numbers that follow `last`."""
        ...


class Store(Protocol):
    """The log and the folded state of one replica."""

    def feeds(self) -> list[Feed]:
        """Return every feed, in the order of their numbers."""
        ...

    def meta(self) -> Mapping[str, bytes]:
        """Return the replica's own small facts: origin, clock, digests."""
        ...

    def id_at(self, feed: int, seq: int) -> bytes:
        """Return the id of an op that lies on this very feed: 32 bytes, or 8 below the base."""
        ...

    def short_ids(self, feed: int, first: int, last: int) -> bytes:
        """Return 8 bytes of the id of each op of this very feed from `first` to `last`; zeros where none is held."""
        ...

    def spine(self, feed: int) -> bytes:
        """Return the short ids of all of a feed's ops that are in the base, from its first on."""
        ...

    def rows(self, *, after: int = 0, limit: int | None = None) -> Iterable[LogRow]:
        """Return ops in commit order; positions begin with 1, and what is below (`late_rows`) is not asked for."""
        ...

    def entries(self, after: int, known: Vector, origin_of: OriginOf) -> Iterable[LogEntry]:
        """Return the ops behind a position that `known` does not cover, in commit order: what somebody lacks.

        `origin_of` says whose a feed is, to a store that keeps no ops but rows.
        """
        ...

    def feed_rows(self, feed: int, first: int, last: int) -> Iterable[LogRow]:
        """Return the ops of one feed from seq `first` to `last`, as far as they are in the log."""
        ...

    def seen_rows(self, feed: int, first: int, last: int) -> Iterable[LogRow]:
        """Return those of `feed_rows` that had seen something new of others: the few that move a vector."""
        ...

    def memory_rows(self, rid: bytes) -> Iterable[LogRow]:
        """Return the ops on one memory, in commit order; ops that name it among others are not among them."""
        ...

    def late_rows(self) -> Iterable[LogRow]:
        """Return the ops that came after their effect was known by a member's word (`replica.late`), as they came."""
        ...

    def last_late(self) -> int | None:
        """Return the position of the last of those, which is below 1; None if there is none."""
        ...

    def unknown_rows(self) -> Iterable[LogRow]:
        """Return the ops whose status is `UNKNOWN`, in commit order."""
        ...

    def load(self, keys: Iterable[Key]) -> dict[Key, Cell]:
        """Return those of the cells that exist."""
        ...

    def tombstoned(self, rids: Iterable[bytes]) -> set[bytes]:
        """Return those of the memories that were forgotten."""
        ...

    def bare_adds(self, first: int, last: int) -> Set[int]:
        """Return the positions between these two of folded ops that added a memory of which nothing else is known.

        No base holds it, and no other op that is held did anything to it.
        """
        ...

    def load_base(self, keys: Iterable[Key]) -> dict[Key, Cell]:
        """Return those of the cells that exist in the base: what was folded of compacted ops alone."""
        ...

    def all_base_cells(self) -> Iterator[tuple[Key, Cell]]:
        """Return every cell of the base."""
        ...

    def packed_base(self) -> Iterator[tuple[int, bytes, bytes]]:
        """Give part, name and encoded cell of everything in the base, ordered by part and name."""
        ...

    def base_tombstones(self) -> set[bytes]:
        """Return the memories that were forgotten by compacted ops."""
        ...

    def remains(self) -> list[bytes]:
        """Return the frames of what stayed of deletions and edits below the base, in the order of their ids."""
        ...

    def proofs(self) -> list[Proof]:
        """Return every proof of an erasure."""
        ...

    def proofs_ahead(self) -> tuple[set[OpId], set[OpId]]:
        """Return the proofs whose ops have not come: those that act, and those that wait."""
        ...

    def unpurged(self) -> set[OpId]:
        """Return the ids of the proofs whose words may still be in some page of the file."""
        ...

    @property
    def lags(self) -> bool:
        """Whether something was told that does not show yet, or of which derived tables have still to hear."""
        ...

    def follow(self) -> None:
        """Show what was told and does not show yet: before what shows is read, or anything else is written."""
        ...

    def all_came(self) -> None:
        """Hear that what comes next may take long: what was left out as long as more came is made now."""
        ...

    def make_room(self) -> None:
        """Make room on the disk for what comes next, while nothing waits for that; a disk without any is no error."""
        ...

    def purge(self) -> bool:
        """Leave no trace of what was erased in any page of the file; False if a reader was in the way."""
        ...

    def shrink(self) -> None:
        """Give back the room of what left the log, if that is worth the work."""
        ...

    def all_cells(self) -> Iterator[tuple[Key, Cell]]:
        """Return every cell, in no particular order."""
        ...

    def all_memories(self) -> set[bytes]:
        """Return the id of every memory that lives."""
        ...

    def all_tombstones(self) -> set[bytes]:
        """Return every forgotten memory's id."""
        ...

    def parts(self, peer: DeviceId) -> list[PartRow]:
        """Return the parts that have come of a peer's snapshot, from the first on."""
        ...

    def parts_bytes(self) -> dict[DeviceId, int]:
        """Return of each peer how many bytes of a snapshot of its have come and wait for the rest."""
        ...

    def membership(self) -> Membership:
        """Return the group as it was last told."""
        ...

    def check(self, cells: Iterable[tuple[Key, Cell]]) -> list[str]:
        """Return what is wrong with what shows, compared with these cells, which are all; nothing, as a rule."""
        ...

    def rows_ahead(self) -> AbstractContextManager[RowsAhead | None]:
        """Give room for memories of a base that are to be written, until the block ends; None where there is none."""
        ...

    def write(self, changes: Changes, now_ms: int) -> None:
        """Make the changes durable, all or none."""
        ...
