"""Rules by which something repeats, and zones, as somebody else wrote them: they hold up no reminder and no import."""

import re
from itertools import islice

import pytest
from dateutil.rrule import rrulestr
from hypothesis import given
from hypothesis import strategies as st

from cognition.reminding.repeating import REPEATS, following, is_on, latest
from cognition.triggers.raised import read_live
from cognition.triggers.step import TriggerStep
from replica import Write, new_memory_id
from replica.fields import MS_MAX
from replica.ops import Remember
from replica.storage.store import SqliteStore
from samemind.commands.keeping.calendar import _PARTS, feed_text
from samemind.commands.keeping.triggers_list import _coming
from samemind.formats.rendering import repeated
from samemind.portable.calendar import read
from samemind.portable.records import Item, Unreadable
from tests.security.test_floods_of_reminders import DUE_MS, tell, with_tables
from tests.support.replicas import NOW_MS, group, settle
from tests.unit.samemind.test_calendar import read as written
from tests.unit.samemind.test_calendar import reminder

ENDLESS = "FREQ=DAILY;INTERVAL=" + "9" * 5_000
STEPS = ["DAILY", "WEEKLY", "MONTHLY", "YEARLY"]
PARTS = [
    "INTERVAL=999",
    "INTERVAL=" + "1" * 5_000,
    "BYDAY=MO,SU",
    "BYDAY=5MO",
    "BYDAY=-9SU",
    "BYMONTHDAY=-1",
    "UNTIL=00010101",
    "UNTIL=99991231T235959Z",
    "UNTIL=" + "9" * 5_000,
    "EXDATE=" + ",".join(f"2026{1 + day // 28:02}{1 + day % 28:02}T090000Z" for day in range(300)),
    "EXDATE=00010101,99991231T235959Z,x",
    "EXDATE=" + "9" * 5_000,
    "TZID=Pacific/Kiritimati",
    "TZID=America/New_York",
    "TZID=../../etc/passwd",
    "TZID=Europe",
    "TZID=" + "A/" * 5_000,
    "=;",
]
TIMES = st.integers(-MS_MAX, MS_MAX)


@given(TIMES, st.sampled_from(STEPS), st.lists(st.sampled_from(PARTS), max_size=3), TIMES)
def test_any_rule_of_anybody_has_a_last_and_a_next_time(
    first_ms: int, step: str, parts: list[str], now_ms: int
) -> None:
    rule = ";".join([f"FREQ={step}", *parts])
    assert isinstance(latest(first_ms, rule, now_ms), int)
    assert isinstance(following(first_ms, rule, now_ms), int | None)
    assert isinstance(is_on(first_ms, 0, rule, now_ms, now_ms), bool)


@pytest.mark.parametrize(("first_ms", "rule"), [(1, ENDLESS), (-MS_MAX, "FREQ=YEARLY")])
def test_a_reminder_that_nobody_can_count_out_holds_up_no_other(first_ms: int, rule: str) -> None:
    """One such memory of a member, or an agent, ended every cycle of thinking and every list of reminders."""
    ann, eve = group("ann", "eve", make_store=with_tables)
    fields = {"type": "prospective", "event_start": first_ms, "meta": {REPEATS: rule}}
    eve.commit([Write(Remember("call nobody", fields), new_memory_id(NOW_MS, eve._random))], NOW_MS)  # type: ignore[arg-type]
    (honest,) = tell(ann, ["take the medicine"], DUE_MS)
    settle([ann, eve])
    assert isinstance(ann.store, SqliteStore)
    connection = ann.store.connection
    assert isinstance(_coming(connection, NOW_MS), list)
    TriggerStep().run(ann, connection, NOW_MS)
    assert honest in {each.rid for each in read_live(connection, NOW_MS)}


@pytest.mark.parametrize(
    "rule", ["FREQ=DAILY;INTERVAL=\x1b[31m", "FREQ=WEEKLY;BYDAY=\x1b]0;x\x07", "\x1b[2J\n", ENDLESS]
)
def test_a_rule_is_shown_as_words_on_one_short_line(rule: str) -> None:
    shown = repeated(rule)
    assert shown.isprintable()
    assert len(shown) < 200


SECONDS = ",".join(map(str, range(60)))


@pytest.mark.parametrize(
    "rule",
    [
        f"FREQ=DAILY;BYHOUR=1,2;BYMINUTE={SECONDS};BYSECOND={SECONDS}",
        f"FREQ=DAILY;byhour=1,2;Byminute={SECONDS}",
        "FREQ=DAILY;freq=SECONDLY",
        "FREQ=DAILY;Freq=HOURLY;INTERVAL=1",
        "freq=MINUTELY;FREQ=WEEKLY",
        "FREQ=DAILY;RSCALE=NOBODYS;SKIP=X;X-A=1",
        "FREQ=DAILY;BYMONTH=99;BYMONTHDAY=0;BYSETPOS=x;WKST=XX;BYDAY=;COUNT=-1",
        "FREQ=YEARLY;COUNT=" + "9" * 400,
        "FREQ=DAILY;BYDAY=MO\r\nATTACH:file:///etc/passwd",
        "FREQ=DAILY;COUNT=\u0661",
    ],
)
def test_a_program_is_told_nothing_that_happens_more_than_once_a_day(rule: str) -> None:
    """A rule of a member names parts that nobody here looks at, or the same part in small letters."""
    (entry,) = written(feed_text([reminder(1, "bins", NOW_MS, repeats=rule)], NOW_MS))
    told = entry["rrule"].to_ical().decode()
    times = list(islice(rrulestr(told, dtstart=entry.decoded("dtstart")), 3))
    assert len({each.date() for each in times}) == 3
    assert not {part.partition("=")[0] for part in told.split(";")} - {"FREQ", "INTERVAL"}
    assert "attach" not in entry


@given(
    st.sampled_from(STEPS),
    st.lists(st.sampled_from(sorted(_PARTS)).flatmap(lambda name: part(name, _PARTS[name])), max_size=4),
)
def test_what_a_program_is_told_of_a_rule_can_be_read(step: str, parts: list[str]) -> None:
    rule = ";".join([*parts, f"FREQ={step}"])
    (entry,) = written(feed_text([reminder(1, "bins", NOW_MS, repeats=rule)], NOW_MS))
    assert not entry.errors
    assert {step} == set(entry["rrule"]["FREQ"]) if "rrule" in entry else "rdate" in entry


def part(name: str, shape: re.Pattern[str]) -> st.SearchStrategy[str]:
    return st.from_regex(shape, fullmatch=True).map(lambda value: f"{name}={value}")


def calendar(*rules: str, begins: str = "16010101T000000", inside: str = "") -> str:
    changes = "\n".join(
        f"BEGIN:STANDARD\nDTSTART:{begins}\n{inside}TZOFFSETFROM:+0200\nTZOFFSETTO:+0100\n{rule}\nEND:STANDARD"
        for rule in rules
    )
    return (
        f"BEGIN:VCALENDAR\nBEGIN:VTIMEZONE\nTZID:Nowhere\n{changes}\nEND:VTIMEZONE\nBEGIN:VEVENT\nUID:1\n"
        "DTSTART;TZID=Nowhere:20260101T100000\nSUMMARY:dinner\nEND:VEVENT\nEND:VCALENDAR\n"
    )


@pytest.mark.parametrize(
    "rule",
    [
        "RRULE:FREQ=SECONDLY",
        "rrule:freq=secondly",
        "RRU\n LE:FREQ=SECONDLY",
        "RRULE:FREQ=YEARLY;BYHOUR=1;BYSECOND=1,2,3",
        "RRULE:FREQ=YEARLY;INTERVAL=0",
        "RRULE:FREQ=DAILY",
        # Looked for through ten thousand years, a third of a second each.
        "RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
        "RRULE:FREQ=YEARLY;BYMONTH=2,4;BYMONTHDAY=31,-31",
        "RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;INTERVAL=2",
        "RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=1;BYDAY=5MO",
        "RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=6MO",
        "RRULE:FREQ=YEARLY;BYDAY=60MO",
        "RRULE:FREQ=YEARLY;BYMONTH=13;BYMONTHDAY=1",
    ],
)
def test_a_zone_whose_clocks_change_without_end_is_refused(rule: str) -> None:
    for inside in ("", "BEGIN:X-A\nEND:X-A\n", "BEGIN:X-A\nEND:VTIMEZONE\n"):
        (refused,) = read(calendar(rule, inside=inside))
        assert isinstance(refused, Unreadable)


def test_zones_as_programs_write_them_are_read() -> None:
    rules = [
        "RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10",
        "RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=SU;BYMONTHDAY=8,9,10",
        "RRULE:FREQ=YEARLY;BYDAY=+5SU;BYMONTH=3",
        "RRULE:FREQ=YEARLY;BYMONTH=10;BYMONTHDAY=31",
        "RRULE:FREQ=YEARLY;UNTIL=20300101T000000Z;BYMONTH=2;BYMONTHDAY=-1",
        "RRULE:FREQ=YEARLY",
    ]
    for rule in rules:
        (event,) = read(calendar(rule))
        assert isinstance(event, Item), rule
    (event,) = read(calendar(*rules[:2]))
    assert isinstance(event, Item)


def test_a_zone_that_its_reader_stumbles_on_costs_its_events_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """What reads rules has lists of its own, and says `IndexError` where somebody else's rule leads out of one."""
    monkeypatch.setattr("samemind.portable.calendar._is_in_every_year", lambda *_: True)
    (event,) = read(
        calendar("RRULE:FREQ=YEARLY;BYDAY=60MO", "RRULE:FREQ=YEARLY;BYDAY=61MO", begins="20010101T000000")
    )
    assert isinstance(event, Unreadable)


def test_a_zone_of_one_file_means_nothing_in_the_next() -> None:
    """What reads them keeps zones by name, and the first file to name one said when things happen in all later ones."""
    (first,) = read(calendar("RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU").replace("+0100", "+0900"))
    (second,) = read(calendar("RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU"))
    assert isinstance(first, Item)
    assert isinstance(second, Item)
    assert second.fields["event_start"] - first.fields["event_start"] == 8 * 3_600_000  # type: ignore[operator]


@pytest.mark.parametrize(("rules", "times", "year"), [(40, 1, 9999), (12, 12_000, 2026)])
def test_times_and_zones_that_are_many_together_are_refused(rules: int, times: int, year: int) -> None:
    """Forty rules up to the year 9999 took 14 s; and each time goes through all changes of its zone."""
    event = f"BEGIN:VEVENT\nUID:1\nDTSTART;TZID=Nowhere:{year}0101T100000\nSUMMARY:dinner\nEND:VEVENT\n"
    text = calendar(*["RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU"] * rules)
    (refused,) = read(text.replace("END:VCALENDAR\n", event * times + "END:VCALENDAR\n"))
    assert isinstance(refused, Unreadable)


def test_zones_that_are_compared_for_what_repeats_count_among_the_looks() -> None:
    event = "BEGIN:VEVENT\nDTSTART;TZID=Nowhere:20260101T100000\nSUMMARY:dinner\n{}END:VEVENT\n"
    text = calendar(*["RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU"] * 12)
    once, again = (
        text.replace("END:VCALENDAR\n", event.format(rule) * 4_000 + "END:VCALENDAR\n")
        for rule in ("", "RRULE:FREQ=DAILY\n")
    )
    assert isinstance(next(iter(read(once))), Item)
    (refused,) = read(again)
    assert isinstance(refused, Unreadable)


def test_components_within_components_without_end_are_refused() -> None:
    depth = 20_000
    found = list(read("BEGIN:VCALENDAR\n" + "BEGIN:X-A\n" * depth + "END:X-A\n" * depth + "END:VCALENDAR\n"))
    assert all(isinstance(each, Unreadable) for each in found)
