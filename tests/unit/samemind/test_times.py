"""Times as people type them."""

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest

from samemind.errors import Usage
from samemind.formats.rendering import day_or_clock, minute
from samemind.formats.times import (
    at_ms,
    at_stamp,
    read_before,
    read_end,
    read_end_of,
    read_since,
    read_span,
    read_time,
    read_when,
)

MAY_8 = int(datetime(2023, 5, 8, tzinfo=UTC).timestamp() * 1000)
DAY = 86_400_000


@pytest.fixture(autouse=True)
def _in_utc() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


def test_a_date_alone_is_its_first_moment_and_as_an_end_the_whole_day() -> None:
    assert read_time("2023-05-08", name="since") == MAY_8
    assert read_end("2023-05-08", name="until") == MAY_8 + DAY


def test_the_last_day_that_can_be_written_ends_too() -> None:
    assert at_ms(read_end("9999-12-31", name="as_of") - 1) == datetime(
        9999, 12, 31, 23, 59, 59, 999_000, tzinfo=UTC
    )


def test_an_end_with_a_time_holds_that_very_moment() -> None:
    assert read_end("2023-05-08T00:00:00Z", name="until") == MAY_8 + 1


def test_a_zone_is_obeyed_and_a_time_without_one_is_this_machines() -> None:
    assert read_time("2023-05-08T02:00:00+02:00", name="at") == MAY_8
    assert read_time("2023-05-08T00:00", name="at") == MAY_8


@pytest.mark.parametrize("zone", ["", "Z", "+02:00"])
@pytest.mark.parametrize("day", ["2023-05-08", "1969-12-31", "0002-01-01"])
def test_a_moment_lies_in_its_millisecond_and_never_behind_it(day: str, zone: str) -> None:
    """What happened in the next one had not happened yet."""
    at = read_time(f"{day}T12:00:00.123{zone}", name="at")
    assert read_time(f"{day}T12:00:00.123999{zone}", name="at") == at
    assert read_time(f"{day}T12:00:00.124{zone}", name="at") == at + 1
    assert read_end(f"{day}T12:00:00.123999{zone}", name="as_of") == at + 1


@pytest.mark.parametrize("read", [read_since, read_before, read_end_of])
def test_where_words_are_taken_an_error_says_so(read: Callable[..., int]) -> None:
    with pytest.raises(Usage, match="words such as 'last March'"):
        read("last Marhc", name="since", now_ms=MAY_8)


@pytest.mark.parametrize(
    ("text", "ago_ms"),
    [
        ("30m", 1_800_000),
        ("2h ago", 7_200_000),
        ("1 hour ago", 3_600_000),
        (" 45 Minutes ago ", 2_700_000),
        ("3d", 3 * DAY),
    ],
)
def test_so_long_ago_is_counted_from_now_to_the_moment(text: str, ago_ms: int) -> None:
    now_ms = MAY_8 + 5_000
    assert read_since(text, name="since", now_ms=now_ms) == now_ms - ago_ms
    assert read_before(text, name="until", now_ms=now_ms) == now_ms - ago_ms
    assert read_end_of(text, name="as_of", now_ms=now_ms) == now_ms - ago_ms + 1


def test_longer_ago_than_time_is_counted_is_its_beginning() -> None:
    assert read_since("999999d", name="since", now_ms=MAY_8) == 0


@pytest.mark.parametrize("text", ["2 hours", "hour ago", "1.5h", "-2h", "1234567h", "٣h"])
def test_what_is_nearly_so_long_ago_is_refused(text: str) -> None:
    with pytest.raises(Usage, match="since: expected a time"):
        read_since(text, name="since", now_ms=MAY_8)


@pytest.mark.parametrize("text", ["", "yesterday", "2023-13-01", "2023-02-30", "12/05/2023", "NaN"])
def test_what_is_no_time_is_refused_with_the_option_named(text: str) -> None:
    with pytest.raises(Usage, match="at: expected a time"):
        read_time(text, name="at")


def test_times_beyond_the_years_that_can_be_written_do_not_stop_a_listing() -> None:
    assert at_ms(2**52) is None
    assert at_stamp(2**63 - 1).year == 6429
    assert at_ms(MAY_8) == datetime(2023, 5, 8, tzinfo=UTC)


@pytest.mark.parametrize(("text", "minutes"), [("10m", 10), ("90m", 90), (" 24h ", 1_440), ("1d", 1_440)])
def test_a_stretch_of_time_is_a_number_and_a_letter(text: str, minutes: int) -> None:
    assert read_span(text, name="--wait", least_ms=600_000, most_ms=DAY) == minutes * 60_000


@pytest.mark.parametrize("text", ["", "9m", "25h", "2d", "24", "h", "-1h", "1.5h", "1h30m", "9999999m", "١h"])
def test_what_is_no_stretch_of_time_or_out_of_bounds_is_refused_with_the_bounds(text: str) -> None:
    with pytest.raises(Usage, match="--wait: expected a time from 10m to 1440m"):
        read_span(text, name="--wait", least_ms=600_000, most_ms=DAY)


NOON = int(datetime(2026, 11, 26, 12, tzinfo=UTC).timestamp() * 1000)
APRIL = int(datetime(2026, 4, 1, tzinfo=UTC).timestamp() * 1000)


def test_words_for_a_moment_of_the_past_mean_the_end_of_what_they_name() -> None:
    assert read_end_of("last March", name="as_of", now_ms=NOON) == APRIL
    assert read_end_of("letzten März", name="as_of", now_ms=NOON) == APRIL
    assert read_end_of("2026-03-31", name="as_of", now_ms=NOON) == APRIL


def test_a_stretch_that_is_not_over_ends_now() -> None:
    assert read_end_of("this year", name="as_of", now_ms=NOON) == NOON + 1


def test_what_is_no_moment_is_refused() -> None:
    with pytest.raises(Usage, match="as_of: expected a time"):
        read_end_of("blubb", name="as_of", now_ms=NOON)


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("2026-11-20T08:30", datetime(2026, 11, 20, 8, 30, tzinfo=UTC)),
        ("2h ago", datetime(2026, 11, 26, 10, tzinfo=UTC)),
        ("yesterday", datetime(2026, 11, 25, tzinfo=UTC)),
        ("letzten März", datetime(2026, 3, 1, tzinfo=UTC)),
        ("in May", datetime(2026, 5, 1, tzinfo=UTC)),
        ("today at 18:00", datetime(2026, 11, 26, 18, tzinfo=UTC)),
        ("tomorrow at 9", datetime(2026, 11, 27, 9, tzinfo=UTC)),
        ("morgen um 9", datetime(2026, 11, 27, 9, tzinfo=UTC)),
    ],
)
def test_words_for_when_something_was_or_is_to_be_are_read(text: str, when: datetime) -> None:
    assert at_ms(read_when(text, name="at", now_ms=NOON)) == when


@pytest.mark.parametrize("text", ["blubb", "yesterday at 9", "gestern um 9", "yesterday, 17:30"])
def test_what_names_no_time_or_an_hour_that_is_not_read_is_refused(text: str) -> None:
    with pytest.raises(Usage, match="at: expected a time such as"):
        read_when(text, name="at", now_ms=NOON)


def test_a_time_is_shown_by_the_clock_of_this_machine_also_at_the_end_of_all_years(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    assert minute(datetime(2023, 5, 8, tzinfo=UTC)) == "2023-05-08 09:00"
    assert minute(at_stamp(1 << 64)) == "9999-12-31 23:59"


# Half past midnight on 27 November in Berlin; the evening of the 26th in New York.
NIGHT = int(datetime(2026, 11, 26, 23, 30, tzinfo=UTC).timestamp() * 1000)


@pytest.mark.parametrize(
    ("zone", "text", "when"),
    [
        ("Europe/Berlin", "yesterday", "2026-11-26"),
        ("Europe/Berlin", "last May", "2026-05-01"),
        ("America/New_York", "yesterday", "2026-11-25"),
        ("America/New_York", "last May", "2026-05-01"),
        ("Pacific/Auckland", "gestern", "2026-11-26"),
    ],
)
def test_a_day_in_words_is_one_of_this_machine_and_shown_as_a_day(
    monkeypatch: pytest.MonkeyPatch, zone: str, text: str, when: str
) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    for read in (read_since, read_when):
        begun = at_ms(read(text, name="since", now_ms=NIGHT))
        assert begun is not None
        assert day_or_clock(begun.isoformat()) == when
    # As the same day in digits, of which all is over before the next one begins.
    if text != "last May":
        assert read_since(when, name="since", now_ms=NIGHT) == read_since(text, name="since", now_ms=NIGHT)
        assert read_before(when, name="until", now_ms=NIGHT) == read_before(text, name="until", now_ms=NIGHT)


def test_since_when_something_holds_is_a_day_by_either_clock_or_a_minute(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    assert day_or_clock("2024-05-01T00:00:00.000Z") == "2024-05-01"  # of UTC, as imported
    assert day_or_clock("2024-05-01T04:00:00.000Z") == "2024-05-01"  # told here
    assert day_or_clock("2024-05-01T05:00:00.000Z") == "2024-05-01 01:00"
    assert day_or_clock("9999-12-31T23:59:59.999Z") == "9999-12-31 18:59"
