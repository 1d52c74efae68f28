"""Pack ops of several feeds into one frame, and unpack what a peer sent.

A frame holds whole commits of any number of feeds, in the order in which the sender committed them, as
columns (one list for each part of the op), which zstd packs twice as well as rows. What the receiver can
compute is not sent: an op's seq, its `prev`, its payload's hash and its id. So a changed byte anywhere shows
in one place only: the signature of the segment it is in does not verify.

A segment is what a frame holds of one feed: which op it follows, and the author's signature of its last op.
`vector` travels only where the receiver may no longer hold what the writer of `prev` had seen (a branch that
leaves below the receiver's base).
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, repeat
from typing import Any, Final, NamedTuple

from replica.codec import SALT_BYTES, header, header_hash, pack, payload_hash, read_place, unpack, wire_places
from replica.collector import collector_paused
from replica.errors import InvalidOp, TooLarge
from replica.hlc import HLC_MAX
from replica.ids import (
    DEVICE_ID_BYTES,
    INCARNATION_BYTES,
    MEMORY_ID_BYTES,
    OP_ID_BYTES,
    DeviceId,
    OpId,
    OpRef,
    Origin,
)
from replica.limits import FRAME_BYTES_MAX, FRAME_OPS_MAX, HEADS_MAX, PAYLOAD_BYTES_MAX, SEEN_MAX
from replica.ops import Op
from replica.signing import SIGNATURE_BYTES
from replica.zstd import NotCompressed, compress, decompress, stated_size

FORMAT: Final = 1
SEQ_MAX: Final = 2**53
_KIND_MAX: Final = 2**16

_tuple = tuple.__new__  # by name it takes three times as long, and every op that comes makes one


class Segment(NamedTuple):
    """What a frame holds of one feed: follows `prev` (None: begins the feed) at `first_seq`, ends signed."""

    origin: Origin
    first_seq: int
    prev: OpId | None
    signature: bytes
    vector: tuple[OpRef, ...] | None


class Frame(NamedTuple):
    """Ops in commit order, each with the index of its segment."""

    segments: tuple[Segment, ...]
    ops: tuple[Op, ...]
    segment_of: tuple[int, ...]

    def heads(self) -> list[OpRef]:
        """Return the last op of each segment."""
        last = dict(zip(self.segment_of, self.ops, strict=True))
        return [last[at].place for at in range(len(self.segments))]


def encode_frame(frame: Frame) -> bytes:
    """Return the frame as compressed bytes."""
    columns: Iterable[Sequence[Any]] = zip(*frame.ops, strict=True) if frame.ops else [()] * len(Op._fields)
    _, _, hlcs, seens, kinds, versions, ends, rids, _, hashes, payloads, _ = columns
    plain = [
        FORMAT,
        [
            [
                segment.origin.device,
                segment.origin.incarnation,
                segment.first_seq,
                segment.prev,
                segment.signature,
                None if segment.vector is None else wire_places(segment.vector),
            ]
            for segment in frame.segments
        ],
        frame.segment_of,
        kinds,
        [version << 1 | end for version, end in zip(versions, ends, strict=True)],
        [after - before for before, after in zip([0, *hlcs], hlcs, strict=False)],
        [rid is not None for rid in rids],
        b"".join(filter(None, rids)),
        {i: wire_places(seen) for i, seen in enumerate(seens) if seen},
        b"".join([payload[:SALT_BYTES] for payload in payloads if payload is not None]),
        [None if payload is None else payload[SALT_BYTES:] for payload in payloads],
        b"".join([held for held, payload in zip(hashes, payloads, strict=True) if payload is None]),
    ]
    packed = pack(plain)
    if len(packed) > FRAME_BYTES_MAX:
        raise TooLarge(f"expected a frame of at most {FRAME_BYTES_MAX} bytes, got {len(packed)}: split it")
    return compress(packed)


def decode_frame(data: bytes) -> Frame:
    """Return the frame that a peer sent, with every id computed anew; `InvalidOp` when it is not one.

    The chain from `prev` on holds by construction; whether `prev` is held and the signatures verify is for
    whoever knows the feeds to find out.
    """
    with collector_paused():
        return _read_columns(unpack(_decompressed(data)))


def _read_columns(columns: Any) -> Frame:
    match columns:
        case [int(version), *_] if version != FORMAT:
            raise InvalidOp(f"expected a frame of format {FORMAT}, got format {version}")
        case [
            int(),
            list(segments),
            list(segment_of),
            list(kinds),
            list(flags),
            list(deltas),
            list(has_rid),
            bytes(rids),
            dict(seen),
            bytes(salts),
            list(bodies),
            bytes(hashes),
        ]:
            return _build(
                tuple(_read_segment(segment) for segment in segments),
                segment_of,
                kinds,
                flags,
                deltas,
                has_rid,
                rids,
                seen,
                salts,
                bodies,
                hashes,
            )
    raise InvalidOp("expected a frame of 12 columns, got something else")


def _decompressed(data: bytes) -> bytes:
    try:
        size = stated_size(data)
        if size is None or size > FRAME_BYTES_MAX:
            said = "no size" if size is None else str(size)
            raise TooLarge(f"expected a frame of at most {FRAME_BYTES_MAX} bytes, got one that states {said}")
        return decompress(data, FRAME_BYTES_MAX)
    except NotCompressed as error:
        raise InvalidOp(f"expected a compressed frame, got bytes that are not one: {error}") from None


def _read_segment(plain: object) -> Segment:
    match plain:
        case [
            bytes(device),
            bytes(incarnation),
            int(first),
            bytes() | None as prev,
            bytes(signature),
            vector,
        ] if (
            len(device) == DEVICE_ID_BYTES
            and len(incarnation) == INCARNATION_BYTES
            and type(first) is int  # not a boolean, which equals 1 and is hashed as something else
            and 1 <= first <= SEQ_MAX
            and (prev is None) == (first == 1)
            and (prev is None or len(prev) == OP_ID_BYTES)
            and len(signature) == SIGNATURE_BYTES
            and (vector is None or (isinstance(vector, list) and len(vector) <= HEADS_MAX))
        ):
            places = None if vector is None else tuple(read_place(place) for place in vector)
            previous = None if prev is None else OpId(prev)
            return Segment(Origin(DeviceId(device), incarnation), first, previous, signature, places)
    raise InvalidOp("expected a segment [device, incarnation, first seq, prev, signature, vector]")


def _build(
    segments: tuple[Segment, ...],
    segment_of: list[Any],
    kinds: list[Any],
    flags: list[Any],
    deltas: list[Any],
    has_rid: list[Any],
    rids: bytes,
    seen: dict[Any, Any],
    salts: bytes,
    bodies: list[Any],
    hashes: bytes,
) -> Frame:
    count = len(segment_of)
    if count > FRAME_OPS_MAX:
        raise TooLarge(f"expected at most {FRAME_OPS_MAX} ops in a frame, got {count}")
    if seen and not (set(map(type, seen)) == {int} and min(seen) >= 0 and max(seen) < count):
        raise InvalidOp(f"expected what was seen for ops 0 to {count - 1} of the frame")
    erased = bodies.count(None)
    for name, column, expected in (
        ("segment", segment_of, count),
        ("kind", kinds, count),
        ("flag", flags, count),
        ("stamp", deltas, count),
        ("rid", has_rid, count),
        ("body", bodies, count),
        ("rid byte", rids, MEMORY_ID_BYTES * sum(1 for has in has_rid if has is True)),
        ("salt byte", salts, SALT_BYTES * (count - erased)),
        ("hash byte", hashes, OP_ID_BYTES * erased),
    ):
        if len(column) != expected:
            raise InvalidOp(f"expected {expected} {name}s in the frame, got {len(column)}")
    _check_numbers("segment", segment_of, 0, len(segments) - 1)
    _check_numbers("kind", kinds, 1, _KIND_MAX)
    _check_numbers("flag", flags, 2, _KIND_MAX)
    _check_numbers("stamp", deltas, -HLC_MAX, HLC_MAX)
    if set(map(type, has_rid)) - {bool} or set(map(type, bodies)) - {bytes, type(None)}:
        raise InvalidOp("expected rid flags to be booleans and bodies to be bytes")
    hlcs = list(accumulate(deltas))
    if wrong := [hlc for hlc in (min(hlcs, default=1), max(hlcs, default=1)) if not 0 < hlc <= HLC_MAX]:
        raise InvalidOp(f"expected every stamp to be from 1 to {HLC_MAX}, got {wrong[0]}")
    if (longest := max(map(len, filter(None, bodies)), default=0)) > PAYLOAD_BYTES_MAX:
        raise TooLarge(f"expected a payload of at most {PAYLOAD_BYTES_MAX} bytes, got {longest}")
    ops: list[Op] = []
    origins = [segment.origin for segment in segments]
    seqs = [segment.first_seq for segment in segments]
    prevs = [segment.prev for segment in segments]
    named, salted, hashed = (
        _pieces(rids, MEMORY_ID_BYTES),
        _pieces(salts, SALT_BYTES),
        _pieces(hashes, OP_ID_BYTES),
    )
    names = [next(named) if has else None for has in has_rid]
    payloads = [None if body is None else next(salted) + body for body in bodies]
    digests = [next(hashed) if payload is None else payload_hash(payload) for payload in payloads]
    seens: Iterable[Any] = map(seen.get, range(count), repeat(())) if seen else repeat(())
    for at, kind, flag, hlc, rid, payload, digest, places in zip(
        segment_of, kinds, flags, hlcs, names, payloads, digests, seens, strict=False
    ):
        seq = seqs[at]
        op = op_from(origins[at], seq, prevs[at], hlc, places, kind, flag, rid, payload, digest)
        ops.append(op)
        seqs[at], prevs[at] = seq + 1, op.id
    if any(segment.first_seq == seq for segment, seq in zip(segments, seqs, strict=True)):
        raise InvalidOp("expected every segment to hold an op, got an empty one")
    return Frame(segments, tuple(ops), tuple(segment_of))


def op_from(
    origin: Origin,
    seq: int,
    prev: OpId | None,
    hlc: int,
    seen: object,
    kind: int,
    flag: int,
    rid: bytes | None,
    payload: bytes | None,
    digest: bytes,
) -> Op:
    """Return the op that a row of columns states, with its header built and hashed anew.

    `seen` is plain, and () where nothing is stated; `digest` is the payload's, which may be erased.
    """
    places = () if seen == () else _read_seen(seen)
    version, ends = flag >> 1, bool(flag & 1)
    op_id = header_hash(header(origin, seq, hlc, places, kind, version, ends, rid, prev, digest))
    return _tuple(Op, (origin, seq, hlc, places, kind, version, ends, rid, prev, digest, payload, op_id))


def _pieces(joined: bytes, size: int) -> Iterator[bytes]:
    """Return the equally long values that a column holds one after the other."""
    return (joined[at : at + size] for at in range(0, len(joined), size))


def _check_numbers(name: str, column: Sequence[Any], low: int, high: int) -> None:
    if column and (set(map(type, column)) != {int} or min(column) < low or max(column) > high):
        raise InvalidOp(f"expected every {name} to be a number from {low} to {high}")


def _read_seen(plain: object) -> tuple[OpRef, ...]:
    if not isinstance(plain, list) or not 0 < len(plain) <= SEEN_MAX:
        raise InvalidOp(f"expected from 1 to {SEEN_MAX} places seen")
    return tuple(read_place(place) for place in plain)
