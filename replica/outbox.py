"""Cut what another replica lacks out of the log, a frame at a time.

Ops leave in the order in which they were committed here, so whoever takes them in that order always holds what an
op has seen. A frame may end only where the last op of every feed in it is signed; a frame taken from a peer is a whole
batch of its commits under one signature for each feed, so it is sent on whole.
"""

from collections.abc import Container
from typing import Final

from replica.core import Core
from replica.feeds import join
from replica.frame import Frame, Segment
from replica.ids import Origin, Place
from replica.limits import FRAME_OPS_TARGET, FRAME_PAYLOAD_BYTES_TARGET
from replica.oplog import Row
from replica.ops import Op
from replica.rows import op_of
from replica.state.register import Vector

# A frame that is past its target ends where it last could, if going on to the next such place makes it this much
# larger: so frames do not grow from relay to relay.
_FRAME_OPS_CEILING: Final = 2 * FRAME_OPS_TARGET
_FRAME_PAYLOAD_BYTES_CEILING: Final = 3 * FRAME_PAYLOAD_BYTES_TARGET


class Outbox:
    """One direction of a conversation: what is still to be sent.

    `known` covers what the other side holds; `parted` are origins of which it holds ops that are news here.
    """

    def __init__(self, known: Vector, pos: int = 0, parted: Container[Origin] = ()) -> None:
        self._known = dict(known)
        self._pos = pos
        self._parted = parted
        self._begun = pos > 0

    def learn(self, known: Vector) -> None:
        """Hear that the other side holds more: it need not be sent."""
        join(self._known, known)

    def is_empty(self, core: Core) -> bool:
        """Say whether everything in the log was sent or is known over there."""
        return self._pos == core.position

    def lacking(self, core: Core) -> int:
        """Return how many ops held here the other side was neither sent nor known to hold."""
        return sum(max(0, feed.seq - max(feed.fork, self._known.get(feed.no, 0))) for feed in core.feeds)

    def lacks_base(self, core: Core) -> bool:
        """Say whether the other side lacks ops that are no longer in the log: it needs a snapshot first."""
        known = self._known
        return any(feed.base_seq > feed.fork and feed.base_seq > known.get(feed.no, 0) for feed in core.feeds)

    def sent_base(self, core: Core) -> None:
        """Count the base as sent."""
        join(self._known, {feed.no: feed.base_seq for feed in core.feeds if feed.base_seq > feed.fork})

    def next_frame(self, core: Core) -> Frame | None:
        """Return the next frame to send and count it as sent; None when nothing is lacking."""
        if self._pos == core.position:
            return None
        if not self.lacking(core):  # what the other side sent is in the log too, and need not be read back
            self._pos = core.position
            return None
        if not self._begun:
            self._begun, self._pos = True, self._first_lacking(core)
        rows: list[Row] = []
        unsigned: set[int] = set()
        known, size, cut = self._known, 0, 0
        for row in core.store.rows(after=self._pos):
            if known.get(row.feed, 0) >= row.seq:
                continue
            rows.append(row)
            size += len(row.payload or b"")
            if row.signature is None:
                unsigned.add(row.feed)
            elif unsigned:
                unsigned.discard(row.feed)
            if cut and (len(rows) > _FRAME_OPS_CEILING or size > _FRAME_PAYLOAD_BYTES_CEILING):
                break
            if not unsigned:
                cut = len(rows)
                if cut >= FRAME_OPS_TARGET or size >= FRAME_PAYLOAD_BYTES_TARGET:
                    break
        if not rows:
            self._pos = core.position
            return None
        assert cut, "every batch in the log ends signed"
        del rows[cut:]
        frame = frame_of(core, rows, self._parted)
        for row in rows:
            known[row.feed] = row.seq
        self._pos = rows[-1].pos
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


def frame_of(core: Core, rows: list[Row], parted: Container[Origin] = ()) -> Frame:
    """Return log rows as a frame; for each feed they must be unbroken and end signed.

    Where chains of an origin part, here or over there (`parted`), the first op of a segment may begin a branch that
    leaves the receiver's base, where it no longer knows what the writer had seen: then that comes along.
    """
    segments: list[Segment] = []
    segment_of: list[int] = []
    at_by_feed: dict[int, int] = {}
    origins: list[Origin] = []
    signature_by_feed = {row.feed: row.signature for row in rows}
    ops: list[Op] = []
    for row in rows:
        at = at_by_feed.get(row.feed)
        if at is None:
            feed = core.feeds[row.feed]
            at = at_by_feed[row.feed] = len(segments)
            origins.append(feed.origin)
            signature = signature_by_feed[row.feed]
            assert signature is not None
            prev = None if row.seq == 1 else core.feeds.id_at(row.feed, row.seq - 1)
            vector: tuple[Place, ...] | None = None
            if prev is not None and (feed.origin in parted or len(core.feeds.of(feed.origin)) > 1):
                seen = core.feeds.vector_at(row.feed, row.seq - 1)
                vector = None if seen is None else core.feeds.places(seen)
            segments.append(Segment(feed.origin, row.seq, prev, signature, vector))
        segment_of.append(at)
        ops.append(op_of(row, origins[at]))
    return Frame(tuple(segments), tuple(ops), tuple(segment_of))
