"""Turn rows of the log back into ops, and ops into what they say.

An op that this program does not understand yet, or that its author made wrong, says nothing here: it is kept and
forwarded all the same, and its `FoldStatus` tells which of the two it is.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from replica.codec import (
    decode_payload,
    header,
    header_hash,
    pack,
    payload_hash,
    read_place,
    unpack,
    wire_places,
)
from replica.errors import InvalidOp
from replica.ids import OpId, OpRef, Origin
from replica.oplog import FoldStatus, LogEntry, LogRow, OriginOf
from replica.ops import NEEDS_RID, Body, Edit, Op
from replica.state.register import Vector
from replica.state.text import check_update

_tuple = tuple.__new__  # by name it takes three times as long, and every op that is sent makes two
log_row = partial(
    tuple.__new__, LogRow
)  # `LogRow._make` takes twice as long, and every op that is sent is read
"""Makes a row of the log of what was read of one."""

Understood = Mapping[int, int]
"""The newest version of each kind that can be folded."""


def op_of(row: LogRow, origin: Origin) -> Op:
    """Return a log row as an op of this origin. `prev` is left out: whoever needs it computes it from the chain."""
    _, _, seq, hlc, kind, version, ends, rid, seen, payload, digest, op_id, _, _ = row
    places = read_places(seen) if seen else ()
    return _tuple(
        Op,
        (origin, seq, hlc, places, kind, version, bool(ends), rid, None, digest or b"", payload, op_id),
    )


def rehashed(row: LogRow, origin: Origin, prev: OpId | None) -> OpId:
    """Return the id that a row's op has by its header, built anew."""
    digest = payload_hash(row.payload) if row.payload is not None else row.payload_hash or b""
    ends, seen = bool(row.ends), read_places(row.seen)
    return header_hash(
        header(origin, row.seq, row.hlc, seen, row.kind, row.version, ends, row.rid, prev, digest)
    )


def row_of(entry: LogEntry) -> LogRow:
    """Return an entry as a row of the log."""
    return LogRow._make(values_of(entry))


def values_of(entry: LogEntry) -> tuple[Any, ...]:
    """Return the values of an entry's row: SQLite binds a plain tuple in two thirds of the time of a named one."""
    pos, feed, op, signature, status = entry
    _, seq, hlc, seen, kind, version, ends, rid, _, digest, payload, op_id = op
    packed = pack(wire_places(seen)) if seen else b""
    erased = digest if payload is None else None
    return (pos, feed, seq, hlc, kind, version, ends, rid, packed, payload, erased, op_id, signature, status)


def entries_of(rows: Iterable[tuple[Any, ...]], known: Vector, origin_of: OriginOf) -> Iterator[LogEntry]:
    """Return those of the rows that `known` does not cover, with their ops."""
    # As `op_of` does it: by a call and a row for each, whoever sends everything takes a fifth longer to read it.
    for pos, no, seq, hlc, kind, version, ends, rid, seen, payload, digest, op_id, signature, status in rows:
        if known.get(no, 0) < seq:
            places = read_places(seen) if seen else ()
            told = places, kind, version, bool(ends), rid, None, digest or b"", payload, op_id
            yield _tuple(LogEntry, (pos, no, _tuple(Op, (origin_of(no), seq, hlc, *told)), signature, status))


def without_payload(entry: LogEntry) -> LogEntry:
    """Return an entry as it stays when its payload is erased: the hash of it, in the header, and not the words."""
    return entry._replace(op=entry.op._replace(payload=None))


def read_places(packed: bytes) -> tuple[OpRef, ...]:
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


def status_without_body(op: Op, understood: Understood) -> FoldStatus:
    """Return why an op whose `body_of` is None says nothing."""
    if op.version > understood.get(op.kind, 0):
        return FoldStatus.UNKNOWN
    return FoldStatus.FOLDED if op.payload is None else FoldStatus.UNFOLDABLE
