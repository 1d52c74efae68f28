"""Two devices prove who they are inside a WebSocket, and talk in records after that."""

import pytest

from sync.errors import LimitExceeded, LocalProtocolError, RemoteProtocolError
from sync.web_hello import HELLO_BYTES_MAX, RECORD_BYTES_MAX, RECORD_DATA_BYTES_MAX
from tests.support.vectors import load
from tests.support.web_hellos import LAPTOP, MALLORY, PHONE, carried, channels, initiator, responder


def test_each_side_learns_who_is_at_the_other_end() -> None:
    caller, called = initiator(), responder()
    said = carried(caller, called)
    assert len(said) == 4
    assert max(map(len, said)) <= HELLO_BYTES_MAX
    assert caller.channel is not None
    assert called.channel is not None
    assert caller.channel.peer == LAPTOP.device_id
    assert called.channel.peer == PHONE.device_id
    assert called.channel.certificate == PHONE.certificate


def test_one_of_several_members_answers() -> None:
    caller = initiator(pins=[MALLORY, LAPTOP])
    carried(caller, responder(pins=[MALLORY, PHONE]))
    assert caller.channel is not None
    assert caller.channel.peer == LAPTOP.device_id


def test_what_is_said_comes_across_both_ways() -> None:
    phone, laptop = channels()
    for here, there in ((phone, laptop), (laptop, phone)):
        for data in (b"a", bytes(RECORD_DATA_BYTES_MAX), bytes(range(256)) * 1000):
            records = here.seal(data)
            assert max(map(len, records)) <= RECORD_BYTES_MAX
            assert b"".join(map(there.open, records)) == data
    assert phone.seal(b"") == []


def test_an_end_is_told_from_silence() -> None:
    phone, laptop = channels()
    (record,) = phone.seal(b"last")
    assert (laptop.open(record), laptop.ended) == (b"last", False)
    assert (laptop.open(phone.end()), laptop.ended) == (b"", True)
    with pytest.raises(RemoteProtocolError, match="nothing after the last record"):
        laptop.open(record)
    with pytest.raises(LocalProtocolError, match="nothing after the last record"):
        phone.seal(b"more")
    assert laptop.seal(b"the other way is open")


def test_two_links_share_no_key() -> None:
    assert channels(seed=1)[0].seal(b"same") != channels(seed=5)[0].seal(b"same")
    phone, laptop = channels()
    assert phone.seal(b"same") != laptop.seal(b"same")


def test_a_hello_that_is_over_takes_nothing_more() -> None:
    caller, called = initiator(), responder()
    said = carried(caller, called)
    for side in (caller, called):
        with pytest.raises(LocalProtocolError, match="give them to the channel"):
            side.receive(said[0])


@pytest.mark.parametrize("origin", ["", "https://" + "a" * 300])
def test_an_origin_is_named(origin: str) -> None:
    with pytest.raises(LimitExceeded, match="origin"):
        initiator(origin=origin)


def test_no_name_crosses_in_the_open() -> None:
    """Neither a certificate nor an id is to be read by whoever ends TLS before us."""
    said = b"".join(carried(initiator(), responder()))
    for device in (PHONE, LAPTOP):
        assert device.certificate not in said
        assert device.public_key not in said
        assert device.device_id.hex().encode() not in said


def test_the_vectors_are_what_this_side_reads() -> None:
    vectors = load("web-links")
    assert len(vectors["messages"]) == 4
    assert len(vectors["initiator_records"]) == 3
    assert len(vectors["responder_records"]) == 2
