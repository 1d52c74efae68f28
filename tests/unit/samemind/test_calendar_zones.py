"""Zones in calendars: written so that programs count as we do, and read so that nothing is an hour beside."""

from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any, cast
from zoneinfo import ZoneInfo, available_timezones

import icalendar
import pytest
from dateutil.rrule import WEEKLY, rrule, rrulestr
from hypothesis import example, given
from hypothesis import strategies as st

import samemind
from cognition.reminding.repeating import following, is_on, with_exceptions, with_zone
from samemind.commands.keeping.calendar import FEED_BYTES_MAX, feed_text
from samemind.formats.calendar_zones import zone_text
from samemind.portable.calendar import read
from samemind.portable.records import Item
from tests.unit.samemind.test_calendar import NOW_MS, reminder

NAMES = sorted(available_timezones())
_SECONDS = st.integers(0, int(datetime(2037, 12, 31, tzinfo=UTC).timestamp()))
# Where clocks do what is rare: an offset of seconds, winter time that is saved, Ramadan, a day left out, half an hour.
ODD = ["Africa/Monrovia", "Europe/Dublin", "Africa/Casablanca", "Pacific/Apia", "Australia/Lord_Howe"]


def as_written(name: str) -> Any:
    """A zone as a program has it that goes by what a calendar says of it alone."""
    zone = icalendar.Timezone.from_ical(zone_text(name))
    return cast(Any, zone).to_tz(lookup_tzid=False)


def lines(text: str) -> list[str]:
    return text.replace("\r\n ", "").split("\r\n")


@given(st.sampled_from(NAMES) | st.sampled_from(ODD), st.lists(_SECONDS, min_size=1, max_size=50))
@example("Africa/Casablanca", [int(datetime(2030, 2, 1, tzinfo=UTC).timestamp())])
@example("America/Noronha", [int(datetime(2000, 10, day, 12, tzinfo=UTC).timestamp()) for day in (7, 12, 17)])
@example("America/Argentina/Tucuman", [int(datetime(2004, 6, 7, 12, tzinfo=UTC).timestamp())])
@example("Africa/Monrovia", [int(datetime(1971, 2, 1, tzinfo=UTC).timestamp())])
def test_a_zone_is_written_so_that_its_clocks_show_what_they_show(name: str, seconds: list[int]) -> None:
    zone, written = ZoneInfo(name), as_written(name)
    for each in seconds:
        shown = datetime.fromtimestamp(each, zone).replace(fold=0)
        is_shown_once = shown.utcoffset() == shown.replace(fold=1).utcoffset()
        if is_shown_once:
            assert shown.replace(tzinfo=written).utcoffset() == shown.utcoffset(), (name, shown)


@pytest.mark.parametrize(
    "name", ["Europe/Berlin", "America/New_York", "Australia/Sydney", "America/Santiago"]
)
def test_the_clocks_of_a_zone_change_in_the_very_second(name: str) -> None:
    zone, written = ZoneInfo(name), as_written(name)
    for day in range(366):
        noon = datetime(2031, 1, 1, 12, tzinfo=zone) + timedelta(days=day)
        if noon.utcoffset() == (noon + timedelta(days=1)).utcoffset():
            continue
        for minute in range(24 * 60):
            shown = noon + timedelta(minutes=minute)
            if shown.utcoffset() == shown.replace(fold=1).utcoffset():
                assert shown.replace(tzinfo=written).utcoffset() == shown.utcoffset(), shown
    # By the clock as it was before (RFC 5545, 3.6.5).
    assert "DTSTART:19810329T020000" in lines(zone_text("Europe/Berlin").decode())
    assert "DTSTART:19961027T030000" in lines(zone_text("Europe/Berlin").decode())


def test_clocks_that_change_by_a_rule_have_it_written() -> None:
    """Some programs read no lists of days, and lists end."""
    for name, rules in (
        ("Europe/Berlin", 2),
        ("America/New_York", 2),
        ("Asia/Tokyo", 0),
        ("Europe/Dublin", 2),
    ):
        zone = icalendar.Timezone.from_ical(zone_text(name))
        parts = cast("list[Any]", zone.subcomponents)
        ruled = [part for part in parts if "rrule" in part]
        assert len(ruled) == rules
        for part in ruled:
            ahead = part.decoded("tzoffsetto") > part.decoded("tzoffsetfrom")
            assert part.name == ("DAYLIGHT" if ahead else "STANDARD")
    assert b"FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3" in zone_text("Europe/Berlin")
    named = {line for line in lines(zone_text("Europe/Berlin").decode()) if line.startswith("TZNAME")}
    assert named == {"TZNAME:CET", "TZNAME:CEST"}, "as a program may show it beside a time"
    for line in lines(zone_text("Asia/Tokyo").decode()):
        assert not line.startswith("DTSTART") or line < "DTSTART:1971", "its clock was never set since"
    assert b"FREQ=YEARLY;BYDAY=2SU;BYMONTH=3" in zone_text("America/New_York")


def weekly(no: int, zone: str, first: datetime, *more: str) -> Any:
    rule = ";".join(["FREQ=WEEKLY", f"TZID={zone}", *more])
    return reminder(no, f"choir {no}", int(first.timestamp()) * 1_000, repeats=rule)


# Half past seven in the evening, in winter there.
EVENING = datetime(2031, 3, 4, 18, 30, tzinfo=UTC)


def test_what_repeats_in_a_zone_is_written_by_its_clock() -> None:
    told = weekly(1, "Europe/Berlin", EVENING, "EXDATE=20310408T173000Z")
    made = feed_text([told, reminder(2, "tea", NOW_MS)], NOW_MS)
    assert all(len(line.encode()) <= 75 for line in made.split("\r\n"))
    written = lines(made)
    assert "DTSTART;TZID=Europe/Berlin:20310304T193000" in written
    assert "DTEND;TZID=Europe/Berlin:20310304T200000" in written
    assert "RRULE:FREQ=WEEKLY" in written
    assert "EXDATE;TZID=Europe/Berlin:20310408T193000" in written
    assert written.count("BEGIN:VTIMEZONE") == written.count("TZID:Europe/Berlin") == 1
    assert written.index("END:VTIMEZONE") < written.index("BEGIN:VEVENT")
    (tea,) = [line for line in written if line.startswith("DTSTART:2030")]
    assert tea.endswith("Z"), "what is in no zone is written by UTC"
    (calendar,) = icalendar.Calendar.from_ical(made, multiple=True)
    assert not calendar.errors
    assert "VTIMEZONE" not in feed_text([reminder(2, "tea", NOW_MS)], NOW_MS)


def test_the_end_of_a_rule_is_written_by_utc_and_never_beside_a_count() -> None:
    for until in ("UNTIL=20310610T173000Z", "UNTIL=20310610T173000Z;COUNT=9"):
        made = feed_text([weekly(1, "Europe/Berlin", EVENING, until)], NOW_MS)
        (rule,) = [line for line in lines(made) if line.startswith("RRULE:FREQ=WEEKLY;")]
        assert rule == "RRULE:FREQ=WEEKLY;UNTIL=20310610T173000Z"


@pytest.mark.parametrize("name", ["Europe/Nowhere", "../../etc/passwd", "localtime", "X\r\nATTACH:1", ""])
def test_a_zone_that_nobody_knows_is_in_no_calendar(name: str) -> None:
    made = feed_text([weekly(1, name, EVENING)], NOW_MS)
    assert "DTSTART:20310304T183000Z" in lines(made)
    assert "TZID" not in made
    assert "ATTACH" not in made


@pytest.mark.parametrize("due_ms", [-62_135_596_800_000, 253_402_300_799_999])
@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/New_York"])
def test_what_repeats_in_a_zone_at_the_ends_of_time_breaks_no_calendar(due_ms: int, zone: str) -> None:
    told = [
        reminder(
            1, "bins", due_ms, repeats=f"FREQ=WEEKLY;TZID={zone};EXDATE=00010101T000000Z,99991231T235959Z"
        ),
        reminder(2, "tea", NOW_MS),
    ]
    calendar = icalendar.Calendar.from_ical(feed_text(told, NOW_MS))
    assert "tea" in [str(each["summary"]) for each in calendar.walk("VEVENT")]


def test_a_feed_of_very_many_zones_is_no_longer_than_it_may_be() -> None:
    told = [weekly(no, name, EVENING + timedelta(days=no)) for no, name in enumerate(NAMES)]
    made = feed_text(told, NOW_MS)
    assert len(made.encode()) <= FEED_BYTES_MAX
    assert not icalendar.Calendar.from_ical(made).get_missing_tzids()


def test_zones_count_among_the_bytes_of_a_feed(monkeypatch: pytest.MonkeyPatch) -> None:
    told = [weekly(no, name, EVENING + timedelta(days=no)) for no, name in enumerate([*ODD, *ODD])]
    for most in range(1_000, 8_000, 123):
        monkeypatch.setattr("samemind.commands.keeping.calendar.FEED_BYTES_MAX", most)
        made = feed_text(told, NOW_MS)
        assert len(made.encode()) <= most
        calendar = icalendar.Calendar.from_ical(made)
        used = {str(entry["dtstart"].params["TZID"]) for entry in calendar.walk("VEVENT")}
        assert {str(zone["tzid"]) for zone in calendar.walk("VTIMEZONE")} == used


def test_a_zone_counts_once_among_the_bytes_of_a_feed(monkeypatch: pytest.MonkeyPatch) -> None:
    told = [weekly(no, "Africa/Casablanca", EVENING + timedelta(days=no)) for no in range(9)]
    made = feed_text(told, NOW_MS)
    monkeypatch.setattr("samemind.commands.keeping.calendar.FEED_BYTES_MAX", len(made.encode()))
    assert feed_text(told, NOW_MS) == made


# -- read --------------------------------------------------------------------------------------------------------


BERLIN = """BEGIN:VTIMEZONE
TZID:{name}
BEGIN:STANDARD
DTSTART:19701025T030000
RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:19700329T020000
RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
END:DAYLIGHT
END:VTIMEZONE
"""


def choir(name: str, told: str = "", until: str = "") -> dict[str, Any]:
    """What is read of an entry that repeats each Tuesday at half past seven in a zone, which a calendar describes."""
    (item,) = read(
        f"BEGIN:VCALENDAR\n{told.format(name=name)}BEGIN:VEVENT\nUID:1\nSUMMARY:choir\n"
        f'DTSTART;TZID="{name}":20310304T193000\nRRULE:FREQ=WEEKLY;BYDAY=TU{until}\n'
        f'EXDATE;TZID="{name}":20310408T193000\nEND:VEVENT\nEND:VCALENDAR\n'
    )
    assert isinstance(item, Item), item
    return dict(item.fields)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Europe/Berlin", ""),
        ("Europe/Berlin", BERLIN),
        ("/Europe/Berlin", ""),
        # As Outlook has it, Evolution, Thunderbird and its libraries, and Apple for the second of two.
        ("W. Europe Standard Time", ""),
        ("W. Europe Standard Time", BERLIN),
        ("/freeassociation.sourceforge.net/Europe/Berlin", BERLIN),
        ("/citadel.org/20210210_1/Europe/Berlin", BERLIN),
        ("Europe/Berlin 1", BERLIN),
    ],
)
def test_what_repeats_in_a_zone_keeps_it(name: str, told: str) -> None:
    fields = choir(name, told)
    assert fields["event_start"] == int(EVENING.timestamp()) * 1_000
    assert fields["meta"]["repeats"] == "FREQ=WEEKLY;BYDAY=TU;TZID=Europe/Berlin;EXDATE=20310408T173000Z"


@pytest.mark.parametrize(
    "name",
    [
        # Its offset is another one; is the same in winter only; is nowhere in the name; or names no zone.
        *("Asia/Tokyo 1", "Africa/Algiers 1", "/example.org/Europe/Helsinki", "Heim", "Europe/Nowhere 1"),
        *("Europe/Berlin 123", "Europe/Berlin and Rome", "/etc/localtime", "../Europe/Berlin/..", "A/" * 20),
    ],
)
def test_a_zone_that_is_not_surely_one_of_the_database_is_read_by_utc(name: str) -> None:
    assert choir(name, BERLIN)["event_start"] == int(EVENING.timestamp()) * 1_000
    assert choir(name, BERLIN)["meta"]["repeats"] == "FREQ=WEEKLY;BYDAY=TU;EXDATE=20310408T173000Z"


def test_a_zone_that_a_calendar_names_and_nobody_describes_is_utc() -> None:
    assert choir("Europe/Berlin 1")["meta"]["repeats"] == "FREQ=WEEKLY;BYDAY=TU;EXDATE=20310408T193000Z"
    assert choir("UTC")["meta"]["repeats"] == "FREQ=WEEKLY;BYDAY=TU;EXDATE=20310408T193000Z"


@pytest.mark.parametrize(
    ("until", "read_as"),
    [
        ("20310610", "20310610T215959Z"),
        ("20310610T193000", "20310610T173000Z"),
        ("20310610T173000Z", "20310610T173000Z"),
    ],
)
def test_the_last_time_is_one_by_the_clock_of_the_zone(until: str, read_as: str) -> None:
    """A day alone ends there later than by UTC, or earlier; and its evening may be the next day."""
    assert f";UNTIL={read_as};" in choir("Europe/Berlin", until=f";UNTIL={until}")["meta"]["repeats"]
    assert f";UNTIL={until};" in choir("Heim", BERLIN, until=f";UNTIL={until}")["meta"]["repeats"]


@pytest.mark.parametrize(
    "begins", ["DTSTART:20310304T193000Z", "DTSTART:20310304T193000", "DTSTART;VALUE=DATE:20310304"]
)
def test_what_is_in_no_zone_repeats_by_utc(begins: str) -> None:
    (item,) = read(
        f"BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nSUMMARY:choir\n{begins}\nRRULE:FREQ=WEEKLY\nEND:VEVENT\nEND:VCALENDAR\n"
    )
    assert isinstance(item, Item)
    assert item.fields["meta"] == {"repeats": "FREQ=WEEKLY"}


def test_the_last_year_of_calendars_breaks_no_zone() -> None:
    (item,) = read(
        f"BEGIN:VCALENDAR\n{BERLIN.format(name='Europe/Berlin 1')}BEGIN:VTODO\nUID:1\nSUMMARY:choir\n"
        "DUE;TZID=Europe/Berlin 1:99991231T193000\nRRULE:FREQ=WEEKLY\nEND:VTODO\nEND:VCALENDAR\n"
    )
    assert isinstance(item, Item), item


# -- read, counted and written -----------------------------------------------------------------------------------

RULES = [
    "FREQ=DAILY",
    "FREQ=DAILY;INTERVAL=3",
    "FREQ=WEEKLY",
    "FREQ=WEEKLY;INTERVAL=2",
    "FREQ=WEEKLY;BYDAY={day}",
    "FREQ=WEEKLY;INTERVAL=2;BYDAY={day},SU",
    "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR",
    "FREQ=MONTHLY",
    "FREQ=MONTHLY;INTERVAL=2",
    "FREQ=MONTHLY;BYDAY=1MO",
    "FREQ=MONTHLY;BYDAY=-1TH",
    "FREQ=MONTHLY;BYMONTHDAY=-1",
    "FREQ=YEARLY",
]
DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
# Half of them near where the clocks of Europe and America change.
FIRSTS = st.datetimes(datetime(2000, 1, 1), datetime(2035, 1, 1)) | st.builds(  # noqa: DTZ001
    lambda month, day, minutes: datetime(2031, month, day) + timedelta(minutes=minutes),  # noqa: DTZ001
    st.sampled_from([3, 10, 11]),
    st.integers(1, 30),
    st.integers(0, 24 * 60 - 1),
)
SHOWN = 40


def shown_times(entry: Any, zone: ZoneInfo) -> list[datetime]:
    """When a program shows an entry, which counts by the clock that its beginning has and knows that as we do."""
    rule = entry["rrule"].copy()
    until = rule.pop("UNTIL", [None])[0]
    begins = entry.decoded("dtstart").replace(tzinfo=None)
    # A program shows the beginning, whether the rule says so or not.
    walls = islice(rrulestr(rule.to_ical().decode(), dtstart=begins), SHOWN)
    times = {each.replace(tzinfo=zone).astimezone(UTC) for each in (begins, *walls)}
    struck = {each.dt.astimezone(UTC) for each in entry["exdate"].dts} if "exdate" in entry else set()
    return sorted(time for time in times - struck if until is None or time <= until)[: SHOWN - 5]


def due_times(first_ms: int, rule: str) -> list[datetime]:
    """When it is due here."""
    found: list[int] = []
    while (
        len(found) < SHOWN - 5
        and (next_ms := following(first_ms, rule, found[-1] if found else first_ms - 1)) is not None
    ):
        found.append(next_ms)
    return [datetime.fromtimestamp(each / 1_000, UTC) for each in found]


@given(
    name=st.sampled_from(["Europe/Berlin", "America/New_York", *ODD]) | st.sampled_from(NAMES),
    rule=st.sampled_from(RULES),
    first=FIRSTS,
    until=st.none() | st.integers(0, 400),
    struck=st.sets(st.integers(0, 20), max_size=3),
)
def test_programs_show_what_repeats_in_a_zone_when_it_is_due_here(
    name: str, rule: str, first: datetime, until: int | None, struck: set[int]
) -> None:
    zone = ZoneInfo(name)
    begins = first.replace(second=0, microsecond=0, tzinfo=zone)
    first_ms = int(begins.timestamp()) * 1_000
    rule = rule.format(day=DAYS[begins.weekday()])
    if until is not None:
        rule += f";UNTIL={begins.astimezone(UTC) + timedelta(days=until):%Y%m%dT%H%M%SZ}"
    counted = with_zone(rule, name)
    due = due_times(first_ms, counted)
    left_out = [int(due[each].timestamp()) * 1_000 for each in struck if each < len(due)]
    told = with_exceptions(counted, left_out)
    made = feed_text([reminder(1, "choir", first_ms, repeats=told)], NOW_MS)
    (entry,) = icalendar.Calendar.from_ical(made).walk("VEVENT")
    assert shown_times(entry, zone) == due_times(first_ms, told)


def test_a_meeting_in_berlin_is_at_the_same_hour_in_summer_and_winter_wherever_it_is_told(
    tmp_path: Path,
) -> None:
    """Imported, counted, brought up, and written for another program."""
    berlin, path = ZoneInfo("Europe/Berlin"), tmp_path / "mine.ics"
    path.write_text(
        "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nSUMMARY:choir\nDTSTART;TZID=Europe/Berlin:20240305T193000\n"
        "DTEND;TZID=Europe/Berlin:20240305T213000\nRRULE:FREQ=WEEKLY;BYDAY=TU\nEND:VEVENT\nEND:VCALENDAR\n"
    )
    with samemind.open_blocking(tmp_path / "m.db") as mind:
        assert mind.import_(path).imported == 1
        mind.wait_for_queue()
        (choir,) = mind.recall("What is on 9 July 2024?", k=1).results
        assert choir.event_start is not None
        rule = str(mind.get(choir.rid).meta["repeats"])
        first_ms = int(choir.event_start.timestamp()) * 1_000
        due = due_times(first_ms, rule)
        assert {f"{each.astimezone(berlin):%a %H:%M}" for each in due} == {"Tue 19:30"}
        assert {each.hour for each in due} == {17, 18}, "on both sides of a change"
        july = int(datetime(2024, 7, 9, 19, 30, tzinfo=berlin).timestamp()) * 1_000
        assert is_on(first_ms, 0, rule, july, july)
        mind.set(choir.rid, type="prospective")
        (coming,) = mind.triggers().coming
        assert f"{coming.due.astimezone(berlin):%a %H:%M}" == "Tue 19:30"
        (entry,) = icalendar.Calendar.from_ical(mind.calendar().text or "").walk("VEVENT")
    assert shown_times(entry, berlin) == due
    assert entry.decoded("dtend") == datetime(2024, 3, 5, 21, 30, tzinfo=berlin)
    assert coming.due in islice(rrule(WEEKLY, dtstart=entry.decoded("dtstart")), 9_999)
