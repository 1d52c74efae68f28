"""A stolen device uses its key against the group: it revokes its owner, brings others in, claims to be the founder."""

from hashlib import sha256
from itertools import combinations

import pytest
import trio
from trio.testing import memory_stream_pair

from replica import Core, SqliteStore, connect, revoke
from replica.ids import DeviceId
from replica.membership import GROUNDS_MAX, IntroducedMember, Revocation, introduce, name_root, revoking
from sync.errors import Untrusted
from sync.exchange import check_admitted
from sync.revocation_notice import HEARD_BYTES_MAX, tell_revoked
from sync.wire.frames import encode_frame
from sync.wire.messages import Message, Ops, Trust, encode_message
from tests.support.exchanges import ExchangePair, introduced_by
from tests.support.groups import founded, hear, join, pair, put_out
from tests.support.links import identity
from tests.support.replicas import core_of, remember, texts

EVE = identity("eve")


def device(name: str) -> DeviceId:
    return identity(name).device_id


def standing(core: Core, *names: str) -> set[str]:
    """Which of these belong to the group, as a device sees it."""
    return {name for name in names if device(name) in core.membership.standing}


def root_of(core: Core) -> DeviceId | None:
    return core.membership.root


def by_eve(target: str) -> Revocation:
    return revoke(EVE.sign, EVE.device_id, device(target))


def test_a_revoked_thief_does_not_revoke_the_owner() -> None:
    """Ann revoked eve; ben, who was away, hears of eve first that ann is out, and then from ann how it is."""
    ann, ben, eve = founded("ann", "ben", "eve")
    put_out(ann, "ann", "eve")
    eve.learn([], [by_eve("ann")])
    ExchangePair(eve, ben).settle()
    assert standing(ben, "ann", "ben", "eve") == {"ben", "eve"}, "a device that is lost may be the founder"
    hear(ben, ann)
    assert standing(ben, "ann", "ben", "eve") == {"ann", "ben"}
    assert set(ben.out_since) == {EVE.device_id}, "since when ann was out is forgotten with that"
    with pytest.raises(Untrusted):
        check_admitted(ben, EVE.device_id)
    remember(ann, "still here")
    ExchangePair(ann, ben).settle()
    assert texts(ben) == {"still here"}
    assert standing(ann, "ann", "ben", "eve") == {"ann", "ben"}


def test_an_owner_that_heard_of_its_own_revocation_puts_the_thief_out_and_not_itself() -> None:
    ann, _, _ = founded("ann", "ben", "eve")
    ann.learn([], [by_eve("ann")])
    assert standing(ann, "ann", "ben", "eve") == {"ben", "eve"}
    put_out(ann, "ann", "eve")
    assert standing(ann, "ann", "ben", "eve") == {"ann", "ben"}
    assert {each.device for each in ann.membership.revocations if each.by == ann.device} == {EVE.device_id}


def test_whatever_a_revoked_thief_signs_changes_nothing() -> None:
    ann, ben, _ = founded("ann", "ben", "eve")
    put_out(ann, "ann", "eve")
    ExchangePair(ann, ben).settle()
    mal = identity("mal")
    claims = [
        introduced_by(EVE, mal, "mal"),
        introduced_by(mal, EVE, "eve"),
        name_root(EVE.sign, EVE.device_id, public_key=EVE.public_key, name="eve"),
        name_root(EVE.sign, EVE.device_id, public_key=mal.public_key, name="mal"),
        name_root(mal.sign, mal.device_id, public_key=mal.public_key, name="mal"),
    ]
    out = [by_eve("ann"), by_eve("ben"), revoke(mal.sign, mal.device_id, device("ann"))]
    for core in (ann, ben):
        core.learn(claims, out, by=EVE.device_id)
        assert standing(core, "ann", "ben", "eve", "mal") == {"ann", "ben"}
        assert core.membership.root == device("ann")
        with pytest.raises(Untrusted):
            check_admitted(core, mal.device_id)
    ExchangePair(ann, ben).settle()


def test_of_two_that_revoke_each_other_the_elder_stays_on_all_devices() -> None:
    ann, ben, cleo = founded("ann", "ben", "cleo")
    put_out(ben, "ben", "ann")
    put_out(ann, "ann", "ben")
    for teller in (ann, ben):
        hear(cleo, teller)
    hear(ann, ben)
    hear(ben, ann)
    for core in (ann, ben, cleo):
        assert standing(core, "ann", "ben", "cleo") == {"ann", "cleo"}
        assert core.membership.judgment.revoked_by == {device("ben"): (device("ann"),)}


def test_a_device_that_was_lost_is_revoked_by_any_other_though_it_founded_the_group() -> None:
    ann, ben, cleo = founded("ann", "ben", "cleo")
    put_out(ben, "ben", "ann")
    hear(cleo, ben)
    assert standing(cleo, "ann", "ben", "cleo") == {"ben", "cleo"}
    assert ann.membership.root == device("ann")


def test_who_was_introduced_by_a_revoked_device_stays_unless_that_is_taken_back() -> None:
    for undo, stays in ((False, {"ann", "dan"}), (True, {"ann"})):
        ann, ben = founded("ann", "ben")
        dan = core_of("dan")
        join(ben, "ben", dan, "dan")
        ExchangePair(ann, ben).settle()
        assert standing(ann, "ann", "ben", "dan") == {"ann", "ben", "dan"}
        put_out(ann, "ann", "ben", undo=undo)
        assert standing(ann, "ann", "ben", "dan") == stays
        hear(dan, ann)
        assert standing(dan, "ann", "ben", "dan") == stays


def test_whom_a_revoked_device_had_revoked_stays_out_unless_that_is_taken_back() -> None:
    for undo, stays in ((False, {"ann"}), (True, {"ann", "cleo"})):
        ann, *_ = founded("ann", "ben", "cleo")
        ann.learn([], [revoke(identity("ben").sign, device("ben"), device("cleo"))])
        assert standing(ann, "ann", "ben", "cleo") == {"ann", "ben"}
        put_out(ann, "ann", "ben", undo=undo)
        assert standing(ann, "ann", "ben", "cleo") == stays


def test_a_newcomer_takes_the_root_from_whom_it_was_paired_with_and_nobody_else() -> None:
    ann, ben, _ = founded("ann", "ben", "eve")
    dan = core_of("dan")
    dan.expect_root(ben.device, None)
    dan.learn([introduced_by(identity("dan"), identity("ben"), "ben")], [])
    claim = name_root(EVE.sign, EVE.device_id, public_key=EVE.public_key, name="eve")
    dan.learn([introduced_by(identity("dan"), EVE, "eve"), claim], [], by=EVE.device_id)
    assert root_of(dan) is None
    fay = identity("fay")
    hers = name_root(fay.sign, fay.device_id, public_key=EVE.public_key, name="eve")
    dan.learn([introduced_by(EVE, fay, "fay"), hers, claim], [], by=EVE.device_id)
    assert root_of(dan) is None, "whatever somebody hands on whom she made up"
    ben.learn([introduced_by(identity("ben"), identity("dan"), "dan")], [])
    ExchangePair(ben, dan).settle()
    assert root_of(dan) == ann.device
    dan.learn([claim], [], by=ben.device)
    assert root_of(dan) == ann.device


@pytest.mark.parametrize("turned", [False, True], ids=["the-same", "the-other"])
@pytest.mark.parametrize("joiner", range(3))
@pytest.mark.parametrize("founder", range(3))
def test_after_a_pairing_that_was_cut_off_anywhere_two_pair_again_and_have_one_root(
    founder: int, joiner: int, turned: bool
) -> None:
    """Each showed its code once, and each took the other for the founder for ever: revocations parted them."""
    ann, ben, cleo = cores = [
        core_of(name, SqliteStore(connect(":memory:"))) for name in ("ann", "ben", "cleo")
    ]
    own = name_root(identity("ann").sign, ann.device, public_key=identity("ann").public_key, name="ann")
    for step in (
        lambda: ann.expect_root(ben.device, own),
        lambda: ann.learn([introduced_by(identity("ann"), identity("ben"), "ben")], []),
    )[:founder]:
        step()
    for step in (
        lambda: ben.expect_root(ann.device, None),
        lambda: ben.learn([introduced_by(identity("ben"), identity("ann"), "ann")], []),
    )[:joiner]:
        step()
    if turned:
        join(ben, "ben", ann, "ann")
    else:
        join(ann, "ann", ben, "ben")
    join(ben, "ben", cleo, "cleo")
    for one, other in (*combinations(cores, 2), *combinations(cores, 2)):
        ExchangePair(one, other).settle()
    assert [root_of(each) for each in cores] == [(ben if turned else ann).device] * 3
    everybody = {each.device for each in cores}
    assert all(each.membership.standing == everybody for each in cores)


def test_what_one_said_itself_in_a_pairing_that_was_cut_off_it_hears_from_its_partner() -> None:
    """Its partner had heard it before the two paired once more, with the other's code."""
    ann, ben = (core_of(name, SqliteStore(connect(":memory:"))) for name in ("ann", "ben"))
    own = name_root(identity("ann").sign, ann.device, public_key=identity("ann").public_key, name="ann")
    ann.expect_root(ben.device, own)
    ann.learn([introduced_by(identity("ann"), identity("ben"), "ben")], [])
    ben.expect_root(ann.device, None)
    ben.learn([introduced_by(identity("ben"), identity("ann"), "ann")], [])
    hear(ben, ann)
    assert root_of(ben) == ann.device
    join(ben, "ben", ann, "ann")
    assert root_of(ann) == root_of(ben) == ann.device


def test_whom_a_founder_takes_in_before_it_has_heard_its_first_partner_makes_no_group_of_that_one() -> None:
    ann, ben, cleo = map(core_of, ("ann", "ben", "cleo"))
    pair(ann, "ann", ben, "ben")
    join(ann, "ann", cleo, "cleo")
    ExchangePair(ann, ben).settle()
    ExchangePair(ann, cleo).settle()
    assert {root_of(each) for each in (ann, ben, cleo)} == {ann.device}


def test_a_founder_whose_partner_waits_itself_takes_the_root_from_that_and_from_no_other_member() -> None:
    """It awaited nobody from then on: it followed whatever a member handed on, and never its partner's root."""
    ann, ben, zoe = map(core_of, ("ann", "ben", "zoe"))
    pair(zoe, "zoe", ben, "ben")
    join(ann, "ann", ben, "ben")
    eves = introduced_by(identity("ben"), EVE, "eve")
    mal = identity("mal")
    forged = [
        name_root(EVE.sign, EVE.device_id, public_key=mal.public_key, name="mal"),
        name_root(mal.sign, mal.device_id, public_key=mal.public_key, name="mal"),
        introduced_by(EVE, mal, "mal"),
    ]
    ann.learn([eves], [], by=ben.device)
    ann.learn(forged, [], by=EVE.device_id)
    assert root_of(ann) is None
    for one, other in ((zoe, ben), (ben, ann)) * 2:
        ExchangePair(one, other).settle()
    assert {root_of(each) for each in (ann, ben, zoe)} == {zoe.device}


def test_a_group_without_a_root_goes_on_as_before_and_talks_to_devices_that_have_one() -> None:
    """One device of 0.1.0 keeps one introduction of each, and sends one; the others send it all of theirs."""
    ann, ben = founded("ann", "ben")
    old = core_of("old")
    old.learn([introduced_by(identity("old"), identity("ann"), "ann")], [])
    ann.learn([introduced_by(identity("ann"), identity("old"), "old")], [])
    remember(ann, "to all")
    remember(old, "from an old one")
    for _ in range(2):
        ExchangePair(ann, old).settle()
        ExchangePair(ann, ben).settle()
        ExchangePair(ben, old).settle()
    assert texts(old) == texts(ben) == {"to all", "from an old one"}
    assert old.membership.root is None
    assert standing(old, "ann", "ben", "old") == {"ann", "ben", "old"} == standing(ben, "ann", "ben", "old")


def test_who_shows_a_code_to_a_device_that_has_a_group_joins_that_group() -> None:
    ann, _ = founded("ann", "ben")
    dan = core_of("dan")
    join(dan, "dan", ann, "ann")
    assert dan.membership.root == ann.device == ann.membership.root
    assert standing(dan, "ann", "ben", "dan") == {"ann", "ben", "dan"}
    old, other = core_of("old"), core_of("other")
    for one, two in (("old", "other"), ("other", "old")):
        core = old if one == "old" else other
        core.learn([introduced_by(identity(one), identity(two), two)], [])
    cleo = core_of("cleo")
    join(cleo, "cleo", old, "old")
    assert cleo.membership.root is None, "the group that it joins has none"


def test_what_is_decided_outlives_the_program() -> None:
    ann, _, _ = founded("ann", "ben", "eve")
    store = SqliteStore(connect(":memory:"))
    copy = Core(store, device=ann.device, sign=ann.sign, random=ann._random)
    copy.adopt(ann.membership)
    put_out(copy, "ann", "eve")
    copy.learn([], [by_eve("ann")])
    again = Core(store, device=ann.device, sign=ann.sign, random=ann._random)
    assert again.membership.root == ann.device
    assert again.membership.standing == copy.membership.standing == {ann.device, device("ben")}
    assert set(again.membership.told()) == set(copy.membership.told())
    assert store.check(store.all_cells()) == []


def test_a_device_that_is_introduced_to_each_by_another_name_is_known_by_the_same_to_all() -> None:
    """Who is the elder of two follows from how they were introduced: devices that were told otherwise never agreed."""

    def told(name: str, order: int) -> IntroducedMember:
        """Of twenty introductions of a device by eve the one that comes first, or last."""
        every = [introduced_by(EVE, identity(name), f"{name} {n}") for n in range(20)]
        return sorted(every, key=lambda each: sha256(each.signature).digest())[order]

    store = SqliteStore(connect(":memory:"))
    first, ben, _ = founded("ann", "ben", "eve")
    ann = Core(store, device=first.device, sign=first.sign, random=first._random)
    ann.adopt(first.membership)
    cleo, dan = identity("cleo"), identity("dan")
    out = [
        revoke(cleo.sign, cleo.device_id, dan.device_id),
        revoke(dan.sign, dan.device_id, cleo.device_id),
    ]
    ann.learn([told("cleo", -1), told("dan", 1)], out)
    ben.learn([told("cleo", 0), told("dan", -1)], out)
    assert (standing(ann, "cleo", "dan"), standing(ben, "cleo", "dan")) == ({"dan"}, {"cleo"})
    link = ExchangePair(ann, ben)
    link.settle()
    again = Core(store, device=ann.device, sign=ann.sign, random=ann._random)
    for core in (ann, ben, again):
        assert standing(core, "ann", "ben", "cleo", "dan") == {"ann", "ben", "cleo"}
        assert {*core.membership.told()} >= {told("cleo", 0), told("dan", 1)}
        assert {*core.membership.told()} == {*ben.membership.told()}
    assert ann.membership.members[cleo.device_id] == told("cleo", -1), "nobody is called by another name"
    size = ann.membership.size
    ann.learn([told("dan", 0)], [])
    ann.reload()
    assert ann.membership.size > size, "who looks for news looks at this"
    link.stir()
    link.settle()
    assert told("dan", 0) in ben.membership.told()
    assert not ben.learn([told("dan", 0), told("dan", 1), told("cleo", -1)], [])
    forged = [told("cleo", 0)._replace(signature=n.to_bytes(64)) for n in range(1_000)]
    assert not ben.learn(forged, []), "some come before it, and eve signed none of them"


def test_a_flood_of_acts_is_bounded_and_does_not_hide_the_owners(monkeypatch: pytest.MonkeyPatch) -> None:
    ann, ben, _ = founded("ann", "ben", "eve")
    monkeypatch.setattr("replica.membership.REVOCATIONS_MAX", 4)
    monkeypatch.setattr("replica.membership.REVOCATIONS_EACH_MAX", 3)
    monkeypatch.setattr("replica.membership.ACTS_FIRST", 0)
    crowd = [identity(f"sybil {number}") for number in range(6)]
    ben.learn([introduced_by(EVE, each, "sybil") for each in crowd], [])
    for one in (EVE, *crowd):
        ben.learn([], [revoke(one.sign, one.device_id, other.device_id) for other in crowd])
    assert len(ben.membership.revocations) == 4
    put_out(ann, "ann", "eve")
    hear(ben, ann)
    assert standing(ben, "ann", "ben", "eve") == {"ann", "ben"}


def test_a_crowd_that_revokes_itself_leaves_room_to_put_its_maker_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A hundred strangers, within an hour, made 10,000: then nobody but a near device could revoke the thief."""
    ann, ben, cleo, eve = founded("ann", "ben", "cleo", "eve")
    dan = core_of("dan")
    join(eve, "eve", dan, "dan")  # before eve was stolen
    for name in ("REVOCATIONS_MAX", "INTRODUCTIONS_MAX"):
        monkeypatch.setattr(f"replica.membership.{name}", 20)
    crowd = [identity(f"sybil {number}") for number in range(9)]
    strangers = [introduced_by(EVE, each, "sybil") for each in crowd]
    strangers += [introduced_by(one, each, "sybil") for one in crowd for each in crowd]
    hostile = [revoke(one.sign, one.device_id, each.device_id) for one in crowd for each in crowd]
    for core in (ann, ben, cleo, dan):
        hear(core, eve)
        core.learn(strangers, hostile)
        assert standing(core, "ann", "ben", "cleo", "dan", "eve") == {"ann", "ben", "cleo", "dan", "eve"}
    put_out(ben, "ben", "eve", undo=True)
    ben.learn([introduced_by(identity("ben"), identity("dan"), "dan")], [])
    for core in (cleo, dan):  # neither was paired with ben
        hear(core, ben)
        assert standing(core, "ann", "ben", "cleo", "dan", "eve") == {"ann", "ben", "cleo", "dan"}


def test_who_is_out_is_heard_out_and_only_of_the_group() -> None:
    """The owner tells it by the way at which it is told that it is out; anything else ends what is heard."""
    ann, ben, _ = founded("ann", "ben", "eve")
    put_out(ann, "ann", "eve")
    ben.learn([], [by_eve("ann")])
    heard: list[Trust] = []

    async def hear_it(trust: Trust) -> None:
        heard.append(trust)
        ben.learn(trust.members, trust.revocations, by=ann.device)

    async def call(*said: Message) -> None:
        near, far = memory_stream_pair()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_say_all, far, said)
            await tell_revoked(near, ben.membership.grounds(ann.device), 1, hear=hear_it)

    async def main() -> None:
        with trio.fail_after(20):
            await call(Ops(b"nothing", last=True))
            assert len(heard) == 0
            await call(Trust(ann.membership.told(), ann.membership.revocations, ()))

    trio.run(main)
    assert len(heard) == 1
    assert standing(ben, "ann", "ben", "eve") == {"ann", "ben"}
    assert HEARD_BYTES_MAX < 1 << 24


async def _say_all(stream: trio.abc.Stream, said: tuple[Message, ...]) -> None:
    for message in said:
        await stream.send_all(encode_frame(encode_message(message)))
    await trio.sleep(0.1)
    await stream.aclose()


def test_names_of_the_root_are_no_devices() -> None:
    """A root that is no device is admitted by nobody, and a certificate that says it is one makes nobody the root."""
    ann, ben, _ = founded("ann", "ben", "eve")
    before = dict(ben.membership.members)
    paper = identity("paper")
    named: list[IntroducedMember] = [
        name_root(paper.sign, paper.device_id, public_key=paper.public_key, name="code"),
        introduce(
            EVE.sign, EVE.device_id, public_key=paper.public_key, certificate=b"samemind root 1\0", name="x"
        ),
    ]
    ben.learn(named, [], by=ann.device)
    assert dict(ben.membership.members) == before
    assert ben.membership.root == ann.device
    assert ben.membership.public_key(paper.device_id) is None


def test_what_shows_that_a_device_is_out_is_found_up_its_line_and_bounded() -> None:
    """Eve is out, and so is whom mal brought in, whom eve had brought in; a crowd of introducers makes no long list."""
    ann, ben, _ = founded("ann", "ben", "eve")
    mal, zoe = identity("mal"), identity("zoe")
    ann.learn([introduced_by(EVE, mal, "mal"), introduced_by(mal, zoe, "zoe")], [])
    assert standing(ann, "ann", "ben", "eve", "mal", "zoe") == {"ann", "ben", "eve", "mal", "zoe"}
    assert ann.membership.grounds(zoe.device_id) == ()
    put_out(ann, "ann", "eve", undo=True)
    assert standing(ann, "ann", "ben", "eve", "mal", "zoe") == {"ann", "ben"}
    (of_eve,) = ann.membership.revocations
    for each in (zoe, mal, EVE):
        assert ann.membership.grounds(each.device_id) == (of_eve,)
    assert ann.membership.grounds(ben.device) == ann.membership.grounds(device("nobody")) == ()
    crowd = [identity(f"crowd {i}") for i in range(GROUNDS_MAX + 2)]
    ann.learn([introduced_by(EVE, each, "crowd") for each in crowd], [])
    ann.learn([introduced_by(each, zoe, "zoe") for each in crowd], [])
    put_out(ann, "ann", *(f"crowd {i}" for i in range(len(crowd))), undo=True)
    assert len(crowd) > GROUNDS_MAX >= len(ann.membership.grounds(zoe.device_id)) > 50


def test_who_showed_the_code_stays_the_root_where_its_partner_says_all_it_knows_and_names_none() -> None:
    ben, ann = core_of("ben"), identity("ann")
    own = name_root(identity("ben").sign, ben.device, public_key=identity("ben").public_key, name="ben")
    ben.expect_root(ann.device_id, own)
    ben.learn([introduced_by(identity("ben"), ann, "ann")], [])
    ben.learn([introduced_by(ann, ann, "ann")], [], by=ann.device_id)
    ben.heard_group(ann.device_id)
    assert root_of(ben) == ben.device


def test_who_names_the_root_twice_in_one_message_is_heard_once() -> None:
    """A device that awaits its partner's word hears it said twice over; the store has room for it once."""
    store = SqliteStore(connect(":memory:"))
    ben, ann = core_of("ben", store), identity("ann")
    root = name_root(ann.sign, ann.device_id, public_key=ann.public_key, name="ann")
    ben.expect_root(ann.device_id, None)
    ben.learn([introduced_by(identity("ben"), ann, "ann")], [])
    assert ben.learn([root, root, introduced_by(ann, identity("ben"), "ben")], [], by=ann.device_id)
    assert root_of(ben) == ann.device_id
    store.connection.close()


def joined_halves() -> list[Core]:
    """Two groups of two, whose founders were paired with each other afterwards."""
    (ann, ben), (cleo, dan) = halves = founded("ann", "ben"), founded("cleo", "dan")
    join(ann, "ann", cleo, "cleo")
    everybody = [core for half in halves for core in half]
    _all_hear_all(everybody)
    assert {root_of(ann), root_of(ben)} == {device("ann")}
    assert {root_of(cleo), root_of(dan)} == {device("cleo")}
    return everybody


def _all_hear_all(cores: list[Core]) -> None:
    for _ in range(2):
        for hearer in cores:
            for teller in cores:
                if teller is not hearer:
                    hear(hearer, teller)


def test_a_stolen_founder_of_one_half_is_out_everywhere_until_it_answers_and_then_parts_the_halves() -> None:
    """From then on each half heeds its own founder: the thief keeps those that follow the stolen one."""
    ann, ben, cleo, dan = joined_halves()
    put_out(cleo, "cleo", "ann")
    _all_hear_all([ben, cleo, dan])
    assert not any("ann" in standing(each, "ann") for each in (ben, cleo, dan))
    ann.learn([], [revoke(identity("ann").sign, ann.device, cleo.device)])
    for each in (ben, cleo, dan):
        hear(each, ann)
    assert standing(ben, "ann", "cleo") == {"ann"}
    assert all(standing(each, "ann", "cleo") == {"cleo"} for each in (cleo, dan))


def test_the_code_of_one_half_typed_on_each_device_of_the_other_ends_both_founders() -> None:
    ann, ben, cleo, dan = everybody = joined_halves()
    code = identity("the code of cleo's half")
    own = name_root(code.sign, code.device_id, public_key=code.public_key, name="code")
    on = name_root(identity("cleo").sign, cleo.device, public_key=code.public_key, name="code")
    cleo.learn([own, on, introduced_by(code, identity("cleo"), "cleo")], [])
    _all_hear_all(everybody)
    assert {root_of(cleo), root_of(dan)} == {code.device_id}
    assert {root_of(ann), root_of(ben)} == {device("ann")}, "what another founder hands on is not followed"
    put_out(ann, "ann", "cleo")  # whoever stole ann parts the halves
    _all_hear_all(everybody)
    ben.follow(own)
    ben.learn(*revoking(ben.membership, code.sign, code.device_id, [ann.device], undo=True, keep=kept(ben)))
    _all_hear_all([ben, cleo, dan])
    for each in (ben, cleo, dan):
        assert root_of(each) == code.device_id
        assert standing(each, "ann", "ben", "cleo", "dan") == {"ben", "cleo", "dan"}


def kept(core: Core) -> set[DeviceId]:
    """Whom `group restore` keeps."""
    return {*core.membership.members} - {device("ann")}
