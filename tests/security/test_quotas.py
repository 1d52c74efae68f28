"""How much may come from one peer in an hour: an honest import passes, a flood waits at whoever sends it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replica.evidence import Accused, Fault
from replica.frame import encode_frame
from replica.outbox import Outbox
from replica.quotas import HOUR_MS, PASSED_ON_TIMES, Limits, Quotas, What
from samemind.config import Settings
from sync.wire.messages import Heads, Ops, decode_message, encode_message
from tests.support.replicas import NOW_MS, Hand, agree, group, remember, rows_of, sync, texts


def test_the_settings_begin_with_the_quotas_as_they_are() -> None:
    chosen = Settings()
    found = Limits(chosen.quota_ops, chosen.quota_mb << 20, chosen.quota_packed_mb << 20)
    assert found == Limits()
    assert found.ops >= 200_000, "an import of a hundred thousand passes, with as many facts beside"


def test_what_is_over_its_quota_waits_at_its_author_and_comes_when_there_is_room() -> None:
    """It is named, nothing is lost, and the taker's own writes go the other way all the while."""
    ann, ben = group("ann", "ben")
    ann.quotas = Quotas(Limits(ops=100))
    for n in range(3):
        remember(ben, *(f"word {n} {m}" for m in range(80)))
        sync(ben, ann, NOW_MS + n)
    remember(ann, "an answer")
    one, _ = sync(ben, ann, NOW_MS + 3)
    assert "an answer" in texts(ben)
    held = len([row for row in rows_of(ann) if ann.feeds.origin_of(row.feed).device == ben.device])
    assert held == 160, "a frame may put it into debt, and the next one waits"
    assert Accused(ben.device, Fault.QUOTA) in ann.evidence
    assert any("over the quota of ops" in each.reason for each in one.refusals), "its author is told"
    assert one.unsent() == 80
    sync(ben, ann, NOW_MS + HOUR_MS)
    assert agree(ann, ben)


def test_a_link_that_stands_asks_for_what_waits_when_there_is_room_and_not_before() -> None:
    ann, ben = group("ann", "ben")
    ann.quotas = Quotas(Limits(ops=100))
    remember(ben, *(f"word {n}" for n in range(120)))
    ours, _ = sync(ann, ben)
    remember(ben, "one more")
    (frame,) = [
        encode_message(Ops(encode_frame(said), True)) for said in [Outbox({}, 120).next_frame(ben)] if said
    ]
    ours.receive(frame, NOW_MS)
    asked = [
        minutes
        for minutes in range(60)
        if any(isinstance(decode_message(said), Heads) for said in ours.more(NOW_MS + minutes * 60_000))
    ]
    assert asked[0] > 15, "it is a fifth of an hour in debt, and waits for a tenth more"
    assert asked[0] < 25


def test_a_frame_that_is_held_already_is_no_more_over_any_quota() -> None:
    ann, ben = group("ann", "ben")
    ann.quotas = Quotas(Limits(ops=10))
    remember(ben, *(f"word {n}" for n in range(50)))
    sync(ben, ann)
    sync(ben, ann)
    assert Accused(ben.device, Fault.QUOTA) not in ann.evidence
    assert agree(ann, ben)


def test_what_others_wrote_passes_ten_times_as_far() -> None:
    ann, ben, eve = group("ann", "ben", "eve")
    ann.quotas = Quotas(Limits(ops=100))
    for n in range(6):
        remember(eve, *(f"word {n} {m}" for m in range(80)))
        sync(eve, ben, NOW_MS + n)
        sync(ben, ann, NOW_MS + n)
    assert agree(ann, ben)
    assert ann.quotas.left(ben.device, What.OPS_PASSED_ON, NOW_MS) == pytest.approx(
        100 * PASSED_ON_TIMES - 480, abs=1
    )
    assert ann.quotas.left(ben.device, What.OPS, NOW_MS) == 100


def test_zeros_count_for_what_they_cost_and_not_for_what_they_were_packed_to() -> None:
    """3,730 bytes became 136 MB on every disk: fifteen ops of a kind that nobody knows, four million zeros each."""
    ann, eve = group("ann", "eve")
    hand = Hand("eve")
    for n in range(15):
        op = hand.write(kind=60_000, plain=bytes(4 << 20 if n < 14 else 1000))
        eve.take(hand.frame(op), NOW_MS)
    sync(eve, ann)
    taken = sum(len(row.payload or b"") for row in rows_of(ann))
    assert taken <= 16 << 20, "one frame of them, and the quota of an hour is used up"
    assert ann.quotas.over(eve.device, NOW_MS) is not None
    assert Accused(eve.device, Fault.QUOTA) in ann.evidence
    remember(ann, "and on")
    sync(eve, ann)
    assert "and on" in texts(eve)


@given(st.lists(st.tuples(st.integers(0, 2 * HOUR_MS), st.integers(0, 50)), max_size=20))
def test_over_any_hour_no_more_passes_than_twice_a_quota_and_a_frame(steps: list[tuple[int, int]]) -> None:
    quotas, peer, now = Quotas(Limits(ops=100)), group("ann")[0].device, NOW_MS
    spent: list[tuple[int, int]] = []
    for wait, amount in steps:
        now += wait
        if not quotas.wait_ms(peer, What.OPS, now):
            quotas.spend(peer, What.OPS, amount, now)
            spent.append((now, amount))
    for at, _ in spent:
        assert sum(amount for when, amount in spent if at <= when < at + HOUR_MS) <= 2 * 100 + 50


@pytest.mark.parametrize("back_ms", [1, HOUR_MS, 10**12])
def test_a_clock_that_is_set_back_neither_frees_nor_holds_up(back_ms: int) -> None:
    quotas, peer = Quotas(Limits(ops=100)), group("ann")[0].device
    quotas.spend(peer, What.OPS, 60, NOW_MS)
    assert quotas.left(peer, What.OPS, NOW_MS - back_ms) == 40
    assert quotas.left(peer, What.OPS, NOW_MS - back_ms + HOUR_MS // 10) == 50


def test_an_hour_without_a_word_from_a_peer_leaves_its_whole_quota() -> None:
    quotas, peer = Quotas(Limits(ops=100)), group("ann")[0].device
    quotas.spend(peer, What.OPS, 10_000, NOW_MS)
    assert quotas.wait_ms(peer, What.OPS, NOW_MS) > 99 * HOUR_MS
    assert quotas.left(peer, What.OPS, NOW_MS + 200 * HOUR_MS) == 100
