"""Decide which ops of a frame may enter the log, and say why the others may not.

A segment is taken whole or not at all, because only its last op is signed. It is refused when its author is
not a member, when it does not attach to anything held, when its signature does not verify, when a payload is
missing without proof that it was erased, or when it has seen an op that is not held. A refused segment stops
its own feed, and those segments of other feeds that have seen it, until a good copy comes; everything else
goes on.
"""

from collections.abc import Callable, Container
from dataclasses import dataclass, field

from replica.feeds import Feeds
from replica.frame import Frame, Segment
from replica.ids import DeviceId, Origin, Place
from replica.ops import TEXT_KINDS, Op
from replica.signing import Verify

PublicKey = Callable[[DeviceId], bytes | None]


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why ops of one origin were not taken.

    `gap`: only because something else is missing; asking again may help.
    """

    origin: Origin
    seq: int
    reason: str
    gap: bool


@dataclass(slots=True)
class Admission:
    """The ops to take, in order, with the index of their segment; and what was refused."""

    ops: list[tuple[Op, int]] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)


def admit(
    frame: Frame, feeds: Feeds, *, public_key: PublicKey, verify: Verify, erased: Container[bytes]
) -> Admission:
    """Return what of a decoded frame may be taken; ops already held are left out silently."""
    by_segment: list[list[Op]] = [[] for _ in frame.segments]
    for op, at in zip(frame.ops, frame.segment_of, strict=True):
        by_segment[at].append(op)
    admission = Admission()
    fresh: list[int] = []
    skip: dict[int, int] = {}
    for at, ops in enumerate(by_segment):
        held = _held(feeds, ops)
        if held == len(ops):
            continue
        skip[at] = held
        refusal = _refuse(frame.segments[at], ops, public_key=public_key, verify=verify, erased=erased)
        if refusal is None:
            fresh.append(at)
        else:
            admission.refusals.append(refusal)
    taken = set(fresh)
    while True:
        missing = _first_missing(frame, taken, feeds)
        if missing is None:
            break
        at, refusal = missing
        taken.discard(at)
        admission.refusals.append(refusal)
    passed = dict.fromkeys(taken, 0)
    for op, at in zip(frame.ops, frame.segment_of, strict=True):
        if at in taken:
            passed[at] += 1
            if passed[at] > skip[at]:
                admission.ops.append((op, at))
    return admission


def _held(feeds: Feeds, ops: list[Op]) -> int:
    """Return how many ops of a chain, from its start, are held already."""
    origin_feeds = feeds.of(ops[0].origin)
    if not origin_feeds or max(feed.seq for feed in origin_feeds) < ops[0].seq:
        return 0
    low, high = 0, len(ops)
    while low < high:  # a chain is held up to some op and not beyond
        middle = (low + high) // 2
        if feeds.locate(ops[middle].place) is None:
            high = middle
        else:
            low = middle + 1
    return low


def _refuse(
    segment: Segment, ops: list[Op], *, public_key: PublicKey, verify: Verify, erased: Container[bytes]
) -> Refusal | None:
    last = ops[-1]
    key = public_key(segment.origin.device)
    if key is None:
        return Refusal(segment.origin, last.seq, "its author is not a member of this group", gap=False)
    if not last.ends:
        return Refusal(segment.origin, last.seq, "the frame stops inside a commit", gap=False)
    if not verify(key, last.id, segment.signature):
        reason = "the signature does not verify: its author did not write this, or it was altered"
        return Refusal(segment.origin, last.seq, reason, gap=False)
    before_hlc = 0
    for op in ops:
        if op.hlc <= before_hlc:
            return Refusal(
                segment.origin, op.seq, f"its stamp {op.hlc} does not follow {before_hlc}", gap=False
            )
        before_hlc = op.hlc
        if op.payload is None and (op.kind not in TEXT_KINDS or op.rid not in erased):
            return Refusal(
                segment.origin, op.seq, "its payload is missing without proof that it was erased", gap=True
            )
    return None


def _first_missing(frame: Frame, taken: set[int], feeds: Feeds) -> tuple[int, Refusal] | None:
    """Return the first segment with an op whose predecessor, or something it has seen, is missing.

    Held means: in the log already, or earlier in this frame in a segment that is being taken.
    """
    begun: set[int] = set()
    unheld: list[tuple[int, Place]] = []
    for i, (op, at) in enumerate(zip(frame.ops, frame.segment_of, strict=True)):
        if at not in taken:
            continue
        needs = op.seen
        if at not in begun:
            begun.add(at)
            if op.prev is not None:
                needs = (*needs, Place(op.origin, op.seq - 1, op.prev[:8]))
        unheld += [(i, place) for place in needs if feeds.locate(place) is None]
    if not unheld:
        return None
    index_of = {
        op.place: i for i, (op, at) in enumerate(zip(frame.ops, frame.segment_of, strict=True)) if at in taken
    }
    for i, place in unheld:
        if index_of.get(place, i) >= i:
            op = frame.ops[i]
            name = f"{place.origin.device.hex()[:8]} op {place.seq} ({place.id8.hex()})"
            reason = f"it follows or has seen {name}, which is not held here"
            return frame.segment_of[i], Refusal(op.origin, op.seq, reason, gap=True)
    return None
