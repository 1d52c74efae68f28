"""What a member may not say on a link, it may not say in a file either: not in a mailbox, and not on a stick.

Files counted against nobody's quota: ten thousand chains, which would wait on a link, were taken from a mailbox at
once, and enough of them made heads that nobody could read.
"""

import io
from random import Random

import pytest

import replica.quotas
from replica import Core
from replica.compaction import compact
from replica.evidence import Accused, Fault
from replica.limits import CHAINS_FIRST, CHAINS_MAX, CHAINS_OF_ONE_MAX, HEADS_MAX
from replica.membership import MEMBERS_MAX
from replica.ops import Relate
from replica.quotas import CHAINS_AN_HOUR, HOUR_MS, INTRODUCTIONS_AN_HOUR, Beginnings, Limits, Quotas
from sync.carrier.cargo import Brought, Taking, check, export, messages
from tests.security.test_crowds_of_introductions import strangers
from tests.security.test_floods_of_chains import chains
from tests.support.links import identity
from tests.support.replicas import NOW_MS, Hand, agree, group, remember, settle, sync, texts


def filed(core: Core) -> bytes:
    """Everything that a device holds, in a file."""
    file = io.BytesIO()
    export(core, {}, NOW_MS, file, entropy=Random(1).randbytes)
    return file.getvalue()


def took(
    core: Core, name: str, data: bytes, now_ms: int = NOW_MS, *, is_handed_over: bool = False
) -> Brought:
    """Take a file."""
    header = check(core, identity(name), io.BytesIO(data))
    taking = Taking(header, is_handed_over=is_handed_over)
    for message in messages(identity(name), io.BytesIO(data)):
        taking.take(core, message, now_ms)
    taking.done(core, now_ms)
    return taking.brought


@pytest.mark.parametrize("is_handed_over", [False, True])
def test_a_flood_of_chains_in_a_file_is_taken_up_to_its_quota_and_named(is_handed_over: bool) -> None:
    ann, eve = group("ann", "eve")
    eve.take(chains("eve", 300), NOW_MS)
    data = filed(eve)
    brought = took(ann, "ann", data, is_handed_over=is_handed_over)
    assert ann.feeds.count_of(eve.device) == CHAINS_AN_HOUR
    assert any("waits there" in reason for reason in brought.refused), "the file is looked at again"
    assert Accused(eve.device, Fault.CHAINS) in ann.evidence
    took(ann, "ann", data, NOW_MS + HOUR_MS)
    assert ann.feeds.count_of(eve.device) == 2 * CHAINS_AN_HOUR


def test_what_is_over_its_quota_waits_in_its_file_and_comes_when_there_is_room() -> None:
    ann, ben = group("ann", "ben")
    ann.quotas = Quotas(Limits(ops=100))
    refused = list[str]()
    for number in range(3):
        remember(ben, *(f"word {number} {each}" for each in range(80)))
        refused += took(ann, "ann", filed(ben), NOW_MS + number).refused
    assert any("over the quota of ops" in reason for reason in refused)
    assert len(texts(ann)) == 160, "a file may put it into debt, and the next one waits"
    assert Accused(ben.device, Fault.QUOTA) in ann.evidence
    assert not took(ann, "ann", filed(ben), NOW_MS + HOUR_MS).refused
    assert agree(ann, ben)


def test_what_the_owner_brings_by_hand_is_taken_whole_and_counts_against_nobody() -> None:
    ann, ben = group("ann", "ben")
    ann.quotas = Quotas(Limits(ops=100))
    for number in range(3):
        remember(ben, *(f"word {number} {each}" for each in range(80)))
        assert not took(ann, "ann", filed(ben), is_handed_over=True).refused
    assert agree(ann, ben)
    remember(ben, "and on a link")
    sync(ann, ben)
    assert agree(ann, ben)
    assert not ann.evidence


def test_introductions_come_no_faster_by_files_than_by_links() -> None:
    ann, eve = group("ann", "eve")
    eve.learn(strangers(INTRODUCTIONS_AN_HOUR + 20), [])
    before, data = len(ann.membership.members), filed(eve)
    brought = took(ann, "ann", data)
    assert len(ann.membership.members) - before == INTRODUCTIONS_AN_HOUR
    assert any("20 introductions" in reason for reason in brought.refused)
    assert Accused(eve.device, Fault.INTRODUCTIONS) in ann.evidence
    assert not took(ann, "ann", data, NOW_MS + HOUR_MS).refused
    assert len(ann.membership.members) == len(eve.membership.members)


# -- snapshots ---------------------------------------------------------------------------------------------------


def flooder(count: int) -> tuple[Core, Core, Core]:
    """Ann and Ben, and Eve with so many chains of her own below her base."""
    ann, ben, eve = group("ann", "ben", "eve")
    eve.take(chains("eve", count), NOW_MS)
    assert compact(eve, NOW_MS)
    return ann, ben, eve


def test_a_snapshot_that_begins_more_chains_than_one_device_may_is_left_with_its_maker() -> None:
    ann, ben, eve = flooder(CHAINS_OF_ONE_MAX + 1)
    remember(ann, "an honest word")
    ours, _ = sync(ann, eve)
    assert ann.feeds.count_of(eve.device) == 0
    assert any("more chains" in each.reason for each in ours.refusals)
    assert Accused(eve.device, Fault.CHAINS) in ann.evidence
    assert any("more chains" in reason for reason in took(ann, "ann", filed(eve)).refused)
    assert ann.feeds.count_of(eve.device) == 0
    settle([ann, ben])
    assert agree(ann, ben)


def test_one_snapshot_may_put_its_maker_into_debt_and_the_next_one_waits() -> None:
    ann, _, eve = flooder(2 * CHAINS_AN_HOUR)
    sync(ann, eve)
    assert ann.feeds.count_of(eve.device) == 2 * CHAINS_AN_HOUR
    _, _, eve = flooder(2 * CHAINS_AN_HOUR + 10)
    sync(ann, eve)
    assert ann.feeds.count_of(eve.device) == 2 * CHAINS_AN_HOUR
    sync(ann, eve, NOW_MS + 2 * HOUR_MS)
    assert agree(ann, eve), "what waited comes"


@pytest.mark.parametrize("is_handed_over", [False, True])
def test_a_snapshot_in_a_file_counts_against_its_maker_unless_the_owner_brings_it(
    is_handed_over: bool,
) -> None:
    ann, ben = group("ann", "ben")
    ann.quotas = Quotas(Limits(ops=100))
    remember(ben, *(f"word {each}" for each in range(160)))
    assert compact(ben, NOW_MS)
    assert not took(ann, "ann", filed(ben), is_handed_over=is_handed_over).refused
    assert len(texts(ann)) == 160, "a file may put it into debt"
    remember(ben, "one more")
    brought = took(ann, "ann", filed(ben), NOW_MS + 1)
    assert bool(brought.refused) is not is_handed_over
    assert agree(ann, ben) is is_handed_over


# -- whoever fills it up keeps no newcomer out -------------------------------------------------------------------


def test_where_there_is_room_for_no_more_chains_the_first_of_each_device_are_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(replica.quotas, "CHAINS_MAX", 20)
    ann, ben, cleo, eve = group("ann", "ben", "cleo", "eve")
    ann.take(chains("eve", 30), NOW_MS, peer=eve.device)
    assert len(ann.feeds) == 20
    for peer, name in ((ben, "ben"), (cleo, "cleo")):
        assert ann.take(chains(name, 10), NOW_MS, peer=peer.device).ops == CHAINS_FIRST
    hand = Hand("ben", incarnation=(1).to_bytes(8))
    hand.write(Relate("a1", "is", "b", 0.5))
    assert ann.take(hand.frame(hand.write(Relate("goes", "on", "there", 0.5))), NOW_MS, peer=ben.device).ops


@pytest.mark.parametrize(("begun", "is_taken"), [(CHAINS_FIRST, True), (CHAINS_FIRST + 1, False)])
def test_even_then_a_snapshot_brings_the_first_of_a_device_that_is_new(begun: int, is_taken: bool) -> None:
    ann, ben = (identity(name).device_id for name in ("ann", "ben"))
    beginnings = Beginnings(Quotas(), ann, held=lambda _: 0, total=CHAINS_MAX, now_ms=NOW_MS)
    assert beginnings.allow_all({ben: begun}) is is_taken


def test_even_then_a_frontier_can_be_read() -> None:
    assert CHAINS_MAX + CHAINS_FIRST * MEMBERS_MAX <= HEADS_MAX
