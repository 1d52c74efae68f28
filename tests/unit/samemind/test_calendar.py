"""The calendar of reminders, read back by the library that reads everybody's."""

from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import icalendar
import pytest
from dateutil.rrule import rrulestr
from hypothesis import given
from hypothesis import strategies as st

import samemind
from cognition.days import DAY_MS
from cognition.reminding.repeating import following
from replica import DeviceId, ShownMemory
from replica.state.memories import Memory
from samemind.commands.keeping.calendar import (
    FEED_BYTES_MAX,
    FEED_TEXT_CHARACTERS_MAX,
    TITLE_CHARACTERS_MAX,
    feed_text,
)
from tests.support.devices import run
from tests.support.doors import opened

DUE = datetime(2031, 3, 3, 14, tzinfo=UTC)


def test_a_calendar_holds_every_reminder_and_nothing_else(tmp_path: Path) -> None:
    async def main() -> None:
        async with opened(tmp_path / "laptop", online=False) as laptop:
            mind = laptop.mind
            long = "Zahnarzt, am Markt; bring the card\n" + "and be on time " * 20
            dentist = await mind.remember(long, type="prospective", event_start=DUE)
            plants = await mind.remember(
                "water the plants",
                type="prospective",
                event_start=DUE,
                event_end=DUE + timedelta(hours=2),
                meta={"repeats": "FREQ=WEEKLY;BYDAY=MO;EXDATE=20310310T140000Z"},
            )
            await mind.remember("we met in March", event_start=DUE)
            gone = await mind.remember("archived", type="prospective", event_start=DUE)
            await mind.archive(gone)
            await mind.remember("odd", type="prospective", event_start=DUE, meta={"repeats": "whenever"})
            path = tmp_path / "mine.ics"
            made = await mind.calendar(output=path)
            assert (made.count, made.path) == (3, str(path))
            text = path.read_bytes()
            assert all(len(line) <= 75 for line in text.split(b"\r\n"))
            read = icalendar.Calendar.from_ical(text)
            entries = {str(entry["uid"]).partition("@")[0]: entry for entry in read.walk("VEVENT")}
            one, two = entries[dentist.rid], entries[plants.rid]
            assert one.decoded("dtstart") == DUE
            assert one.decoded("dtend") > DUE
            assert str(one["description"]) == long
            assert len(str(one["summary"])) <= 120
            assert two.decoded("dtend") - two.decoded("dtstart") == timedelta(hours=2)
            assert two["rrule"] == {"FREQ": ["WEEKLY"], "BYDAY": ["MO"]}
            assert [each.dt for each in two["exdate"].dts] == [DUE + timedelta(days=7)]
            assert len([*two.walk("VALARM")]) == 1
            assert "rrule" not in one
            again = await mind.calendar()
            assert again.text == text.decode(), "the same entries, so that a program changes what it has"
            with pytest.raises(samemind.SamemindError):
                await mind.calendar(output=tmp_path / "no" / "folder.ics")

    run(main)


NOW_MS = 1_900_000_000_000


def reminder(no: int, text: str, due_ms: int, **meta: object) -> ShownMemory:
    """A reminder that was changed a second after it was told."""
    fields: dict[str, Any] = {"event_start": due_ms, **({"meta": meta} if meta else {})}
    stamps = (NOW_MS << 16, NOW_MS + 1_000 << 16)
    told = Memory(no.to_bytes(16, "big"), text, fields, *stamps, feed=1, accesses=0, last_access=0)
    return ShownMemory(no, no, DeviceId(bytes(32)), bytes(8), None, told)


def read(text: str) -> list[Any]:
    """The entries of a calendar, as a program reads them."""
    calendar = icalendar.Calendar.from_ical(text)
    assert not calendar.errors
    assert {child.name for child in calendar.subcomponents} <= {"VEVENT"}
    return list(calendar.walk("VEVENT"))


# With line ends and controls, and what is syntax in a calendar, more often than chance has them.
_TEXTS = st.text(
    st.sampled_from("a:;,\\\r\n\t\0\x0b\x1b\x7f\x85\u2028🙂") | st.characters(codec="utf-8"), max_size=200
)


@given(text=_TEXTS, rule=_TEXTS.map("FREQ=DAILY;{}".format) | st.just("FREQ=DAILY;X-\r\nATTACH=1"))
def test_no_text_and_no_rule_adds_a_line_to_a_calendar_or_breaks_it(text: str, rule: str) -> None:
    """A rule with a line end in it made every calendar fail, and to some programs a lone CR ends a line."""
    texts = (
        text,
        f"{text}{'x' * TITLE_CHARACTERS_MAX}",
        "tea",
    )  # a title alone, one that is cut, and a plain one
    told = [reminder(no, each, NOW_MS, repeats=rule) for no, each in enumerate(texts)]
    made = feed_text(told, NOW_MS)
    assert not set(map(chr, (*range(9), *range(11, 32), 127))) & set(made.replace("\r\n", ""))
    assert len(read(made)) == len(texts)
    known = {
        "UID",
        "DTSTAMP",
        "CREATED",
        "LAST-MODIFIED",
        "DTSTART",
        "DTEND",
        "SUMMARY",
        "DESCRIPTION",
        "RRULE",
        "EXDATE",
    }
    assert {key for entry in read(made) for key in entry} <= known


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (r"look into D:\Notes\new; soon, please", r"look into D:\\Notes\\new\; soon\, please"),
        ("\\", r"\\"),
        (r"\n", r"\\n"),
    ],
)
def test_a_backslash_stays_one_whatever_stands_behind_it(text: str, line: str) -> None:
    """As it is sent, since the library reads what was escaped as another text again."""
    assert f"\r\nSUMMARY:{line}\r\n" in feed_text([reminder(1, text, NOW_MS)], NOW_MS)
    long = f"{text}\n{'x' * TITLE_CHARACTERS_MAX}"
    sent = feed_text([reminder(1, long, NOW_MS)], NOW_MS).replace("\r\n ", "")
    assert f"\r\nDESCRIPTION:{line}\\n{'x' * TITLE_CHARACTERS_MAX}\r\n" in sent


# When it is Monday evening in New York, and noon of another day.
_FIRSTS = [datetime(2031, 3, 4, 2, tzinfo=UTC), datetime(2031, 5, 14, 12, tzinfo=UTC)]


@pytest.mark.parametrize("first", _FIRSTS)
@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=WEEKLY;BYDAY=MO",
        "FREQ=WEEKLY;BYDAY=WE,FR",
        "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU",
        "FREQ=DAILY;INTERVAL=0",
        "FREQ=DAILY;INTERVAL=3;UNTIL=20310610",
        "FREQ=DAILY;UNTIL=20310610T120000;COUNT=99",
        "FREQ=MONTHLY",
        "FREQ=MONTHLY;BYDAY=1MO",
        "FREQ=MONTHLY;BYDAY=2WE",
        "FREQ=MONTHLY;BYDAY=-1TH;EXDATE=20310626T120000Z",
        "FREQ=YEARLY",
        "FREQ=SECONDLY",
        "FREQ=HOURLY;INTERVAL=0",
    ],
)
def test_a_program_shows_what_repeats_when_it_is_due_here(rule: str, first: datetime) -> None:
    """A weekday is one by the clock of whoever said it, and times are sent by UTC, where it may be another."""
    assert shown_times(first, rule) == due_times(first, rule)


def test_a_program_shows_the_last_of_a_month_where_it_is_the_first_of_the_next_by_utc() -> None:
    first = datetime(2031, 4, 1, 2, tzinfo=UTC)
    rule = "FREQ=MONTHLY;BYMONTHDAY=-1"
    assert (
        shown_times(first, rule) == due_times(first, rule) == [first.replace(month=m) for m in range(4, 10)]
    )


@pytest.mark.parametrize("rule", ["FREQ=MONTHLY", "FREQ=MONTHLY;INTERVAL=3", "FREQ=YEARLY"])
@pytest.mark.parametrize("month_day", [(1, 31), (1, 30), (1, 29), (1, 28), (2, 29), (2, 28), (12, 31)])
def test_a_program_shows_what_is_due_on_the_31st_on_the_last_of_a_shorter_month(
    rule: str, month_day: tuple[int, int]
) -> None:
    """It would leave out the months that have none (RFC 5545, 3.3.10), and nothing was paid in February."""
    first = datetime(2028, *month_day, 12, tzinfo=UTC)
    assert shown_times(first, rule) == due_times(first, rule)


@given(
    due_ms=st.integers(-62_135_596_800_000, 253_402_300_799_999)
    | st.integers(0, 100 * DAY_MS).map(lambda before: 253_402_300_799_999 - before)
    | st.integers(0, 100 * DAY_MS).map(lambda behind: behind - 62_135_596_800_000),
    rule=st.sampled_from(
        ["WEEKLY;BYDAY=TU", "MONTHLY;BYDAY=1MO", "MONTHLY;BYDAY=-9TU", "MONTHLY;BYMONTHDAY=-1"]
    ),
)
def test_what_repeats_at_the_ends_of_time_breaks_no_calendar(due_ms: int, rule: str) -> None:
    told = [reminder(1, "bins", due_ms, repeats=f"FREQ={rule}"), reminder(2, "tea", NOW_MS)]
    assert "tea" in [str(each["summary"]) for each in read(feed_text(told, NOW_MS))]


@pytest.mark.parametrize("day", ["MO", "1MO"])
def test_the_first_time_is_left_out_where_it_was_excepted(day: str) -> None:
    """A program shows the beginning of an entry, whatever else it is told."""
    first = datetime(2031, 3, 4, 2, tzinfo=UTC)
    step = "MONTHLY" if day == "1MO" else "WEEKLY"
    rule = f"FREQ={step};BYDAY={day};EXDATE=20310304T020000Z"
    (entry,) = read(feed_text([reminder(1, "bins", int(first.timestamp()) * 1_000, repeats=rule)], NOW_MS))
    assert [each.dt for each in entry["exdate"].dts] == [first]


def shown_times(first: datetime, rule: str) -> list[datetime]:
    """The first times that a program shows."""
    (entry,) = read(feed_text([reminder(1, "bins", int(first.timestamp()) * 1_000, repeats=rule)], NOW_MS))
    if "rdate" in entry:
        assert "rrule" not in entry
        return [each.dt for each in entry["rdate"].dts][:6]
    if "rrule" not in entry:
        return [first]
    return list(islice(rrulestr(entry["rrule"].to_ical().decode(), dtstart=first), 6))


def due_times(first: datetime, rule: str) -> list[datetime]:
    """When it is due here."""
    first_ms = int(first.timestamp()) * 1_000
    found = [first_ms]
    while len(found) < 6 and (after_ms := following(first_ms, rule, found[-1])) is not None:
        found.append(after_ms)
    return [datetime.fromtimestamp(each / 1_000, UTC) for each in found]


def test_an_entry_says_when_it_was_told_and_when_it_was_changed() -> None:
    (entry,) = read(feed_text([reminder(1, "tea", NOW_MS)], NOW_MS))
    told = datetime.fromtimestamp(NOW_MS / 1_000, UTC)
    assert entry.decoded("created") == told
    assert entry.decoded("dtstamp") == entry.decoded("last-modified") == told + timedelta(seconds=1)


def test_a_feed_is_bounded_and_keeps_what_repeats_and_what_is_near() -> None:
    """Of a thousand long reminders it holds as many as fit, and a program is still told what comes next."""
    long = "x" * FEED_TEXT_CHARACTERS_MAX
    days = [*range(-300, 0), *range(1, 600)]
    told = [reminder(400 + day, f"day {day} {long}", NOW_MS + day * DAY_MS) for day in days]
    weekly = reminder(1, "bins", NOW_MS - 3_000 * DAY_MS, repeats="FREQ=WEEKLY")
    made = feed_text([*told, weekly], NOW_MS)
    assert len(made.encode()) <= FEED_BYTES_MAX
    shown = [str(each["summary"]).partition(" x")[0] for each in read(made)]
    assert shown[0] == "bins"
    assert shown[1:] == [f"day {day}" for day in range(1, len(shown))], "what is over goes first"
    few = [*told[290:310], weekly]
    assert [str(each["summary"])[:4] for each in read(feed_text(few, NOW_MS))] == ["bins", *["day "] * 20]
    (entry,) = read(feed_text([reminder(1, "x" * FEED_BYTES_MAX, NOW_MS)], NOW_MS))
    assert entry["description"] == f"{long}…", "a text may be as long as a whole feed"


def test_a_feed_is_no_longer_than_it_may_be_whatever_is_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    told = [reminder(no, f"thing {no}", NOW_MS + no) for no in range(9)]
    for most in range(1_000, 2_000, 9):
        monkeypatch.setattr("samemind.commands.keeping.calendar.FEED_BYTES_MAX", most)
        made = feed_text(told, NOW_MS)
        assert most - 400 < len(made.encode()) <= most


def test_a_feed_is_the_same_whoever_asks_and_when() -> None:
    told = [reminder(no, f"thing {no}", NOW_MS + no * DAY_MS) for no in range(9)]
    assert feed_text(told, NOW_MS) == feed_text(reversed(told), NOW_MS + 5 * DAY_MS)
