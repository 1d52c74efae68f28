"""Turn rows of the log back into ops, and ops into what they say.

An op that this program does not understand yet, or that its author made wrong, says nothing here: it is kept and
forwarded all the same, and its `Status` tells which of the two it is.
"""

from collections.abc import Mapping

from replica.codec import decode_payload, pack, payload_hash, read_place, unpack, wire_places
from replica.errors import InvalidOp
from replica.ids import MemoryId, OpId, Origin, Place
from replica.oplog import Row, Status
from replica.ops import NEEDS_RID, Body, Edit, Op
from replica.state.text import check_update

_row = tuple.__new__  # by name it takes three times as long, and a sync makes one for every op

Understood = Mapping[int, int]
"""The newest version of each kind that can be folded."""


def op_of(row: Row, origin: Origin) -> Op:
    """Return a log row as an op of this origin. `prev` is left out: whoever needs it computes it from the chain."""
    return Op(
        origin,
        row.seq,
        row.hlc,
        read_places(row.seen),
        row.kind,
        row.version,
        bool(row.ends),
        None if row.rid is None else MemoryId(row.rid),
        None,
        row.payload_hash or b"",
        row.payload,
        OpId(row.id),
    )


def row_of(op: Op, pos: int, feed: int, signature: bytes | None, status: Status) -> Row:
    """Return an op as a row of the log."""
    _, seq, hlc, seen, kind, version, ends, rid, _, digest, payload, op_id = op
    packed = pack(wire_places(seen)) if seen else b""
    erased = digest if payload is None else None
    return _row(
        Row,
        (
            pos,
            feed,
            seq,
            hlc,
            kind,
            version,
            ends,
            rid,
            packed,
            payload,
            erased,
            op_id,
            signature,
            status,
        ),
    )


def without_payload(row: Row) -> Row:
    """Return a row as it stays when its payload is erased: the hash that the header commits to, and not the words."""
    if row.payload is None:
        return row
    return row._replace(payload=None, payload_hash=payload_hash(row.payload))


def read_places(packed: bytes) -> tuple[Place, ...]:
    """Return the places that a log row's `seen` names."""
    return tuple(read_place(place) for place in unpack(packed)) if packed else ()


def body_of(op: Op, understood: Understood) -> Body | None:
    """Return what an op says, or None where it is not to be folded: erased, not understood, or made wrong."""
    if (
        op.payload is None
        or op.version > understood.get(op.kind, 0)
        or (op.rid is None and op.kind in NEEDS_RID)
    ):
        return None
    try:
        body = decode_payload(op.kind, op.payload)
        if isinstance(body, Edit):
            check_update(
                body.update
            )  # the library refuses such bytes by an exception, in the midst of a fold
    except InvalidOp:
        return None
    return body


def status_without_body(op: Op, understood: Understood) -> Status:
    """Return why an op whose `body_of` is None says nothing."""
    if op.version > understood.get(op.kind, 0):
        return Status.UNKNOWN
    return Status.FOLDED if op.payload is None else Status.UNFOLDABLE
