"""What carrier files say besides the messages of a link: their header, and what writers had seen before.

A header names devices once, by eight bytes each, and what its maker held by their numbers. What the writers of ops had
seen is told by that: it is much the same, and would take more than the ops. So each member costs a file some thirty
bytes here and a box of 48 (`sync.carrier.sealing`).
"""

import hashlib
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from replica.codec import pack, unpack
from replica.errors import InvalidOp
from replica.frame import SEQ_MAX, Frame
from replica.frontier import Frontier
from replica.ids import DEVICE_ID_BYTES, ID8_BYTES, INCARNATION_BYTES, DeviceId, OpRef
from replica.limits import FRAME_BYTES_MAX, FRAME_OPS_MAX, PLACE_BYTES, SEEN_MAX
from sync.errors import RemoteProtocolError
from sync.wire.messages import CLOCK_MS_MAX

CONTEXT_1: Final = b"samemind carry 1\0"
CONTEXT_2: Final = b"samemind carry 2\0"
CONTEXT: Final = b"samemind carry 3\0"
# Devices are named by so much of their ids: as an op is, and for the same reason.
SHORT_BYTES: Final = ID8_BYTES
DIGEST_BYTES: Final = 16
_FORMAT: Final = 3
_FORMAT_2: Final = 2
# What a message of vectors begins with; those of a link begin with a number.
_VECTORS: Final = "seen"
VECTORS_BEGIN: Final = pack([_VECTORS, None])[:-1]
# As many places as a frame has room for: told by bits, they take next to none.
_VECTOR_PLACES_MAX: Final = FRAME_BYTES_MAX // PLACE_BYTES


class KnownState(NamedTuple):
    """What a device knows besides ops, in few bytes: two devices that know the same say the same."""

    erasures: int
    erased: bytes
    """Digest of which erasures these are."""
    group: bytes
    """Digest of who belongs to the group, who was revoked, and of the erasures."""


class FeedHead(NamedTuple):
    """The last op that the maker held of a feed: its device in short, the incarnation, and the op."""

    device: bytes
    incarnation: bytes
    seq: int
    id8: bytes


class Header(NamedTuple):
    """What a file says of itself. `readers` may open it, named in short; `folded`: its maker understood all it held."""

    maker: DeviceId
    made_ms: int
    readers: frozenset[bytes]
    known: KnownState
    tells_group: bool
    """Whether the file states the group and the erasures, as its maker knew them."""
    held: tuple[FeedHead, ...]
    folded: bool


class SeenOf(NamedTuple):
    """What a writer had seen, told by what the file's maker held: `same` has a bit for each of `Header.held`.

    `others` are places of the same feeds that are not the last one held: (index in `held`, seq, short id of the op).
    """

    same: int
    others: tuple[tuple[int, int, bytes], ...]


class Vectors(NamedTuple):
    """What the writer before each segment of the next frame had seen; None where the frame tells, or nobody knows."""

    vectors: tuple[SeenOf | None, ...]


def short(device: bytes) -> bytes:
    """Return a device's id as headers name it."""
    return device[:SHORT_BYTES]


def known_of(proofs: Iterable[bytes], members: Iterable[bytes], revocations: Iterable[bytes]) -> KnownState:
    """Return these ids of erasures, members and revocations in few bytes."""
    ids = sorted(proofs)
    group = pack([sorted(members), sorted(revocations), ids])
    erased = hashlib.sha256(pack(ids)).digest()
    return KnownState(len(ids), erased[:DIGEST_BYTES], hashlib.sha256(group).digest()[:DIGEST_BYTES])


def held_at(head: OpRef) -> FeedHead:
    """Return an op as headers name it."""
    return FeedHead(short(head.origin.device), head.origin.incarnation, head.seq, head.id8)


def less_vectors(header: Header, frame: Frame) -> tuple[Frame, Vectors]:
    """Return a frame without what writers had seen, and that told by what its maker holds: it is much the same."""
    at = {held: i for i, held in enumerate(header.held)}
    feeds = {(held.device, held.incarnation): i for i, held in enumerate(header.held)}
    segments, vectors = list(frame.segments), list[SeenOf | None]()
    for no, segment in enumerate(frame.segments):
        places = None if segment.vector is None else [held_at(place) for place in segment.vector]
        if places is None or any((each.device, each.incarnation) not in feeds for each in places):
            vectors.append(None)
            continue
        same = sum(1 << at[each] for each in places if each in at)
        others = [each for each in places if each not in at]
        named = tuple((feeds[each.device, each.incarnation], each.seq, each.id8) for each in others)
        vectors.append(SeenOf(same, named))
        segments[no] = segment._replace(vector=None)
    return frame._replace(segments=tuple(segments)), Vectors(tuple(vectors))


def encode_vectors(vectors: Vectors) -> bytes:
    plain = [
        None
        if each is None
        else [each.same.to_bytes(-(-each.same.bit_length() // 8), "little"), list(map(list, each.others))]
        for each in vectors.vectors
    ]
    return pack([_VECTORS, plain])


def read_vectors(data: bytes) -> Vectors:
    try:
        plain: Any = unpack(data)
        match plain:
            case [str(), list(vectors)] if len(vectors) <= FRAME_OPS_MAX:
                found = Vectors(tuple(None if each is None else _read_seen(each) for each in vectors))
                places = sum(each.same.bit_count() + len(each.others) for each in found.vectors if each)
                if places > _VECTOR_PLACES_MAX:
                    raise RemoteProtocolError(
                        f"expected writers to have seen at most {_VECTOR_PLACES_MAX} places, got {places}"
                    )
                return found
    except InvalidOp as error:
        raise RemoteProtocolError(f"expected what writers had seen: {error}") from error
    raise RemoteProtocolError("expected what writers had seen, got something else")


def _read_seen(plain: Any) -> SeenOf:
    match plain:
        case [bytes(bits), list(others)] if len(bits) <= SEEN_MAX // 8 + 1:
            return SeenOf(int.from_bytes(bits, "little"), tuple(map(_read_other, others)))
    raise InvalidOp("expected [bits, places] for each segment, got something else")


def _read_other(plain: Any) -> tuple[int, int, bytes]:
    match plain:
        case [int(at), int(seq), bytes(id8)] if (
            type(at) is type(seq) is int and at >= 0 and 0 < seq <= SEQ_MAX and len(id8) == ID8_BYTES
        ):
            return at, seq, id8
    raise InvalidOp("expected [index, seq, short id] for each place, got something else")


def vector_of(seen: SeenOf | None, held: list[OpRef | None]) -> tuple[OpRef, ...] | None:
    """Return what a writer had seen as places; None where it names somebody who is unknown here."""
    if seen is None:
        return None
    highest = max([seen.same.bit_length(), *(at + 1 for at, _, _ in seen.others)])
    if highest > len(held):
        raise InvalidOp(f"expected places of {len(held)} feeds that a writer had seen, got number {highest}")
    places = [held[i] for i in range(seen.same.bit_length()) if seen.same >> i & 1]
    for at, seq, id8 in seen.others:
        place = held[at]
        places.append(None if place is None else OpRef(place.origin, seq, id8))
    known = tuple(each for each in places if each is not None)
    return known if len(known) == len(places) else None


def encode_header(header: Header) -> bytes:
    """Return a header's bytes."""
    devices = sorted(header.readers) + sorted({each.device for each in header.held} - header.readers)
    number = {device: i for i, device in enumerate(devices)}
    held = header.held
    return pack(
        [
            _FORMAT,
            header.maker,
            header.made_ms,
            len(header.readers),
            b"".join(devices),
            list(header.known),
            header.tells_group,
            [
                [number[each.device] for each in held],
                b"".join(each.incarnation for each in held),
                [each.seq for each in held],
                b"".join(each.id8 for each in held),
            ],
            header.folded,
        ]
    )


def read_header(data: bytes) -> tuple[Header, bytes]:
    """Return a header, and in what context a file with such a header is signed."""
    try:
        plain: Any = unpack(data)
        match plain:
            case [int(version), *_]:
                return _read_header_2(plain), CONTEXT_2 if version == _FORMAT_2 else CONTEXT
            case [bytes(), *_]:
                return _read_header_1(plain), CONTEXT_1
    except InvalidOp as error:
        raise RemoteProtocolError(f"expected the header of a file: {error}") from error
    raise _no_header()


def _no_header() -> RemoteProtocolError:
    return RemoteProtocolError("expected the header of a file, got something else")


def _read_header_2(plain: list[Any]) -> Header:
    """Read a header of the second or the third format, which differ in how they tell what was held."""
    match plain:
        case [int(version), *_] if version not in (_FORMAT_2, _FORMAT):
            raise RemoteProtocolError(
                f"expected the header of a file of format {_FORMAT}, got format {version}: upgrade samemind"
            )
        case [
            int(version),
            bytes(maker),
            int(made_ms),
            int(readers),
            bytes(devices),
            [int(erasures), bytes(erased), bytes(group)],
            bool(tells_group),
            list(held),
            bool(folded),
        ] if (
            len(maker) == DEVICE_ID_BYTES
            and len(devices) % SHORT_BYTES == 0
            and type(readers) is type(erasures) is int
            and erasures >= 0
            and 0 <= readers * SHORT_BYTES <= len(devices)
            and len(erased) == len(group) == DIGEST_BYTES
            and type(made_ms) is int
            and 0 <= made_ms <= CLOCK_MS_MAX
        ):
            shorts = [devices[i : i + SHORT_BYTES] for i in range(0, len(devices), SHORT_BYTES)]
            rows = held if version == _FORMAT_2 else _rows(held)
            if len(rows) > SEEN_MAX:
                raise _no_header()
            return Header(
                DeviceId(maker),
                made_ms,
                frozenset(shorts[:readers]),
                KnownState(erasures, erased, group),
                tells_group,
                tuple(_read_held(each, shorts) for each in rows),
                folded,
            )
    raise _no_header()


def _rows(columns: list[Any]) -> list[list[Any]]:
    """Return what was held a feed at a time, as the second format tells it."""
    match columns:
        case [list(devices), bytes(incarnations), list(seqs), bytes(ids)] if (
            len(devices) == len(seqs)
            and len(incarnations) == len(devices) * INCARNATION_BYTES
            and len(ids) == len(devices) * ID8_BYTES
        ):
            return [
                [device, _at(incarnations, i, INCARNATION_BYTES), seq, _at(ids, i, ID8_BYTES)]
                for i, (device, seq) in enumerate(zip(devices, seqs, strict=True))
            ]
    raise _no_header()


def _at(data: bytes, number: int, size: int) -> bytes:
    return data[number * size : (number + 1) * size]


def _read_held(plain: Any, shorts: list[bytes]) -> FeedHead:
    match plain:
        case [int(device), bytes(incarnation), int(seq), bytes(id8)] if (
            0 <= device < len(shorts)
            and len(incarnation) == INCARNATION_BYTES
            and len(id8) == ID8_BYTES
            and type(seq) is int
            and 0 < seq <= SEQ_MAX
            and type(device) is int
        ):
            return FeedHead(shorts[device], incarnation, seq, id8)
    raise RemoteProtocolError("expected a header to say what its maker held, got something else")


def _read_header_1(plain: list[Any]) -> Header:
    match plain:
        case [
            bytes(maker),
            int(made_ms),
            list(readers),
            list(proofs),
            _,
            covers,
            bool(folded),
        ] if (
            len(maker) == DEVICE_ID_BYTES
            and type(made_ms) is int
            and 0 <= made_ms <= CLOCK_MS_MAX
            and all(isinstance(each, bytes) for each in (*readers, *proofs))
        ):
            return Header(
                DeviceId(maker),
                made_ms,
                frozenset(map(short, readers)),
                known_of(proofs, (), ()),
                True,
                tuple(map(held_at, Frontier.read(covers).heads)),
                folded,
            )
    raise _no_header()
