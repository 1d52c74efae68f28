"""Cut what another replica lacks out of the log, a frame at a time.

Ops leave in the order in which they were committed here, so whoever takes them in that order always holds what an
op has seen. A frame may end only where the last op of every feed in it is signed; a frame taken from a peer is a whole
batch of its commits under one signature for each feed, so it is sent on whole.
"""

from collections import deque
from collections.abc import Collection, Container, Iterable, Mapping
from itertools import islice
from typing import Final

from replica.collector import collector_paused
from replica.core import Core
from replica.feeds import join
from replica.frame import Frame, Segment
from replica.ids import OP_ID_BYTES, OpRef, Origin
from replica.limits import (
    FRAME_BYTES_MAX,
    FRAME_OPS_TARGET,
    FRAME_PAYLOAD_BYTES_TARGET,
    PLACE_BYTES,
    REFUSALS_SAID_MAX,
)
from replica.oplog import LogEntry, LogRow
from replica.ops import Op
from replica.rows import op_of
from replica.state.register import Vector

# A frame that is past its target ends where it last could, if going on to the next such place makes it this much
# larger: so frames do not grow from relay to relay.
_FRAME_OPS_CEILING: Final = 2 * FRAME_OPS_TARGET
_FRAME_PAYLOAD_BYTES_CEILING: Final = 3 * FRAME_PAYLOAD_BYTES_TARGET

# The first frames are small: whoever takes them works while the next is made. That takes a quarter of the time for as
# many ops, and a frame takes the receiver some milliseconds whatever is in it. So each is so many times the one before.
_FIRST_FRAME_OPS: Final = 150
_FRAME_GROWTH: Final = 10

# What an op takes beside its payload and what it has seen: its columns, and its part of a segment.
_HEADER_BYTES: Final = 200

Sent = Mapping[int, range]
"""What left in one frame, or in a snapshot: for each feed, which of its ops."""


class Outbox:
    """One direction of a conversation: what is still to be sent.

    `known` covers what the other side holds; `parted` are origins of which it holds ops that are news here.
    """

    def __init__(self, known: Vector, pos: int = 0, parted: Container[Origin] = ()) -> None:
        self._known = dict(known)  # held over there, or sent: no need to send it
        self._held = dict(known)
        self._refused: set[int] = set()  # feeds of which something that was sent was not taken
        self.sent: Sent = {}
        """What left last."""
        self._pos = pos
        self._parted = parted
        self._ops_target = min(_FIRST_FRAME_OPS, FRAME_OPS_TARGET)
        self._begun = pos > 0
        self._below: deque[tuple[int, int, int]] = deque()
        """Stretches of ops below the end of the base, by feed, first and last seq, that are sent as well."""

    def learn(self, known: Vector) -> None:
        """Hear that the other side holds more: it need not be sent."""
        join(self._known, known)
        join(self._held, known)
        self._refused = {no for no in self._refused if self._held.get(no, 0) < self._known.get(no, 0)}

    def leave_out(self, reaches: Vector, *, refused: bool) -> None:
        """Send nothing of this any more: it is on its way, or was `refused` and is still lacking over there."""
        join(self._known, reaches)
        if refused:
            self._refused |= {no for no, seq in reaches.items() if self._held.get(no, 0) < seq}

    def answered(self, core: Core, sent: Sent, refused: Collection[tuple[Origin, int]]) -> None:
        """Hear that the other side has taken what was sent, less the feeds of which it refused an op.

        An op 0 stands for all: a snapshot is refused whole. Where as many were refused as are said, any other may have
        been, too.
        """
        said_all = len(refused) < REFUSALS_SAID_MAX
        for no, seqs in sent.items():
            origin = core.feeds[no].origin
            if not said_all or any(seq == 0 or (of == origin and seq in seqs) for of, seq in refused):
                self._refused.add(no)
            else:
                self._held[no] = max(self._held.get(no, 0), seqs[-1])

    def leave_waiting(self, core: Core, feeds: Iterable[int]) -> None:
        """Send no more of what these feeds come to now: the other side refuses it as well, until it asks again."""
        join(self._known, {no: core.feeds[no].seq for no in feeds})

    def is_empty(self, core: Core) -> bool:
        """Say whether everything in the log was sent or is known over there."""
        return self._pos == core.position and not self._below

    def lacking(self, core: Core) -> int:
        """Return how many ops held here the other side lacks, as far as is known: not sent yet, or refused."""
        held, known, refused = self._held, self._known, self._refused
        return sum(
            max(0, feed.seq - max(feed.fork, (held if feed.no in refused else known).get(feed.no, 0)))
            for feed in core.feeds
        )

    def lacks_base(self, core: Core) -> bool:
        """Say whether the other side lacks ops that are no longer in the log: it needs a snapshot first."""
        known = self._known
        return any(feed.base_seq > feed.fork and feed.base_seq > known.get(feed.no, 0) for feed in core.feeds)

    def prove_base(self, core: Core) -> None:
        """Send, after the base, what the other side lacks of the ops in it that are still in the log, as signed."""
        for feed in core.feeds:
            self._prove(core, feed.no, max(feed.fork, self._known.get(feed.no, 0)) + 1, feed.base_seq)

    def _prove(self, core: Core, no: int, first: int, last: int) -> None:
        for row in islice(core.store.feed_rows(no, first, last), 1):
            self._below.append((no, row.seq, last))

    def sent_base(self, core: Core) -> Vector:
        """Count the base as sent; return how far it reaches, which is not how far it does when it has grown."""
        reaches = {feed.no: feed.base_seq for feed in core.feeds if feed.base_seq > feed.fork}
        ranges = {no: range(self._known.get(no, 0) + 1, seq + 1) for no, seq in reaches.items()}
        self.sent = {no: seqs for no, seqs in ranges.items() if seqs}
        join(self._known, reaches)
        return reaches

    def next_frame(self, core: Core) -> Frame | None:
        """Return the next frame to send and count it as sent; None when nothing is left to send."""
        with collector_paused():
            return self._next_frame(core)

    def _next_frame(self, core: Core) -> Frame | None:
        while self._below:
            no, first, last = self._below.popleft()
            frame, first = _frame_below(core, no, first)
            self._prove(core, no, first, last)
            if frame is not None:
                self.sent = {}
                return frame
        if self._pos == core.position:
            return None
        known = self._known
        if all(feed.seq <= max(feed.fork, known.get(feed.no, 0)) for feed in core.feeds):
            # What the other side sent is in the log too, and need not be read back.
            self._pos = core.position
            return None
        if not self._begun:
            self._begun, self._pos = True, self._first_lacking(core)
        entries: list[LogEntry] = []
        unsigned: set[int] = set()
        size = cut = 0
        for count, entry in enumerate(core.store.entries(self._pos, known, core.feeds.origin_of), 1):
            _, no, op, signature, _ = entry
            entries.append(entry)
            if (payload := op.payload) is not None:
                size += len(payload)
            if seen := op.seen:
                size += len(seen) * PLACE_BYTES
            if signature is None:
                unsigned.add(no)
            elif unsigned:
                unsigned.discard(no)
            if cut and (count > _FRAME_OPS_CEILING or size > _FRAME_PAYLOAD_BYTES_CEILING):
                break
            if not unsigned:
                cut = count
                if cut >= self._ops_target or size >= FRAME_PAYLOAD_BYTES_TARGET:
                    break
        if not entries:
            self._pos = core.position
            return None
        assert cut, "every batch in the log ends signed"
        del entries[cut:]
        frame = _that_fits(frame_of(core, entries, self._parted), size)
        reaches = {no: op.seq for _, no, op, _, _ in entries}
        known |= reaches
        self.sent = {
            no: range(segment.first_seq, seq + 1)
            for segment, (no, seq) in zip(frame.segments, reaches.items(), strict=True)
        }
        self._pos = entries[-1].pos
        self._ops_target = min(_FRAME_GROWTH * self._ops_target, FRAME_OPS_TARGET)
        return frame

    def _first_lacking(self, core: Core) -> int:
        """Return the position before the first op that is lacking: of a long log, nearly all is known over there."""
        first = core.position
        for feed in core.feeds:
            seq = max(self._known.get(feed.no, 0), feed.base_seq) + 1
            if seq <= feed.seq:
                for row in core.store.feed_rows(feed.no, seq, seq):
                    first = min(first, row.pos - 1)
        return first


def _frame_below(core: Core, no: int, first: int) -> tuple[Frame | None, int]:
    """Return a frame of one feed's ops from a seq on that is below the end of the base, and where the next may begin.

    None where it cannot be said what they follow, or where their author's signature does not come with them.
    """
    rows: list[LogRow] = []
    size = signed = 0
    for row in core.store.feed_rows(no, first, core.feeds[no].seq):
        if rows and row.seq != rows[-1].seq + 1:
            break
        rows.append(row)
        size += len(row.payload or b"")
        if row.signature is not None:
            signed = len(rows)
            if signed >= FRAME_OPS_TARGET or size >= FRAME_PAYLOAD_BYTES_TARGET:
                break
        elif signed and (len(rows) > _FRAME_OPS_CEILING or size > _FRAME_PAYLOAD_BYTES_CEILING):
            break
    after = (rows[signed - 1] if signed else rows[-1]).seq + 1 if rows else first + 1
    if first > 1 and len(core.feeds.id_at(no, first - 1)) < OP_ID_BYTES:
        rows, signed = rows[1:], signed - 1  # the short id of what it follows is not enough to say so
    if signed <= 0:
        return None, after
    origin = core.feeds.origin_of(no)
    entries = [LogEntry(row.pos, no, op_of(row, origin), row.signature, row.status) for row in rows[:signed]]
    return _that_fits(frame_of(core, entries), size), after


def _that_fits(frame: Frame, size: int) -> Frame:
    """Leave out what branches had seen where a frame has no room for it; whoever needs it gets a snapshot instead."""
    places = sum(len(segment.vector) for segment in frame.segments if segment.vector)
    if size + places * PLACE_BYTES + len(frame.ops) * _HEADER_BYTES <= FRAME_BYTES_MAX:
        return frame
    return frame._replace(segments=tuple(segment._replace(vector=None) for segment in frame.segments))


def frame_of(core: Core, entries: list[LogEntry], parted: Container[Origin] = ()) -> Frame:
    """Return ops of the log as a frame; for each feed they must be unbroken and end signed.

    Where chains of an origin part, here or over there (`parted`), the first op of a segment may begin a branch that
    leaves the receiver's base, where it no longer knows what the writer had seen: then that comes along.
    """
    segments: list[Segment] = []
    _, feeds, ops, signatures, _ = zip(*entries, strict=True)
    first_by_feed: dict[int, Op] = dict(zip(reversed(feeds), reversed(ops), strict=True))
    signature_by_feed: dict[int, bytes | None] = dict(zip(feeds, signatures, strict=True))
    at_by_feed = {no: at for at, no in enumerate(dict.fromkeys(feeds))}
    for no in at_by_feed:
        feed, seq, signature = core.feeds[no], first_by_feed[no].seq, signature_by_feed[no]
        assert signature is not None
        prev = None if seq == 1 else core.feeds.id_at(no, seq - 1)
        vector: tuple[OpRef, ...] | None = None
        if prev is not None and (feed.origin in parted or len(core.feeds.of(feed.origin)) > 1):
            seen = core.feeds.vector_at(no, seq - 1)
            vector = None if seen is None else core.feeds.places(seen)
        segments.append(Segment(feed.origin, seq, prev, signature, vector))
    return Frame(tuple(segments), ops, tuple(map(at_by_feed.__getitem__, feeds)))
