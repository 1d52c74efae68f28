"""What a carrier file says of itself, read back, and at each of its bounds."""

from collections.abc import Callable
from typing import Any

import pytest

from replica.codec import pack, unpack
from replica.frame import SEQ_MAX, Frame, Segment
from replica.ids import DeviceId, OpRef, Origin
from replica.limits import FRAME_OPS_MAX, SEEN_MAX
from sync.carrier.header import (
    _VECTOR_PLACES_MAX,
    CONTEXT,
    CONTEXT_1,
    CONTEXT_2,
    FeedHead,
    Header,
    KnownState,
    SeenOf,
    Vectors,
    encode_header,
    encode_vectors,
    held_at,
    known_of,
    less_vectors,
    read_header,
    read_vectors,
    short,
    vector_of,
)
from sync.errors import RemoteProtocolError
from sync.wire.messages import CLOCK_MS_MAX

ANN, BOB, EVE = (DeviceId(each * 32) for each in (b"a", b"b", b"e"))


def place(device: DeviceId, seq: int, id8: bytes = bytes(8)) -> OpRef:
    return OpRef(Origin(device, b"incarnat"), seq, id8)


HEADS = (place(ANN, 3), place(BOB, SEQ_MAX))
HEADER = Header(
    ANN,
    CLOCK_MS_MAX,
    frozenset({short(ANN), short(EVE)}),
    KnownState(0, bytes(16), bytes(range(16))),
    True,
    tuple(map(held_at, HEADS)),
    False,
)
# Where things stand in a packed header.
FORMAT, MAKER, MADE, READERS, DEVICES, KNOWN, TELLS, HELD, FOLDED = range(9)


def test_a_header_is_read_as_it_was_written() -> None:
    assert read_header(encode_header(HEADER)) == (HEADER, CONTEXT)
    others = HEADER._replace(
        made_ms=0, held=(), readers=frozenset(), known=HEADER.known._replace(erasures=7), folded=True
    )
    assert read_header(encode_header(others)) == (others, CONTEXT)


def test_headers_of_older_formats_are_read_and_have_contexts_of_their_own() -> None:
    plain = unpack(encode_header(HEADER))
    devices = [plain[DEVICES][i : i + 8] for i in range(0, len(plain[DEVICES]), 8)]
    rows = [[devices.index(each.device), each.incarnation, each.seq, each.id8] for each in HEADER.held]
    second = [2, *plain[MAKER:HELD], rows, plain[FOLDED]]
    assert read_header(pack(second)) == (HEADER, CONTEXT_2)
    first = [ANN, 5, [ANN, EVE], [b"proof"], None, [], True]
    read, context = read_header(pack(first))
    assert context == CONTEXT_1
    assert (read.maker, read.made_ms, read.folded, read.tells_group) == (ANN, 5, True, True)
    assert read.readers == {short(ANN), short(EVE)}
    assert read.known == known_of([b"proof"], (), ())
    for at, odd in ((0, ANN[1:]), (1, -1), (1, CLOCK_MS_MAX + 1), (1, True), (2, [1]), (3, [1]), (6, 1)):
        with pytest.raises(RemoteProtocolError):
            read_header(pack([*first[:at], odd, *first[at + 1 :]]))
    for made_ms in (0, CLOCK_MS_MAX):
        assert read_header(pack([ANN, made_ms, *first[2:]]))[0].made_ms == made_ms


@pytest.mark.parametrize(
    ("at", "change"),
    [
        (FORMAT, lambda was: 4),
        (FORMAT, lambda was: 1),
        (MAKER, lambda was: was[1:]),
        (MADE, lambda was: was + 1),
        (MADE, lambda was: -1),
        (MADE, lambda was: True),
        (READERS, lambda was: -1),
        (READERS, lambda was: 4),
        (READERS, lambda was: True),
        (DEVICES, lambda was: was[1:]),
        (KNOWN, lambda was: [-1, *was[1:]]),
        (KNOWN, lambda was: [True, *was[1:]]),
        (KNOWN, lambda was: [0, was[1][1:], was[2]]),
        (KNOWN, lambda was: [0, was[1], was[2][1:]]),
        (TELLS, lambda was: 1),
        (FOLDED, lambda was: 0),
        (HELD, lambda was: [was[0][1:], *was[1:]]),
        (HELD, lambda was: [was[0], was[1][1:], *was[2:]]),
        (HELD, lambda was: [*was[:2], was[2][1:], was[3]]),
        (HELD, lambda was: [*was[:3], was[3][1:]]),
        (HELD, lambda was: [[3, 0], *was[1:]]),
        (HELD, lambda was: [[-1, 0], *was[1:]]),
        (HELD, lambda was: [[True, 0], *was[1:]]),
        (HELD, lambda was: [*was[:2], [0, 1], was[3]]),
        (HELD, lambda was: [*was[:2], [True, 1], was[3]]),
        (HELD, lambda was: [*was[:2], [SEQ_MAX + 1, 1], was[3]]),
        (HELD, lambda was: [[0] * (n := SEEN_MAX + 1), bytes(8 * n), [1] * n, bytes(8 * n)]),
    ],
)
def test_a_header_with_one_thing_out_of_its_bounds_is_refused(at: int, change: Callable[[Any], Any]) -> None:
    plain = unpack(encode_header(HEADER))
    with pytest.raises(RemoteProtocolError, match="header"):
        read_header(pack([*plain[:at], change(plain[at]), *plain[at + 1 :]]))


def test_a_header_may_name_as_many_feeds_as_a_writer_may_have_seen() -> None:
    plain = unpack(encode_header(HEADER))
    plain[HELD] = [[0] * SEEN_MAX, bytes(8 * SEEN_MAX), [1] * SEEN_MAX, bytes(8 * SEEN_MAX)]
    read, _ = read_header(pack(plain))
    assert len(read.held) == SEEN_MAX
    assert read.held[-1] == FeedHead(min(HEADER.readers), bytes(8), 1, bytes(8))


@pytest.mark.parametrize("plain", [[], {}, [None], "text"])
def test_what_is_no_header_is_refused(plain: Any) -> None:
    with pytest.raises(RemoteProtocolError):
        read_header(pack(plain))


def test_what_writers_had_seen_comes_back_from_what_the_maker_held() -> None:
    """Heads as bits, other places of the same feeds by name; of a feed that is not held nothing is told."""
    seen = ((HEADS[0],), (place(ANN, 2), HEADS[1]), (place(ANN, 1), place(BOB, 7, b"other-op")), ())
    vectors = (*seen, (place(EVE, 1),), (HEADS[0], place(EVE, 1)), None)
    segments = tuple(Segment(Origin(ANN, b"incarnat"), 1, None, b"", vector) for vector in vectors)
    frame, less = less_vectors(HEADER, Frame(segments, (), ()))
    assert [each.vector for each in frame.segments] == [None, None, None, None, *vectors[4:]]
    assert less.vectors[4:] == (None, None, None)
    assert less.vectors[0] == SeenOf(0b01, ())
    assert less.vectors[1] == SeenOf(0b10, ((0, 2, bytes(8)),))
    read = read_vectors(encode_vectors(less))
    assert read == less
    back = [vector_of(each, list(HEADS)) for each in read.vectors[:4]]
    assert [set(each or ()) for each in back] == list(map(set, seen))


def test_what_writers_had_seen_is_read_up_to_its_bounds_and_no_further() -> None:
    def read(vectors: list[Any]) -> Vectors:
        return read_vectors(pack(["seen", vectors]))

    widest = b"\xff" * (SEEN_MAX // 8 + 1)
    for good in (
        [None] * FRAME_OPS_MAX,
        [[widest, []]],
        [[b"", [[0, 1, bytes(8)], [0, SEQ_MAX, bytes(8)]]]],
        [[b"", [[0, 1, bytes(8)]] * _VECTOR_PLACES_MAX]],
    ):
        assert len(read(good).vectors) == len(good)
    for bad in (
        [None] * (FRAME_OPS_MAX + 1),
        [[widest + b"\0", []]],
        [[b"", [[0, 0, bytes(8)]]]],
        [[b"", [[0, True, bytes(8)]]]],
        [[b"", [[0, SEQ_MAX + 1, bytes(8)]]]],
        [[b"", [[-1, 1, bytes(8)]]]],
        [[b"\1", [[0, 1, bytes(8)]] * _VECTOR_PLACES_MAX]],
    ):
        with pytest.raises(RemoteProtocolError):
            read(bad)


def test_who_knows_the_same_says_the_same_in_whatever_order() -> None:
    known = known_of([b"2", b"1"], [b"m"], [b"r"])
    assert known == known_of([b"1", b"2"], [b"m"], [b"r"])
    assert known.erasures == 2
    assert len(known.erased) == len(known.group) == 16
    assert known_of([b"1"], [b"m"], [b"r"]).erased != known.erased
    for members, revocations in (([], [b"r"]), ([b"m"], []), ([b"r"], [b"m"])):
        other = known_of([b"2", b"1"], members, revocations)
        assert (other.erased == known.erased, other.group == known.group) == (True, False)
