"""What repeats is counted by the clock of the zone that its rule names."""

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import takewhile
from zoneinfo import ZoneInfo

import pytest
from dateutil.rrule import rrulestr
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from cognition.days import DAY_MS
from cognition.reminding.repeating import (
    RULE_CHARACTERS_MAX,
    by_utc,
    following,
    is_on,
    latest,
    turn_ms,
    with_exceptions,
    with_zone,
    without_exceptions,
    zone_in,
)
from tests.support.minds import Home
from tests.unit.cognition.triggers.test_step import home as home
from tests.unit.cognition.triggers.test_step import kinds, raise_all

WEEKLY = "FREQ=WEEKLY;BYDAY=TU"
HOUR_MS = 3_600_000
RULES = [
    "FREQ=DAILY",
    "FREQ=DAILY;INTERVAL=15",
    "FREQ=WEEKLY",
    "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU",
    "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR",
    "FREQ=WEEKLY;INTERVAL=3;BYDAY=MO,TH,SU",
    "FREQ=MONTHLY",
    "FREQ=MONTHLY;INTERVAL=3",
    "FREQ=MONTHLY;BYDAY=1MO",
    "FREQ=MONTHLY;BYDAY=3SA",
    "FREQ=MONTHLY;BYDAY=-1SU",
    "FREQ=MONTHLY;BYMONTHDAY=-1",
    "FREQ=YEARLY",
]
# Clocks that change by night, at midnight, before midnight, by half an hour, against the sun, by a day, and never.
ZONES = [
    *("Europe/Berlin", "America/Havana", "America/Nuuk", "Australia/Lord_Howe", "Africa/Casablanca"),
    *("Pacific/Apia", "Pacific/Kiritimati", "America/New_York", "Asia/Kathmandu", "UTC"),
]


def ms(moment: datetime) -> int:
    return round(moment.timestamp() * 1_000)


def at(time_ms: int, zone: str) -> datetime:
    return datetime.fromtimestamp(time_ms / 1_000, ZoneInfo(zone))


@lru_cache
def changes(zone: str) -> list[datetime]:
    """Return the days of thirty years on which the clocks of a zone are changed, by UTC; the first if none is."""
    days = [datetime(2000, 1, 1, tzinfo=UTC) + timedelta(days=day) for day in range(30 * 365)]
    offsets = [day.astimezone(ZoneInfo(zone)).utcoffset() for day in days]
    return [
        day for day, before, after in zip(days, offsets, offsets[1:], strict=False) if before != after
    ] or days[:1]


@st.composite
def begun(draw: st.DrawFn) -> tuple[str, str, datetime, int]:
    """Draw a rule, its zone, when it is first due on the clock there, and a later time; mostly about a change of it."""
    rule, zone = draw(st.sampled_from(RULES)), draw(st.sampled_from(ZONES))
    change = draw(st.sampled_from(changes(zone)))
    near = st.integers(0, 4 * 48).map(lambda halves: timedelta(days=-2, minutes=30 * halves))
    begins = (change + draw(near)).replace(tzinfo=None)
    begins -= draw(st.sampled_from([0, 0, 1, 7, 365])) * timedelta(days=1)
    # A calendar leaves out the months that have no such day, and here it is their last.
    assume(begins.day <= 28 or "BY" in rule or "MONTHLY" not in rule)
    assume((begins.month, begins.day) != (2, 29) or "YEARLY" not in rule)
    # What is first due on another day than its rule says is so from the next such day on.
    first = draw(st.sampled_from([begins, *[rrulestr(rule, dtstart=begins)[0]] * 3]))
    ahead = draw(
        st.one_of(near.map(lambda by: ms(change + by)), st.integers(0, 900).map(lambda days: days * DAY_MS))
    )
    first_ms = ms(first.replace(tzinfo=ZoneInfo(zone), fold=draw(st.integers(0, 1))))
    return (
        rule,
        zone,
        at(first_ms, zone),
        max(first_ms, ahead if ahead > first_ms else first_ms + ahead % (900 * DAY_MS)),
    )


@settings(max_examples=300)
@given(begun())
@example(
    (
        "FREQ=DAILY",
        "Pacific/Apia",
        datetime(2011, 12, 28, 9, tzinfo=ZoneInfo("Pacific/Apia")),
        1_325_271_600_000,
    )
)
def test_what_repeats_is_due_when_a_calendar_of_its_zone_has_it(
    drawn: tuple[str, str, datetime, int],
) -> None:
    """`dateutil` counts by the clock on the wall, and what the clock shows is a time by the zone."""
    rule, zone, first, now_ms = drawn
    shown = first.replace(tzinfo=None, fold=0)
    enough = at(now_ms + 800 * DAY_MS, zone).replace(tzinfo=None)
    walked = takewhile(lambda each: each < enough, rrulestr(rule, dtstart=shown))
    later = [ms(each.replace(tzinfo=ZoneInfo(zone))) for each in walked if each > shown]
    times, zoned = [ms(first), *later], with_zone(rule, zone)
    assert latest(ms(first), zoned, now_ms) == max(time for time in times if time <= now_ms)
    assert following(ms(first), zoned, now_ms) == min(time for time in times if time > now_ms)


@given(begun())
def test_each_time_is_at_the_hour_of_the_first_unless_the_clock_skips_that(
    drawn: tuple[str, str, datetime, int],
) -> None:
    rule, zone, first, now_ms = drawn
    zoned = with_zone(rule, zone)
    time = latest(ms(first), zoned, now_ms)
    after = following(ms(first), zoned, time)
    assert after is not None
    assert time <= now_ms < after
    assert latest(ms(first), zoned, after) == after
    assert latest(ms(first), zoned, after - 1) == time
    assert turn_ms(ms(first), zoned, after) == after - time
    there = at(after, zone)
    if there.time() != first.time():
        days = [there.date() - timedelta(days=back) for back in range(2)]
        said = [datetime.combine(day, first.time(), ZoneInfo(zone)) for day in days]
        skipped = [each for each in said if each.astimezone(UTC).astimezone(ZoneInfo(zone)) != each]
        assert after in map(ms, skipped)


@given(begun())
def test_the_zone_of_utc_is_as_none(drawn: tuple[str, str, datetime, int]) -> None:
    rule, _, begins, now_ms = drawn
    first = rrulestr(rule, dtstart=begins.replace(tzinfo=None))[0].replace(tzinfo=UTC)
    for zone in ("UTC", "Etc/UTC", "GMT"):
        zoned = with_zone(rule, zone)
        assert zoned != rule
        assert latest(ms(first), zoned, now_ms) == latest(ms(first), rule, now_ms)
        assert following(ms(first), zoned, now_ms) == following(ms(first), rule, now_ms)


@pytest.mark.parametrize(
    ("rule", "zone", "first", "next_ones"),
    [
        # Half past seven in the evening, in summer and winter.
        (WEEKLY, "Europe/Berlin", "2026-10-20T17:30", ["2026-10-27T18:30", "2026-11-03T18:30"]),
        (WEEKLY, "Europe/Berlin", "2026-03-24T18:30", ["2026-03-31T17:30"]),
        # Half past two in the night, which is skipped on 29 March, and comes twice on 25 October.
        ("FREQ=DAILY", "Europe/Berlin", "2026-03-28T01:30", ["2026-03-29T01:30", "2026-03-30T00:30"]),
        ("FREQ=DAILY", "Europe/Berlin", "2026-10-24T00:30", ["2026-10-25T00:30", "2026-10-26T01:30"]),
        ("FREQ=DAILY", "Europe/Berlin", "2026-10-25T01:30", ["2026-10-26T01:30"]),
        # On another day by UTC.
        (f"{WEEKLY},TH", "Europe/Berlin", "2026-09-14T22:30", ["2026-09-16T22:30", "2026-09-21T22:30"]),
        ("FREQ=MONTHLY;BYDAY=1MO", "Asia/Tokyo", "2026-10-04T22:00", ["2026-11-01T22:00", "2026-12-06T22:00"]),
        ("FREQ=MONTHLY;BYMONTHDAY=-1", "America/New_York", "2026-11-01T03:30", ["2026-12-01T04:30"]),
        ("FREQ=MONTHLY;BYMONTHDAY=-1", "America/New_York", "2026-10-01T16:00", ["2026-10-31T16:00"]),
        ("FREQ=MONTHLY", "America/New_York", "2026-11-01T03:30", ["2026-12-01T04:30"]),
    ],
)  # fmt: skip
def test_what_repeats_keeps_the_hour_of_its_zone(
    rule: str, zone: str, first: str, next_ones: list[str]
) -> None:
    first_ms = ms(datetime.fromisoformat(f"{first}Z"))
    time_ms = first_ms
    for each in next_ones:
        again_ms = following(first_ms, with_zone(rule, zone), time_ms)
        assert again_ms is not None
        assert latest(first_ms, with_zone(rule, zone), again_ms - 1) == time_ms
        assert at(again_ms, "UTC").isoformat()[:16] == each
        time_ms = again_ms


def test_a_rule_with_a_zone_ends_and_is_excepted_by_utc() -> None:
    """Every Tuesday at 19:30 in Berlin, and not on 27 October, until 3 November."""
    first_ms = ms(datetime(2026, 10, 20, 17, 30, tzinfo=UTC))
    excepted_ms, last_ms = first_ms + 7 * DAY_MS + HOUR_MS, first_ms + 14 * DAY_MS + HOUR_MS
    rule = with_zone(with_exceptions(f"{WEEKLY};UNTIL=20261103T183000Z", [excepted_ms]), "Europe/Berlin")
    assert following(first_ms, rule, first_ms) == last_ms
    assert following(first_ms, rule, last_ms) is None
    assert not is_on(first_ms, 0, rule, excepted_ms, excepted_ms)
    assert is_on(first_ms, 0, rule, last_ms, last_ms)
    assert not is_on(first_ms, 0, rule, last_ms - HOUR_MS, last_ms - 1)
    sooner = rule.replace("T183000Z", "T182959Z")
    assert latest(first_ms, sooner, last_ms) == first_ms


@pytest.mark.parametrize(
    ("zone", "first", "until"),
    [
        ("America/New_York", datetime(2026, 10, 20, 23, 30, tzinfo=UTC), "20261103"),
        ("America/New_York", datetime(2026, 10, 20, 23, 30, tzinfo=UTC), "20261103T193000"),
        ("America/New_York", datetime(2026, 10, 20, 23, 30, tzinfo=UTC), "20261104T003000Z"),
        ("Asia/Tokyo", datetime(2026, 10, 19, 22, tzinfo=UTC), "20261103"),
        ("Asia/Tokyo", datetime(2026, 10, 19, 22, tzinfo=UTC), "20261103T070000"),
    ],
)
def test_a_day_or_a_time_that_is_not_said_to_be_utcs_ends_a_rule_by_its_zone(
    zone: str, first: datetime, until: str
) -> None:
    """Every Tuesday there from 20 October on, until 3 November."""
    first_ms = ms(first)
    rule = with_zone(f"{WEEKLY};UNTIL={until}", zone)
    last_ms = latest(first_ms, rule, first_ms + 99 * DAY_MS)
    assert at(last_ms, zone).date().isoformat() == "2026-11-03"
    assert following(first_ms, rule, last_ms) is None


@pytest.mark.parametrize(("zone", "until"), [("America/New_York", "99991231"), ("Asia/Tokyo", "00010101")])
def test_a_rule_that_ends_beyond_the_calendar_by_its_zone_is_written_by_utc(zone: str, until: str) -> None:
    said = by_utc(ms(datetime(2026, 10, 20, tzinfo=UTC)), with_zone(f"{WEEKLY};UNTIL={until}", zone))
    assert said is not None
    assert f"UNTIL={until.lstrip('0')}" in said


def test_a_zone_that_a_device_does_not_know_counts_as_none() -> None:
    first_ms = ms(datetime(2026, 10, 20, 17, 30, tzinfo=UTC))
    for zone in ("Europe/Atlantis", "../Berlin", "", "x" * 5_000):
        assert following(first_ms, f"{WEEKLY};TZID={zone}", first_ms) == first_ms + 7 * DAY_MS


def test_a_rule_names_one_zone_before_its_exceptions() -> None:
    rule = with_zone(with_exceptions(WEEKLY, [1_767_225_600_000]), "Europe/Berlin")
    assert rule == f"{WEEKLY};TZID=Europe/Berlin;EXDATE=20260101T000000Z"
    moved = with_zone(rule, "America/New_York")
    assert moved == f"{WEEKLY};TZID=America/New_York;EXDATE=20260101T000000Z"
    assert str(zone_in(moved)) == "America/New_York"
    assert without_exceptions(moved) == (WEEKLY, (1_767_225_600_000,))


def test_the_longest_rule_keeps_its_zone_and_its_exceptions() -> None:
    times = [1_767_225_600_000 + day * 86_400_000 for day in range(100)]
    rule = with_zone(with_exceptions("X-NOTE=".ljust(120, "x"), times), "America/Argentina/ComodRivadavia")
    assert len(rule) <= RULE_CHARACTERS_MAX
    assert str(zone_in(rule)) == "America/Argentina/ComodRivadavia"
    assert without_exceptions(rule)[1] == tuple(times)


@pytest.mark.parametrize(
    "name",
    [
        *(
            "",
            "Europe",
            "Europe/Berlin/West",
            "Europe/Nowhere",
            "Europe/Berlin ",
            "E" * 41,
            "Europe/Berlin\n",
        ),
        *(
            "/etc/passwd",
            "../../etc/passwd",
            "Europe/../../passwd",
            "Europe//Berlin",
            "Europe\\Berlin",
            "Ευρώπη",
        ),
        # The machine's own zone, and one whose clock counts leap seconds: other devices' would not agree.
        *(
            "localtime",
            "posixrules",
            "right/Europe/Berlin",
            "posix/Europe/Berlin",
            "Europe/Berlin;FREQ=DAILY",
        ),
    ],
)
def test_what_is_no_name_of_a_zone_names_none(name: str) -> None:
    assert with_zone(WEEKLY, name) == WEEKLY
    assert with_zone(WEEKLY, None) == WEEKLY
    if ";" not in name:
        assert zone_in(f"{WEEKLY};TZID={name}") is None


def test_a_reminder_comes_up_at_its_hour_before_and_after_clocks_change(home: Home) -> None:
    """Tuesdays at 19:30 in Berlin, of which the second is an hour later by UTC."""
    first_ms = ms(datetime(2026, 10, 20, 17, 30, tzinfo=UTC))
    home.now_ms = first_ms - DAY_MS
    rule = with_zone(WEEKLY, "Europe/Berlin")
    home.remember("choir", type="prospective", event_start=first_ms, meta={"repeats": rule})
    for due_ms in (first_ms, first_ms + 7 * DAY_MS + HOUR_MS, first_ms + 14 * DAY_MS + HOUR_MS):
        home.now_ms = due_ms - 1
        assert raise_all(home) == []
        home.now_ms = due_ms
        assert kinds(raise_all(home)) == ["reminder"]
