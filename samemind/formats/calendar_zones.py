"""Write a time zone as calendars have it, a VTIMEZONE (RFC 5545, 3.6.5).

Most programs know zones by their names. Outlook goes by what a calendar says of them, and reads rules only, no lists of
days. So where clocks change by a rule up to the end, that rule is written, and days are listed before it alone. The
`icalendar` library would list all of them, and has clocks set forward an hour late.
"""

from calendar import monthrange
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    import icalendar

# From here on clocks are written. What repeats since before, as a birthday, is shown for years to come.
_BEGINS: Final = datetime(1970, 1, 1, tzinfo=UTC)
# What holds in this year is taken to hold from then on, as the zones' own database does it.
_LAST_YEAR: Final = 2037
# No clock was set forward and back within less: in the north of Brazil it was within a week.
_STEP: Final = timedelta(days=6)
_WEEKDAYS: Final = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_A_RULE_HOLDS_YEARS_MIN: Final = 2


class _Change(NamedTuple):
    """Clocks are set: at which time by the clock before, and from which offset to which."""

    before: timedelta
    after: timedelta
    name: str
    is_daylight: bool
    local: datetime


@cache  # for each of six hundred zones, or as many as somebody has something repeat in: 540 KB and 4 s for all
def zone_text(name: str) -> bytes:
    """Return a zone of the database as the text of a calendar."""
    from zoneinfo import ZoneInfo

    import icalendar

    zone = ZoneInfo(name)
    made = icalendar.Timezone()
    made.add("tzid", name)
    first = _BEGINS.astimezone(zone)
    offset = first.utcoffset() or timedelta()
    begins = _Change(offset, offset, first.tzname() or name, False, datetime(1970, 1, 1))  # noqa: DTZ001
    made.add_component(_observance([begins], ""))
    for _, alike in groupby(sorted(_changes(zone)), key=lambda change: change[:4]):
        changes = list(alike)
        rule, years = _rule(changes)
        if listed := changes[: len(changes) - years]:
            made.add_component(_observance(listed, ""))
        if years:
            made.add_component(_observance(changes[-years:], rule))
    text: bytes = made.to_ical()
    return text


def _changes(zone: "ZoneInfo") -> "list[_Change]":
    days = (datetime(_LAST_YEAR + 1, 1, 1, tzinfo=UTC) - _BEGINS) // _STEP + 1
    moments = [_BEGINS + step * _STEP for step in range(days)]
    offsets = [_offset(moment, zone) for moment in moments]
    steps = range(1, days)
    return [
        _change(moments[step - 1], moments[step], zone)
        for step in steps
        if offsets[step - 1] != offsets[step]
    ]


def _change(low: datetime, high: datetime, zone: "ZoneInfo") -> _Change:
    """Return the one change between two moments."""
    before = _offset(low, zone)
    while high - low > timedelta(seconds=1):
        middle = low + timedelta(seconds=(high - low) // timedelta(seconds=2))
        low, high = (middle, high) if _offset(middle, zone) == before else (low, middle)
    old, new = low.astimezone(zone), high.astimezone(zone)
    # Dublin's and Casablanca's databases call winter the time that is saved; programs expect it of what is ahead.
    saves = bool(old.dst() or new.dst())
    after = _offset(high, zone)
    local = high.replace(tzinfo=None) + before
    return _Change(before, after, new.tzname() or zone.key, saves and after > before, local)


def _offset(moment: datetime, zone: "ZoneInfo") -> timedelta:
    return moment.astimezone(zone).utcoffset() or timedelta()


def _rule(changes: "list[_Change]") -> tuple[str, int]:
    """Return by which rule clocks change in the last years, and how many of the changes it says; none is ""."""
    said, years = "", 0
    weeks = {*range(-1, 5)}
    for back, change in enumerate(reversed(changes)):
        local, last = change.local, changes[-1].local
        weeks &= _weeks(local)
        is_alike = (local.year, local.month, local.weekday(), local.time()) == (
            _LAST_YEAR - back,
            last.month,
            last.weekday(),
            last.time(),
        )
        if not is_alike or not weeks:
            break
        said = f"FREQ=YEARLY;BYMONTH={local.month};BYDAY={min(weeks)}{_WEEKDAYS[local.weekday()]}"
        years = back + 1
    return (said, years) if years >= _A_RULE_HOLDS_YEARS_MIN else ("", 0)


def _weeks(day: datetime) -> set[int]:
    """Return which of its weekdays in the month a day is: from the first on, and -1 for the last."""
    is_last = day.day + 7 > monthrange(day.year, day.month)[1]
    return {(day.day - 1) // 7 + 1} | ({-1} if is_last else set())


def _observance(
    changes: "list[_Change]", rule: str
) -> "icalendar.TimezoneStandard | icalendar.TimezoneDaylight":
    import icalendar

    first, *rest = changes
    made = icalendar.TimezoneDaylight() if first.is_daylight else icalendar.TimezoneStandard()
    made.add("dtstart", first.local)
    made.add("tzname", first.name)
    made.add("tzoffsetfrom", first.before)
    made.add("tzoffsetto", first.after)
    if rule:
        made.add("rrule", icalendar.vRecur.from_ical(rule))
    elif rest:
        made.add("rdate", [change.local for change in rest])
    return made
