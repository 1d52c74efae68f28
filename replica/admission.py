"""Decide which ops of a frame may enter the log, and say why the others may not.

A segment is taken whole or not at all, because only its last op is signed. It is refused when its author is
not a member, when it does not attach to anything held, when its signature does not verify, when a payload is
missing without proof that it was erased, or when it has seen an op that is not held. A refused segment stops
its own feed, and those segments of other feeds that have seen it, until a good copy comes; everything else
goes on.

No check may depend on how ops were cut into frames: whoever takes an op must be able to pass it on, or one member's
crooked op would stop everybody who heard of it from whoever did not. So a stamp that runs backwards is no reason to
refuse (the receiver of a later frame would not notice it), and `prev` is compared whole, not by its first 8 bytes.
"""

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field
from typing import Final

from replica.chains import Chains
from replica.evidence import Fault
from replica.feeds import Feeds
from replica.frame import Frame, Segment
from replica.ids import ID8_BYTES, DeviceId, OpRef, Origin
from replica.limits import CHAINS_OF_ONE_SEEN_MAX
from replica.ops import TEXT_KINDS, Op
from replica.signing import Verify

PublicKey = Callable[[DeviceId], bytes | None]
MayBegin = Callable[[DeviceId], bool]
Allows = Callable[[Origin, int], bool]
WholeId = Callable[[int, int], bytes]
"""The id of the op at a seq of a feed (by number): 32 bytes, or as many as the base kept of it."""

# A refused segment may drag others along, one look at the frame each. An honest frame needs no such look; a crooked one
# must not cost a look for each of twenty thousand segments.
_ROUNDS_MAX: Final = 100


@dataclass(frozen=True, slots=True)
class AdmissionRefusal:
    """Why ops of one origin were not taken.

    `gap`: only because something else is missing; asking again may help. `fault`: what whoever handed them over did
    wrong, where no honest device passes such a thing on.
    """

    origin: Origin
    seq: int
    reason: str
    gap: bool
    fault: Fault | None = None


@dataclass(slots=True)
class Admission:
    """The ops to take, in order, and beside them the index of their segment; and what was refused."""

    ops: Sequence[Op] = ()
    segment_of: Sequence[int] = ()
    refusals: list[AdmissionRefusal] = field(default_factory=list)


def admit(
    frame: Frame,
    feeds: Chains,
    *,
    public_key: PublicKey,
    verify: Verify,
    erased: Container[bytes],
    whole_id: WholeId,
    may_begin: MayBegin = lambda device: True,
    allows: Allows = lambda origin, seq: True,
) -> Admission:
    """Return what of a decoded frame may be taken; ops already held are left out silently.

    `may_begin` says, and counts, whether a device may begin one more chain now (`replica.quotas`). `allows`: whether an
    op is part of this group (`Membership.allows`); one that is not is refused, and whoever had seen it misses nothing.
    """
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
        refusal = (
            _left_out(ops[-1], allows)
            or _begins_too_many(ops[held])
            or _refuse(frame.segments[at], ops, public_key=public_key, verify=verify, erased=erased)
        )
        if refusal is None and _past_unknown(frame.segments[at], ops[held], held, feeds, allows):
            reason = "its chain leaves mine below my base, and what its writer had seen did not come along"
            refusal = AdmissionRefusal(ops[held].origin, ops[held].seq, reason, gap=True)
        if refusal is None:
            fresh.append(at)
        else:
            admission.refusals.append(refusal)
    taken = set(fresh)
    _leave_out_gaps(frame, taken, feeds, whole_id, allows, admission.refusals)
    over = [
        (at, refusal)
        for at in sorted(taken)
        if (refusal := _over_its_quota(by_segment[at][skip[at]], feeds, may_begin)) is not None
    ]
    if over:
        admission.refusals += [refusal for _, refusal in over]
        taken.difference_update(at for at, _ in over)
        _leave_out_gaps(frame, taken, feeds, whole_id, allows, admission.refusals)
    if len(taken) == len(by_segment) and not any(skip.values()):  # nearly always
        admission.ops, admission.segment_of = frame.ops, frame.segment_of
        return admission
    passed = dict.fromkeys(taken, 0)
    chosen: list[int] = []
    for i, at in enumerate(frame.segment_of):
        if at in taken:
            passed[at] += 1
            if passed[at] > skip[at]:
                chosen.append(i)
    admission.ops = [frame.ops[i] for i in chosen]
    admission.segment_of = [frame.segment_of[i] for i in chosen]
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
) -> AdmissionRefusal | None:
    last = ops[-1]
    key = public_key(segment.origin.device)
    if key is None:
        return AdmissionRefusal(
            segment.origin, last.seq, "its author is not a member of this group", gap=False
        )
    if not last.ends:
        return AdmissionRefusal(segment.origin, last.seq, "the frame stops inside a commit", gap=False)
    if not verify(key, last.id, segment.signature):
        reason = "the signature does not verify: its author did not write this, or it was altered"
        return AdmissionRefusal(segment.origin, last.seq, reason, gap=False, fault=Fault.FORGED_OP)
    for op in ops:
        if op.payload is None and (op.kind not in TEXT_KINDS or op.rid not in erased):
            return AdmissionRefusal(
                segment.origin, op.seq, "its payload is missing without proof that it was erased", gap=True
            )
    return None


def _left_out(op: Op, allows: Allows) -> AdmissionRefusal | None:
    """Refuse what is no part of a group that was rebuilt without it: by its place alone, so every device does."""
    if allows(op.origin, op.seq):
        return None
    reason = "this group was rebuilt without it"
    return AdmissionRefusal(op.origin, op.seq, reason, gap=False)


def _begins_too_many(op: Op) -> AdmissionRefusal | None:
    """Refuse an op that begins a chain and says itself that it is one too many.

    By its header alone, so every device decides alike. A branch says what it had seen since its stem, which is less.
    """
    known = sum(place.origin.device == op.origin.device for place in op.seen)
    if known < CHAINS_OF_ONE_SEEN_MAX:
        return None
    reason = f"its device has begun {known} chains before, and at most {CHAINS_OF_ONE_SEEN_MAX} are taken"
    return AdmissionRefusal(op.origin, op.seq, reason, gap=False, fault=Fault.CHAINS)


def _over_its_quota(op: Op, feeds: Chains, may_begin: MayBegin) -> AdmissionRefusal | None:
    """Refuse an op for now that begins a chain while its device begins too many."""
    dot = None if op.prev is None else feeds.locate(_before(op))
    if (dot is not None and feeds[dot.feed].seq == dot.seq) or may_begin(op.origin.device):
        return None
    reason = "its device begins more chains than are taken at a time: it waits there"
    return AdmissionRefusal(op.origin, op.seq, reason, gap=True, fault=Fault.CHAINS)


def _leave_out_gaps(
    frame: Frame,
    taken: set[int],
    feeds: Chains,
    whole_id: WholeId,
    allows: Allows,
    refusals: list[AdmissionRefusal],
) -> None:
    """Take those segments out of the set that follow or have seen what is not held, and say so."""
    for _ in range(_ROUNDS_MAX):
        missing = _first_missing(frame, taken, feeds, whole_id, allows)
        if missing is None:
            return
        at, refusal = missing
        taken.discard(at)
        refusals.append(refusal)
    reason = f"more than {_ROUNDS_MAX} feeds of its frame had to be refused one after the other"
    refusals += [
        AdmissionRefusal(frame.segments[at].origin, frame.segments[at].first_seq, reason, gap=True)
        for at in sorted(taken)
    ]
    taken.clear()


def _past_unknown(segment: Segment, op: Op, skipped: int, feeds: Chains, allows: Allows) -> bool:
    """Say whether an op begins a branch below my base, and it is not told what the writer before it had seen.

    Two honest devices would otherwise keep different vectors for it, and so, one day, different heads. `skipped` ops of
    the segment are held here: then what the sender says is about another op than the one that the branch leaves.
    """
    dot = None if op.prev is None else feeds.locate(_before(op))
    if dot is None or feeds[dot.feed].seq == dot.seq or feeds.vector_at(dot.feed, dot.seq) is not None:
        return False
    if skipped > 0 or segment.vector is None:
        return True
    return any(feeds.locate(each) is None and allows(each.origin, each.seq) for each in segment.vector)


def _first_missing(
    frame: Frame, taken: set[int], feeds: Feeds, whole_id: WholeId, allows: Allows
) -> tuple[int, AdmissionRefusal] | None:
    """Return the first segment with an op whose predecessor, or something it has seen, is missing.

    Held means: in the log already, or earlier in this frame in a segment that is being taken.
    """
    begun: set[int] = set()
    unheld: dict[int, list[OpRef]] = {}
    for i, (op, at) in enumerate(zip(frame.ops, frame.segment_of, strict=True)):
        if (not op.seen and at in begun) or at not in taken:
            continue
        missing = [each for each in op.seen if feeds.locate(each) is None and allows(each.origin, each.seq)]
        if at not in begun:
            begun.add(at)
            if op.prev is not None:
                dot = feeds.locate(_before(op))
                if dot is None:
                    missing.append(_before(op))
                elif not op.prev.startswith(whole_id(dot.feed, dot.seq)):
                    return at, _gap(op, _before(op))
        if missing:
            unheld[i] = missing
    if len({frame.segments[at].origin for at in taken}) < len(taken):
        return _first_missing_within(frame, taken, unheld)
    return _first_missing_ahead(frame, taken, unheld) if unheld else None


def _first_missing_ahead(
    frame: Frame, taken: set[int], unheld: dict[int, list[OpRef]]
) -> tuple[int, AdmissionRefusal] | None:
    """Look for what is not held among the ops before it in a frame where no origin has more than one segment.

    There, an origin and a seq say which op a place must be, so that only the places asked for are looked at.
    """
    at_by_origin = {frame.segments[at].origin: at for at in taken}
    members: dict[int, list[int]] = {at: [] for at in taken}
    for i, at in enumerate(frame.segment_of):
        if at in taken:
            members[at].append(i)
    for i, places in unheld.items():
        for place in places:
            of = at_by_origin.get(place.origin)
            step = -1 if of is None else place.seq - frame.segments[of].first_seq
            if of is not None and 0 <= step < len(members[of]):
                before = members[of][step]
                if before < i and frame.ops[before].id[:ID8_BYTES] == place.id8:
                    continue
            return frame.segment_of[i], _gap(frame.ops[i], place)
    return None


def _first_missing_within(
    frame: Frame, taken: set[int], unheld: dict[int, list[OpRef]]
) -> tuple[int, AdmissionRefusal] | None:
    """Look for what is not held among the ops before it in the frame.

    There, one chain must be one segment: cut in two, it would become a feed and a branch, and this replica would name
    other heads than the rest for the same ops.
    """
    earlier: dict[OpRef, int] = {}
    head_of: dict[int, int] = {}
    for i, (op, at) in enumerate(zip(frame.ops, frame.segment_of, strict=True)):
        if at not in taken:
            continue
        for place in unheld.get(i, ()):
            if place not in earlier:
                return at, _gap(op, place)
        stem = earlier.get(_before(op)) if op.prev is not None and at not in head_of else None
        if stem is not None and frame.ops[stem].id != op.prev:
            return at, _gap(op, _before(op))
        if op.place in earlier or (stem is not None and head_of[frame.segment_of[stem]] == stem):
            return at, AdmissionRefusal(
                op.origin, op.seq, "its chain is cut into two segments of one frame", gap=False
            )
        earlier[op.place] = head_of[at] = i
    return None


def _before(op: Op) -> OpRef:
    assert op.prev is not None
    return OpRef(op.origin, op.seq - 1, op.prev[:ID8_BYTES])


def _gap(op: Op, place: OpRef) -> AdmissionRefusal:
    name = f"{place.origin.device.hex()[:8]} op {place.seq} ({place.id8.hex()})"
    return AdmissionRefusal(
        op.origin, op.seq, f"it follows or has seen {name}, which is not held here", gap=True
    )
