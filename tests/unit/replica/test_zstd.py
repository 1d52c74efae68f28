"""One module knows zstd: what it says of a frame holds on every Python, whichever library is behind it."""

import pytest

from replica.zstd import NotCompressed, compress, decompress, stated_size

PLAIN = b"tea without milk " * 400


def test_what_is_packed_states_its_size_and_comes_back() -> None:
    packed = compress(PLAIN)
    assert len(packed) < len(PLAIN) / 10
    assert stated_size(packed) == len(PLAIN)
    assert decompress(packed, len(PLAIN)) == PLAIN
    assert decompress(compress(b""), 10) == b""


def test_what_stands_behind_the_first_frame_is_passed_over() -> None:
    skipped = b"\x50\x2a\x4d\x18" + (4).to_bytes(4, "little") + bytes(4)
    assert decompress(compress(PLAIN) + skipped, len(PLAIN)) == PLAIN


def test_nothing_unpacks_to_more_than_it_may() -> None:
    with pytest.raises(NotCompressed):
        decompress(compress(PLAIN), len(PLAIN) - 1)


@pytest.mark.parametrize("cut", [1, 5, 20])
def test_a_frame_that_is_cut_off_is_none(cut: int) -> None:
    packed = compress(PLAIN)
    with pytest.raises(NotCompressed):
        decompress(packed[:-cut], len(PLAIN))


@pytest.mark.parametrize("data", [b"", b"tea", b"\x28\xb5\x2f\xfd"])
def test_other_bytes_are_no_frame(data: bytes) -> None:
    with pytest.raises(NotCompressed):
        stated_size(data)
