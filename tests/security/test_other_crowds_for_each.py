"""A member introduces one crowd to each device: what one of them took in a stranger's name must reach all the others.

What is kept of a device's word is bounded, and whoever comes first is kept. So each device knows other strangers, and
could for good refuse their ops, and with them everything that was written by who had seen those.
"""

import io

import pytest

import replica.core
import replica.membership
import replica.quotas
from replica import Core
from replica.compaction import compact
from replica.evidence import Accused, Fault
from replica.ids import MemoryId
from replica.membership import IntroducedMember
from replica.ops import Remember, Write
from replica.quotas import HOUR_MS
from sync.carrier.cargo import Taking, check, export, messages
from sync.exchange import Exchange
from sync.wire.messages import Trust, encode_message
from tests.support.exchanges import NOW_MS, ExchangePair, cores, introduced_by
from tests.support.groups import founded
from tests.support.links import identity
from tests.support.replicas import Hand, take

THIEF = identity("eve")
CROWD = 8
# A round each for the strangers of the thief, whom those introduced, and the news.
ROUNDS = 4


@pytest.fixture(autouse=True)
def _bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replica.membership, "INTRODUCTIONS_EACH_MAX", CROWD)


def tell(core: Core, *members: IntroducedMember) -> None:
    """Let a device hear introductions from the thief, on a link."""
    theirs = Exchange(core, THIEF.device_id, NOW_MS)
    theirs.receive(Exchange(cores("eve")[0], core.device, NOW_MS).more(NOW_MS)[0], NOW_MS)
    for part in Trust(members, (), ()).parts():
        theirs.receive(encode_message(part), NOW_MS)


def crowd_of(name: str, by: str = "eve", count: int = CROWD) -> list[IntroducedMember]:
    """Strangers whom somebody introduces."""
    others = [f"{name} {number}" for number in range(count)]
    return [introduced_by(identity(by), identity(each), each) for each in others]


def say(core: Core, text: str) -> None:
    core.commit([Write(Remember(text, {}), MemoryId(text.encode().ljust(16)[:16]))], NOW_MS)


def stranger_says(name: str, core: Core) -> None:
    """Let a stranger hand over a memory of its own."""
    (stranger,) = cores(name)
    stranger.learn([introduced_by(identity(name), identity("ann"), "ann")], [])
    say(stranger, f"{name} speaks")
    meet(stranger, core)


def meet(one: Core, other: Core, *, now_ms: int = NOW_MS) -> None:
    """Link two devices as often as they would redial."""
    for _ in range(ROUNDS):
        pair = ExchangePair(one, other, now_ms)
        while pair.step(True) or pair.step(False):
            pass


def ann_and_ben() -> tuple[Core, Core]:
    """Two honest devices, to each of which the thief introduced a crowd of its own."""
    ann, ben, _ = cores("ann", "ben", "eve")
    tell(ann, *crowd_of("one"))
    tell(ben, *crowd_of("other"))
    return ann, ben


def test_what_a_stranger_of_one_crowd_wrote_reaches_who_knows_another() -> None:
    """Both go on; before, nothing of what ann wrote reached ben any more, on no way and for good."""
    ann, ben = ann_and_ben()
    stranger_says("one 3", ann)
    say(ann, "honest")
    meet(ann, ben)
    assert ann.frontier() == ben.frontier()
    known = [each for each in ben.membership.members.values() if each.introduced_by == THIEF.device_id]
    assert len(known) == CROWD + 1, "the others of the crowd stay outside"


def test_whom_strangers_introduced_is_let_in_with_them() -> None:
    ann, ben = ann_and_ben()
    tell(ann, *crowd_of("below", "one 3", 2))
    stranger_says("below 1", ann)
    say(ann, "honest")
    meet(ann, ben)
    assert ann.frontier() == ben.frontier()


@pytest.mark.parametrize("writer", ["one 3", "below"])
def test_strangers_who_introduce_each_other_are_let_in_all_the_same(writer: str) -> None:
    """As any two do that were paired: by whom the one is known was looked for with the other, and so never found."""
    ann, ben, _ = founded("ann", "ben", "eve")
    tell(ann, *crowd_of("one"), introduced_by(identity("one 3"), identity("below"), "below"))
    tell(ann, introduced_by(identity("below"), identity("one 3"), "one 3"))
    tell(ben, *crowd_of("other"))
    hand = Hand(writer)
    take(ann, hand.frame(hand.write(Remember("a stranger speaks", {}), bytes(16))))
    say(ann, "honest")
    meet(ann, ben)
    assert ann.frontier() == ben.frontier()


def test_a_group_that_is_full_takes_what_its_members_have_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replica.membership, "MEMBERS_MAX", 3 + CROWD)
    ann, ben = ann_and_ben()
    stranger_says("one 0", ann)
    say(ann, "honest")
    meet(ann, ben)
    assert ann.frontier() == ben.frontier()


def test_a_base_with_ops_of_a_stranger_is_taken() -> None:
    ann, ben = ann_and_ben()
    stranger_says("one 3", ann)
    say(ann, "honest")
    compact(ann, NOW_MS)
    meet(ann, ben)
    assert ann.frontier() == ben.frontier()


def test_a_file_with_ops_of_a_stranger_is_taken() -> None:
    ann, ben = ann_and_ben()
    stranger_says("one 3", ann)
    say(ann, "honest")
    file = io.BytesIO()
    export(ann, {}, NOW_MS, file)
    file.seek(0)
    taking = Taking(check(ben, identity("ben"), file))
    file.seek(0)
    for message in messages(identity("ben"), file):
        taking.take(ben, message, NOW_MS)
    assert not taking.brought.refused
    assert ann.frontier() == ben.frontier()


def test_who_passes_a_crowd_on_is_not_accused_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The introducer signed them; but who tells what nobody signed is named itself."""
    monkeypatch.setattr(replica.quotas, "INTRODUCTIONS_PASSED_ON_AN_HOUR", 2)
    ann, ben = ann_and_ben()
    meet(ann, ben)
    assert set(ben.evidence) == {Accused(THIEF.device_id, Fault.INTRODUCTIONS)}
    liar, cleo, _ = cores("liar", "cleo", "eve")
    forged = [each._replace(signature=bytes(64)) for each in crowd_of("forged")]
    theirs = Exchange(cleo, liar.device, NOW_MS)
    theirs.receive(Exchange(liar, cleo.device, NOW_MS).more(NOW_MS)[0], NOW_MS)
    theirs.receive(encode_message(Trust(tuple(forged), (), ())), NOW_MS)
    assert set(cleo.evidence) == {Accused(liar.device, Fault.INTRODUCTIONS)}


def test_strangers_come_beyond_the_bounds_as_fast_as_any_and_no_faster(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(replica.quotas, "INTRODUCTIONS_PASSED_ON_AN_HOUR", 2)
    ann, ben = ann_and_ben()
    for number in range(4):
        stranger_says(f"one {number}", ann)
    say(ann, "honest")
    meet(ann, ben)
    assert sum(each.name.startswith("one") for each in ben.membership.members.values()) == 2
    for hour in (1, 2):
        meet(ann, ben, now_ms=NOW_MS + hour * HOUR_MS)
    assert ann.frontier() == ben.frontier()


def test_what_is_asked_for_again_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A peer that hands over ops of nobody fills no memory, and the link goes on where it told everything it knew."""
    monkeypatch.setattr(replica.core, "WANTED_EACH_MAX", 3)
    monkeypatch.setattr(replica.core, "WANTED_PEERS_MAX", 2)
    (ann,) = cores("ann")
    nobody = [identity(f"nobody {number}").device_id for number in range(5)]
    for peer in nobody:
        assert ann.want(peer, nobody)
        assert not ann.want(peer, nobody)
    assert [len(each) for each in ann.wanted.values()] == [3, 3]
    assert [*ann.wanted] == nobody[-2:]
