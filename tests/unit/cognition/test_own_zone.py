"""Days are those of who tells, in summer and in winter."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from cognition.ingest.plan import dated
from cognition.own_zone import own_zone

# A day in winter, which is in another half of the year than the days that are told.
TOLD_MS = int(datetime.fromisoformat("2026-11-30T16:11Z").timestamp() * 1_000)


@pytest.fixture(autouse=True, params=["Europe/Berlin", "America/New_York", "Pacific/Auckland", "UTC"])
def there(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("We met on 3 May 2024", "2024-05-03", "2024-05-03"),
        ("We met on 29 March 2026", "2026-03-29", "2026-03-29"),  # clocks are changed in Berlin
        ("Born on 2 July 1962", "1962-07-02", "1962-07-02"),
        ("We lived there in 2019", "2019-01-01", "2019-12-31"),
        ("We met yesterday", "2026-11-29", "2026-11-29"),
    ],
)
def test_a_day_begins_and_ends_at_midnight_of_its_own_season(text: str, first: str, last: str) -> None:
    told_ms = TOLD_MS - 12 * 3_600_000 * (time.tzname[0] == "NZST")  # it is December there
    fields = dated(text, {}, now_ms=told_ms, zone=own_zone())
    begins, ends = fields["event_start"], fields["event_end"]
    assert isinstance(begins, int)
    assert isinstance(ends, int)
    shown = [datetime.fromtimestamp(each / 1_000).isoformat() for each in (begins, ends + 1)]  # noqa: DTZ006
    assert shown[0] == f"{first}T00:00:00"
    assert shown[1].endswith("T00:00:00")
    assert datetime.fromtimestamp(ends / 1_000).date().isoformat() == last  # noqa: DTZ006


def test_the_own_zone_is_the_same_until_the_machine_is_taken_to_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = own_zone()
    assert before == own_zone()
    assert hash(before) == hash(own_zone())
    assert before != UTC
    monkeypatch.setenv("TZ", "Asia/Kathmandu")
    time.tzset()
    assert before != own_zone()


def test_the_own_zone_says_its_name_and_how_far_its_clock_is_ahead_now() -> None:
    now = datetime.now(own_zone())
    assert now.tzname() == time.tzname[0]
    assert now.tzinfo is not None
    assert now.tzinfo.utcoffset(None) == datetime.now(UTC).astimezone().utcoffset()


@pytest.mark.parametrize("moment", [datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)])
def test_the_clock_says_something_at_all_ends_of_time(moment: datetime) -> None:
    ahead = moment.replace(tzinfo=own_zone()).utcoffset()
    assert ahead is not None
    assert abs(ahead) < timedelta(days=1)


def test_a_moment_by_the_own_clock_and_back_is_the_same() -> None:
    for month in range(1, 13):
        moment = datetime(2026, month, 15, 12, tzinfo=UTC)
        there = moment.astimezone(own_zone())
        assert there == moment
        assert there.replace(tzinfo=None) == moment.astimezone().replace(tzinfo=None)
