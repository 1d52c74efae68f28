"""The calendar of reminders, read back by the library that reads everybody's."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import icalendar
import pytest

import samemind
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
