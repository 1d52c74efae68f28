"""A question means days by the clock of who asks: midnight to midnight there, whatever the season."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cognition.ranking.pool import CandidateRow, Pool
from cognition.ranking.query import Query
from cognition.ranking.signals import during
from cognition.recall.anchoring import time_of
from cognition.recall.known import asked_then
from cognition.times import Window, as_meant, in_days_of_utc, of_clock, windows, with_days_of_utc

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
DAY_MS = 86_400_000
ZONES = [
    *("America/Los_Angeles", "America/New_York", "America/Sao_Paulo", "America/St_Johns", "Europe/London"),
    *("Europe/Berlin", "Africa/Cairo", "Asia/Beirut", "Asia/Kathmandu", "Asia/Tokyo", "Australia/Lord_Howe"),
    *("Pacific/Auckland", "Pacific/Apia", "Pacific/Kiritimati", "Pacific/Pago_Pago", "UTC"),
]
QUESTIONS = [
    *(
        "what did I do yesterday?",
        "what is on today?",
        "last week",
        "this weekend",
        "am Montag",
        "letzten Monat",
    ),
    *("three days ago", "in two weeks", "in March", "last year", "on 2026-03-29", "vorgestern", "at Easter"),
    *("last summer", "in 2024", "from 28 December to 3 January", "end of the month", "what did I plant?"),
]
# Beside a change of clocks, the end of a month, and that of a year; to all others Hypothesis comes by itself.
MOMENTS = [
    datetime(2026, 3, 29, 0, 30, tzinfo=UTC),
    datetime(2026, 3, 8, 9, 59, tzinfo=UTC),
    datetime(2026, 10, 25, 1, tzinfo=UTC),
    datetime(2026, 11, 1, 8, 30, tzinfo=UTC),
    datetime(2026, 2, 28, 23, 59, 59, tzinfo=UTC),
    datetime(2024, 2, 29, 1, tzinfo=UTC),
    datetime(2026, 12, 31, 23, 30, tzinfo=UTC),
    datetime(2027, 1, 1, 0, 30, tzinfo=UTC),
]


def ms(moment: datetime) -> int:
    return (moment - EPOCH) // timedelta(milliseconds=1)


def there(time_ms: int, zone: tzinfo) -> datetime:
    return (EPOCH + timedelta(milliseconds=time_ms)).astimezone(zone).replace(tzinfo=None)


moments = st.one_of(
    st.sampled_from(MOMENTS),
    st.integers(DAY_MS * 365, DAY_MS * 365 * 120).map(lambda each: EPOCH + timedelta(milliseconds=each)),
)
zones = st.one_of(
    st.sampled_from(ZONES).map(ZoneInfo),
    st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes))),
)


@given(text=st.sampled_from(QUESTIONS), moment=moments, zone=zones)
@example(
    text="what did I do yesterday?", moment=datetime(2018, 11, 5, 12, tzinfo=UTC), zone=ZoneInfo(ZONES[2])
)
def test_the_days_are_those_that_utc_would_name_if_its_clock_showed_the_same(
    text: str, moment: datetime, zone: tzinfo
) -> None:
    """Each begins at midnight there, or where the clock leaves it out, as in São Paulo once, an hour later."""
    shown = ms(there(ms(moment), zone).replace(tzinfo=UTC))
    found = windows(text, ms(moment), zone)
    by_utc = windows(text, shown)
    assert len(found) == len(by_utc)
    for here, meant in zip(found, by_utc, strict=True):
        for time_ms, shown_ms in ((here.start_ms, meant.start_ms), (here.end_ms + 1, meant.end_ms + 1)):
            late = there(time_ms, zone) - there(shown_ms, UTC)
            assert timedelta(0) <= late <= timedelta(hours=1) or _is_left_out(shown_ms, zone)
            # And a moment before it is of the day before.
            assert there(time_ms - 1, zone).date() < there(time_ms, zone).date()


def _is_left_out(shown_ms: int, zone: tzinfo) -> bool:
    """Say whether a clock never showed this: Apia went from the 29th to the 31st of December 2011."""
    shown = (EPOCH + timedelta(milliseconds=shown_ms)).replace(tzinfo=zone)
    return shown.astimezone(UTC).astimezone(zone).replace(tzinfo=None) != shown.replace(tzinfo=None)


@given(
    words=st.lists(st.sampled_from([*" ".join(QUESTIONS).split(), "29", "february", "31", "to"]), max_size=6),
    day=st.integers(0, 40_000),
)
@example(words=["on", "29", "february"], day=20_453)
@example(words=["from", "3", "march", "to", "29", "february"], day=19_900)
def test_what_names_no_time_on_a_leap_day_names_none(words: list[str], day: int) -> None:
    """So nobody has to look at a clock for it."""
    text = " ".join(words)
    if windows(text, day * DAY_MS):
        assert windows(text, ms(datetime(2024, 2, 29, tzinfo=UTC)))


class NoClock(tzinfo):
    """A zone whose clock is not to be asked."""

    def utcoffset(self, moment: datetime | None) -> timedelta:
        raise AssertionError("the clock was asked")

    dst = utcoffset

    def tzname(self, moment: datetime | None) -> str:
        return "nowhere"


def test_no_clock_is_asked_for_a_text_that_names_no_time() -> None:
    assert windows("what does Ann eat?", EVENING_MS, NoClock()) == ()
    with pytest.raises(AssertionError, match="asked"):
        windows("what did Ann eat yesterday?", EVENING_MS, NoClock())


@given(
    text=st.one_of(st.sampled_from(QUESTIONS), st.text(max_size=40)), now_ms=st.integers(-(10**14), 10**16)
)
def test_by_utc_nothing_is_otherwise(text: str, now_ms: int) -> None:
    plain = windows(text, now_ms)
    assert windows(text, now_ms, UTC) == plain
    assert windows(text, now_ms, ZoneInfo("UTC")) == plain
    for each in plain:
        assert in_days_of_utc(each, UTC) == with_days_of_utc(each, UTC) == each
        assert as_meant(each.start_ms, UTC) == of_clock(each.start_ms, UTC) == each.start_ms


@given(
    text=st.sampled_from(["on 0001-01-01", "on 9999-12-31", "in 1900", "400 years ago", "yesterday"]),
    now_ms=st.sampled_from([0, 1, DAY_MS, 249_999_999_999_999, 250_000_000_000_000]),
    zone=zones,
)
def test_at_the_ends_of_all_years_stretches_begin_before_they_end(
    text: str, now_ms: int, zone: tzinfo
) -> None:
    for each in windows(text, now_ms, zone):
        assert each.start_ms <= each.end_ms
        wide = with_days_of_utc(each, zone)
        assert wide.start_ms <= each.start_ms <= each.end_ms <= wide.end_ms


@pytest.mark.parametrize(
    ("text", "asked", "zone", "first", "last"),
    [
        ("yesterday", "2026-11-30T02:00Z", "America/Los_Angeles", "2026-11-28T08:00Z", "2026-11-29T08:00Z"),
        ("gestern", "2026-11-29T22:30Z", "Asia/Tokyo", "2026-11-28T15:00Z", "2026-11-29T15:00Z"),
        ("today", "2026-03-08T20:00Z", "America/New_York", "2026-03-08T05:00Z", "2026-03-09T04:00Z"),
        ("yesterday", "2026-10-26T08:00Z", "Europe/Berlin", "2026-10-24T22:00Z", "2026-10-25T23:00Z"),
        ("last month", "2026-04-01T02:00Z", "America/New_York", "2026-02-01T05:00Z", "2026-03-01T05:00Z"),
        ("last year", "2026-12-31T16:00Z", "Asia/Tokyo", "2025-12-31T15:00Z", "2026-12-31T15:00Z"),
        ("last week", "2026-11-30T03:00Z", "America/Los_Angeles", "2026-11-16T08:00Z", "2026-11-23T08:00Z"),
        ("am Montag", "2026-11-29T22:00Z", "Pacific/Auckland", "2026-11-29T11:00Z", "2026-11-30T11:00Z"),
        (
            "this weekend",
            "2026-11-30T03:00Z",
            "America/Los_Angeles",
            "2026-11-27T08:00Z",
            "2026-11-30T08:00Z",
        ),
    ],
)
def test_a_day_is_one_of_who_asks(text: str, asked: str, zone: str, first: str, last: str) -> None:
    begins, ends = (ms(datetime.fromisoformat(each)) for each in (first, last))
    now_ms = ms(datetime.fromisoformat(asked))
    assert windows(text, now_ms, ZoneInfo(zone))[0] == Window(begins, ends - 1)
    assert windows(text, now_ms)[0] != Window(begins, ends - 1)


LOS_ANGELES = ZoneInfo("America/Los_Angeles")
# Six in the evening of the 29th.
EVENING_MS = ms(datetime(2026, 11, 30, 2, tzinfo=UTC))


def row(number: int, text: str, told: str, start: str | None = None, end_ms: int = 0) -> CandidateRow:
    start_ms = None if start is None else ms(datetime.fromisoformat(start))
    return CandidateRow(
        number,
        bytes([number] * 16),
        number,
        text,
        None,
        None,
        None,
        ms(datetime.fromisoformat(told)),
        None,
        0,
        0,
        event_start=start_ms,
        event_end=None if start_ms is None else start_ms + end_ms,
    )


def given_by(question: str, rows: list[CandidateRow], zone: tzinfo) -> list[float]:
    none = np.zeros(len(rows))
    pool = replace(Pool(Query(question), rows, none, none, EVENING_MS), zone=zone)
    return [round(float(each), 2) for each in during.of(pool)]


def test_in_los_angeles_in_the_evening_yesterday_is_the_28th() -> None:
    rows = [
        row(1, "planted garlic", "2026-11-28T17:00Z"),  # at nine there
        row(2, "planted leeks", "2026-11-29T20:00Z"),  # today at noon there
        row(3, "saw the dentist yesterday", "2026-11-30T01:00Z"),  # today at five there
        row(4, "planted beans", "2026-11-28T00:00Z"),  # the page of the 28th in a diary
        row(5, "planted peas", "2026-11-29T00:00Z"),  # and of the 29th
    ]
    assert given_by("what did I do yesterday?", rows, LOS_ANGELES) == [1, 0, 1, 1, 1]
    assert given_by("what did I do three days ago?", rows, LOS_ANGELES) == [0, 0, 0, 0, 0]
    assert given_by("what did I do yesterday?", rows, UTC) == [0, 1, 1, 0, 1]


def test_whole_days_that_were_imported_stay_the_days_they_were() -> None:
    rows = [
        row(1, "fair", "2026-01-01T08:01Z", "2026-11-28T00:00Z", DAY_MS - 1),
        row(2, "feast", "2026-01-01T08:01Z", "2026-11-29T00:00Z", DAY_MS),
        row(3, "call", "2026-01-01T08:01Z", "2026-11-29T00:00Z", 0),  # at four in the afternoon of the 28th
    ]
    assert given_by("what was on yesterday?", rows, LOS_ANGELES) == [1, 0, 1]
    assert given_by("what is on today?", rows, LOS_ANGELES) == [0, 1, 0]


def test_a_question_is_about_the_past_by_the_clock_of_who_asks() -> None:
    """On the 30th by UTC, the 29th is over; in Los Angeles it is today."""
    question = "where was I on 29 November 2026?"
    assert asked_then(question, EVENING_MS, UTC) is not None
    assert asked_then(question, EVENING_MS, LOS_ANGELES) is None


def test_an_event_was_on_the_day_that_its_teller_means() -> None:
    told = row(1, "we moved yesterday", "2026-11-30T01:00Z")
    assert f"{there(time_of(told, LOS_ANGELES).start_ms, LOS_ANGELES)}" == "2026-11-28 00:00:00"
    assert f"{there(time_of(told).start_ms, UTC)}" == "2026-11-29 00:00:00"
