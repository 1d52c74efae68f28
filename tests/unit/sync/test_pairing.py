"""The pairing machines, told frames by hand: nothing here touches a socket or a clock."""

from random import Random

import pytest

from sync.address import Address
from sync.code import Invitation, PairingCode
from sync.errors import (
    CodeExpired,
    InvalidCode,
    LimitExceeded,
    PairingClosed,
    PairingFailed,
    RemoteProtocolError,
    SyncError,
    Untrusted,
    WrongCode,
)
from sync.identity import Identity, fingerprint
from sync.pairing import BURNT_MAX, WINDOW_MS, Introduction, Joiner, Offerer, PairingWindow, refusal
from sync.wire.limits import CERTIFICATE_BYTES_MAX
from tests.support.links import identity

LAPTOP, PHONE, RELAY = identity("laptop"), identity("phone"), identity("relay")


def window(seed: int = 1) -> PairingWindow:
    return PairingWindow(now_ms=0, entropy=Random(seed).randbytes)


def offerer(at: PairingWindow, who: Identity = LAPTOP, seed: int = 2, **options: object) -> Offerer:
    return Offerer(
        at,
        certificate=who.certificate,
        introduction=Introduction("laptop", b"from the laptop"),
        entropy=Random(seed).randbytes,
        **options,  # type: ignore[arg-type]
    )


def joiner(
    code: PairingCode, sees: Identity = LAPTOP, who: Identity = PHONE, seed: int = 3, **options: object
) -> Joiner:
    return Joiner(
        code,
        certificate=who.certificate,
        offerer=sees.certificate,
        introduction=Introduction("phone", b"from the phone"),
        entropy=Random(seed).randbytes,
        **options,  # type: ignore[arg-type]
    )


def other_than(code: PairingCode) -> PairingCode:
    return PairingCode(code.number % 900 + 100, code.words)


def converse(one: Joiner, other: Offerer, *, now_ms: int = 1) -> None:
    """Carry frames until both are done; an offerer's refusal reaches the joiner."""
    to_offerer = [one.start()]
    while to_offerer:
        to_joiner: list[bytes] = []
        for frame in to_offerer:
            to_joiner += other.receive(frame, now_ms=now_ms)
        to_offerer = [answer for frame in to_joiner for answer in one.receive(frame)]


def test_a_right_code_makes_two_members_with_the_same_words() -> None:
    at = window()
    ours, theirs = offerer(at), joiner(at.current(now_ms=1))
    converse(theirs, ours)
    assert ours.paired is not None
    assert theirs.paired is not None
    assert ours.paired.member.device_id == PHONE.device_id
    assert (ours.paired.member.name, ours.paired.payload) == ("phone", b"from the phone")
    assert theirs.paired.member.certificate == LAPTOP.certificate
    assert (theirs.paired.member.name, theirs.paired.payload) == ("laptop", b"from the laptop")
    assert ours.paired.words == theirs.paired.words
    assert len(ours.paired.words) == 4


def test_a_wrong_code_pairs_nobody_and_burns_the_code() -> None:
    at = window()
    code = at.current(now_ms=1)
    ours, theirs = offerer(at), joiner(other_than(code))
    with pytest.raises(WrongCode, match="burnt"):
        converse(theirs, ours)
    assert ours.paired is None
    assert theirs.paired is None
    assert at.burnt == 1
    assert at.current(now_ms=1) != code
    with pytest.raises(WrongCode):
        converse(joiner(code), offerer(at))


def test_three_burnt_codes_close_the_window() -> None:
    at = window()
    for _ in range(BURNT_MAX):
        with pytest.raises(WrongCode):
            converse(joiner(other_than(at.current(now_ms=1))), offerer(at))
    assert at.burnt_out
    with pytest.raises(PairingClosed):
        at.current(now_ms=1)
    with pytest.raises(PairingClosed):
        offerer(at).receive(joiner(PairingCode(417, ("maple", "otter"))).start(), now_ms=1)


def test_a_relay_with_a_certificate_of_its_own_is_found_out() -> None:
    """Frames pass unchanged; the joiner sees the relay's certificate, the offerer shows its own."""
    at = window()
    theirs = joiner(at.current(now_ms=1), sees=RELAY)
    with pytest.raises(WrongCode):
        converse(theirs, offerer(at))
    assert theirs.paired is None
    assert at.burnt == 1


def test_a_relay_that_says_its_own_certificate_for_the_joiners_is_found_out() -> None:
    at = window()
    ours, theirs = offerer(at), joiner(at.current(now_ms=1))
    hello = theirs.start()
    swapped = hello.replace(PHONE.certificate, RELAY.certificate)
    assert swapped != hello
    (reply,) = ours.receive(swapped, now_ms=1)
    (confirm,) = theirs.receive(reply)
    with pytest.raises(WrongCode):
        ours.receive(confirm, now_ms=1)


def test_an_offerer_that_does_not_know_the_code_is_found_out() -> None:
    at, fake = window(1), window(99)
    theirs = joiner(at.current(now_ms=1))
    ours = offerer(fake)
    (reply,) = ours.receive(theirs.start(), now_ms=1)
    theirs.receive(reply)
    forged = reply[:1] + b"\x03" + bytes(200)
    with pytest.raises(WrongCode):
        theirs.receive(forged)
    assert theirs.paired is None


def test_a_code_opens_pairing_once() -> None:
    at = window()
    code = at.current(now_ms=1)
    converse(joiner(code), offerer(at))
    with pytest.raises(PairingClosed):
        converse(joiner(code, who=RELAY), offerer(at))


def test_of_two_joiners_with_the_right_code_one_gets_in() -> None:
    at = window()
    code = at.current(now_ms=1)
    first, second = joiner(code, seed=5), joiner(code, who=RELAY, seed=6)
    to_first, to_second = offerer(at, seed=7), offerer(at, seed=8)
    (confirm_first,) = first.receive(*to_first.receive(first.start(), now_ms=1))
    (confirm_second,) = second.receive(*to_second.receive(second.start(), now_ms=1))
    to_second.receive(confirm_second, now_ms=1)
    with pytest.raises(PairingClosed):
        to_first.receive(confirm_first, now_ms=1)


def test_many_guesses_in_parallel_are_still_one_guess_a_code() -> None:
    at = window()
    wrong = other_than(at.current(now_ms=1))
    runs = [(joiner(wrong, seed=n), offerer(at, seed=100 + n)) for n in range(5)]
    confirms = []
    for theirs, ours in runs:
        (confirm,) = theirs.receive(*ours.receive(theirs.start(), now_ms=1))
        confirms.append((ours, confirm))
    for ours, confirm in confirms:
        with pytest.raises(WrongCode):
            ours.receive(confirm, now_ms=1)
    assert at.burnt == 1


def test_whoever_leaves_before_the_proof_burns_nothing() -> None:
    at = window()
    code = at.current(now_ms=1)
    ours = offerer(at)
    ours.receive(joiner(code).start(), now_ms=1)
    ours.abandon()
    assert at.burnt == 0
    assert at.current(now_ms=1) == code


def test_whoever_leaves_after_the_proof_burns_the_code() -> None:
    at = window()
    code = at.current(now_ms=1)
    ours, theirs = offerer(at), joiner(code)
    (confirm,) = theirs.receive(*ours.receive(theirs.start(), now_ms=1))
    ours.receive(confirm, now_ms=1)
    assert ours.paired is None
    ours.abandon()
    ours.abandon()
    assert at.burnt == 1
    assert at.current(now_ms=1) != code


def test_a_code_expires() -> None:
    at = window()
    code = at.current(now_ms=WINDOW_MS - 1)
    with pytest.raises(CodeExpired):
        converse(joiner(code), offerer(at), now_ms=WINDOW_MS)


def test_a_code_that_expires_during_the_conversation_is_not_taken() -> None:
    at = window()
    ours, theirs = offerer(at), joiner(at.current(now_ms=1))
    (confirm,) = theirs.receive(*ours.receive(theirs.start(), now_ms=1))
    with pytest.raises(CodeExpired):
        ours.receive(confirm, now_ms=WINDOW_MS)


def test_a_recorded_conversation_cannot_be_played_again() -> None:
    at = window()
    code = at.current(now_ms=1)
    ours, theirs = offerer(at), joiner(code)
    hello = theirs.start()
    (reply,) = ours.receive(hello, now_ms=1)
    (confirm,) = theirs.receive(reply)
    again = window()  # the same code once more, as if it were drawn twice
    assert again.current(now_ms=1) == code
    anew = offerer(again, seed=77)
    anew.receive(hello, now_ms=1)
    with pytest.raises(WrongCode):
        anew.receive(confirm, now_ms=1)


def test_a_share_reflected_to_its_sender_is_refused() -> None:
    at = window()
    theirs = joiner(at.current(now_ms=1))
    hello = theirs.start()
    with pytest.raises(RemoteProtocolError):
        theirs.receive(b"\x01\x02" + hello[2:35])
    with pytest.raises(RemoteProtocolError):
        joiner(at.current(now_ms=1)).receive(b"\x01\x02B" + hello[3:35])


@pytest.mark.parametrize(
    "share", [bytes(32), b"\x01" + bytes(31), b"\xff" * 32, b"\xec" + b"\xff" * 30 + b"\x7f"]
)
def test_a_share_that_is_no_point_of_the_group_is_the_peers_fault(share: bytes) -> None:
    with pytest.raises(RemoteProtocolError):
        offerer(window()).receive(b"\x01\x01A" + share + PHONE.certificate, now_ms=1)
    with pytest.raises(RemoteProtocolError):
        joiner(window().current(now_ms=1)).receive(b"\x01\x02B" + share)


def test_a_tampered_introduction_is_noticed() -> None:
    at = window()
    ours, theirs = offerer(at), joiner(at.current(now_ms=1))
    (confirm,) = theirs.receive(*ours.receive(theirs.start(), now_ms=1))
    with pytest.raises(RemoteProtocolError, match="agreed key"):
        ours.receive(confirm[:-1] + bytes([confirm[-1] ^ 1]), now_ms=1)
    ours.abandon()
    assert at.burnt == 1


def test_a_tampered_last_word_pairs_nobody() -> None:
    at = window()
    ours, theirs = offerer(at), joiner(at.current(now_ms=1))
    (confirm,) = theirs.receive(*ours.receive(theirs.start(), now_ms=1))
    (done,) = theirs.receive(*ours.receive(confirm, now_ms=1))
    with pytest.raises(RemoteProtocolError):
        ours.receive(done[:-1] + bytes([done[-1] ^ 1]), now_ms=1)
    assert ours.paired is None


def test_a_frame_after_pairing_is_refused() -> None:
    at = window()
    ours, theirs = offerer(at), joiner(at.current(now_ms=1))
    converse(theirs, ours)
    with pytest.raises(RemoteProtocolError):
        ours.receive(b"\x01\x04", now_ms=1)
    with pytest.raises(RemoteProtocolError):
        theirs.receive(b"\x01\x03")


def test_a_revoked_device_cannot_come_back_under_its_key() -> None:
    at = window()
    code = at.current(now_ms=1)
    with pytest.raises(Untrusted, match="new key"):
        offerer(at, revoked={PHONE.device_id}).receive(joiner(code).start(), now_ms=1)
    with pytest.raises(Untrusted, match="new key"):
        joiner(code, revoked={LAPTOP.device_id})
    assert at.burnt == 0


def test_a_clone_cannot_be_paired_with_its_original() -> None:
    at = window()
    with pytest.raises(Untrusted, match="own key"):
        offerer(at).receive(b"\x01\x01" + bytes(33) + LAPTOP.certificate, now_ms=1)


def test_another_version_is_named() -> None:
    with pytest.raises(RemoteProtocolError, match="version 1, got 02"):
        offerer(window()).receive(b"\x02\x01", now_ms=1)


def test_an_oversized_certificate_is_refused() -> None:
    with pytest.raises(LimitExceeded):
        offerer(window()).receive(b"\x01\x01" + bytes(33 + CERTIFICATE_BYTES_MAX + 1), now_ms=1)


@pytest.mark.parametrize(
    ("error", "heard"),
    [
        (WrongCode("x"), WrongCode),
        (CodeExpired("x"), CodeExpired),
        (PairingClosed("x"), PairingClosed),
        (Untrusted("x"), Untrusted),
        (RemoteProtocolError("x"), PairingFailed),
    ],
)
def test_a_refused_joiner_learns_why(error: SyncError, heard: type[SyncError]) -> None:
    with pytest.raises(heard):
        joiner(window().current(now_ms=1)).receive(refusal(error))


@pytest.mark.parametrize("name", ["", "  ", "x" * 257, "a\nb", "\x1b[31mred"])
def test_a_name_that_cannot_be_shown_in_one_line_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="printable name"):
        Introduction(name)


@pytest.mark.parametrize(
    "typed",
    ["417-maple-otter", " 417 Maple OTTER ", "417maple-otter", "４１７–maple–otter\n", "417, maple; otter."],
)
def test_a_code_is_read_however_it_is_typed(typed: str) -> None:
    assert str(PairingCode.parse(typed)) == "417-maple-otter"


@pytest.mark.parametrize(
    "typed",
    ["", "417", "417-maple", "maple-otter-417", "41-maple-otter", "4177-maple-otter", "017-maple-otter"],
)
def test_what_is_no_code_is_refused_before_it_costs_a_guess(typed: str) -> None:
    with pytest.raises(InvalidCode, match="417-maple-otter"):
        PairingCode.parse(typed)


def test_a_mistyped_word_is_named() -> None:
    with pytest.raises(InvalidCode, match="'mapel'"):
        PairingCode.parse("417-mapel-otter")


def test_codes_are_drawn_from_all_of_their_space() -> None:
    random = Random(4)
    codes = [PairingCode.draw(random.randbytes) for _ in range(4000)]
    assert {code.number for code in codes} <= set(range(100, 1000))
    assert len({code.number for code in codes}) > 850
    assert len({word for code in codes for word in code.words}) == 256
    assert len(set(codes)) > 3990
    assert all(PairingCode.parse(str(code)) == code for code in codes)
    assert "maple" not in repr(PairingCode(417, ("maple", "otter")))


def test_an_invitation_is_one_line_that_says_whom_to_expect() -> None:
    invitation = Invitation(
        PairingCode.parse("417-maple-otter"),
        fingerprint(LAPTOP.certificate),
        (Address("10.0.0.1", 7412), Address("fe80::1%eth0", 7412)),
    )
    assert Invitation.parse(str(invitation)) == invitation
    for bad in (
        "",
        "samemind:417-maple-otter",
        "samemind:417-maple-otter abc",
        f"{invitation} nowhere",
        "x y z",
    ):
        with pytest.raises(InvalidCode):
            Invitation.parse(bad)
