"""Keep signed ops that come after their effect was taken on a member's word, as a snapshot had it.

Such ops are held already, by their places, and yet nobody here has seen what their authors signed. So whoever still has
them is asked once, by naming no more as held than came signed (`signed_frontier`), and what comes is kept in the log,
below the end of the base, before everything else. What that changes is up to `replica.proving`.

Not so in a group that was rebuilt without some ops. What those did is taken out of the base that it begins with, as far
as it can be told apart, and so that base is another than the ops that stay come to: its founder's word decides.
"""

from collections.abc import Container, Mapping, Sequence
from typing import Final, Protocol

from replica.chains import Chains
from replica.frame import Frame
from replica.frontier import Frontier
from replica.ids import DeviceId, MemoryId, OpId, Origin
from replica.membership import Membership
from replica.meta import Vouched
from replica.oplog import FoldStatus, LogEntry, LogRow, Store
from replica.ops import TEXT_KINDS, Op
from replica.rows import Understood, body_of, status_without_body, without_payload

# Positions of late ops: all below 1, where the log begins, and each above the one before.
_FIRST_POS: Final = -(2**62)


class ReplicaView(Protocol):
    """What is looked at of a replica: of `replica.core.Core`, which asks here what of a frame comes late."""

    @property
    def asked(self) -> Container[DeviceId]: ...
    @property
    def erased(self) -> Container[MemoryId]: ...
    @property
    def feeds(self) -> Chains: ...
    @property
    def membership(self) -> Membership: ...
    @property
    def store(self) -> Store: ...
    @property
    def understood(self) -> Understood: ...
    @property
    def vouched(self) -> Sequence[Vouched]: ...

    def is_signed(self, device: DeviceId, last: OpId, signature: bytes) -> bool:
        """Say whether a member signed the commit that ends with this op."""


def is_late(row: LogRow) -> bool:
    """Say whether an op came after its effect was taken on a member's word."""
    return row.pos < 0


def late_entries(core: ReplicaView, frame: Frame) -> list[LogEntry]:
    """Return those ops of a frame that are known by a member's word alone, as entries of the log.

    As of other ops, only what an author signed counts, and payloads are missing for erased memories only.
    """
    ends = _known_by_word(core)
    if core.membership.leaves_out or not any(
        segment.first_seq <= ends.get(segment.origin, 0) for segment in frame.segments
    ):
        return []
    by_segment: list[list[Op]] = [[] for _ in frame.segments]
    for op, at in zip(frame.ops, frame.segment_of, strict=True):
        by_segment[at].append(op)
    entries: list[LogEntry] = []
    last_pos = core.store.last_late()
    pos = _FIRST_POS if last_pos is None else last_pos + 1
    for segment, ops in zip(frame.segments, by_segment, strict=True):
        device, last = segment.origin.device, ops[-1]
        if ops[0].seq > ends.get(segment.origin, 0) or not last.ends:
            continue
        lacking = [(no, op) for op in ops if (no := _lacking(core, op)) is not None]
        if not lacking or not core.is_signed(device, last.id, segment.signature):
            continue
        for no, op in lacking:
            signature = segment.signature if op is last else None
            entry = LogEntry(pos, no, op, signature, _status(core, op))
            is_erased = op.kind in TEXT_KINDS and op.rid in core.erased
            entries.append(without_payload(entry) if is_erased else entry)
            pos += 1
    return entries


def signed_frontier(core: ReplicaView) -> Frontier:
    """Return how far each feed is held as its author signed it: what is to be sent comes after that."""
    first: dict[int, int] = {}
    for each in core.vouched:
        first[each.feed] = min(first.get(each.feed, each.first), each.first)
    held = (
        core.feeds.place(feed.no, seq)
        for feed in core.feeds
        if (seq := first.get(feed.no, feed.seq + 1) - 1) > feed.fork
    )
    return Frontier.of(held)


def may_ask(core: ReplicaView, peer: DeviceId) -> bool:
    """Say whether a peer may have signed ops for which another device has vouched, and was not asked for them yet."""
    if peer in core.asked or core.membership.leaves_out:
        return False
    return any(each.by != peer for each in core.vouched)


def _known_by_word(core: ReplicaView) -> Mapping[Origin, int]:
    """Return up to which seq ops of an origin may be known by word."""
    ends: dict[Origin, int] = {}
    for each in core.vouched:
        origin = core.feeds[each.feed].origin
        ends[origin] = max(ends.get(origin, 0), each.last)
    return ends


def _lacking(core: ReplicaView, op: Op) -> int | None:
    """Return the feed of an op that is known by word alone; None for any other."""
    if op.payload is None and not (op.kind in TEXT_KINDS and op.rid in core.erased):
        return None
    dot = core.feeds.locate(op.place)
    if dot is None or not any(
        each.feed == dot.feed and each.first <= dot.seq <= each.last for each in core.vouched
    ):
        return None
    return None if list(core.store.feed_rows(dot.feed, dot.seq, dot.seq)) else dot.feed


def _status(core: ReplicaView, op: Op) -> FoldStatus:
    if body_of(op, core.understood) is not None:
        return FoldStatus.FOLDED
    return status_without_body(op, core.understood)
