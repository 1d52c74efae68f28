from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sync.code import PairingCode
from sync.errors import InvalidCode, SyncError
from sync.pairing import Introduction, Joiner, Offerer, PairingWindow
from tests.support.links import identity

LAPTOP, PHONE = identity("laptop"), identity("phone")


def pair_of_machines(seed: int) -> tuple[Joiner, Offerer]:
    random = Random(seed)
    window = PairingWindow(now_ms=0, entropy=random.randbytes)
    ours = Offerer(
        window,
        certificate=LAPTOP.certificate,
        introduction=Introduction("laptop"),
        entropy=random.randbytes,
    )
    theirs = Joiner(
        window.current(now_ms=0),
        certificate=PHONE.certificate,
        offerer=LAPTOP.certificate,
        introduction=Introduction("phone"),
        entropy=random.randbytes,
    )
    return theirs, ours


# cryptography says of a serial number that became negative what it thinks of it, and the signature says the rest.
@pytest.mark.filterwarnings("ignore:Parsed a serial number")
@example(stage=0, at=10_000, bit=7, seed=0)
@settings(max_examples=40)
@given(stage=st.integers(0, 3), at=st.integers(0, 10_000), bit=st.integers(0, 7), seed=st.integers(0, 3))
def test_one_flipped_bit_anywhere_pairs_nobody(stage: int, at: int, bit: int, seed: int) -> None:
    """Neither end takes the other for a member when any frame it depends on was touched."""
    theirs, ours = pair_of_machines(seed)

    def touched(number: int, frame: bytes) -> bytes:
        if number != stage:
            return frame
        changed = bytearray(frame)
        changed[at % len(frame)] ^= 1 << bit
        return bytes(changed)

    try:
        (reply,) = ours.receive(touched(0, theirs.start()), now_ms=0)
        (confirm,) = theirs.receive(touched(1, reply))
        (welcome,) = ours.receive(touched(2, confirm), now_ms=0)
        theirs.receive(touched(3, welcome))
    except SyncError:
        pass
    assert ours.paired is None
    assert theirs.paired is None


@settings(max_examples=60)
@given(
    frames=st.lists(st.binary(max_size=200), max_size=3),
    prefix=st.sampled_from([b"", b"\x01\x01", b"\x01\x02"]),
)
def test_noise_is_a_sync_error_and_never_another(frames: list[bytes], prefix: bytes) -> None:
    theirs, ours = pair_of_machines(1)
    for frame in frames:
        try:
            ours.receive(prefix + frame, now_ms=0)
        except SyncError:
            break
    for frame in frames:
        try:
            theirs.receive(prefix + frame)
        except SyncError:
            break
    assert ours.paired is None
    assert theirs.paired is None


@given(text=st.text(max_size=40))
def test_any_text_is_a_code_or_is_refused_as_one(text: str) -> None:
    try:
        code = PairingCode.parse(text)
    except InvalidCode:
        return
    assert PairingCode.parse(str(code)) == code
