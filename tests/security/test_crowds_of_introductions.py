"""A member introduces strangers by the thousand: what is kept is bounded, what is sent fits, newcomers get in."""

import pytest

import replica.membership
import replica.quotas
from replica import Core
from replica.evidence import Accused, Fault
from replica.ids import DeviceId
from replica.membership import (
    CERTIFICATE_BYTES_MAX,
    NAME_BYTES_MAX,
    IntroducedMember,
    Revocation,
    introduce,
    revoke,
)
from replica.quotas import HOUR_MS, INTRODUCTIONS_AN_HOUR
from sync.exchange import Exchange
from sync.identity import Identity
from sync.trust import certified
from sync.wire import messages
from sync.wire.limits import FRAME_BYTES_MAX
from sync.wire.messages import Trust, decode_message, encode_message
from tests.support.exchanges import NOW_MS, ExchangePair, cores, introduced_by
from tests.support.links import identity

THIEF = identity("eve")


def strangers(count: int, *, certificate: bytes | None = None) -> list[IntroducedMember]:
    """Devices that nobody ever saw, introduced by the thief."""
    return [
        introduce(
            THIEF.sign,
            THIEF.device_id,
            public_key=other.public_key,
            certificate=other.certificate if certificate is None else certificate,
            name=f"stranger {number}",
        )
        for number, other in ((number, Identity.create()) for number in range(count))
    ]


def tell(
    core: Core, *members: IntroducedMember, revocations: tuple[Revocation, ...] = (), now_ms: int = NOW_MS
) -> None:
    """Let a device hear Trust from the thief, on a link."""
    theirs = Exchange(core, THIEF.device_id, now_ms)
    hello = Exchange(cores("eve")[0], core.device, now_ms).more(now_ms)[0]
    theirs.receive(hello, now_ms)
    for part in Trust(members, revocations, ()).parts():
        theirs.receive(encode_message(part), now_ms)


def test_certificates_of_nobody_are_never_stored() -> None:
    ann, _ = cores("ann", "eve")
    before = dict(ann.membership.members)
    other = identity("mal")
    tell(
        ann,
        *strangers(3, certificate=b"0" * CERTIFICATE_BYTES_MAX),
        *strangers(1, certificate=other.certificate),
    )
    assert ann.membership.members == before
    good = strangers(1)
    tell(ann, *good)
    assert set(ann.membership.members) == {*before, good[0].device}
    assert certified(good) == good


def test_one_member_does_not_keep_honest_newcomers_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not where the newcomer is paired, and not where its introducer is known; and the thief has an end."""
    monkeypatch.setattr(replica.membership, "MEMBERS_MAX", 12)
    monkeypatch.setattr(replica.membership, "INTRODUCTIONS_EACH_MAX", 8)
    ann, ben, _ = cores("ann", "ben", "eve")
    crowd = strangers(20)
    for core in (ann, ben):
        tell(core, *crowd)
        assert sum(each.introduced_by == THIEF.device_id for each in core.membership.members.values()) == 8
    helpers = [identity(f"helper {number}") for number in range(4)]
    tell(ann, *(introduced_by(THIEF, helper, "helper") for helper in helpers))
    for name in ("cleo", "dan"):
        ann.learn([introduced_by(identity("ann"), identity(name), name)], [])
    ExchangePair(ann, ben).settle()
    for core in (ann, ben):
        assert {identity("cleo").device_id, identity("dan").device_id} <= set(core.membership.members)


def test_a_crowd_below_a_crowd_ends_at_the_bound_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replica.membership, "MEMBERS_MAX", 12)
    ann, _ = cores("ann", "eve")
    helper = identity("helper")
    below = [introduced_by(helper, identity(f"below {number}"), "below") for number in range(30)]
    tell(ann, introduced_by(THIEF, helper, "helper"), *below)
    assert len(ann.membership.members) == 12


def test_revocations_of_one_device_are_bounded_and_the_owners_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(replica.membership, "REVOCATIONS_EACH_MAX", 2)
    ann, _ = cores("ann", "eve")
    crowd = strangers(5)
    tell(ann, *crowd)
    flood = tuple(revoke(THIEF.sign, THIEF.device_id, each.device) for each in crowd)
    tell(ann, revocations=flood)
    assert len(ann.membership.revocations) == 2
    own = identity("ann")
    monkeypatch.setattr(replica.membership, "INTRODUCTIONS_EACH_MAX", 2)
    for number in range(4):
        ann.learn([introduced_by(own, identity(f"own {number}"), "own")], [])
        assert identity(f"own {number}").device_id in ann.membership.members
    ann.learn([], [revoke(own.sign, own.device_id, each.device) for each in crowd])
    assert ann.membership.revoked == {each.device for each in crowd}


def test_the_largest_group_crosses_a_link_in_parts_that_may_be_read() -> None:
    """What is sent obeys what may be read: ten thousand introductions of the largest size, and as many revocations."""
    count = replica.membership.MEMBERS_MAX
    ids = [DeviceId(number.to_bytes(32)) for number in range(1, count + 1)]
    members = tuple(
        IntroducedMember(
            each, each, bytes(CERTIFICATE_BYTES_MAX), "n" * NAME_BYTES_MAX, ids[max(0, at - 1)], bytes(64)
        )
        for at, each in enumerate(ids)
    )
    revocations = tuple(Revocation(each, ids[0], bytes(64)) for each in ids)
    parts = list(Trust(members, revocations, ()).parts())
    assert [part.more for part in parts] == [True] * (len(parts) - 1) + [False]
    known = {ids[0]}
    for part in parts:
        data = encode_message(part)
        assert len(data) <= messages.TRUST_BYTES_TARGET + 8192 < FRAME_BYTES_MAX
        assert isinstance(decode_message(data), Trust)
        for member in part.members:
            assert member.introduced_by in known, "whoever reads part after part knows each introducer"
            known.add(member.device)
    assert [each for part in parts for each in part.revocations] == list(revocations)
    assert len(known) == count


def test_a_crowd_comes_no_faster_than_devices_are_paired_and_its_sender_is_named() -> None:
    """Ten thousand came in one breath, and the doctor had nothing to say."""
    ann, _ = cores("ann", "eve")
    before, crowd = set(ann.membership.members), strangers(INTRODUCTIONS_AN_HOUR + 40)
    tell(ann, *crowd)
    assert len(ann.membership.members) == len(before) + INTRODUCTIONS_AN_HOUR
    assert Accused(THIEF.device_id, Fault.INTRODUCTIONS) in ann.evidence
    tell(ann, *crowd)
    assert len(ann.membership.members) == len(before) + INTRODUCTIONS_AN_HOUR, "it waits for its hour"
    tell(ann, *crowd, now_ms=NOW_MS + HOUR_MS)
    assert len(ann.membership.members) == len(before) + len(crowd), "what is over a quota is not lost"
    assert {each.device_id for each in map(identity, ("ann", "eve"))} <= before


def test_whom_somebody_else_paired_comes_before_a_crowd_and_before_a_tree(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A relay hands on all that it knows; of that a thousand an hour are taken, and the honest are among them."""
    monkeypatch.setattr(replica.quotas, "INTRODUCTIONS_PASSED_ON_AN_HOUR", 24)
    ann, _ = cores("ann", "eve")
    tell(ann, introduced_by(THIEF, identity("ben"), "ben"))
    crowd = strangers(60)
    tree = list(crowd[:1])
    for number in range(60):  # each of them introduces two
        parent, other = identity(f"twig {(number - 1) // 2}"), identity(f"twig {number}")
        tree.append(introduced_by(parent if number else THIEF, other, "twig"))
    newcomer = introduced_by(identity("ben"), identity("cleo"), "cleo")
    theirs = Exchange(ann, identity("ben").device_id, NOW_MS)
    theirs.receive(Exchange(cores("ben")[0], ann.device, NOW_MS).more(NOW_MS)[0], NOW_MS)
    theirs.receive(encode_message(Trust((*crowd, *tree, newcomer), (), ())), NOW_MS)
    assert len(ann.membership.members) <= 3 + 24
    assert newcomer.device in ann.membership.members


def test_a_newcomer_hears_of_a_large_group_at_once() -> None:
    """A group of a hundred devices is larger than anybody's, and no flood."""
    (ann,) = cores("ann")
    for number in range(100):
        ann.learn([introduced_by(identity("ann"), identity(f"own {number}"), "own")], [])
    (new,) = cores("new")
    new.learn([introduced_by(identity("new"), identity("ann"), "ann")], [])
    ann.learn([introduced_by(identity("ann"), identity("new"), "new")], [])
    ExchangePair(ann, new).settle()
    assert set(new.membership.members) == set(ann.membership.members)
    assert not new.evidence


def test_nothing_is_kept_of_statements_that_nobody_takes() -> None:
    """For as long as a link stood, every word of it was held twice over, whoever it was about."""
    ann, _ = cores("ann", "eve")
    theirs = Exchange(ann, THIEF.device_id, NOW_MS)
    theirs.receive(Exchange(cores("eve")[0], ann.device, NOW_MS).more(NOW_MS)[0], NOW_MS)
    nobody = strangers(3, certificate=b"none")
    for number in range(50):
        of = [DeviceId((number * 100 + n).to_bytes(32)) for n in range(100)]
        news = Trust((*nobody,), tuple(Revocation(each, of[0], bytes(64)) for each in of), (), more=True)
        theirs.receive(encode_message(news), NOW_MS)
    assert len(theirs._group._shared) <= len(ann.membership.members) + 1
