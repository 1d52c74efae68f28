"""When a mailbox is looked at, written to and left alone, in seconds of a clock that the test tells."""

import gc
import weakref
from dataclasses import replace
from random import Random

import pytest

from sync.carrier.shelf import Plan
from sync.carrier.visit import Looked
from sync.errors import Denied, Full, MailboxError, Unreached
from sync.mailbox.pace import (
    ASKED_FOR_A_BELL,
    BELLS_A_SECOND,
    BELLS_AT_ONCE,
    FILES_A_BELL,
    FORGIVEN_SECONDS,
    LOOK_SECONDS_MAX,
    LOOK_SECONDS_MIN,
    NEWS_SECONDS_MAX,
    PAUSE_SECONDS_MAX,
    PAUSE_SECONDS_MIN,
    PERSON_SECONDS,
    REWRITE_SECONDS_MAX,
    Bells,
    LookClock,
    Pace,
)


def test_where_nothing_rings_one_looks_less_and_less_often_while_nothing_comes_up_to_minutes() -> None:
    clock, waits = LookClock(), list[float]()
    for _ in range(10):
        clock.listed({"one": 1})
        waits.append(clock.wait_s)
    assert waits[:2] == [LOOK_SECONDS_MIN, 2 * LOOK_SECONDS_MIN]
    assert waits[-1] == LOOK_SECONDS_MAX
    clock.listed({"one": 1, "two": 2})
    assert clock.wait_s == LOOK_SECONDS_MIN
    clock.listed({"one": 1, "two": 2})
    clock.listed({"two": 2, "one": 1})
    assert clock.wait_s == 4 * LOOK_SECONDS_MIN, "in whatever order"
    clock.listed({"one": 2, "two": 2})
    assert clock.wait_s == LOOK_SECONDS_MIN, "a size counts, too"


def test_a_listing_is_not_held_until_the_next_one() -> None:
    """Of a bucket that names a hundred thousand files it was 400 MB, and twice that with the next look."""

    class Listing(dict[str, int]):
        """One that can be watched."""

    clock, names = LookClock(), Listing(one=1)
    held = weakref.ref(names)
    clock.listed(names)
    del names
    gc.collect()
    assert held() is None


@pytest.mark.parametrize(
    ("error", "pause_s"),
    [
        (Denied("no"), PERSON_SECONDS),
        (Full("no room"), PERSON_SECONDS),
        (Unreached("busy", retry_after_s=0.0), PAUSE_SECONDS_MIN),
        (Unreached("busy", retry_after_s=PAUSE_SECONDS_MIN + 7), PAUSE_SECONDS_MIN + 7),
        (Unreached("busy", retry_after_s=1e9), PERSON_SECONDS),
    ],
)
def test_one_that_asks_to_be_left_alone_is_within_bounds(error: MailboxError, pause_s: float) -> None:
    assert Pace(30.0, Random(1)).pause_after(error) == pause_s


def test_one_that_does_not_answer_is_left_alone_for_no_longer_than_so() -> None:
    pace = Pace(30.0, Random(1))
    pauses = [pace.pause_after(Unreached("away")) for _ in range(40)]
    assert pauses[0] <= PAUSE_SECONDS_MIN
    assert PAUSE_SECONDS_MAX / 2 <= pauses[-1] <= PAUSE_SECONDS_MAX
    pace.looked(Looked())
    assert pace.pause_after(Unreached("away")) <= PAUSE_SECONDS_MIN


def planned(**what: bool) -> Plan:
    nothing = Plan({}, own=False, others=False, tells_group=False, merges=False, remove=())
    return replace(nothing, **what)  # type: ignore[arg-type]


def lost(pace: Pace, times: int) -> float:
    """Let a mailbox lose something so often, each time as soon as it was written again; return when the last was."""
    now = 0.0
    pace.planned(NOTHING, now)
    for _ in range(times):
        pace.planned(LOST, now)
        now = max(now, pace.due(LOST))
        pace.wrote_again(now)
        pace.planned(NOTHING, now)
    return now


NOTHING, NEWS = planned(), planned(own=True)
LOST = replace(NEWS, lost=("one.samemind",))
GROUP_S = 30.0


def test_a_burst_of_bells_is_believed_at_once_and_then_one_every_half_second() -> None:
    bells, pauses = Bells(), list[float]()
    for _ in range(BELLS_AT_ONCE + 2):
        pauses.append(bells.pause(0.0))
    assert pauses == [0.0] * BELLS_AT_ONCE + [1 / BELLS_A_SECOND, 2 / BELLS_A_SECOND]


def test_a_mailbox_that_was_quiet_for_long_may_ring_no_more_at_once_than_any() -> None:
    bells = Bells()
    bells.pause(0.0)
    pauses = [bells.pause(1e6) for _ in range(BELLS_AT_ONCE + 1)]
    assert pauses == [0.0] * BELLS_AT_ONCE + [1 / BELLS_A_SECOND]
    assert bells.pause(1e6 + 1) == 0.0, "a second later there is room for two"


@pytest.mark.parametrize("cost", [Looked(files=100_000), Looked(asked_for=1_000)], ids=["lists", "hands out"])
def test_bells_of_a_mailbox_whose_looks_take_a_second_are_believed_once_in_fifty(cost: Looked) -> None:
    bells, now = Bells(), 0.0
    for _ in range(100):
        now += bells.pause(now)
        bells.looked(cost)
    assert 49.0 <= now / 100 <= 51.0


def test_bells_of_a_mailbox_with_some_hundred_files_are_all_believed_as_often_as_ever() -> None:
    paid, free = Bells(), Bells()
    for now in range(100):
        paid.looked(Looked(files=FILES_A_BELL - 1, asked_for=ASKED_FOR_A_BELL - 1))
        assert paid.pause(now / 4) == free.pause(now / 4)


def test_what_a_mailbox_lacks_when_a_device_starts_is_written_at_once() -> None:
    assert Pace(GROUP_S, Random(1)).may_write(NEWS, 0.0)


def test_what_is_said_in_one_go_is_put_off_from_the_first_word_on() -> None:
    pace = Pace(GROUP_S, Random(1))
    pace.planned(NOTHING, 0.0)
    pace.planned(NEWS, 100.0)
    pace.planned(NEWS, 110.0)
    assert not pace.may_write(NEWS, 100.0 + GROUP_S - 0.1)
    assert pace.may_write(NEWS, 100.0 + GROUP_S)
    pace.at_once()
    pace.planned(NEWS, 200.0)
    assert pace.due(NEWS) == 200.0 + GROUP_S, "what somebody asks for at once is at once that time alone"


@pytest.mark.parametrize(("what", "times"), [("own", 1), ("tells_group", 1), ("merges", 1), ("others", 3)])
def test_what_only_other_files_should_hold_waits_three_times_as_long(what: str, times: int) -> None:
    pace = Pace(GROUP_S, Random(1))
    pace.planned(NOTHING, 0.0)
    plan = planned(**{what: True})
    assert plan.writes
    pace.planned(plan, 100.0)
    assert pace.due(plan) == 100.0 + times * GROUP_S


def test_what_was_lost_is_written_again_first_without_a_pause_and_then_after_twice_the_one_before() -> None:
    pace, pauses, before = Pace(GROUP_S, Random(1)), list[float](), 0.0
    pace.planned(NOTHING, 0.0)
    for _ in range(10):
        pace.planned(LOST, before)
        at = pace.due(LOST)
        pace.wrote_again(at)
        pace.planned(NOTHING, at)
        pauses.append(at - before)
        before = at
    assert pauses == [
        GROUP_S,
        GROUP_S,
        *(GROUP_S * 2.0**n for n in range(1, 7)),
        REWRITE_SECONDS_MAX,
        REWRITE_SECONDS_MAX,
    ]


def test_what_somebody_asks_for_is_written_at_once_whatever_was_lost() -> None:
    pace = Pace(GROUP_S, Random(1))
    now = lost(pace, 9)
    pace.planned(LOST, now)
    assert not pace.may_write(LOST, now + GROUP_S)
    pace.at_once()
    assert pace.may_write(LOST, now)


def test_news_beside_what_was_lost_wait_from_the_first_of_them_on_and_not_for_the_next_ones() -> None:
    pace = Pace(GROUP_S, Random(1))
    now = lost(pace, 9)
    pace.put_off(now)
    pace.heard(now + 100.0)
    pace.planned(LOST, now)
    assert pace.due(LOST) == now + NEWS_SECONDS_MAX
    pace.planned(NOTHING, now)
    pace.planned(LOST, now)
    assert pace.due(LOST) == now + REWRITE_SECONDS_MAX, "those were written"


def test_a_loss_is_forgiven_for_each_hour_without_another_and_not_before() -> None:
    pace = Pace(GROUP_S, Random(1))
    next_s = lost(pace, 3) + 4 * GROUP_S
    assert pace.rewrites(0.0) == 3
    assert pace.rewrites(next_s + FORGIVEN_SECONDS - 1) == 3
    assert pace.rewrites(next_s + FORGIVEN_SECONDS) == 2
    assert pace.rewrites(next_s + 100 * FORGIVEN_SECONDS) == 0


def test_of_losses_without_end_no_more_count_than_make_the_longest_pause() -> None:
    pace = Pace(GROUP_S, Random(1))
    now = lost(pace, 100)
    assert pace.rewrites(now) == pace.rewrites(now + REWRITE_SECONDS_MAX)
    assert pace.rewrites(now + REWRITE_SECONDS_MAX + 8 * FORGIVEN_SECONDS) == 0
