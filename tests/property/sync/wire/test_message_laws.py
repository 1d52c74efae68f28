"""Every message survives the wire, and no bytes are taken for a message that they are not."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from replica import DeviceId, OpRef, Origin
from replica.alongside import Wish
from replica.codec import pack
from replica.frontier import Frontier
from replica.limits import FRAME_OPS_MAX
from replica.membership import introduce, revoke
from sync.errors import RemoteProtocolError
from sync.wire.messages import (
    BASE_PARTS_MAX,
    CLOCK_MS_MAX,
    FOUND_MAX,
    PROTOCOL,
    Ack,
    Base,
    Bye,
    CaughtUp,
    Findings,
    Grant,
    Heads,
    Hello,
    Inquiry,
    Known,
    Locator,
    Message,
    Ops,
    Refused,
    Trust,
    Want,
    decode_message,
    encode_message,
    is_alongside,
)
from tests.support.links import identity

origins = st.builds(
    Origin, st.binary(min_size=32, max_size=32).map(DeviceId), st.binary(min_size=8, max_size=8)
)
seqs = st.integers(1, 2**53)
places = st.builds(OpRef, origins, seqs, st.binary(min_size=8, max_size=8))
grouped = st.lists(places, max_size=5, unique=True).map(
    lambda found: tuple(sorted(found, key=lambda place: place.origin))
)
hashes = st.binary(min_size=32, max_size=32)
wishes = st.builds(Wish, st.binary(min_size=16, max_size=16), st.binary(min_size=16, max_size=16))
reasons = st.text(max_size=300)
refused = st.builds(Refused, origins, seqs, reasons, st.booleans())

LAPTOP, PHONE = identity("laptop"), identity("phone")
MEMBER = introduce(
    LAPTOP.sign,
    LAPTOP.device_id,
    public_key=PHONE.public_key,
    certificate=PHONE.certificate,
    name="phone",
)
REVOCATION = revoke(LAPTOP.sign, LAPTOP.device_id, PHONE.device_id)

messages: st.SearchStrategy[Message] = st.one_of(
    st.builds(
        Hello,
        st.just(PROTOCOL),
        st.integers(0, CLOCK_MS_MAX),
        hashes,
        hashes,
        st.booleans(),
        st.integers(1, 1000),
        st.none() | hashes,
    ),
    st.builds(
        Trust,
        st.just(()) | st.just((MEMBER,)),
        st.just(()) | st.just((REVOCATION,)),
        st.just(()),
        st.booleans(),
    ),
    st.builds(Heads, st.lists(places, max_size=5).map(Frontier.of)),
    st.builds(Heads, st.lists(places, max_size=5).map(Frontier.of), hashes, st.integers(1, BASE_PARTS_MAX)),
    st.builds(Base, st.binary(max_size=100), st.integers(0, 9), st.integers(10, BASE_PARTS_MAX), hashes),
    st.builds(Locator, grouped),
    st.builds(Known, grouped),
    st.builds(Ops, st.binary(max_size=100), st.booleans()),
    st.builds(Ack, st.integers(0, FRAME_OPS_MAX), st.lists(refused, max_size=3).map(tuple)),
    st.builds(CaughtUp),
    st.builds(Bye, reasons),
    st.builds(Want, st.lists(wishes, min_size=1, max_size=5).map(tuple)),
    st.builds(Grant, st.lists(st.none() | st.binary(max_size=40), min_size=1, max_size=5).map(tuple)),
    st.builds(Inquiry, st.text(min_size=1, max_size=40), st.integers(1, FOUND_MAX)),
    st.builds(Findings, st.none() | st.lists(st.binary(min_size=16, max_size=16), max_size=5).map(tuple)),
)


@given(messages)
def test_a_message_survives_the_wire(message: Message) -> None:
    assert decode_message(encode_message(message)) == message
    assert is_alongside(encode_message(message)) == isinstance(message, Want | Grant | Inquiry | Findings)


def check(data: bytes) -> None:
    try:
        message = decode_message(data)
    except RemoteProtocolError:
        return
    assert encode_message(message) == data


@given(st.binary(max_size=200))
@example(b"")
@example(b"\xc1")
@example(b"\x91" * 3000)
def test_any_bytes_are_refused_or_are_the_one_spelling_of_a_message(data: bytes) -> None:
    check(data)


plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats()
    | st.text(max_size=8)
    | st.binary(),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)


@given(st.integers(0, 20), st.lists(plain, max_size=7))
def test_any_values_in_place_of_a_message_are_refused_or_are_one(number: int, rest: list[object]) -> None:
    check(pack([number, *rest]))


@given(messages, st.data())
def test_a_damaged_message_is_refused_or_is_another(message: Message, data: st.DataObject) -> None:
    whole = bytearray(encode_message(message))
    at = data.draw(st.integers(0, len(whole) - 1))
    whole[at] ^= data.draw(st.integers(1, 255))
    check(bytes(whole))


def test_a_peer_of_another_protocol_is_told_that_one_of_the_two_needs_an_upgrade() -> None:
    with pytest.raises(RemoteProtocolError, match="needs an upgrade"):
        decode_message(pack([1, PROTOCOL + 1, "whatever"]))
