"""Say in words how something repeats: "every 2 weeks on Tuesday, until 2026-07-14"."""

import re
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from cognition.reminding.repeating import EXCEPTED, ZONE, parts_of, without_exceptions, zone_in

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

_UNITS: Final = {"DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year"}
_WEEKDAYS: Final = {
    "MO": "Monday", "TU": "Tuesday", "WE": "Wednesday", "TH": "Thursday",
    "FR": "Friday", "SA": "Saturday", "SU": "Sunday",
}  # fmt: skip
_NTH: Final = {
    "1": "the first ", "2": "the second ", "3": "the third ", "4": "the fourth ", "5": "the fifth ", "-1": "the last ",
}  # fmt: skip
_DAY: Final = re.compile(f"([1-5]|-1)?({'|'.join(_WEEKDAYS)})")
_DAY_OF_MONTH: Final = re.compile(r"-1|[1-9]|[12]\d|3[01]", re.ASCII)
_COUNT: Final = re.compile(r"[1-9]\d{0,3}", re.ASCII)
_DATE: Final = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T\d{6}Z?)?", re.ASCII)
# With which day a week begins is told by most calendars, and says nothing to a person.
_SAID: Final = frozenset(
    {"FREQ", "INTERVAL", "BYDAY", "BYMONTHDAY", "COUNT", "UNTIL", "WKST", EXCEPTED, ZONE}
)
_EXCEPTED_SHOWN: Final = 3
# Longer than any rule that says something to a person.
_UNSAID_CHARACTERS_MAX: Final = 120


def rule_in_words(rule: str, own_zone: str | None = None) -> str:
    """Return a rule of RFC 5545, with the times at which it does not hold, in words: as far as these say all of it.

    The zone by which it is counted is told unless that is `own_zone`, a name as "Europe/Berlin". Of a rule that words
    do not say return the beginning: whoever wrote it may have written anything, of any length and any signs.
    """
    parts, zone = parts_of(rule), zone_in(rule)
    every, on, ends = _every(parts), _on(parts), _ends(parts, zone)
    if every is None or on is None or ends is None or not parts.keys() <= _SAID:
        every, on, ends = without_exceptions(rule)[0][:_UNSAID_CHARACTERS_MAX], "", ""
    by = "" if zone is None or zone.key == own_zone else f" ({zone.key} time)"
    return f"{every}{on}{by}{ends}{_excepted(parts, zone)}"


def _every(parts: dict[str, str]) -> str | None:
    unit, interval = _UNITS.get(parts.get("FREQ", "")), parts.get("INTERVAL", "1")
    if unit is None or _COUNT.fullmatch(interval) is None:
        return None
    return f"every {unit}" if interval == "1" else f"every {interval} {unit}s"


def _on(parts: dict[str, str]) -> str | None:
    weekdays = [_DAY.fullmatch(day) for day in parts.get("BYDAY", "").split(",") if day]
    days = [_DAY_OF_MONTH.fullmatch(day) for day in parts.get("BYMONTHDAY", "").split(",") if day]
    named = [f"{_NTH.get(day[1] or '', '')}{_WEEKDAYS[day[2]]}" for day in weekdays if day is not None]
    named += ["the last day" if day[0] == "-1" else f"day {day[0]}" for day in days if day is not None]
    # A month's day that is such a weekday is neither of both.
    if len(named) < len(weekdays) + len(days) or (weekdays and days):
        return None
    return f" on {' and '.join(named)}" if named else ""


def _ends(parts: dict[str, str], zone: "ZoneInfo | None") -> str | None:
    if "UNTIL" in parts:
        last = _date(parts["UNTIL"], zone)
        return last and f", until {last}"
    if "COUNT" not in parts:
        return ""
    return f", {parts['COUNT']} times" if _COUNT.fullmatch(parts["COUNT"]) else None


def _excepted(parts: dict[str, str], zone: "ZoneInfo | None") -> str:
    dates = [found for each in parts.get(EXCEPTED, "").split(",") if (found := _date(each, zone)) is not None]
    shown, more = dates[:_EXCEPTED_SHOWN], len(dates) - _EXCEPTED_SHOWN
    others = f" and {more} more" if more > 0 else ""
    return f", not on {', '.join(shown)}{others}" if shown else ""


def _date(told: str, zone: "ZoneInfo | None") -> str | None:
    """Return the day of a time as the clock of a zone shows it; None where it is no time."""
    found = _DATE.fullmatch(told)
    if found and zone is not None and told.endswith("Z"):
        with suppress(ValueError, OverflowError):  # no day of a calendar's, said to be one
            by_utc = datetime.strptime(told, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
            return by_utc.astimezone(zone).date().isoformat()
    return found and f"{found[1]}-{found[2]}-{found[3]}"
