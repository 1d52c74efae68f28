"""Know where ops stand: the feeds, with the log and the spine behind them.

`Feeds` knows where each chain begins, branches and ends. This adds what lies in between, read from the store: an op's
id, and what its writer had seen. No vector is kept for each op: it is replayed from the base, over the few ops that had
seen something new. Ops of a batch that is not written yet are remembered here until it is.
"""

from collections.abc import Iterable

from replica.feeds import Feed, Feeds
from replica.ids import ID8_BYTES, OpId, OpRef
from replica.oplog import Store
from replica.ops import Op
from replica.rows import read_places
from replica.state.register import Vector


class Chains(Feeds):
    """The feeds of one replica, as far as they are stored and as far as a batch in hand has brought them."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._fresh_ids: dict[int, tuple[int, bytearray]] = {}
        """Of each feed that a batch makes longer, the seq of its first new op, and the short ids from there on."""
        self._fresh_seen: dict[int, list[Op]] = {}
        super().__init__(store.feeds(), self._stored_id8, self._stored_ids)

    def id_at(self, no: int, seq: int) -> OpId:
        """Return the whole id of an op on a feed's chain that is in the log, ends the base, or that a branch leaves."""
        feed = self[no]
        while seq <= feed.fork:
            if seq == feed.fork and feed.fork_head is not None:
                return feed.fork_head
            assert feed.parent is not None
            feed = self[feed.parent]
        if seq == feed.base_seq and feed.base_head is not None:
            return feed.base_head
        return feed.head if seq == feed.seq else OpId(self._store.id_at(feed.no, seq))

    def vector_at(self, no: int, seq: int) -> Vector | None:
        """Return what the writer of an op had seen, itself included; None if that lies below my base."""
        feed = self[no]
        if seq == feed.seq:
            return dict(feed.vector)
        if seq < feed.fork:
            assert feed.parent is not None
            return self.vector_at(feed.parent, seq)
        if seq == feed.fork:
            return dict(feed.fork_vector) or None
        if seq < feed.base_seq:
            return None
        vector = dict(feed.base_vector if feed.base_seq > feed.fork else feed.fork_vector)
        for row in self._store.seen_rows(no, feed.base_seq + 1, seq):
            self.see(vector, read_places(row.seen))
        for op in self._fresh_seen.get(no, ()):
            if op.seq <= seq:
                self.see(vector, op.seen)
        vector[no] = seq
        return vector

    def vectors_at(self, no: int, seqs: Iterable[int]) -> dict[int, Vector]:
        """Return what the writers of some stored ops of one feed had seen, by seq; of none in my base.

        The log is read once for all of them.
        """
        feed = self[no]
        start = max(feed.base_seq, feed.fork)
        vector = dict(feed.base_vector if feed.base_seq > feed.fork else feed.fork_vector)
        wanted = sorted(seq for seq in {*seqs} if seq > start)
        rows = iter(self._store.seen_rows(no, start + 1, wanted[-1]) if wanted else ())
        row = next(rows, None)
        found: dict[int, Vector] = {}
        for seq in wanted:
            while row is not None and row.seq <= seq:
                self.see(vector, read_places(row.seen))
                row = next(rows, None)
            vector[no] = seq
            found[seq] = dict(vector)
        return found

    def see(self, vector: Vector, places: Iterable[OpRef]) -> None:
        """Raise a vector to cover these ops and everything below them."""
        for place in places:
            dot = self.locate(place)
            if dot is not None:
                self.raise_to(vector, dot)

    def attach(self, op: Op, vector: tuple[OpRef, ...] | None) -> Feed:
        """Return the feed that this op continues, starting a branch if another op took its place.

        `vector` is what the writer of its predecessor had seen, as the sender says, if that lies below my base.
        """
        if op.prev is None:
            return self.start(op.origin)
        stem = self.locate(OpRef(op.origin, op.seq - 1, op.prev[:8]))
        assert stem is not None, "admission lets nothing in that does not attach"
        feed = self[stem.feed]
        if feed.seq == stem.seq:
            return feed
        seen = self.vector_at(stem.feed, stem.seq)
        if seen is None:
            seen = self.vector_to([stem])
            self.see(seen, vector or ())
        return self.start(op.origin, stem.feed, stem.seq, seen, op.prev)

    # -- a batch in hand -------------------------------------------------------------------------------------

    def advance(self, feed: Feed, op: Op) -> Vector:
        """Make an op the head of its feed, and return what its writer had seen: the feed's own vector, not a copy."""
        return self.advance_by(feed, op, op, op.id[:ID8_BYTES])

    def advance_by(self, feed: Feed, first: Op, last: Op, ids: bytes) -> Vector:
        """Let ops follow one another on a feed, none but the first of which had seen anything new; see `advance`.

        `ids`: their short ids, one behind the other.
        """
        no, seq, vector = feed.no, last.seq, feed.vector
        self.know(no, first.seq, ids)
        self.grow(feed, seq, last.id)
        vector[no] = seq
        if first.seen:
            self.see(vector, first.seen)
            self._fresh_seen.setdefault(no, []).append(first)
        return vector

    def know(self, no: int, first: int, ids: bytes) -> None:
        """Remember the short ids of ops that make a feed longer, from the one at `first` on, until they are stored.

        They are kept as they came: a base brings a million at once, and few of them are looked up.
        """
        known = self._fresh_ids.get(no)
        if known is None:
            self._fresh_ids[no] = first, bytearray(ids)
        else:
            known[1].extend(ids)

    def written(self) -> None:
        """Hear that the batch is in the store."""
        self._fresh_ids.clear()
        self._fresh_seen.clear()

    def _stored_id8(self, no: int, seq: int) -> bytes:
        fresh = self._fresh_ids.get(no)
        if fresh is not None and seq >= fresh[0]:
            at = (seq - fresh[0]) * ID8_BYTES
            return bytes(fresh[1][at : at + ID8_BYTES])
        return self._store.id_at(no, seq)[:ID8_BYTES]

    def _stored_ids(self, no: int, first: int, last: int) -> bytes:
        ids = bytearray(self._store.short_ids(no, first, last))
        begins, fresh = self._fresh_ids.get(no, (0, b""))
        low, end = max(first, begins), min(last + 1, begins + len(fresh) // ID8_BYTES)
        if low < end:
            ids[(low - first) * ID8_BYTES : (end - first) * ID8_BYTES] = fresh[
                (low - begins) * ID8_BYTES : (end - begins) * ID8_BYTES
            ]
        return bytes(ids)
