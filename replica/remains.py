"""Keep the signed op behind a deletion when it leaves the log, so that nobody has to be believed about what is gone.

What is in a base can be looked at; what is not in it cannot. So of the ops that leave the log those that delete stay,
with the headers from each of them to the next signed one: a frame of one segment whose other payloads are left out,
which anybody checks as any other. They travel within snapshots; a device that holds a memory lets it go for nothing
less. Erasures need none of this: their proofs are kept for ever (`replica.erasure`).
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from replica.chains import Chains
from replica.codec import decode_payload, payload_hash
from replica.errors import InvalidOp
from replica.frame import Frame, Segment, decode_frame, encode_frame
from replica.ids import MemoryId, OpId, Place
from replica.membership import Membership
from replica.oplog import Row, Status
from replica.ops import Forget, Kind
from replica.rows import op_of
from replica.signing import Verify


class Remains(NamedTuple):
    """What is left of a stretch of ops that left the log: a frame, named by the id of its last op."""

    id: OpId
    frame: bytes


class Deletions(NamedTuple):
    """What remains prove: which ops deleted which memories."""

    places: tuple[Place, ...]
    rids: frozenset[MemoryId]


def remains_of(feeds: Chains, rows: Iterable[Row]) -> list[Remains]:
    """Return what has to stay of rows that leave the log; of each feed they come in order."""
    by_feed: dict[int, list[Row]] = {}
    for row in rows:
        by_feed.setdefault(row.feed, []).append(row)
    return [
        _remains(feeds, stretch) for of_feed in by_feed.values() for stretch in _signed_stretches(of_feed)
    ]


def _signed_stretches(rows: Sequence[Row]) -> Iterable[list[Row]]:
    """Give each stretch from a deletion to the next signed op; one that ends unsigned proves nothing."""
    stretch: list[Row] = []
    for row in rows:
        if stretch and row.seq != stretch[-1].seq + 1:
            stretch = []
        if stretch or (row.kind == Kind.FORGET and row.status == Status.FOLDED):
            stretch.append(row)
            if row.signature is not None:
                yield stretch
                stretch = []


def _remains(feeds: Chains, rows: Sequence[Row]) -> Remains:
    first, last = rows[0], rows[-1]
    origin = feeds.origin_of(first.feed)
    prev = None if first.seq == 1 else feeds.id_at(first.feed, first.seq - 1)
    assert last.signature is not None
    ops = []
    for row in rows:
        op = op_of(row, origin)
        if row.kind != Kind.FORGET and row.payload is not None:
            op = op._replace(payload=None, payload_hash=payload_hash(row.payload))
        ops.append(op)
    segment = Segment(origin, first.seq, prev, last.signature, None)
    frame = Frame((segment,), tuple(ops), (0,) * len(ops))
    return Remains(OpId(last.id), encode_frame(frame))


def read_remains(data: object, membership: Membership, verify: Verify) -> tuple[Remains, Deletions]:
    """Return remains that a member handed over, and what they prove; `InvalidOp` when they prove nothing."""
    if type(data) is not bytes:
        raise InvalidOp("expected the remains of deletions as frames")
    frame = decode_frame(data)
    if len(frame.segments) != 1:
        raise InvalidOp("expected the remains of deletions of one feed in each frame")
    (segment,), last = frame.segments, frame.ops[-1]
    key = membership.public_key(segment.origin.device)
    if key is None or not last.ends or not verify(key, last.id, segment.signature):
        raise InvalidOp("expected the remains of a deletion to be signed by the member who deleted")
    places, rids = [], set[MemoryId]()
    for op in frame.ops:
        if op.kind == Kind.FORGET and op.payload is not None:
            body = decode_payload(op.kind, op.payload)
            assert isinstance(body, Forget)
            places.append(op.place)
            rids |= set(body.rids)
    if not rids:
        raise InvalidOp("expected the remains of a deletion to delete something")
    return Remains(last.id, data), Deletions(tuple(places), frozenset(rids))
