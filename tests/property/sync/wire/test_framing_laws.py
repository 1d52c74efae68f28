import itertools

from hypothesis import given
from hypothesis import strategies as st

from sync.errors import LimitExceeded, RemoteProtocolError
from sync.wire.frames import FrameReader, encode_frame


@given(bodies=st.lists(st.binary(max_size=40)), cuts=st.lists(st.integers(0, 2000)))
def test_frames_come_out_as_they_went_in_however_the_stream_is_cut(
    bodies: list[bytes], cuts: list[int]
) -> None:
    stream = b"".join(map(encode_frame, bodies))
    edges = sorted({0, len(stream), *(cut for cut in cuts if cut < len(stream))})
    reader = FrameReader()
    found = [frame for start, end in itertools.pairwise(edges) for frame in reader.feed(stream[start:end])]
    assert found == bodies
    reader.eof()


@given(noise=st.binary(max_size=300), limit=st.integers(0, 64))
def test_noise_is_refused_or_cut_into_frames_that_encode_back(noise: bytes, limit: int) -> None:
    reader = FrameReader(frame_bytes_max=limit)
    try:
        frames = reader.feed(noise)
    except LimitExceeded:
        return
    assert all(len(frame) <= limit for frame in frames)
    again = b"".join(map(encode_frame, frames))
    assert noise.startswith(again)
    try:
        reader.eof()
    except RemoteProtocolError:
        assert len(again) < len(noise)
    else:
        assert again == noise
