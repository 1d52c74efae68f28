"""Read a calendar (iCalendar, RFC 5545): each event becomes a memory of when something happens, or happened.

So do its tasks, with when they are due, and the entries of its journal, which were told on their day. What was
cancelled is left out, and so is each time of a repeated event that was struck out of it or moved: nobody should be told
that it happens.

A time without a zone is taken as UTC, so that every device reads it alike. What repeats in a zone that every device
knows goes on by the clock there; in one that the file describes itself, it does so only if that is surely the same as
one of those, and by UTC else.

What comes from a calendar reminds of nothing by itself: the calendar that it is from does. What this program wrote is
left out: it is here already, or it was taken back.
"""

import re
import threading
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from cognition.days import DAY_MS
from cognition.reminding.repeating import REPEATS, ZONE, with_exceptions, with_zone, zone_in
from replica import Value, derived_memory_id
from samemind.portable.records import Item, Record, Unreadable

SOURCE: Final = "ics"
_BEGINS: Final = "BEGIN:VCALENDAR"
# What `samemind calendar` names its entries by.
_OURS: Final = "@samemind"
_READ: Final = frozenset({"VEVENT", "VTODO", "VJOURNAL"})
# What reads calendars lists the changes of the clocks of a zone up to the time that is asked for; at least up to this
# year it is taken to be. Clocks change twice a year, and some programs have theirs do so since 1601: a file of fifty
# zones has 40,000 changes. One zone that changes every second would never be read to its end.
_ZONES_END: Final = 2038
ZONE_CHANGES_MAX: Final = 200_000
# For each time in a zone of the file its reader goes through all changes before it, a third of a microsecond each.
# Thirty thousand times in a zone since 1601, as a calendar of decades has them, are 25 million.
ZONE_LOOKS_MAX: Final = 50_000_000
_IN_A_ZONE: Final = "TZID="
# What repeats has its zone compared with one of the database, see `_zone`.
_LOOKS_TO_COMPARE: Final = 2
_YEAR: Final = re.compile(r"([0-9]{4})[0-9]{4}")
# What a rule costs that changes the clocks once, some time in ten thousand years.
_RULE_CHANGES_MIN: Final = 500
_ZONE_RULE_PARTS: Final = frozenset(
    {"FREQ", "INTERVAL", "COUNT", "UNTIL", "WKST", "BYMONTH", "BYDAY", "BYMONTHDAY"}
)
# How many days each month has in every year: 29 February is the day of no zone, and rarer than a rule is looked for.
_MONTH_DAYS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_WEEKS_OF_A_MONTH: Final = 5
_WEEKS_OF_A_YEAR: Final = 53
# What a zone of the file is called that its program took from the database: "/citadel.org/20210210_1/Europe/Berlin",
# and "Europe/Berlin 1" where two calendars with one were put together.
_NAMED_IN: Final = re.compile(
    r"(?:^|/)([A-Z][A-Za-z_]+(?:/[A-Z][A-Za-z_-]+){1,2})(?: [0-9]{1,2})?$", re.ASCII
)
_ONE_READS: Final = threading.Lock()
_LOOKED_AT: Final = ("BEGIN", "END", "DTSTART", "RRULE")


def looks_like(text: str) -> bool:
    """Say whether a text is a calendar."""
    return text.lstrip("\ufeff \r\n\t")[: len(_BEGINS)].upper() == _BEGINS


def read(text: str) -> Iterator[Record]:
    """Return every entry, in the order of the file; those of a damaged calendar up to the damage."""
    import icalendar  # here: no other format needs it

    try:
        changes, looks = _zone_changes(text)
        if changes > ZONE_CHANGES_MAX or looks > ZONE_LOOKS_MAX:
            raise ValueError("whose zones change their clocks a few times a year, not without end")
        with _ONE_READS:
            # It keeps zones by name: without this, one file would say what a zone of the same name means in the next.
            icalendar.use_zoneinfo()
            calendars = icalendar.Calendar.from_ical(text, multiple=True)
        entries = [entry for each in calendars for entry in each.walk() if entry.name in _READ]
    except (AttributeError, IndexError, KeyError, RecursionError, TypeError, ValueError) as error:
        yield Unreadable(line=1, reason=f"expected a calendar, {error}"[:500])
        return
    moved = _moved(entries)
    for number, entry in enumerate(entries, 1):
        try:
            item = _item(number, entry, moved.get(str(entry.get("uid")), ()))
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            yield Unreadable(line=number, reason=f"expected an entry of a calendar, {error!r}"[:500])
            continue
        if item is not None:
            yield item


def _zone_changes(text: str) -> tuple[int, int]:
    """Return how often the clocks of a calendar's zones change at most, as they are told, read as its reader does; and
    how many changes are gone through for all times in a zone.
    """
    import icalendar
    from icalendar.parser import Contentlines

    rules: list[tuple[int, int, int]] = []  # of which zone, since which year, how many a year
    zone, year, until, times, inside = 0, 1, _ZONES_END, 0, list[str]()
    for line in Contentlines.from_ical(text):
        said = line.upper()
        if _IN_A_ZONE in said:
            times += 1 + line.count(",")
            until = max(until, *map(int, _YEAR.findall(said)), 0)
        if not said.startswith(_LOOKED_AT):
            continue
        name, _, value = line.parts()
        what = name.upper()
        if what == "BEGIN":
            zone += value.upper() == "VTIMEZONE" and "VTIMEZONE" not in inside
            inside.append(value.upper())
            year = 1
        elif what == "END":  # of whatever was opened last: its reader looks no closer
            del inside[-1:]
        elif "VTIMEZONE" in inside and what == "DTSTART" and value[:4].isdecimal():
            year = int(value[:4])
        elif "VTIMEZONE" in inside and what == "RRULE":
            rules.append((zone, year, _changes_a_year(icalendar.vRecur.from_ical(value))))
        elif what == "RRULE":
            times += _LOOKS_TO_COMPARE
    changes = Counter[int]()
    for of, since, a_year in rules:
        changes[of] += max(_RULE_CHANGES_MIN, max(1, until - since) * a_year)
    return changes.total(), times * max(changes.values(), default=0)


def _changes_a_year(rule: Any) -> int:
    is_yearly = rule.get("FREQ") == ["YEARLY"] and min(rule.get("INTERVAL", [1])) > 0
    if not is_yearly or {name.upper() for name in rule} - _ZONE_RULE_PARTS:
        return ZONE_CHANGES_MAX + 1
    weekdays, days = (rule.get(name, []) for name in ("BYDAY", "BYMONTHDAY"))
    if not _is_in_every_year(list(map(int, rule.get("BYMONTH", []))), list(map(str, weekdays)), days):
        return ZONE_CHANGES_MAX + 1
    months = len(rule.get("BYMONTH", [])) or (12 if weekdays or days else 1)
    # The n-th of a weekday is one day of a month; without a number there are five.
    in_a_month = sum(1 if any(map(str.isdecimal, str(each))) else 5 for each in weekdays) or 1
    return months * in_a_month * (len(days) or 1)


def _is_in_every_year(months: list[int], weekdays: list[str], days: list[int]) -> bool:
    """Say whether a rule fits a day of about every year; one that fits none is looked for through ten thousand."""
    if not all(1 <= month <= len(_MONTH_DAYS) for month in months):
        return False
    numbered = [abs(int(each[:-2])) for each in weekdays if each[:-2].lstrip("+-")]
    if days:
        longest = max(_MONTH_DAYS[month - 1] for month in months or range(1, len(_MONTH_DAYS) + 1))
        return not numbered and any(1 <= abs(day) <= longest for day in days)
    most = _WEEKS_OF_A_MONTH if months else _WEEKS_OF_A_YEAR
    return all(1 <= number <= most for number in numbered)


def _moved(entries: Iterable[Any]) -> dict[str, list[date]]:
    """Return which times of a series are entries of their own, as what was moved or cancelled is, by its id."""
    found = defaultdict[str, list[date]](list)
    for entry in entries:
        if (time := _moment(entry, "recurrence-id")) is not None:
            found[str(entry.get("uid"))].append(time)
    return found


def _item(number: int, entry: Any, moved: Sequence[date]) -> Item | None:
    if _status(entry) == "CANCELLED":
        return None
    place, more = _words(entry.get("location")), str(entry.get("description") or "").strip()
    title = _words(entry.get("summary"))
    if not title:  # as of what is written into a journal
        title, more = more, ""
    if not title:
        raise ValueError("an entry has a summary or a description")
    begins = entry["dtstart"].dt if entry.name == "VEVENT" else _due(entry)
    uid = str(entry.get("uid") or (f"{title} {begins.isoformat()}" if begins is not None else title))
    if uid.endswith(_OURS):
        return None
    said = f"{title}, {place}" if place else title
    # One that was moved out of a series has its id, and is an entry of its own.
    own = _moment(entry, "recurrence-id")
    name = uid if own is None else f"{uid} {_ms(own)}"
    return Item(
        line=number,
        rid=derived_memory_id(SOURCE, name),
        text=f"{said}\n{more}" if more else said,
        fields={"source": SOURCE, **_times(entry, begins), **_meta(entry, begins, moved)},
    )


def _times(entry: Any, begins: date | None) -> dict[str, Value]:
    """Return the fields of when something is, and of when it was told."""
    found: dict[str, Value] = {}
    told = _moment(entry, "created") or _moment(entry, "dtstamp")
    if entry.name == "VJOURNAL":
        told = begins or told
    elif begins is not None:
        found["event_start"] = _ms(begins)
        found["event_end"] = _end(entry, begins)
    if told is not None:
        found["told_at"] = _ms(told)
    return found


def _meta(entry: Any, begins: date | None, moved: Sequence[date]) -> dict[str, Value]:
    """Return what else is known: how an entry repeats, and when not, and whether a task is done."""
    found: dict[str, bool | int | float | str | bytes | None] = {}
    if (rule := entry.get("rrule")) is not None:
        excepted = [_ms(_on_clock(each, begins)) for each in (*_struck_out(entry), *moved)]
        zone = _zone(entry, begins)
        told = with_zone(_until_by_utc(rule, zone).to_ical().decode(), None if zone is None else zone.key)
        found[REPEATS] = with_exceptions(told, excepted)
    if entry.name == "VTODO" and (_status(entry) == "COMPLETED" or "completed" in entry):
        found["status"] = "completed"
    return {"meta": found} if found else {}


def _zone(entry: Any, begins: date | None) -> ZoneInfo | None:
    """Return the zone by whose clock an entry repeats, if every device knows it; None for UTC."""
    if not isinstance(begins, datetime) or begins.tzinfo is None:
        return None
    if isinstance(begins.tzinfo, ZoneInfo):  # the library knows what Outlook calls zones
        return None if begins.tzinfo.key == "UTC" else begins.tzinfo
    names = [entry[each].params.get("TZID") for each in ("dtstart", "due") if each in entry]
    found = _NAMED_IN.search(str(names[0])) if names else None
    zone = None if found is None else zone_in(f"{ZONE}={found[1]}")
    # In summer and in winter, as a zone that keeps its offset may have the name of one that does not.
    times = (begins, begins.replace(month=(begins.month + 5) % 12 + 1, day=1))
    if zone is None or any(each.utcoffset() != each.replace(tzinfo=zone).utcoffset() for each in times):
        return None
    return zone


def _until_by_utc(rule: Any, zone: ZoneInfo | None) -> Any:
    """Return a rule whose last time is one by UTC, if it was by the clock of a zone: of a day, its end there."""
    told = rule.get("UNTIL")
    if zone is None or not told:
        return rule
    until = told[0] if isinstance(told[0], datetime) else datetime.combine(told[0], time.max)
    if until.tzinfo is not None:
        return rule
    made = rule.copy()
    made["UNTIL"] = [until.replace(tzinfo=zone).astimezone(UTC)]
    return made


def _struck_out(entry: Any) -> Iterator[date]:
    told = entry.get("exdate", [])
    for each in told if isinstance(told, list) else [told]:
        yield from (time.dt for time in each.dts)


def _on_clock(day: date, begins: date | None) -> date:
    """Return a day at the hour of what begins then: some programs strike a day out of what has an hour."""
    if isinstance(day, datetime) or not isinstance(begins, datetime):
        return day
    return datetime.combine(day, begins.timetz())


def _status(entry: Any) -> str:
    return str(entry.get("status") or "").upper()


def _due(entry: Any) -> date | None:
    """Return when a task is due, or a journal was written; a task may have no time at all."""
    starts = _moment(entry, "dtstart")
    if starts is not None and "duration" in entry:
        lasts: timedelta = entry["duration"].dt
        return starts + lasts
    return _moment(entry, "due") or starts


def _moment(entry: Any, name: str) -> date | None:
    found = entry.get(name)
    moment: date | None = None if found is None else found.dt
    return moment


def _end(entry: Any, begins: date) -> int:
    """Return when an event ends; a day without an end is a day, and a task is due at one time."""
    if "dtend" in entry:
        return max(_ms(begins), _ms(entry["dtend"].dt))
    if "duration" in entry and entry.name == "VEVENT":
        return max(_ms(begins), _ms(begins) + int(entry["duration"].dt.total_seconds() * 1_000))
    return _ms(begins) if isinstance(begins, datetime) else _ms(begins) + DAY_MS


def _ms(moment: date) -> int:
    """Return a time, or the first moment of a day, in ms since 1970."""
    if not isinstance(moment, datetime):
        moment = datetime.combine(moment, time(), UTC)
    elif moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return int(moment.timestamp() * 1_000)


def _words(value: object) -> str:
    return "" if value is None else " ".join(str(value).split())
