"""Write reminders as an iCalendar file, for calendar programs."""

import re
from collections import Counter
from datetime import datetime, timedelta, tzinfo
from typing import TYPE_CHECKING, Final

from replica.values import dataclass
from samemind.declaring import Agents, Command, Effects, Method, Takes, option
from samemind.formats.options import MomentOptions
from samemind.formats.printable import one_line
from samemind.formats.rendering import Document, counted

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    import icalendar as calendars

    from replica import ShownMemory
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class MakeCalendar(MomentOptions):
    """Write reminders as an iCalendar file, for calendar programs.

    A file is written once. With --feed, the daemon serves a calendar that programs subscribe to:
    `samemind help calendar-feed` explains that.
    """

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
_END: Final = b"END:VCALENDAR\r\n"
# What no text of a calendar may hold (RFC 5545, 3.1). To some programs a lone CR ends a line, and another begins.
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
# Parts of a rule as programs read them. It may have been written by hand, and anything else in it could be a line of
# its own, or have something happen each second of a day: a program has no end of entries to show then.
_NUMBER: Final = r"[+-]?[1-9]\d{0,2}"
_WEEKDAY: Final = "(?:MO|TU|WE|TH|FR|SA|SU)"
_PARTS: Final = {
    name: re.compile(f"{each}(?:,{each})*", re.ASCII)
    for name, each in {
        "FREQ": "[A-Z]+",
        "INTERVAL": _NUMBER,
        "COUNT": r"[1-9]\d{0,4}",
        "UNTIL": r"\d{8}T\d{6}Z",
        "WKST": _WEEKDAY,
        "BYMONTH": "(?:0?[1-9]|1[0-2])",
        "BYDAY": rf"(?:[+-]?[1-9]\d?)?{_WEEKDAY}",
        "BYMONTHDAY": "[+-]?(?:0?[1-9]|[12][0-9]|3[01])",
        "BYYEARDAY": _NUMBER,
        "BYWEEKNO": _NUMBER,
        "BYSETPOS": _NUMBER,
    }.items()
}
# Where nobody said until when.
_LENGTH: Final = timedelta(minutes=30)
_FEBRUARY: Final = 2
_SHORTEST_MONTH_DAYS: Final = 28
# Programs ask a feed anew at their own pace; this is what we would like.
_REFRESH: Final = timedelta(minutes=15)
# Programs fetch a feed several times an hour, over whatever network. Some three thousand reminders of a usual length.
FEED_BYTES_MAX: Final = 1 << 20
# And no more than these, as short as they may be.
_FEED_ENTRIES_MAX: Final = 4_000
# A text may be as long as a whole feed.
FEED_TEXT_CHARACTERS_MAX: Final = 2_000


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
    from cognition.triggers.told_once import known_reminders
    from samemind.formats.calendar_zones import zone_text

    entries = [entry for it in known_reminders(connection) if (entry := _entry(it)) is not None]
    zones = {name: zone_text(name) for entry in entries if (name := _zone_of(entry)) is not None}
    return _calendar(zones, [entry.to_ical() for entry in entries]), len(entries)


def feed_text(told: "Iterable[ShownMemory]", now_ms: int) -> str:
    """Return reminders as a calendar of at most `FEED_BYTES_MAX`, for programs that fetch it again and again.

    What repeats goes before what is still to come, and that before what is over; of each, the nearest to `now_ms`. But
    they go by turns among the devices that told of them, so that none fills it alone.
    """
    from cognition.triggers.told_once import bare
    from samemind.formats.calendar_zones import zone_text

    left = FEED_BYTES_MAX - len(_calendar({}, []))
    kept: list[tuple[int, bytes, bytes]] = []
    zones: dict[str, bytes] = {}
    for it in _by_turns(sorted(told, key=lambda it: _distance(it, now_ms))):
        entry = _entry(bare(it, FEED_TEXT_CHARACTERS_MAX))
        if entry is None:
            continue
        written = entry.to_ical()
        left -= len(written)
        if (zone := _zone_of(entry)) is not None and zone not in zones:
            left -= len(zone_text(zone))
        if left < 0:
            break
        if zone is not None:
            zones[zone] = zone_text(zone)
        kept.append((int(it.memory.fields["event_start"]), it.rid, written))
    return _calendar(zones, [written for _, _, written in sorted(kept)])


def feed_reminders(connection: "sqlite3.Connection", now_ms: int) -> "list[ShownMemory]":
    """Return the reminders among which are those of a feed; what was told several times is one."""
    from cognition.memories import CHARACTERS_MAX
    from cognition.triggers.told_once import bare, told_once
    from replica import memories_of, nearest_to_come

    numbers = nearest_to_come(connection, now_ms, _FEED_ENTRIES_MAX)
    found = memories_of(connection, numbers, characters=CHARACTERS_MAX)
    return told_once(connection, (bare(it, FEED_TEXT_CHARACTERS_MAX) for it in found))


def _by_turns(told: "Iterable[ShownMemory]") -> "list[ShownMemory]":
    """Return reminders by turns among the devices that told of them, those of each in their order."""
    turns: Counter[bytes] = Counter()
    taken: list[tuple[int, ShownMemory]] = []
    for it in told:
        taken.append((turns[it.device], it))
        turns[it.device] += 1
    return [it for _, it in sorted(taken, key=lambda each: each[0])]


def _distance(it: "ShownMemory", now_ms: int) -> tuple[bool, bool, int, bytes]:
    from cognition.reminding.repeating import rule_of

    begins_ms = int(it.memory.fields["event_start"])
    return rule_of(it.memory) is None, begins_ms < now_ms, abs(begins_ms - now_ms), it.rid


def _calendar(zones: "Mapping[str, bytes]", entries: list[bytes]) -> str:
    """Return a calendar of zones, by name, and of entries, all written already: it takes a third of a ms for each."""
    import icalendar

    made = icalendar.Calendar()
    made.add("prodid", _PRODUCT)
    made.add("version", "2.0")
    made.add("name", "samemind")
    made.add("x-wr-calname", "samemind")
    # The same twice: some programs know the one (RFC 7986), some the other.
    made.add("refresh-interval", icalendar.vDuration(_REFRESH), parameters={"value": "DURATION"})
    made.add("x-published-ttl", icalendar.vDuration(_REFRESH))
    head = made.to_ical().removesuffix(_END)
    return b"".join([head, *(zones[name] for name in sorted(zones)), *entries, _END]).decode()


def _zone_of(entry: "calendars.Event") -> str | None:
    """Return the zone that an entry names and its calendar has to hold."""
    name: str | None = entry["dtstart"].params.get("TZID")
    return name


def _entry(it: "ShownMemory") -> "calendars.Event | None":
    import icalendar

    from cognition.reminding.repeating import rule_of, zone_in
    from replica import show_memory_id
    from samemind.formats.times import at_stamp

    fields, told = it.memory.fields, rule_of(it.memory)
    zone = zone_in(told) if isinstance(told, str) else None
    begins = _clock(int(fields["event_start"]), zone)
    ends = _end(begins, fields.get("event_end"))
    if begins is None or ends is None:  # beyond the years that a calendar has
        return None
    text = _CONTROLS.sub("", it.memory.text)
    title = " ".join(text.split())
    entry = icalendar.Event()
    entry.add("uid", f"{show_memory_id(it.rid)}@samemind")
    # Without a METHOD, the first says when it was revised last (RFC 5545, 3.8.7.2), as the last does.
    entry.add("dtstamp", at_stamp(it.memory.updated))
    entry.add("created", at_stamp(it.memory.created))
    entry.add("last-modified", at_stamp(it.memory.updated))
    entry.add("dtstart", begins)
    entry.add("dtend", ends)
    is_long = len(title) > TITLE_CHARACTERS_MAX
    # Escaped here: the library takes the `\N` of `D:\Notes` for the end of a line.
    shown = f"{title[: TITLE_CHARACTERS_MAX - 1]}…" if is_long else title
    entry.add("summary", icalendar.prop.vInline(_escaped(shown)))
    if is_long:
        entry.add("description", icalendar.prop.vInline(_escaped(text)))
    if isinstance(told, str):
        _repeat(entry, int(fields["event_start"]), told, zone)
    alarm = icalendar.Alarm()
    alarm.add("action", "DISPLAY")
    alarm.add("description", "due")
    alarm.add("trigger", timedelta(0))
    entry.add_component(alarm)
    return entry


def _repeat(entry: "calendars.Event", first_ms: int, told: str, zone: tzinfo | None) -> None:
    """Say in an entry how it repeats, and when not. `zone`: which the rule names."""
    from cognition.reminding.repeating import listed, without_exceptions
    from samemind.formats.times import at_ms

    rule = _rule(told, first_ms, zone)
    if zone is None and (times := listed(first_ms, told)):
        entry.add("rdate", [time for time in map(at_ms, times) if time is not None])
    elif rule is not None:
        entry.add("rrule", rule)
    _, excepted_ms = without_exceptions(told)
    excepted = [time for each in excepted_ms if (time := _clock(each, zone)) is not None]
    if rule is not None and excepted:
        entry.add("exdate", excepted)


def _escaped(text: str) -> str:
    """Return a text as the value of a property (RFC 5545, 3.3.11)."""
    return re.sub(r"[\\;,]", r"\\\g<0>", text).replace("\n", "\\n")


def _clock(time_ms: int, zone: tzinfo | None) -> datetime | None:
    """Return a time by the clock of a zone, or of UTC; None beyond the years that are written."""
    from samemind.formats.times import at_ms

    moment = at_ms(time_ms)
    try:
        return moment if moment is None or zone is None else moment.astimezone(zone)
    except OverflowError:
        return None


def _end(begins: datetime | None, told: object) -> datetime | None:
    if begins is None:
        return None
    ends = _clock(told, begins.tzinfo) if isinstance(told, int) else None
    if ends is not None and ends > begins:
        return ends
    try:
        return begins + _LENGTH
    except OverflowError:
        return None


def _rule(told: str, first_ms: int, zone: tzinfo | None) -> "calendars.vRecur | None":
    """Return a rule as a calendar has it; None for one by which nothing repeats here, as somebody may have written."""
    import icalendar

    from cognition.reminding.repeating import RULE_CHARACTERS_MAX, by_utc, parts_of

    rule = by_utc(first_ms, told)
    if rule is None or len(rule) > RULE_CHARACTERS_MAX:
        return None
    parts = [
        f"{name}={value}"
        for name, value in parts_of(rule).items()
        if name in _PARTS and _PARTS[name].fullmatch(value)
    ]
    found = icalendar.vRecur.from_ical(";".join(parts))
    begins = _clock(first_ms, zone)
    return found if begins is None else _in_shorter_months(found, begins)


def _in_shorter_months(rule: "calendars.vRecur", begins: datetime) -> "calendars.vRecur":
    """Return a rule by which what is due on the 31st is due on the last of a shorter month, which programs leave out.

    So is what is due on 29 February, in other years.
    """
    if begins.day <= _SHORTEST_MONTH_DAYS or any(part.startswith("BY") for part in rule):
        return rule
    if rule["FREQ"] == ["YEARLY"] and begins.month == _FEBRUARY:
        rule["BYMONTH"] = [_FEBRUARY]
    elif rule["FREQ"] != ["MONTHLY"]:
        return rule
    rule["BYMONTHDAY"], rule["BYSETPOS"] = [*range(_SHORTEST_MONTH_DAYS, begins.day + 1)], [-1]
    return rule


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
