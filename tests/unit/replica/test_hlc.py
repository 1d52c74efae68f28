from hypothesis import given
from hypothesis import strategies as st

from replica.hlc import (
    AHEAD_MS_MAX,
    COUNTER_BITS,
    HLC_MAX,
    OWN_AHEAD_MS_MAX,
    Hlc,
    absorb,
    absorb_all,
    at_end_of,
    milliseconds,
    runs_ahead,
    tick,
)

NOW = 1_700_000_000_000
STAMPS = st.integers(0, HLC_MAX - 1).map(Hlc)
TIMES = st.integers(0, HLC_MAX >> COUNTER_BITS)


@given(last=STAMPS, now=TIMES)
def test_a_stamp_follows_the_last_one_and_is_not_before_the_clock(last: Hlc, now: int) -> None:
    stamp = tick(last, now)
    assert stamp > last
    assert milliseconds(stamp) >= now


def test_the_counter_carries_into_the_milliseconds_instead_of_repeating_a_stamp() -> None:
    stamp = Hlc(0)
    stamps = {stamp := tick(stamp, NOW) for _ in range((1 << COUNTER_BITS) + 3)}
    assert len(stamps) == (1 << COUNTER_BITS) + 3
    assert milliseconds(max(stamps)) == NOW + 1


def test_a_clock_that_stands_still_or_runs_back_still_counts_on() -> None:
    first = tick(Hlc(0), NOW)
    assert tick(first, NOW) == first + 1
    assert tick(first, NOW - 60_000) == first + 1


def test_a_remote_stamp_is_absorbed_up_to_a_day_ahead_and_not_a_millisecond_beyond() -> None:
    last = Hlc(NOW << COUNTER_BITS)
    edge = (NOW + AHEAD_MS_MAX) << COUNTER_BITS
    assert AHEAD_MS_MAX == 24 * 3_600_000
    assert absorb(last, edge, NOW) == edge
    assert absorb(last, edge + 1, NOW) == last
    assert absorb(last, HLC_MAX, NOW) == last
    assert absorb(last, last - 5, NOW) == last
    assert absorb_all(last, [edge + 1, last - 5, edge, HLC_MAX, last], NOW) == edge
    assert absorb_all(last, [], NOW) == last


def test_only_an_hour_beyond_what_may_be_absorbed_is_a_clock_of_its_own_wrong() -> None:
    edge = Hlc((NOW + OWN_AHEAD_MS_MAX) << COUNTER_BITS)
    assert OWN_AHEAD_MS_MAX - AHEAD_MS_MAX == 3_600_000
    assert not runs_ahead(edge, NOW)
    assert runs_ahead(Hlc(edge + 1), NOW)
    assert not runs_ahead(absorb(Hlc(0), (NOW + AHEAD_MS_MAX) << COUNTER_BITS, NOW), NOW)


@given(early=TIMES, late=TIMES)
def test_stamps_sort_as_bytes_as_they_do_as_times(early: int, late: int) -> None:
    one, other = tick(Hlc(0), early), tick(Hlc(0), late)
    assert (one.to_bytes(8) < other.to_bytes(8)) == (one < other)


def test_by_time_t_includes_everything_stamped_in_its_millisecond() -> None:
    last = at_end_of(NOW)
    assert milliseconds(last) == NOW
    assert milliseconds(last + 1) == NOW + 1
