"""What is counted against whom, on a clock that is an argument; what it stops is in `tests/security/test_quotas.py`."""

from collections.abc import Callable
from math import isclose

import pytest

from replica.ids import DeviceId
from replica.limits import CHAINS_FIRST, CHAINS_MAX, CHAINS_OF_ONE_MAX
from replica.membership import IntroducedMember
from replica.ops import Remember
from replica.quotas import (
    CHAINS_AN_HOUR,
    CHAINS_PASSED_ON_AN_HOUR,
    HOUR_MS,
    INTRODUCTIONS_AN_HOUR,
    INTRODUCTIONS_PASSED_ON_AN_HOUR,
    KEPT_MAX,
    PASSED_ON_TIMES,
    RATIO_FREE,
    Beginnings,
    Limits,
    Quotas,
    What,
    paced,
    told_over,
)
from tests.support.replicas import NOW_MS, Hand

PEER, OTHER = DeviceId(b"p" * 32), DeviceId(b"o" * 32)


def quotas_of(**limits: int) -> Quotas:
    return Quotas(Limits(**limits))


def test_one_that_is_used_up_waits_for_a_tenth_of_an_hours_worth() -> None:
    quotas = quotas_of(ops=100)
    quotas.spend(PEER, What.OPS, 99, NOW_MS)
    assert quotas.wait_ms(PEER, What.OPS, NOW_MS) == 0
    quotas.spend(PEER, What.OPS, 1, NOW_MS)
    wait_ms = quotas.wait_ms(PEER, What.OPS, NOW_MS)
    assert wait_ms == HOUR_MS // 10 + 1
    assert quotas.left(PEER, What.OPS, NOW_MS + wait_ms) >= 10
    assert f"for {wait_ms // 60_000 + 1} minutes" in told_over(What.OPS, wait_ms)


@pytest.mark.parametrize("what", [What.OPS, What.OPS_PASSED_ON, What.BYTES, What.PACKED])
def test_whichever_of_what_is_sent_is_used_up_holds_a_peer_up(what: What) -> None:
    quotas = quotas_of()
    assert quotas.over(PEER, NOW_MS) is None
    quotas.spend(PEER, what, quotas.limits.of(what), NOW_MS)
    over = quotas.over(PEER, NOW_MS)
    assert over is not None
    assert over[0] is what
    assert quotas.over(OTHER, NOW_MS) is None


def test_of_several_that_are_used_up_the_one_that_lasts_longest_is_told() -> None:
    quotas = quotas_of()
    for what, times in ((What.OPS, 2), (What.PACKED, 3), (What.BYTES, 1)):
        quotas.spend(PEER, what, times * quotas.limits.of(what), NOW_MS)
    over = quotas.over(PEER, NOW_MS)
    assert over is not None
    assert over[0] is What.PACKED


def test_of_more_than_are_kept_over_a_restart_those_with_the_largest_share_of_a_quota_stay() -> None:
    quotas = quotas_of(ops=100)
    quotas.spend(PEER, What.OPS, 50, NOW_MS)
    for n in range(KEPT_MAX):
        quotas.spend(DeviceId(n.to_bytes(32)), What.BYTES, 1_000, NOW_MS)
    assert [PEER, "OPS", 50, NOW_MS] in quotas.packed()


def test_all_of_one_is_kept_over_a_restart_and_less_is_not() -> None:
    quotas = quotas_of()
    quotas.spend(PEER, What.CHAINS, 1, NOW_MS)
    quotas.spend(OTHER, What.BYTES, 0.9, NOW_MS)
    assert quotas.packed() == [[PEER, "CHAINS", 1, NOW_MS]]


def test_what_was_counted_since_a_start_is_not_overwritten_by_what_was_kept() -> None:
    quotas = quotas_of(ops=100)
    quotas.spend(PEER, What.OPS, 70, NOW_MS)
    quotas.restore([[PEER, "OPS", 10, NOW_MS]])
    assert quotas.left(PEER, What.OPS, NOW_MS) == 30


def test_of_a_frame_only_what_was_news_counts() -> None:
    hand = Hand("ann")
    frame = hand.frame(*(hand.write(Remember("word", {}), bytes([n]) * 16) for n in range(4)))
    size = sum(len(op.payload or b"") for op in frame.ops)
    quotas, ann = quotas_of(), frame.segments[0].origin.device
    quotas.charge(ann, frame, 1, 400, NOW_MS)
    for what, spent in ((What.OPS, 1), (What.OPS_PASSED_ON, 0), (What.BYTES, size / 4), (What.PACKED, 100)):
        assert isclose(quotas.limits.of(what) - quotas.left(ann, what, NOW_MS), spent, abs_tol=1e-6)


def test_a_snapshot_counts_by_how_much_of_it_its_maker_wrote() -> None:
    quotas = quotas_of()
    quotas.charge_base(PEER, (10, 30), 8_000, 4_000, NOW_MS)
    share = 0.25 + 0.75 / PASSED_ON_TIMES
    for what, spent in (
        (What.OPS, 10),
        (What.OPS_PASSED_ON, 30),
        (What.BYTES, 8_000 * share),
        (What.PACKED, 4_000 * share),
    ):
        assert isclose(quotas.limits.of(what) - quotas.left(PEER, what, NOW_MS), spent, abs_tol=1e-6)


def test_a_snapshot_that_brought_nothing_costs_nothing() -> None:
    quotas = quotas_of()
    quotas.charge_base(PEER, (0, 0), 8_000, 4_000, NOW_MS)
    assert quotas.packed() == []


@pytest.mark.parametrize(
    ("packed", "counted"), [(1_000, 10_000), (100, 10_000 * 10_000 / (100 * RATIO_FREE))]
)
def test_what_packs_better_than_words_counts_for_more_and_what_packs_worse_not_for_less(
    packed: int, counted: float
) -> None:
    quotas = quotas_of()
    quotas.charge_base(PEER, (1, 0), 10_000, packed, NOW_MS)
    spent = quotas.limits.bytes - quotas.left(PEER, What.BYTES, NOW_MS)
    assert isclose(spent, counted, abs_tol=1e-6)


def beginnings(
    *, held: int = CHAINS_FIRST, total: int = 0, peer: DeviceId | None = PEER, quotas: Quotas | None = None
) -> Beginnings:
    return Beginnings(quotas or quotas_of(), peer, lambda _: held, total, NOW_MS)


Begin = Callable[[Beginnings, DeviceId, int], int]


def one_by_one(begin: Beginnings, device: DeviceId, count: int) -> int:
    return sum(begin.allow(device) for _ in range(count))


def at_once(begin: Beginnings, device: DeviceId, count: int) -> int:
    """As within a snapshot: all or none, so as many as still go."""
    return next((fewer for fewer in range(count, 0, -1) if begin.allow_all({device: fewer})), 0)


BEGIN = pytest.mark.parametrize("begin", [one_by_one, at_once])


@BEGIN
def test_a_peer_begins_no_more_chains_for_good_than_one_device_may(begin: Begin) -> None:
    assert begin(beginnings(held=CHAINS_OF_ONE_MAX - 2), PEER, 5) == 2


@BEGIN
def test_what_others_began_has_no_such_bound(begin: Begin) -> None:
    """A newcomer has to take it from whoever has it."""
    assert begin(beginnings(held=CHAINS_OF_ONE_MAX), OTHER, 5) == 5


@BEGIN
def test_where_there_are_as_many_chains_as_may_be_a_device_begins_its_first_ones_all_the_same(
    begin: Begin,
) -> None:
    assert begin(beginnings(held=0, total=CHAINS_MAX), OTHER, CHAINS_FIRST + 3) == CHAINS_FIRST
    assert begin(beginnings(total=CHAINS_MAX - 2), OTHER, 5) == 2


@pytest.mark.parametrize(
    ("device", "what", "most"),
    [(PEER, What.CHAINS, CHAINS_AN_HOUR), (OTHER, What.CHAINS_PASSED_ON, CHAINS_PASSED_ON_AN_HOUR)],
)
def test_so_many_begin_within_an_hour_and_what_begins_is_counted(
    device: DeviceId, what: What, most: int
) -> None:
    quotas = quotas_of()
    quotas.spend(PEER, what, most - 3, NOW_MS)
    assert one_by_one(beginnings(quotas=quotas), device, 5) == 3
    assert quotas.left(PEER, what, NOW_MS) == 0
    assert not beginnings(quotas=quotas).allow_all({device: 1})
    again = quotas_of()
    assert beginnings(quotas=again).allow_all({device: 7})
    assert again.left(PEER, what, NOW_MS) == most - 7


def test_what_nobody_handed_over_is_nobodys_quota() -> None:
    full = beginnings(held=CHAINS_OF_ONE_MAX, total=CHAINS_MAX, peer=None)
    assert full.allow(PEER)
    assert full.allow_all({PEER: 10})


def introduced(n: int, by: DeviceId) -> IntroducedMember:
    return IntroducedMember(DeviceId(n.to_bytes(32)), b"", b"", f"device {n}", by, b"")


@pytest.mark.parametrize(
    ("by", "most"), [(PEER, INTRODUCTIONS_AN_HOUR), (OTHER, INTRODUCTIONS_PASSED_ON_AN_HOUR)]
)
def test_so_many_introductions_are_taken_within_an_hour(by: DeviceId, most: int) -> None:
    taken, waiting = paced(quotas_of(), PEER, [introduced(n, by) for n in range(most + 5)], NOW_MS)
    assert (len(taken), len(waiting)) == (most, 5)


def test_neither_a_crowd_nor_a_long_row_of_one_device_comes_before_whom_another_one_paired() -> None:
    """Of a row each was introduced by the one before."""
    crowd = [introduced(n, OTHER) for n in range(1_000)]
    row = [introduced(2_000, OTHER)]
    for n in range(2_001, 2_500):
        row.append(introduced(n, row[-1].device))
    honest = introduced(5_000, DeviceId(b"h" * 32))
    for many in (crowd, row):
        taken, _ = paced(quotas_of(), PEER, [*many, honest], NOW_MS)
        assert taken.index(honest) <= 2
