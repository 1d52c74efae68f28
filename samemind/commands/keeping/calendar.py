"""Write reminders as an iCalendar file, for calendar programs."""

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from replica.values import dataclass
from samemind.declaring import Agents, Command, Effects, Method, Takes, option
from samemind.options import MomentOptions
from samemind.printable import one_line
from samemind.rendering import Document, counted

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

    import icalendar as calendars

    from replica import ShownMemory
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class MakeCalendar(MomentOptions):
    """Write reminders as an iCalendar file, for calendar programs."""

    output: str | None = option(
        "--output", "the file to write; without it, standard output", takes=Takes.NEW_PATH, short="-o"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Calendar:
    """A calendar as a text (RFC 5545) with `count` entries, or the `path` of the file that holds it."""

    count: int
    path: str | None = None
    text: str | None = None

    def __str__(self) -> str:
        return self.text or ""


# A program that shows a calendar names whoever made it.
_PRODUCT: Final = "-//samemind//reminders//EN"
# So much of a memory is a title; the whole text is its description.
TITLE_CHARACTERS_MAX: Final = 120
# Where nobody said until when.
_LENGTH: Final = timedelta(minutes=30)
# Programs ask a feed anew at their own pace; this is what we would like.
_REFRESH: Final = timedelta(minutes=15)


async def run(device: "Device", options: MakeCalendar) -> Calendar:
    """Return the calendar, or write it to a file."""
    from pathlib import Path

    import trio

    from samemind.moments import read_at

    text, count = await read_at(device, options.as_of, options.seen_by, calendar_text)
    if options.output is None:
        return Calendar(count=count, text=text)
    path = Path(options.output)
    await trio.to_thread.run_sync(_write, path, text)
    return Calendar(count=count, path=str(path))


def calendar_text(connection: "sqlite3.Connection") -> tuple[str, int]:
    """Return every reminder that is known as one calendar, and how many they are.

    An entry has the id of its memory, so that a program which reads the calendar again changes what it has.
    """
    import icalendar

    from cognition.triggers.told_once import told_once
    from replica import memories_to_come

    made = icalendar.Calendar()
    made.add("prodid", _PRODUCT)
    made.add("version", "2.0")
    made.add("name", "samemind")
    made.add("x-wr-calname", "samemind")
    made.add("refresh-interval", _REFRESH, parameters={"value": "DURATION"})
    told = told_once(connection, memories_to_come(connection))
    entries = [entry for it in told if (entry := _entry(it)) is not None]
    for entry in entries:
        made.add_component(entry)
    return made.to_ical().decode(), len(entries)


def _entry(it: "ShownMemory") -> "calendars.Event | None":
    import icalendar

    from cognition.reminding.repeating import rule_of
    from replica import show_memory_id
    from samemind.times import at_ms, at_stamp

    fields = it.memory.fields
    begins = at_ms(int(fields["event_start"]))
    ends = _end(begins, fields.get("event_end"))
    if begins is None or ends is None:  # beyond the years that a calendar has
        return None
    title = " ".join(it.memory.text.split())
    entry = icalendar.Event()
    entry.add("uid", f"{show_memory_id(it.rid)}@samemind")
    entry.add("dtstamp", at_stamp(it.memory.created))
    entry.add("dtstart", begins)
    entry.add("dtend", ends)
    entry.add(
        "summary", title if len(title) <= TITLE_CHARACTERS_MAX else f"{title[: TITLE_CHARACTERS_MAX - 1]}…"
    )
    if len(title) > TITLE_CHARACTERS_MAX:
        entry.add("description", it.memory.text)
    rule = _rule(rule_of(it.memory))
    if rule is not None:
        entry.add("rrule", rule[0])
        if rule[1]:
            entry.add("exdate", rule[1])
    alarm = icalendar.Alarm()
    alarm.add("action", "DISPLAY")
    alarm.add("description", "due")
    alarm.add("trigger", timedelta(0))
    entry.add_component(alarm)
    return entry


def _end(begins: datetime | None, told: object) -> datetime | None:
    from samemind.times import at_ms

    ends = at_ms(int(told)) if isinstance(told, int) else None
    if begins is None:
        return None
    if ends is not None and ends > begins:
        return ends
    try:
        return begins + _LENGTH
    except OverflowError:
        return None


def _rule(told: object) -> "tuple[calendars.vRecur, list[datetime]] | None":
    """Return a rule as a calendar has it, and when it does not hold.

    None for one that is none, as somebody may have written by hand.
    """
    import icalendar

    from cognition.reminding.repeating import without_exceptions
    from samemind.times import at_ms

    if not isinstance(told, str):
        return None
    rule, excepted_ms = without_exceptions(told)
    try:
        found = icalendar.vRecur.from_ical(rule)
    except ValueError:
        return None
    excepted = [time for time in map(at_ms, excepted_ms) if time is not None]
    return (found, excepted) if found.get("FREQ") else None


def _write(path: "Path", text: str) -> None:
    from samemind.durable import whole_file

    with whole_file(path, mode=0o666) as scratch:
        # Its lines end as RFC 5545 has them, on every system.
        scratch.write_bytes(text.encode())


def render(document: Document) -> list[str]:
    if document["path"] is None:
        return str(document["text"]).splitlines()
    return [f"{counted(document['count'], 'reminder', 'reminders')} in {one_line(document['path'])}"]


COMMAND: Final = Command(
    "calendar",
    MakeCalendar,
    Calendar,
    run=run,
    render=render,
    place=6,
    effects=Effects.READ,
    agents=Agents.NEVER,
    panel="writes a file for other programs",
    library=Method(
        "calendar",
        "Return reminders in the iCalendar format, or write them to a file.",
    ),
)
