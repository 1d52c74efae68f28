import time

import pytest

from sync.errors import LimitExceeded, LocalProtocolError, RemoteProtocolError
from sync.wire.frames import FrameReader, encode_frame
from sync.wire.limits import FRAME_BYTES_MAX


def test_a_frame_is_four_bytes_of_length_and_the_body() -> None:
    assert encode_frame(b"abc") == b"\x00\x00\x00\x03abc"
    assert FrameReader().feed(b"\x00\x00\x00\x03abc") == [b"abc"]


def test_an_empty_frame_is_a_frame() -> None:
    assert FrameReader().feed(encode_frame(b"")) == [b""]


def test_a_frame_of_the_limit_passes_and_one_byte_more_does_not() -> None:
    reader = FrameReader(frame_bytes_max=8)
    assert reader.feed(encode_frame(b"12345678")) == [b"12345678"]
    with pytest.raises(LimitExceeded, match="at most 8 bytes, the peer announced 9"):
        reader.feed((9).to_bytes(4, "big"))


def test_an_oversized_frame_is_refused_by_its_length_alone() -> None:
    with pytest.raises(LimitExceeded):
        FrameReader().feed(b"\xff\xff\xff\xff")


def test_our_own_oversized_frame_is_our_fault() -> None:
    with pytest.raises(LocalProtocolError, match=str(FRAME_BYTES_MAX)):
        encode_frame(bytes(FRAME_BYTES_MAX + 1))


@pytest.mark.parametrize("cut", [1, 3, 4, 6])
def test_a_stream_that_ends_inside_a_frame_is_the_peers_fault(cut: int) -> None:
    reader = FrameReader()
    assert reader.feed(encode_frame(b"abc")[:cut]) == []
    with pytest.raises(RemoteProtocolError, match=f"{cut} bytes into one"):
        reader.eof()


def test_a_stream_that_ends_between_frames_is_fine() -> None:
    reader = FrameReader()
    reader.eof()
    reader.feed(encode_frame(b"abc"))
    reader.eof()


def test_many_small_frames_in_one_feed_are_linear_work() -> None:
    """Quadratic cutting of 300,000 frames would take minutes; this is judged by ratio, not by time."""

    def cost(count: int) -> float:
        data = encode_frame(b"x") * count
        started = time.process_time()
        assert len(FrameReader().feed(data)) == count
        return time.process_time() - started

    assert cost(300_000) < 60 * max(cost(15_000), 0.002)


def test_a_frame_that_arrives_in_crumbs_is_linear_work() -> None:
    reader = FrameReader()
    body = bytes(300_000)
    data = encode_frame(body)
    started = time.process_time()
    frames = [frame for at in range(0, len(data), 3) for frame in reader.feed(data[at : at + 3])]
    assert frames == [body]
    assert time.process_time() - started < 5  # quadratic copying would move 15 GB
