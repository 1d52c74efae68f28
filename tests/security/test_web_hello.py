"""What somebody in the middle, or at one end, can do to the hello inside a WebSocket: nothing that is not noticed."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replica.keys import agree, agreement_key, derive, seal
from sync.errors import LimitExceeded, LinkLost, RemoteProtocolError, SelfLink, SomebodyElse, SyncError
from sync.web_hello import (
    ASKING_PROTOCOL,
    HELLO_BYTES_MAX,
    LINK_PROTOCOL,
    RECORD_BYTES_MAX,
    HelloInitiator,
    HelloResponder,
)
from tests.support.vectors_of_links import sha256
from tests.support.web_hellos import (
    LAPTOP,
    MALLORY,
    ORIGIN,
    PHONE,
    carried,
    channels,
    initiator,
    responder,
)

ELSEWHERE = "https://evil.example:7412"


def nobody_is_let_in(caller: HelloInitiator, called: HelloResponder) -> bool:
    return caller.channel is None and called.channel is None


# -- who is not paired -------------------------------------------------------------------------------------------


def test_who_is_not_paired_hears_a_random_key_and_nothing_else() -> None:
    heard: list[bytes] = []
    called = responder()
    stranger = initiator(MALLORY)
    heard += called.receive(stranger.start())
    (proof,) = stranger.receive(heard[0])
    with pytest.raises(SomebodyElse, match="paired device"):
        heard += called.receive(proof)
    assert [len(each) for each in heard] == [33]
    assert responder(seed=9).receive(stranger.start()) != responder(seed=8).receive(stranger.start())


def test_a_device_that_answers_in_place_of_a_member_is_not_believed() -> None:
    caller, called = initiator(), responder(MALLORY, pins=[PHONE])
    with pytest.raises(SomebodyElse):
        carried(caller, called)
    assert caller.channel is None


def test_a_clone_is_told_from_a_member() -> None:
    with pytest.raises(SelfLink):
        carried(initiator(LAPTOP), responder(LAPTOP, pins=[LAPTOP, PHONE]))


def test_a_certificate_without_its_key_proves_nothing() -> None:
    """A member's certificate is no secret: whoever shows it has to sign with its key."""
    thief = HelloInitiator(
        certificate=PHONE.certificate,
        sign=MALLORY.sign,
        pins=[LAPTOP.certificate],
        origin=ORIGIN,
        entropy=lambda count: bytes(range(count)),
    )
    called = responder()
    with pytest.raises(RemoteProtocolError, match="signed by the key of its certificate"):
        carried(thief, called)
    assert called.channel is None


def test_a_signature_without_the_mac_beside_it_proves_nothing() -> None:
    """Whoever could have a member sign what it likes would still have to know what was agreed on for its name."""
    context, private = b"samemind web link 1\0", bytes(range(32))
    called = responder()
    first = b"\x01" + agreement_key(private)
    (second,) = called.receive(first)
    transcript = sha256(sha256(sha256(context + ORIGIN.encode()) + first) + second)
    secret = agree(private, second[1:])
    label = b"samemind web link 1 initiator\0"
    signature = PHONE.sign(label + transcript + sha256(PHONE.certificate))
    key = derive(secret, salt=transcript, info=context + b"initiator proof")
    with pytest.raises(RemoteProtocolError, match="under the agreed key"):
        called.receive(b"\x02" + seal(key, bytes(12), signature + bytes(32) + PHONE.certificate, transcript))


# -- who sits between --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("here", "there"), [(LINK_PROTOCOL, ASKING_PROTOCOL), (ASKING_PROTOCOL, LINK_PROTOCOL)]
)
def test_two_that_were_told_different_protocols_agree_on_nothing(here: str, there: str) -> None:
    """The subprotocol of a WebSocket is said in the open, by whoever ends TLS."""
    caller, called = initiator(protocol=here), responder(protocol=there)
    with pytest.raises(RemoteProtocolError, match="altered, or said at another address"):
        carried(caller, called)
    assert nobody_is_let_in(caller, called)


def test_a_relay_at_another_address_is_noticed() -> None:
    """A page that was loaded elsewhere, with its messages carried here: both know of another origin."""
    caller, called = initiator(origin=ELSEWHERE), responder(origin=ORIGIN)
    with pytest.raises(RemoteProtocolError, match="at another address"):
        carried(caller, called)
    assert nobody_is_let_in(caller, called)


def test_a_relay_that_carries_everything_learns_nothing_and_alters_nothing() -> None:
    """At the right address it is a cable: what it saw opens none of the records, and each change ends the link."""
    caller, called = initiator(), responder()
    said = carried(caller, called)
    assert caller.channel is not None
    (record,) = caller.channel.seal(b"a memory")
    assert b"a memory" not in b"".join([*said, record])


def test_keys_of_its_own_on_both_sides_get_a_relay_nowhere() -> None:
    """It agrees on keys with each, and then has nothing to prove itself with to either."""
    towards_laptop, towards_phone = initiator(MALLORY, seed=3), responder(MALLORY, seed=4)
    caller, called = initiator(), responder()
    (key,) = called.receive(towards_laptop.start())
    towards_laptop.receive(key)
    (key,) = towards_phone.receive(caller.start())
    (proof,) = caller.receive(key)
    with pytest.raises(RemoteProtocolError):
        called.receive(proof)  # of the real phone, for another agreement
    (forged,) = towards_phone.receive(proof)  # it learns who calls
    with pytest.raises(SomebodyElse):
        caller.receive(forged)
    assert nobody_is_let_in(caller, called)


def test_an_unknown_key_share_is_noticed() -> None:
    """A member that carries another's hello cannot have the two ends believe in different partners.

    Mallory is a member here. It puts a proof of its own in place of the phone's: it would need the agreed key for that.
    """
    caller, called = initiator(pins=[LAPTOP, MALLORY]), responder(pins=[PHONE, MALLORY])
    (key,) = called.receive(caller.start())
    caller.receive(key)
    between = initiator(MALLORY, seed=7)
    (forged,) = between.receive(key)
    with pytest.raises(RemoteProtocolError):
        called.receive(forged)
    assert nobody_is_let_in(caller, called)


def test_both_ends_name_each_other_or_nobody() -> None:
    for here, there in ((PHONE, LAPTOP), (MALLORY, LAPTOP), (PHONE, MALLORY)):
        caller, called = initiator(here, pins=[there]), responder(there, pins=[here])
        carried(caller, called)
        assert caller.channel is not None
        assert called.channel is not None
        assert (caller.channel.peer, called.channel.peer) == (there.device_id, here.device_id)


# -- what is said again, elsewhere, or in part --------------------------------------------------------------------


def test_what_was_said_once_opens_no_second_link() -> None:
    said = carried(initiator(), responder())
    again = responder(seed=77)
    (fresh,) = again.receive(said[0])
    assert fresh != said[1]
    with pytest.raises(RemoteProtocolError):
        again.receive(said[2])
    assert again.channel is None


def test_a_device_that_answered_once_is_not_played_back_to_a_caller() -> None:
    said = carried(initiator(), responder())
    caller = initiator(seed=78)
    caller.start()
    caller.receive(said[1])
    with pytest.raises(RemoteProtocolError):
        caller.receive(said[3])
    assert caller.channel is None


def test_what_a_caller_says_is_not_believed_when_it_comes_back() -> None:
    caller = initiator()
    with pytest.raises(RemoteProtocolError, match="sent back"):
        caller.receive(caller.start())
    caller, called = initiator(), responder()
    (key,) = called.receive(caller.start())
    (proof,) = caller.receive(key)
    with pytest.raises(RemoteProtocolError):
        caller.receive(proof)
    assert caller.channel is None


@pytest.mark.parametrize("low", [bytes(32), b"\x01" + bytes(31)])
def test_a_key_that_agrees_with_everybody_is_refused(low: bytes) -> None:
    with pytest.raises(RemoteProtocolError, match="agrees with anybody"):
        responder().receive(b"\x01" + low)
    caller = initiator()
    with pytest.raises(RemoteProtocolError, match="agrees with anybody"):
        caller.receive(b"\x01" + low)


@given(st.integers(0, 3), st.data())
def test_a_message_that_was_altered_anywhere_ends_it(number: int, data: st.DataObject) -> None:
    """Downgrade included: there is nothing in a message that says what is spoken, but what all of it is bound to."""
    caller, called = initiator(), responder()

    def alter(at: int, said: bytes) -> bytes:
        if at != number:
            return said
        place = data.draw(st.integers(0, len(said) - 1))
        flipped = said[place] ^ data.draw(st.integers(1, 255))
        return said[:place] + bytes([flipped]) + said[place + 1 :]

    with pytest.raises(SyncError):
        carried(caller, called, alter)
    assert caller.channel is None
    assert called.channel is None or number == 3  # it has heard a good proof, and then nothing that opens


@given(st.integers(0, 3), st.data())
def test_a_message_that_was_cut_or_drawn_out_ends_it(number: int, data: st.DataObject) -> None:
    caller, called = initiator(), responder()

    def alter(at: int, said: bytes) -> bytes:
        if at != number:
            return said
        return data.draw(st.sampled_from([said[: data.draw(st.integers(0, len(said) - 1))], said + b"\0"]))

    with pytest.raises(SyncError):
        carried(caller, called, alter)
    assert caller.channel is None


@given(st.lists(st.binary(max_size=3000), min_size=1, max_size=3))
def test_bytes_that_mean_nothing_get_nothing(frames: list[bytes]) -> None:
    called, caller = responder(), initiator()
    for side in (called, caller):
        with pytest.raises(SyncError):  # noqa: PT012 - any of them may be the one
            for each in frames:
                side.receive(each)
            raise LinkLost("all of them were taken, and the caller went away")
        assert side.channel is None


def test_a_key_is_answered_whoever_sends_it_and_no_second_one() -> None:
    called = responder()
    called.receive(b"\x01" + agreement_key(bytes(range(32))))
    with pytest.raises(RemoteProtocolError):
        called.receive(b"\x01" + agreement_key(bytes(range(32))))


def test_what_is_too_long_is_refused_before_it_is_opened() -> None:
    caller, called = initiator(), responder()
    caller.receive(*called.receive(caller.start()))
    with pytest.raises(LimitExceeded, match="at most"):
        called.receive(b"\x02" + bytes(HELLO_BYTES_MAX))


# -- records -----------------------------------------------------------------------------------------------------


def _dropped(records: list[bytes]) -> list[bytes]:
    return records[1:]


def _moved(records: list[bytes]) -> list[bytes]:
    return [records[1], records[0], *records[2:]]


def _repeated(records: list[bytes]) -> list[bytes]:
    return [records[0], records[0], *records[1:]]


def _altered(records: list[bytes]) -> list[bytes]:
    return [records[0][:-1] + bytes([records[0][-1] ^ 1]), *records[1:]]


def _cut(records: list[bytes]) -> list[bytes]:
    return [records[0][:-1], *records[1:]]


def _emptied(records: list[bytes]) -> list[bytes]:
    return [b"", *records[1:]]


@pytest.mark.parametrize("tamper", [_dropped, _moved, _repeated, _altered, _cut, _emptied])
def test_records_open_in_their_order_or_not_at_all(tamper: Callable[[list[bytes]], list[bytes]]) -> None:
    phone, laptop = channels()
    records = [*phone.seal(b"one"), *phone.seal(b"two"), *phone.seal(b"three"), phone.end()]
    heard: list[bytes] = []
    with pytest.raises(RemoteProtocolError, match="altered, moved or repeated"):  # noqa: PT012 - which one differs
        for record in tamper(records):
            heard += [laptop.open(record)]
    assert heard in ([], [b"one"])
    assert not laptop.ended
    with pytest.raises(LinkLost):  # and nothing opens after that, not even what would have been next
        laptop.open(records[len(heard)])


def test_an_end_that_somebody_else_made_does_not_pass_for_one() -> None:
    phone, laptop = channels()
    laptop.open(*phone.seal(b"one"))
    assert not laptop.ended  # and the stream that ends here says so: tests/unit/sync/test_web_link.py


def test_a_record_does_not_open_on_the_side_that_sealed_it() -> None:
    phone, laptop = channels()
    (record,) = phone.seal(b"one")
    with pytest.raises(RemoteProtocolError):
        phone.open(record)
    assert laptop.open(record) == b"one"


def test_a_record_of_another_link_does_not_open() -> None:
    (record,) = channels(seed=1)[0].seal(b"one")
    with pytest.raises(RemoteProtocolError):
        channels(seed=5)[1].open(record)


def test_a_record_that_is_too_long_is_refused_before_it_is_opened() -> None:
    _, laptop = channels()
    with pytest.raises(RemoteProtocolError, match="at most"):
        laptop.open(bytes(RECORD_BYTES_MAX + 1))
