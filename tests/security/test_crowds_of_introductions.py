"""A member introduces strangers by the thousand: what is kept is bounded, what is sent fits, newcomers get in."""

import pytest

import replica.membership
from replica import Core
from replica.ids import DeviceId
from replica.membership import CERTIFICATE_BYTES_MAX, NAME_BYTES_MAX, Member, Revocation, introduce, revoke
from sync.exchange import Exchange
from sync.identity import Identity
from sync.trust import certified
from sync.wire import messages
from sync.wire.limits import FRAME_BYTES_MAX
from sync.wire.messages import Trust, decode_message, encode_message
from tests.support.exchanges import NOW_MS, ExchangePair, cores, introduced_by
from tests.support.links import identity

THIEF = identity("eve")


def strangers(count: int, *, certificate: bytes | None = None) -> list[Member]:
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


def tell(core: Core, *members: Member, revocations: tuple[Revocation, ...] = ()) -> None:
    """Let a device hear Trust from the thief, on a link."""
    theirs = Exchange(core, THIEF.device_id, NOW_MS)
    hello = Exchange(cores("eve")[0], core.device, NOW_MS).more(NOW_MS)[0]
    theirs.receive(hello, NOW_MS)
    for part in Trust(members, revocations, ()).parts():
        theirs.receive(encode_message(part), NOW_MS)


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
        Member(each, each, bytes(CERTIFICATE_BYTES_MAX), "n" * NAME_BYTES_MAX, ids[max(0, at - 1)], bytes(64))
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
