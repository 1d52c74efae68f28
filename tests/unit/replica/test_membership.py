from hashlib import sha256
from itertools import pairwise, permutations
from typing import Any

import pytest

import replica.membership
from replica.codec import pack
from replica.errors import InvalidOp
from replica.ids import INCARNATION_BYTES, DeviceId, Origin
from replica.membership import (
    CERTIFICATE_BYTES_MAX,
    NAME_BYTES_MAX,
    IntroducedMember,
    Membership,
    Revocation,
    introduce,
    lineage,
    name_author,
    name_root,
    plain_member,
    read_member,
    read_revocation,
    revoke,
    revoking,
)
from replica.ops import Remember
from tests.support.links import identity
from tests.support.published import published
from tests.support.replicas import Hand, acquaint, agree, core_of, group, remember, sync, take, texts


def by(introducer: str, name: str) -> IntroducedMember:
    who, other = identity(introducer), identity(name)
    return introduce(
        who.sign, who.device_id, public_key=other.public_key, certificate=other.certificate, name=name
    )


def out(by_: str, name: str) -> Revocation:
    return revoke(identity(by_).sign, identity(by_).device_id, identity(name).device_id)


def device(name: str) -> DeviceId:
    return identity(name).device_id


def of_ann(*members: IntroducedMember) -> Membership:
    return Membership([by("ann", "ann"), *members])


@pytest.mark.parametrize("order", [*permutations([("ann", "ben"), ("ben", "cleo"), ("cleo", "dan")])])
def test_introductions_are_taken_in_whatever_order_they_come(order: tuple[tuple[str, str], ...]) -> None:
    fresh, _ = of_ann().news([by(*pair) for pair in order], [])
    assert [member.name for member in fresh] == ["ben", "cleo", "dan"]


def test_a_group_has_room_for_so_many_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replica.membership, "MEMBERS_MAX", 2)
    fresh, _ = of_ann().news([by("ann", "ben"), by("ann", "cleo")], [])
    assert [member.device for member in fresh] == [device("ben")]


def test_strangers_who_introduce_each_other_stay_strangers() -> None:
    assert of_ann().news([by("eve", "mal"), by("mal", "eve"), by("eve", "eve")], []) == ([], [])


def test_an_introduction_that_is_not_rightly_signed_is_left_out_with_all_that_hangs_on_it() -> None:
    good = by("ann", "ben")
    for wrong in (
        good._replace(signature=bytes(64)),
        good._replace(name="somebody else"),
        good._replace(certificate=b"another"),
        good._replace(introduced_by=device("cleo")),
        good._replace(public_key=identity("eve").public_key),
        good._replace(device=device("eve")),
    ):
        assert of_ann().news([wrong, by("ben", "cleo")], []) == ([], [])
    assert len(of_ann().news([good, by("ben", "cleo")], [])[0]) == 2


def test_a_signature_for_one_purpose_does_not_pass_for_another() -> None:
    """Contexts keep an introduction, a revocation and a commit apart."""
    ann = identity("ann")
    forged = Revocation(device("ben"), device("ann"), ann.sign(device("ann") + device("ben")))
    assert of_ann(by("ann", "ben")).news([], [forged]) == ([], [])


def test_whom_one_knows_is_not_news() -> None:
    membership = of_ann(by("ann", "ben"))
    assert membership.news([by("ann", "ben"), by("ben", "ann")], []) == ([], [])


def test_a_revocation_needs_two_members_and_a_signature() -> None:
    membership = of_ann(by("ann", "ben"))
    assert membership.news([], [out("eve", "ben")]) == ([], [])
    assert membership.news([], [out("ann", "eve")]) == ([], [])
    assert membership.news([], [out("ann", "ben")._replace(signature=bytes(64))]) == ([], [])
    assert membership.news([], [out("ann", "ben")]) == ([], [out("ann", "ben")])
    assert membership.news([by("ben", "cleo")], [out("cleo", "ann")])[1] == [out("cleo", "ann")]


def test_one_revocation_told_twice_is_learned_once() -> None:
    """A store refuses a second row of one name; that would have ended the conversation, each time anew."""
    membership = of_ann(by("ann", "ben"))
    assert membership.news([], [out("ann", "ben"), out("ann", "ben")]) == ([], [out("ann", "ben")])
    core = core_of("ann")
    acquaint(core, "ann", "ben")
    assert core.learn([], [out("ann", "ben"), out("ann", "ben")])


def test_whoever_hands_a_revocation_over_again_and_again_leaves_room_for_the_others_of_its_maker(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(replica.membership, "REVOCATIONS_EACH_MAX", 2)
    membership = of_ann(by("ann", "ben"), by("ann", "cleo"))
    told = [out("ann", "ben"), out("ann", "ben"), out("ann", "cleo")]
    assert membership.news([], told) == ([], [out("ann", "ben"), out("ann", "cleo")])


def test_revoked_devices_stay_known_since_their_ops_must_stay_verifiable() -> None:
    membership = of_ann(by("ann", "ben"))
    membership.add([], [out("ann", "ben")])
    assert membership.revoked == {device("ben")}
    assert membership.public_key(device("ben")) == identity("ben").public_key
    assert membership.public_key(device("eve")) is None


def test_two_that_revoke_each_other_are_both_out() -> None:
    membership = of_ann(by("ann", "ben"), by("ann", "cleo"))
    membership.add([], [out("ben", "cleo"), out("cleo", "ben")])
    assert membership.revoked == {device("ben"), device("cleo")}


def test_a_revoked_key_does_not_come_back_by_being_introduced_again() -> None:
    membership = of_ann(by("ann", "ben"))
    membership.add([], [out("ann", "ben")])
    fresh, gone = membership.news([by("ann", "ben")], [])
    membership.add(fresh, gone)
    assert membership.revoked == {device("ben")}


def test_what_a_remaining_member_took_before_it_knew_spreads_among_the_rest() -> None:
    """Revocation closes links, not ops: members cannot disagree about what was folded."""
    ann, ben, cleo = group("ann", "ben", "cleo")
    remember(cleo, "before anybody knew")
    sync(cleo, ben)
    ann.learn([], [out("ann", "cleo")])
    sync(ann, ben)
    assert ben.membership.revoked == {device("cleo")}
    assert texts(ann) == {"before anybody knew"}
    assert agree(ann, ben)


@published("YD-77")
def test_a_strangers_ops_are_refused_though_they_are_signed() -> None:
    (ann,) = group("ann")
    eve = Hand("eve")
    taken = take(ann, eve.frame(eve.write(Remember("let me in", {}), bytes(16))))
    assert taken.ops == 0
    assert "not a member" in taken.refusals[0].reason
    assert not taken.refusals[0].gap


@pytest.mark.parametrize(
    ("at", "value"),
    [
        (0, bytes(31)),
        (0, "k" * 32),
        (1, bytes(CERTIFICATE_BYTES_MAX + 1)),
        (2, "é" * NAME_BYTES_MAX),
        (2, b"ben"),
        (3, bytes(31)),
        (4, bytes(63)),
        (4, None),
    ],
)
def test_an_introduction_has_one_shape(at: int, value: Any) -> None:
    plain = plain_member(by("ann", "ben"))
    assert read_member(plain) == by("ann", "ben")
    largest = [*plain[:1], bytes(CERTIFICATE_BYTES_MAX), "n" * NAME_BYTES_MAX, *plain[3:]]
    assert plain_member(read_member(largest)) == largest
    plain[at] = value
    with pytest.raises(InvalidOp, match="expected an introduction"):
        read_member(plain)


@pytest.mark.parametrize("plain", [None, [], [bytes(32)] * 3, [bytes(32), bytes(31), bytes(64)], [1, 2, 3]])
def test_a_revocation_has_one_shape(plain: Any) -> None:
    told = out("ann", "ben")
    assert read_revocation([*told]) == told
    with pytest.raises(InvalidOp, match="expected a revocation"):
        read_revocation(plain)


def test_half_of_what_was_said_of_the_root_is_enough_when_the_other_half_comes() -> None:
    """0.1.0 keeps one statement about each device, and its store is upgraded in place."""
    ann, code = identity("ann"), identity("code")
    handed = name_root(ann.sign, ann.device_id, public_key=code.public_key, name="code")
    itself = name_root(code.sign, code.device_id, public_key=code.public_key, name="code")
    for kept, comes in ((handed, itself), (itself, handed)):
        group = Membership([by("ann", "ann"), by("ann", "ben")], [], [kept])
        assert group.root is None
        group.add(*group.news([comes], [], by=ann.device_id))
        assert group.root == code.device_id


def of_root(*members: IntroducedMember) -> Membership:
    return Membership([by("ann", "ann"), *members], root=device("ann"))


def test_whom_the_root_introduces_fits_into_a_full_group(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replica.membership, "MEMBERS_MAX", 3)
    full = of_root(by("ann", "ben"), by("ann", "cleo"))
    fresh, _ = full.news([by("cleo", "dan"), by("ann", "eve")], [], own=device("ben"))
    assert [member.name for member in fresh] == ["eve"]


def test_how_a_device_introduces_itself_is_no_news_of_it_and_tells_nobody() -> None:
    assert of_root(by("ann", "ben")).news([by("ben", "ben")], []) == ([], [])
    assert not of_ann().is_told_of(device("ann"))
    assert of_ann(by("ann", "ben")).is_told_of(device("ann"))


def test_a_root_that_did_not_say_so_itself_is_not_followed() -> None:
    ann, ben = identity("ann"), identity("ben")
    handed = name_root(ann.sign, ann.device_id, public_key=ben.public_key, name="ben")
    assert of_root(by("ann", "ben")).news([handed], []) == ([], [])


def test_an_author_that_the_root_named_is_named_once() -> None:
    ann, eve = identity("ann"), identity("eve")
    named = name_author(ann.sign, ann.device_id, public_key=eve.public_key, name="eve", reach={})
    membership = of_root()
    assert membership.news([named], []) == ([named], [])
    membership.add([named], [])
    assert membership.news([named], []) == ([], [])


@pytest.mark.parametrize(
    ("certificate", "reaches", "leaves_out"),
    [
        (pack(None), [9, 9], False),
        (pack([]), [0, 0], True),
        (pack([[bytes(INCARNATION_BYTES), 5]]), [5, 0], True),
        (pack([[bytes(INCARNATION_BYTES), 5], "nonsense", [b"short", 7]]), [5, 0], True),
        (pack(7), [0, 0], True),
        (b"\xc1", [0, 0], True),
    ],
    ids=["all", "none", "so far", "half nonsense", "no list", "no value"],
)
def test_what_a_root_says_of_an_author_allows_so_far_and_nonsense_allows_nothing(
    certificate: bytes, reaches: list[int], leaves_out: bool
) -> None:
    ann, eve = identity("ann"), identity("eve")
    certificate = b"samemind author 1\0" + certificate
    named = introduce(ann.sign, ann.device_id, public_key=eve.public_key, certificate=certificate, name="eve")
    membership = of_root()
    assert membership.news([named], []) == ([named], [])
    membership.add([named], [])
    for incarnation, reach in zip((bytes(INCARNATION_BYTES), b"x" * INCARNATION_BYTES), reaches, strict=True):
        at = Origin(eve.device_id, incarnation)
        assert [seq for seq in range(1, 10) if membership.allows(at, seq)] == [*range(1, reach + 1)]
    assert membership.leaves_out == leaves_out


def test_a_newcomer_takes_a_root_and_the_authors_that_it_names_from_one_message() -> None:
    ann, eve = identity("ann"), identity("eve")
    named = name_author(ann.sign, ann.device_id, public_key=eve.public_key, name="eve", reach={})
    said = named_root("ann", "ann")
    newcomer = Membership([by("ben", "ben"), by("ben", "ann")], awaits=device("ann"))
    fresh, _ = newcomer.news([named, said], [], own=device("ben"), by=device("ann"))
    assert {*fresh} >= {said, named}
    newcomer.add(fresh, [])
    assert newcomer.root == device("ann")
    assert newcomer.leaves_out


def test_an_author_is_told_as_one_and_not_once_more_as_a_member() -> None:
    ann, eve = identity("ann"), identity("eve")
    named = name_author(ann.sign, ann.device_id, public_key=eve.public_key, name="eve", reach={})
    group = of_root(by("ann", "ben"))
    group.add([named], [])
    assert group.told() == (named, by("ann", "ben"))


def test_of_an_author_that_two_roots_name_the_word_of_the_last_one_counts() -> None:
    ann, code, eve = identity("ann"), identity("code"), identity("eve")
    first = bytes(INCARNATION_BYTES)
    named = [
        name_author(each.sign, each.device_id, public_key=eve.public_key, name="eve", reach={first: reach})
        for each, reach in ((ann, 9), (code, 5))
    ]
    roots = [
        name_root(by.sign, by.device_id, public_key=each.public_key, name="root")
        for by, each in ((ann, ann), (ann, code), (code, code))
    ]
    for order in (named, named[::-1]):
        group = Membership([by("ann", "ann")], [], [*roots, *order], root=code.device_id)
        assert [group.allows(Origin(eve.device_id, first), seq) for seq in (5, 6)] == [True, False]


def test_who_hands_on_a_place_that_it_never_claimed_names_no_authors() -> None:
    ben, code, eve = identity("ben"), identity("code"), identity("eve")
    roots = [
        name_root(each.sign, each.device_id, public_key=code.public_key, name="root") for each in (ben, code)
    ]
    named = name_author(ben.sign, ben.device_id, public_key=eve.public_key, name="eve", reach={})
    group = Membership([by("ann", "ann")], [], [*roots, named], root=code.device_id)
    assert group.allows(Origin(eve.device_id, bytes(INCARNATION_BYTES)), 1)


def test_what_the_nearer_to_the_root_did_stays_whatever_their_signatures_when_the_farther_revoke_them() -> (
    None
):
    near, far, own = ([f"{name} {i}" for i in range(6)] for name in ("near", "far", "own"))
    group = of_root(*(by("ann", each) for each in near))
    pairs = [(elder, each) for elder in near for each in far]
    group.add([by(*pair) for pair in [*pairs, *zip(near, own, strict=True)]], [out(b, a) for a, b in pairs])
    assert group.standing == {device("ann"), *map(device, far), *map(device, own)}


def test_who_comes_first_among_equals_follows_from_what_only_an_elder_can_sign() -> None:
    """Whoever makes a key chooses its id: it may try a million until it is the first."""
    signed = [by("ann", f"near {i}") for i in range(6)]
    signed.sort(key=lambda each: sha256(each.signature).digest())
    assert of_root(*signed).judgment.line == (device("ann"), *(each.device for each in signed))


def test_what_shows_that_a_device_is_out_is_looked_for_so_far_and_no_farther(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(replica.membership, "GROUNDS_MAX", 4)
    crowd = ["cleo", "dan", "eve", "fay", "gil"]
    revoked = [out("ann", each) for each in crowd]
    first = [by("ann", "ann"), *(by("ann", each) for each in crowd), by("cleo", "ben"), by("ben", "zoe")]
    more = [*(by(each, "ben") for each in crowd[1:4]), by("gil", "zoe")]
    group = Membership(first, revoked, more, root=device("ann"))
    assert len(group.grounds(device("zoe"))) == 4, "of five that are near"
    line = [by(*pair) for pair in pairwise(["ann", *crowd])]
    group = Membership([by("ann", "ann"), *line], [out("ann", "cleo")], root=device("ann"))
    assert group.grounds(device("fay")) == (out("ann", "cleo"),)
    assert group.grounds(device("gil")) == ()


def test_a_line_is_made_of_introductions_and_not_of_who_is_the_root() -> None:
    ann, eve = identity("ann"), identity("eve")
    root = name_root(ann.sign, ann.device_id, public_key=eve.public_key, name="eve")
    told = [root, by("eve", "eve"), by("ben", "eve"), by("ann", "ben")]
    found = lineage(told, [device("eve")], {device("ann")})
    assert [*found.values()] == [by("ann", "ben"), by("ben", "eve")]


def test_an_author_that_is_introduced_is_a_member_and_each_act_is_known_once() -> None:
    ann, eve = identity("ann"), identity("eve")
    named = name_author(ann.sign, ann.device_id, public_key=eve.public_key, name="eve", reach=None)
    membership = of_root()
    for act in (named, by("ann", "eve")):
        membership.add([act], [])
    assert device("eve") in membership.standing
    assert membership.further == (named,)
    assert membership.size == 3


def test_who_revokes_the_device_that_introduced_it_does_not_introduce_itself() -> None:
    membership, ben = of_root(by("ann", "eve"), by("eve", "ben"), by("eve", "cleo")), identity("ben")
    members, _ = revoking(membership, ben.sign, ben.device_id, [device("eve")])
    assert {member.device for member in members} <= {device("cleo")}


def test_whom_somebody_else_revoked_is_not_introduced_again_for_nothing() -> None:
    membership, ann = of_root(by("ann", "ben"), by("ann", "dan"), by("ann", "eve")), identity("ann")
    membership.add([], [out("ann", "dan")])
    gone, kept = [device("eve")], [device("dan")]
    assert revoking(membership, ann.sign, ann.device_id, gone, keep=kept)[0] == []


def named_root(by_: str, name: str) -> IntroducedMember:
    who = identity(by_)
    return name_root(who.sign, who.device_id, public_key=identity(name).public_key, name=name)


def test_nobody_but_the_root_hands_its_place_on() -> None:
    claims = [named_root("ben", "ben"), named_root("ben", "eve"), named_root("eve", "eve")]
    assert of_root(by("ann", "ben")).news(claims, []) == ([], [])


def test_a_group_without_a_root_takes_none_from_whoever_is_out() -> None:
    claims = [named_root("ben", "eve"), named_root("eve", "eve")]
    for revoked, named in (([], claims), ([out("ann", "ben")], [])):
        group = of_ann(by("ann", "ben"))
        group.add([], revoked)
        assert {*group.news(claims, [])[0]} == {*named}


def test_an_author_that_was_not_named_by_the_roots_own_key_is_left_out() -> None:
    ann, ben, eve = identity("ann"), identity("ben"), identity("eve")
    forged = name_author(ben.sign, ann.device_id, public_key=eve.public_key, name="eve", reach={})
    assert of_root(by("ann", "ben")).news([forged], []) == ([], [])


def test_a_root_names_as_many_authors_as_there_may_be_members(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replica.membership, "MEMBERS_MAX", 2)
    ann, eves = identity("ann"), [identity(f"eve {i}") for i in range(3)]
    named = [
        name_author(ann.sign, ann.device_id, public_key=eve.public_key, name="eve", reach={}) for eve in eves
    ]
    assert of_root().news(named, [])[0] == named[:2]


def test_an_author_that_is_known_is_not_looked_at_again() -> None:
    ann, eve = identity("ann"), identity("eve")
    named = name_author(ann.sign, ann.device_id, public_key=eve.public_key, name="eve", reach={})
    membership = of_root()
    assert membership.unknown([named]) == ([named], [])
    membership.add([named], [])
    assert membership.unknown([named]) == ([], [])


def test_who_said_that_it_is_the_root_is_known_by_its_name() -> None:
    assert Membership([by("ann", "ann")], [], [named_root("ann", "ann")]).is_told_of(device("ann"))


def test_of_all_who_revoked_a_device_the_eldest_comes_first() -> None:
    membership = of_root(by("ann", "ben"), by("ann", "cleo"))
    membership.add([], [out("ben", "cleo"), out("ann", "cleo")])
    assert membership.judgment.revoked_by[device("cleo")] == (device("ann"), device("ben"))
    assert membership.revocation_of(device("cleo")) == out("ann", "cleo")


def test_a_revocation_above_two_introducers_is_one_ground() -> None:
    first = [by("ann", "ann"), *(by(*pair) for pair in (("ann", "eve"), ("eve", "ben"), ("eve", "cleo")))]
    group = Membership(
        [*first, by("ben", "zoe")], [out("ann", "eve")], [by("cleo", "zoe")], root=device("ann")
    )
    assert group.grounds(device("zoe")) == (out("ann", "eve"),)


def test_a_device_that_revokes_itself_stays() -> None:
    group = of_root(by("ann", "ben"), by("ben", "cleo"))
    group.add([], [out("ben", "ben")])
    assert group.standing == {device("ann"), device("ben"), device("cleo")}


def test_whoever_has_no_root_looks_at_all_that_comes_with_one() -> None:
    root, second = named_root("ann", "ann"), by("cleo", "ben")
    assert of_ann(by("ann", "ben")).unknown([second]) == ([], [])
    assert of_ann(by("ann", "ben")).unknown([root, second]) == ([root], [second])


def test_whoever_awaits_a_root_keeps_further_introductions() -> None:
    group = Membership([by("ann", "ann"), by("ann", "ben"), by("ann", "cleo")], awaits=device("ben"))
    assert group.unknown([by("cleo", "ben")]) == ([], [by("cleo", "ben")])
    assert group.news([by("cleo", "ben")], []) == ([by("cleo", "ben")], [])


def test_how_devices_introduced_themselves_is_neither_told_nor_looked_at() -> None:
    group = of_root(by("ann", "ben"))
    assert group.told() == (by("ann", "ben"),)
    assert group.unknown([by("ann", "ann"), by("ben", "ben")]) == ([], [])


def test_whoever_signs_in_the_roots_name_makes_nobody_the_root() -> None:
    ann, ben, eve = identity("ann"), identity("ben"), identity("eve")
    forged = name_root(ben.sign, ann.device_id, public_key=eve.public_key, name="eve")
    assert of_root(by("ann", "ben")).news([forged, named_root("eve", "eve")], []) == ([], [])
    rightly = {named_root("ann", "eve"), named_root("eve", "eve")}
    assert {*of_root(by("ann", "ben")).news(rightly, [])[0]} == rightly


def test_whoever_awaits_the_word_of_one_believes_nobody_else_meanwhile() -> None:
    claims = [named_root("ann", "eve"), named_root("eve", "eve")]
    for who, named in (("ann", []), ("ben", claims)):
        group = Membership([by("cleo", "cleo"), by("cleo", "ann"), by("cleo", "ben")], awaits=device("ben"))
        assert {*group.news(claims, [], by=device(who))[0]} == {*named}


def test_what_a_member_vouches_for_is_signed_by_it() -> None:
    group = of_ann(by("ann", "ben"))
    assert group.vouched(by("ben", "cleo"))
    assert not group.vouched(by("ann", "cleo")._replace(introduced_by=device("ben")))
    assert not group.vouched(by("eve", "cleo"))


def test_of_each_devices_word_so_much_is_kept_and_beyond_it_ones_own_and_what_is_needed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(replica.membership, "INTRODUCTIONS_EACH_MAX", 2)
    group, told = of_ann(by("ann", "ben")), [by("ben", name) for name in ("cleo", "dan", "eve")]
    assert group.news(told, [])[0] == told[:2]
    assert group.news(told, [], own=device("ben"))[0] == told
    assert group.news(told, [], needed={device("eve")})[0] == told


def test_of_one_device_so_many_introductions_by_another_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each that comes counts instead of the one before: there is no end to those that a bad device may sign."""
    monkeypatch.setattr(replica.membership, "INTRODUCTIONS_EACH_MAX", 3)
    eve, cleo = identity("eve"), identity("cleo")
    every = sorted(
        (
            introduce(
                eve.sign,
                eve.device_id,
                public_key=cleo.public_key,
                certificate=cleo.certificate,
                name=f"cleo {n}",
            )
            for n in range(6)
        ),
        key=lambda each: sha256(each.signature).digest(),
        reverse=True,
    )
    group, taken = of_root(by("ann", "eve")), []
    for each in every:
        fresh, _ = group.news([each], [])
        group.add(fresh, [])
        taken += fresh
    assert taken == every[:3]
    assert [each for each in group.told() if each.device == cleo.device_id] == [every[2]]
    assert group.members[cleo.device_id] == every[0]
    assert group.news(reversed(every[:3]), []) == ([], [])


def test_whose_ops_are_held_elsewhere_fits_into_a_full_group(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replica.membership, "MEMBERS_MAX", 2)
    told = [by("ben", "cleo"), by("ben", "dan")]
    assert of_ann(by("ann", "ben")).news(told, [], needed={device("dan")})[0] == told[1:]


def test_whom_a_device_and_those_that_it_was_paired_with_introduce_fits_into_a_full_group(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(replica.membership, "MEMBERS_MAX", 2)
    group, told = of_ann(by("ann", "ben")), [by("ben", "cleo")]
    for own, fresh in (("ben", told), ("ann", told), ("dan", [])):
        assert group.news(told, [], own=device(own))[0] == fresh


def test_of_all_introductions_together_so_many_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replica.membership, "INTRODUCTIONS_MAX", 5)
    told = [by("ben", "dan"), by("ben", "eve"), by("ben", "zoe")]
    assert of_root(by("ann", "ben"), by("ann", "cleo")).news(told, [])[0] == told[:2]


def test_so_many_revocations_by_each_device_are_kept_and_all_of_ones_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(replica.membership, "REVOCATIONS_EACH_MAX", 1)
    group, told = of_ann(by("ann", "ben"), by("ann", "cleo")), [out("ann", "ben"), out("ann", "cleo")]
    assert group.news([], told)[1] == told[:1]
    assert group.news([], told, own=device("ann"))[1] == told


def test_so_many_revocations_are_kept_and_beyond_them_those_by_devices_nearby(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(replica.membership, "REVOCATIONS_MAX", 1)
    monkeypatch.setattr(replica.membership, "ACTS_FIRST", 0)
    group = of_ann(by("ann", "ben"), by("ben", "cleo"), by("ben", "dan"))
    far = [out("cleo", "dan"), out("dan", "cleo")]
    assert group.news([], far, own=device("ann"))[1] == far[:1]
    group.add([], far[:1])
    near = [out("ben", "cleo"), out("ann", "cleo")]
    assert group.news([], near, own=device("ann"))[1] == near
    assert group.news([], near, own=device("dan"))[1] == []


def test_the_first_acts_of_each_device_fit_where_others_have_taken_all_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of whoever came first before others, since it can do the most; and no new device, or a crowd had no end."""
    for name, most in (("REVOCATIONS_MAX", 0), ("INTRODUCTIONS_MAX", 0), ("ACTS_FIRST", 1)):
        monkeypatch.setattr(replica.membership, name, most)
    group = of_root(by("ann", "ben"), by("ann", "eve"), by("eve", "dan"))
    last, first = out("ben", "dan"), out("ben", "eve")
    assert group.news([], [last, first], own=device("dan"))[1] == [first]
    group.add([], [first])
    assert group.news([], [last], own=device("dan"))[1] == []
    group = of_root(by("ann", "ben"), by("ann", "eve"), by("eve", "dan"))
    assert group.news([by("ben", "zoe"), by("ben", "dan"), by("ben", "eve")], [])[0] == [by("ben", "dan")]


def test_a_revocation_that_is_known_is_not_news() -> None:
    group = of_ann(by("ann", "ben"))
    group.add([], [out("ann", "ben")])
    assert group.news([], [out("ann", "ben")]) == ([], [])


def test_whoever_heard_of_the_root_awaits_nobody() -> None:
    group = Membership([by("ann", "ann"), by("ann", "ben")], awaits=device("ben"))
    group.add([named_root("eve", "eve")], [])
    assert (group.root, group.awaits) == (device("eve"), None)


def test_of_a_root_of_which_half_was_known_the_awaited_one_tells_the_other_half() -> None:
    handed = named_root("ann", "eve")
    for who, named in (("ann", []), ("ben", [handed])):
        group = Membership(
            [by("ann", "ann"), by("ann", "ben")], [], [named_root("eve", "eve")], awaits=device("ben")
        )
        assert group.news([handed], [], by=device(who))[0] == named


def test_a_member_stays_known_by_its_first_introduction() -> None:
    group = of_root(by("ann", "ben"), by("ann", "cleo"))
    group.add([by("cleo", "ben")], [])
    assert group.members[device("ben")] == by("ann", "ben")
    assert group.further == (by("cleo", "ben"),)


def test_an_author_that_becomes_the_root_stays_known_as_an_author() -> None:
    ann, eve = identity("ann"), identity("eve")
    named = name_author(ann.sign, ann.device_id, public_key=eve.public_key, name="eve", reach={})
    group = of_root()
    for act in (named, named_root("ann", "eve")):
        group.add([act], [])
    assert group.members[device("eve")] == named
    assert group.further == (named_root("ann", "eve"),)


def test_who_revokes_an_elder_makes_what_that_did_its_own_though_it_counts_today() -> None:
    """An elder's acts stay for now; but somebody still elder may revoke it one day."""
    group, ben = of_root(by("ann", "eve"), by("ann", "dan"), by("dan", "ben")), identity("ben")
    group.add([by("eve", "cleo"), by("dan", "zoe")], [out("eve", "zoe")])
    members, revocations = revoking(group, ben.sign, ben.device_id, [device("eve")])
    assert members == [by("ben", "cleo")]
    assert revocations == [out("ben", "eve"), out("ben", "zoe")]


def test_a_thief_that_two_had_revoked_is_not_heard_again_where_the_elder_of_the_two_goes() -> None:
    """The younger one's word keeps it out and silences it not: it brought others in, and put out the root."""
    names = sorted(("ben", "cleo", "eve"), key=lambda each: sha256(by("ann", each).signature).digest())
    elder, thief, younger = names
    group, ann = of_root(*(by("ann", each) for each in names)), identity("ann")
    group.add([by(thief, "mallory")], [out(thief, "ann"), out(elder, thief), out(younger, thief)])
    before = group.standing
    assert before == {device("ann"), device(elder), device(younger)}
    members, revocations = revoking(group, ann.sign, ann.device_id, [device(elder)])
    group.add(members, revocations)
    assert group.standing == before - {device(elder)}
    assert revocations == [out("ann", elder), out("ann", thief)]


def test_whoever_undoes_what_a_device_did_keeps_whom_it_names() -> None:
    group, ann = of_root(by("ann", "eve"), by("eve", "cleo"), by("eve", "dan")), identity("ann")
    for keep, members in (([], []), ([device("cleo")], [by("ann", "cleo")])):
        told = revoking(group, ann.sign, ann.device_id, [device("eve")], undo=True, keep=keep)
        assert told == (members, [out("ann", "eve")])
