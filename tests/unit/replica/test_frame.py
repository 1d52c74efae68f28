from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from replica.codec import pack, unpack
from replica.errors import InvalidOp, TooLarge
from replica.frame import Frame, decode_frame, encode_frame
from replica.hlc import HLC_MAX
from replica.ids import MemoryId
from replica.limits import FRAME_BYTES_MAX, FRAME_OPS_MAX, PAYLOAD_BYTES_MAX
from replica.ops import Forget, Op, Remember
from tests.support.replicas import Hand, frame_of_segments

RID = MemoryId(b"r" * 16)
FORMAT, SEGMENTS, SEGMENT_OF, KINDS, FLAGS, STAMPS, HAS_RID, RIDS, SEEN, SALTS, BODIES, HASHES = range(12)


def example() -> Frame:
    """Two feeds; one saw the other, one op has no rid, and one has lost its payload."""
    ann, ben = Hand("ann"), Hand("ben")
    one = ann.write(Remember("one", {"importance": 0.5}), RID, ends=False)
    two = ann.write(Remember("two", {}), MemoryId(b"s" * 16))
    three = ben.write(Forget((RID,)), seen=[two.place])
    erased = ben.write(Remember("gone", {}), RID)._replace(payload=None)
    return frame_of_segments(
        (ann.segment(one, two), [one, two]), (ben.segment(three, erased), [three, erased])
    )


def columns(frame: Frame) -> list[Any]:
    plain = unpack(zstandard.decompress(encode_frame(frame)))
    assert isinstance(plain, list)
    return plain


def packed(plain: Any) -> bytes:
    return zstandard.compress(pack(plain))


def test_a_frame_comes_back_with_every_id_computed_anew() -> None:
    frame = example()
    assert decode_frame(encode_frame(frame)) == frame


def test_two_threads_may_make_and_read_frames_at_once() -> None:
    """Devices of one process each have a thread; a shared compressor ended the process, or mixed their bytes."""
    frames = []
    for name in ("ann", "ben", "eve", "zoe"):
        hand = Hand(name)
        ops = [hand.write(Remember(f"{name} {n} " * 20, {}), MemoryId(b"r" * 16)) for n in range(300)]
        frames.append(frame_of_segments((hand.segment(*ops), ops)))
    with ThreadPoolExecutor(len(frames)) as pool:
        for frame, data in zip(frames * 40, pool.map(encode_frame, frames * 40), strict=True):
            assert data == encode_frame(frame)
        for frame, read in zip(frames, pool.map(decode_frame, map(encode_frame, frames)), strict=True):
            assert read == frame


def test_what_the_receiver_can_compute_is_not_sent() -> None:
    frame = example()
    sent: bytes = zstandard.decompress(encode_frame(frame))
    for op in frame.ops:
        assert sent.find(op.id) < 0
        assert (op.payload_hash in sent) == (op.payload is None)


def test_only_the_first_header_names_what_came_before() -> None:
    hand = Hand("ann")
    hand.write(Remember("before", {}), RID)
    before = hand.prev
    frame = hand.frame(hand.write(Remember("one", {}), RID), hand.write(Remember("two", {}), RID))
    assert before is not None
    again = decode_frame(encode_frame(frame))
    assert [op.prev for op in again.ops] == [before, again.ops[0].id]
    assert [op.seq for op in again.ops] == [2, 3]


def changed(at: int, change: Callable[[Any], Any]) -> bytes:
    plain = columns(example())
    plain[at] = change(plain[at])
    return packed(plain)


WRONG: dict[str, tuple[int, Callable[[Any], Any]]] = {
    "a later format": (FORMAT, lambda _: 2),
    "a format that is no number": (FORMAT, lambda _: "1"),
    "segments that are no list": (SEGMENTS, lambda _: {}),
    "a segment too few": (SEGMENTS, lambda it: it[:1]),
    "a segment that no op belongs to": (SEGMENTS, lambda it: [*it, it[0]]),
    "a short device": (SEGMENTS, lambda it: [[it[0][0][1:], *it[0][1:]], it[1]]),
    "a short incarnation": (SEGMENTS, lambda it: [[it[0][0], b"", *it[0][2:]], it[1]]),
    "a seq of none": (SEGMENTS, lambda it: [[*it[0][:2], 0, *it[0][3:]], it[1]]),
    "a seq that is a boolean": (SEGMENTS, lambda it: [[*it[0][:2], True, *it[0][3:]], it[1]]),
    "a seq beyond any chain": (SEGMENTS, lambda it: [[*it[0][:2], 2**53 + 1, b"p" * 32, *it[0][4:]], it[1]]),
    "a first op with a predecessor": (SEGMENTS, lambda it: [[*it[0][:3], b"p" * 32, *it[0][4:]], it[1]]),
    "a later op without one": (SEGMENTS, lambda it: [[*it[0][:2], 2, None, *it[0][4:]], it[1]]),
    "a short predecessor": (SEGMENTS, lambda it: [[*it[0][:2], 2, b"p" * 31, *it[0][4:]], it[1]]),
    "a short signature": (SEGMENTS, lambda it: [[*it[0][:4], it[0][4][1:], None], it[1]]),
    "a vector of something else": (SEGMENTS, lambda it: [[*it[0][:5], [1]], it[1]]),
    "a vector that is no list": (SEGMENTS, lambda it: [[*it[0][:5], 1], it[1]]),
    "a segment that is not there": (SEGMENT_OF, lambda it: [2, *it[1:]]),
    "a segment below none": (SEGMENT_OF, lambda it: [-1, *it[1:]]),
    "segments in a column too short": (SEGMENT_OF, lambda it: it[1:]),
    "no ops": (SEGMENT_OF, lambda _: []),
    "a kind of none": (KINDS, lambda it: [0, *it[1:]]),
    "a kind beyond all": (KINDS, lambda it: [2**16 + 1, *it[1:]]),
    "a kind that is a boolean": (KINDS, lambda it: [True, *it[1:]]),
    "a kind too few": (KINDS, lambda it: it[1:]),
    "a version of none": (FLAGS, lambda it: [1, *it[1:]]),
    "a flag that is a float": (FLAGS, lambda it: [2.0, *it[1:]]),
    "a flag too many": (FLAGS, lambda it: [*it, 2]),
    "a stamp of none": (STAMPS, lambda it: [0, *it[1:]]),
    "a stamp before none": (STAMPS, lambda it: [-1, *it[1:]]),
    "a stamp beyond all": (STAMPS, lambda it: [HLC_MAX, *it[1:]]),
    "a step beyond all": (STAMPS, lambda it: [HLC_MAX + 1, *it[1:]]),
    "a rid flag that is a number": (HAS_RID, lambda it: [1, *it[1:]]),
    "a rid too few": (RIDS, lambda it: it[16:]),
    "a rid cut short": (RIDS, lambda it: it[:-1]),
    "rids that are text": (RIDS, lambda it: "r" * len(it)),
    "seen that is a list": (SEEN, lambda _: []),
    "seen of nothing": (SEEN, lambda _: {0: []}),
    "seen of something else": (SEEN, lambda _: {0: [1]}),
    "seen that is no list": (SEEN, lambda _: {0: 1}),
    "a salt too few": (SALTS, lambda it: it[16:]),
    "a salt too many": (SALTS, lambda it: it + bytes(16)),
    "a body that is text": (BODIES, lambda it: ["a", *it[1:]]),
    "a body too large": (BODIES, lambda it: [bytes(PAYLOAD_BYTES_MAX + 1), *it[1:]]),
    "a hash too few": (HASHES, lambda _: b""),
    "a hash too many": (HASHES, lambda it: it + bytes(32)),
}


@pytest.mark.parametrize(("at", "change"), WRONG.values(), ids=WRONG.keys())
def test_a_malformed_frame_is_refused(at: int, change: Callable[[Any], Any]) -> None:
    with pytest.raises(InvalidOp, match="expected"):
        decode_frame(changed(at, change))


@pytest.mark.parametrize("plain", [[], [1], [1] * 12, [1] * 13, {}, None, b"", [[], *[1] * 11]])
def test_what_has_not_twelve_columns_is_no_frame(plain: Any) -> None:
    with pytest.raises(InvalidOp, match="expected"):
        decode_frame(packed(plain))


def test_more_ops_than_a_frame_may_hold_are_refused() -> None:
    plain = columns(example())
    plain[SEGMENT_OF] = [0] * (FRAME_OPS_MAX + 1)
    with pytest.raises(TooLarge, match="at most 20000 ops"):
        decode_frame(packed(plain))


@pytest.mark.parametrize("data", [b"", b"no frame", zstandard.compress(b"\xc1"), zstandard.compress(b"")])
def test_bytes_that_are_no_frame_are_refused(data: bytes) -> None:
    with pytest.raises(InvalidOp, match="expected"):
        decode_frame(data)


def test_a_bomb_is_refused_by_what_it_states_before_anything_is_unpacked() -> None:
    bomb = zstandard.compress(bytes(FRAME_BYTES_MAX + 1))
    assert len(bomb) < 10_000
    with pytest.raises(TooLarge, match="one that states"):
        decode_frame(bomb)


def test_a_bomb_that_does_not_state_its_size_is_refused() -> None:
    silent = zstandard.ZstdCompressor(write_content_size=False).compress(bytes(1000))
    with pytest.raises(InvalidOp):
        decode_frame(silent)


def test_a_bomb_that_states_less_than_it_holds_is_refused() -> None:
    honest = bytearray(zstandard.ZstdCompressor(write_checksum=False).compress(bytes(300)))
    assert honest[4] & 0b1100_0000 == 0b0100_0000, "the size is stated in two bytes"
    honest[5:7] = (1).to_bytes(2, "little")
    with pytest.raises(InvalidOp):
        decode_frame(bytes(honest))


@given(data=st.data())
def test_a_frame_with_bytes_changed_is_refused_or_is_another_frame_with_other_ids(
    data: st.DataObject,
) -> None:
    """A changed byte is never read as what was there: it shows in an id, a signature or a segment."""
    plain = bytearray(zstandard.decompress(encode_frame(example())))
    for _ in range(data.draw(st.integers(1, 3))):
        plain[data.draw(st.integers(0, len(plain) - 1))] = data.draw(st.integers(0, 255))
    try:
        frame = decode_frame(zstandard.compress(bytes(plain)))
    except InvalidOp:
        return
    assert decode_frame(encode_frame(frame)) == frame
    if unpack(bytes(plain)) != columns(example()):
        assert frame != example() or columns(frame) != unpack(bytes(plain))


@given(data=st.binary(max_size=200))
def test_arbitrary_columns_never_raise_anything_else(data: bytes) -> None:
    try:
        decode_frame(zstandard.compress(b"\x9c\x01" + data))
    except InvalidOp:
        pass


@given(
    kinds=st.lists(
        st.tuples(st.integers(1, 2**16), st.integers(1, 2**15 - 1), st.booleans()), min_size=1, max_size=9
    )
)
def test_kinds_and_versions_from_the_future_travel_as_they_came(kinds: list[tuple[int, int, bool]]) -> None:
    hand = Hand("ann")
    written: list[Op] = [
        hand.write(kind=kind, version=version, ends=ends, plain=b"\xc1 nobody reads this")
        for kind, version, ends in kinds
    ]
    frame = hand.frame(*written)
    assert decode_frame(encode_frame(frame)) == frame
