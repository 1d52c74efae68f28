"""Whatever a mailbox loses and whenever: how often it is written to, and how long news wait."""

import math
from dataclasses import replace
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from sync.carrier.shelf import Plan
from sync.mailbox.pace import (
    FORGIVEN_SECONDS,
    GROUP_SECONDS_LOOKED_AT,
    GROUP_SECONDS_RINGING,
    NEWS_SECONDS_MAX,
    REWRITE_SECONDS_MAX,
    Pace,
)

NOTHING = Plan({}, own=False, others=False, tells_group=False, merges=False, remove=())
LOST = replace(NOTHING, own=True, lost=("one.samemind",))
DAY_S = 24 * 3_600.0
GROUPS = st.sampled_from([GROUP_SECONDS_RINGING, GROUP_SECONDS_LOOKED_AT])


def write_at(pace: Pace, now: float) -> float:
    """Return when what was just found to be lost is written."""
    pace.planned(LOST, now)
    at = max(now, pace.due(LOST))
    assert pace.may_write(LOST, at)
    pace.wrote_again(at)
    pace.planned(NOTHING, at)
    return at


@given(GROUPS, st.lists(st.floats(0.0, 3 * FORGIVEN_SECONDS), min_size=1, max_size=60))
def test_a_mailbox_is_written_to_no_more_than_so_often_whenever_it_loses_files(
    group_s: float, kept_s: list[float]
) -> None:
    """`kept_s`: for how long it keeps what was written."""
    pace, now, writes = Pace(group_s, Random(1)), 0.0, list[float]()
    pace.planned(NOTHING, now)
    for seconds in kept_s:
        now = write_at(pace, now + seconds)
        writes.append(now)
    doublings = math.ceil(math.log2(REWRITE_SECONDS_MAX / group_s))
    for begin in writes:
        within = sum(begin <= each < begin + DAY_S for each in writes)
        assert within <= 1 + doublings + 2 * DAY_S / REWRITE_SECONDS_MAX


@given(GROUPS, st.integers(0, 40), st.floats(0.0, 2 * REWRITE_SECONDS_MAX), st.floats(0.0, DAY_S))
def test_news_wait_no_longer_than_for_a_mailbox_that_fails(
    group_s: float, losses: int, after_s: float, more_s: float
) -> None:
    """`more_s`: how long behind the first news there are more, which make these wait no longer."""
    pace, now = Pace(group_s, Random(1)), 0.0
    pace.planned(NOTHING, now)
    for _ in range(losses):
        now = write_at(pace, now)
    pace.planned(LOST, now)
    told_at = now + after_s
    pace.heard(told_at)
    pace.heard(told_at + more_s)
    assert pace.due(LOST) <= max(now + group_s, told_at + NEWS_SECONDS_MAX)


@given(GROUPS, st.integers(0, 40), st.floats(0.0, 1e6))
def test_losses_put_off_nothing_where_nothing_is_lost(group_s: float, losses: int, now: float) -> None:
    """As where the mailbox is honest: a device that was deceived once is as quick as one that was not."""
    deceived, plain = Pace(group_s, Random(1)), Pace(group_s, Random(1))
    at = 0.0
    deceived.planned(NOTHING, at)
    for _ in range(losses):
        at = write_at(deceived, at)
    news = replace(NOTHING, own=True)
    for pace in (deceived, plain):
        pace.planned(NOTHING, at)
        pace.put_off(at + now)
        pace.planned(news, at + now)
    assert deceived.due(news) == plain.due(news)


@given(GROUPS, st.sampled_from([0, 1, 40, 500]))
def test_a_mailbox_that_keeps_files_for_a_day_is_trusted_however_often_it_lost_some(
    group_s: float, losses: int
) -> None:
    pace, now = Pace(group_s, Random(1)), 0.0
    pace.planned(NOTHING, now)
    for _ in range(losses):
        now = write_at(pace, now)
    assert pace.rewrites(now + DAY_S) == 0
