"""Read what a snapshot states: its maker, its feeds and whose they are, and what it says of deletions.

Everything that refers to something else in it is checked here once: branches to their stems, vectors to feeds. What
refers to ops from within cells is checked where cells are read (`replica.state.reading`).
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import chain
from operator import lt
from struct import Struct
from typing import Any, Final, NamedTuple

from replica.codec import Reading
from replica.errors import InvalidOp
from replica.fields import MS_MAX
from replica.frame import SEQ_MAX
from replica.ids import (
    DEVICE_ID_BYTES,
    ID8_BYTES,
    INCARNATION_BYTES,
    MEMORY_ID_BYTES,
    OP_ID_BYTES,
    DeviceId,
    OpId,
    OpRef,
    Origin,
)
from replica.limits import SEEN_MAX
from replica.signing import SIGNATURE_BYTES
from replica.snapshot_adds import AddColumns
from replica.state.register import Dot, Vector

_ID8: Final = Struct(f"{ID8_BYTES}s")


class SnapshotFeed(NamedTuple):
    """One feed of a base. Numbers are the snapshot's own: a feed's is its place in the list, stems before branches."""

    origin: Origin
    parent: int | None
    fork: int
    fork_vector: Vector
    seq: int
    head: OpId
    signature: bytes
    vector: Vector
    spine: bytes

    def id8(self, seq: int) -> bytes:
        """Return the short id of the op at `seq`, which lies on this very feed."""
        at = (seq - self.fork - 1) * ID8_BYTES
        return self.spine[at : at + ID8_BYTES]


class Snapshot(NamedTuple):
    """A base as its maker hands it over. `kinds` is the newest version of each kind that may be folded in it.

    Nothing else is read of one whose kinds are not understood here, and it is empty then.
    `horizon_ms`: up to when its ops have left the maker's log. Not looked at yet are `cells`, [part, name, bytes] each,
    and `adds`, the memories that were only added (`replica.snapshot_adds`).
    """

    maker: DeviceId
    kinds: Mapping[int, int]
    feeds: tuple[SnapshotFeed, ...] = ()
    origins: tuple[Origin, ...] = ()
    cells: tuple[Any, ...] = ()
    tombstones: tuple[bytes, ...] = ()
    horizon_ms: int = 0
    adds: AddColumns | None = None
    remains: tuple[Any, ...] = ()
    """The signed deletions and edits that it covers (`replica.remains`), not looked at yet."""

    vouched: tuple[tuple[int, int, int, DeviceId], ...] = ()
    """On whose word its maker knows ops: feed, first and last seq, device."""

    def devices(self) -> frozenset[bytes]:
        """Return the devices that wrote an op of it."""
        return frozenset(feed.origin.device for feed in self.feeds)

    def writers(self) -> frozenset[int]:
        """Return the numbers of the origins that wrote an op of it: the others have no number where it is taken."""
        wrote = {feed.origin for feed in self.feeds}
        return frozenset(i for i, origin in enumerate(self.origins) if origin in wrote)

    def ops(self) -> int:
        """Return how many ops it lists."""
        return sum(feed.seq - feed.fork for feed in self.feeds)

    def ids(self, feeds: Sequence[int], seqs: Sequence[int]) -> list[bytes]:
        """Return the short ids of ops, which are in the order of feeds and seqs; `InvalidOp` where one is not here."""
        found: list[bytes] = []
        while (start := len(found)) < len(feeds):
            no = feeds[start]
            run = seqs[start : bisect_right(feeds, no, start)]
            on = self.feeds[no] if 0 <= no < len(self.feeds) else None
            if on is None or not on.fork < run[0] <= run[-1] <= on.seq:
                raise InvalidOp("expected the place of an op of the snapshot, got one that is not in it")
            spine = on.spine[(run[0] - on.fork - 1) * ID8_BYTES : (run[-1] - on.fork) * ID8_BYTES]
            ids = [*chain.from_iterable(_ID8.iter_unpack(spine))]
            found += map(ids.__getitem__, map((-run[0]).__add__, run))
        return found

    def place(self, dot: Dot) -> OpRef | None:
        """Return the op that a dot in its cells stands for; None where the snapshot holds no such op."""
        if not 0 <= dot.feed < len(self.feeds):
            return None
        feed = self.feeds[dot.feed]
        if not feed.fork < dot.seq <= feed.seq or feed.id8(dot.seq) != dot.id8:
            return None
        return OpRef(feed.origin, dot.seq, dot.id8)


def read_maker(body: bytes) -> tuple[DeviceId, dict[int, int]]:
    """Return who made a snapshot, and its kinds: the two parts that every version begins with."""
    reading = Reading(body)
    match [reading.value() for _ in range(min(2, reading.list_begins()))]:
        case [bytes(maker), dict(kinds)] if len(maker) == DEVICE_ID_BYTES:
            pass
        case _:
            raise InvalidOp("expected a snapshot that begins with its maker and its kinds")
    if not all(type(number) is int for pair in kinds.items() for number in pair):
        raise InvalidOp("expected a version for each kind of op")
    return DeviceId(maker), kinds


def read_parts(body: bytes, *, is_old: bool = False) -> Snapshot:
    """Return the snapshot that its bytes state; `InvalidOp` says what is wrong with them.

    `is_old`: it is laid out as by 0.1.0, without the signed deletions behind its tombstones and without vouchers.
    """
    maker, kinds = read_maker(body)
    reading = Reading(body)
    if (parts := reading.list_begins()) != (8 if is_old else 10):
        raise InvalidOp(f"expected a snapshot of {8 if is_old else 10} parts, got {parts}")
    before = [reading.value() for _ in range(7)]
    adds = AddColumns.read(reading)
    remains: list[Any]
    vouched: list[Any]
    after = [[], []] if is_old else [reading.value() for _ in range(2)]
    match [*before, *after]:
        case [
            _,
            _,
            list(feeds),
            list(origins),
            list(cells),
            list(tombstones),
            int(horizon_ms),
            list(remains),
            list(vouched),
        ] if len(feeds) <= SEEN_MAX and len(origins) <= SEEN_MAX:
            pass
        case _:
            raise InvalidOp(f"expected the parts of a snapshot, and at most {SEEN_MAX} feeds")
    reading.ends()
    if not all(type(rid) is bytes and len(rid) == MEMORY_ID_BYTES for rid in tombstones):
        raise InvalidOp("expected tombstones to be memory ids")
    if not all(map(lt, tombstones, tombstones[1:])):
        raise InvalidOp("expected tombstones in order, each once")
    if type(horizon_ms) is not int or not 0 <= horizon_ms <= MS_MAX:
        raise InvalidOp(f"expected a horizon up to {MS_MAX}, got {horizon_ms}")
    read: list[SnapshotFeed] = []
    for feed in feeds:
        read.append(_read_feed(feed, read))
    for feed in read:
        for vector in (feed.vector, feed.fork_vector):
            _check_vector(vector, read)
    whose = tuple(_read_origin(origin) for origin in origins)
    return Snapshot(
        maker,
        kinds,
        tuple(read),
        whose,
        tuple(cells),
        tuple(tombstones),
        horizon_ms,
        adds,
        tuple(remains),
        tuple(_read_vouched(each, read) for each in vouched),
    )


def _read_feed(plain: object, before: Sequence[SnapshotFeed]) -> SnapshotFeed:
    match plain:
        case [
            device,
            incarnation,
            None | int() as parent,
            int(fork),
            dict(fork_vector),
            int(seq),
            bytes(head),
            bytes(signature),
            dict(vector),
            bytes(spine),
        ] if (
            0 <= fork < seq <= SEQ_MAX
            and len(spine) == (seq - fork) * ID8_BYTES
            and len(head) == OP_ID_BYTES
            and spine.endswith(head[:ID8_BYTES])
            and len(signature) in (0, SIGNATURE_BYTES)
            and (parent is None) == (fork == 0)
        ):
            origin = _read_origin([device, incarnation])
            if parent is not None and not (
                0 <= parent < len(before) and fork <= before[parent].seq and before[parent].origin == origin
            ):
                raise InvalidOp("expected a branch to leave a feed of the same origin, listed before it")
            return SnapshotFeed(origin, parent, fork, fork_vector, seq, OpId(head), signature, vector, spine)
    raise InvalidOp("expected a feed whose spine holds 8 bytes for each of its ops, and ends at its head")


def _read_vouched(plain: object, feeds: Sequence[SnapshotFeed]) -> tuple[int, int, int, DeviceId]:
    match plain:
        case [int(feed), int(first), int(last), bytes(by)] if (
            len(by) == DEVICE_ID_BYTES
            and 0 <= feed < len(feeds)
            and feeds[feed].fork < first <= last <= feeds[feed].seq
        ):
            return feed, first, last, DeviceId(by)
    raise InvalidOp("expected a voucher [feed, first seq, last seq, device] for ops of the snapshot")


def _read_origin(plain: object) -> Origin:
    match plain:
        case [bytes(device), bytes(incarnation)] if (
            len(device) == DEVICE_ID_BYTES and len(incarnation) == INCARNATION_BYTES
        ):
            return Origin(DeviceId(device), incarnation)
    raise InvalidOp("expected an origin [device, incarnation]")


def _check_vector(vector: Mapping[Any, Any], feeds: Sequence[SnapshotFeed]) -> None:
    for no, seq in vector.items():
        if not (type(no) is type(seq) is int and 0 <= no < len(feeds) and 1 <= seq <= feeds[no].seq):
            raise InvalidOp("expected a vector over ops of the snapshot, got one that reaches beyond")
