"""Read the time zone that a telling names behind an hour: "14:00 UTC", "3pm PST", "9 Uhr MEZ", "T14:00+01:00".

Beside these it may be a name of the zones' own database, "10:00 Europe/London", or before "time" a city of one: "15:00
New York time".

Who says "EST" in July means the clock of New York, and not one that stands still: a name is the clock of its place.
"""

import re
from collections.abc import Mapping
from datetime import UTC, time, timedelta, timezone, tzinfo
from functools import lru_cache
from types import MappingProxyType
from typing import Final, NamedTuple

_PLACES: Final = MappingProxyType(
    {
        "America/New_York": "EST EDT ET",
        "America/Chicago": "CDT CT",
        "America/Denver": "MST MDT MT",
        "America/Los_Angeles": "PST PDT PT",
        "Europe/London": "BST",
        "Europe/Lisbon": "WET WEST",
        "Europe/Berlin": "CET CEST MEZ MESZ",
        "Europe/Kyiv": "EET EEST",
        "Europe/Moscow": "MSK МСК",
        "Asia/Tokyo": "JST",
        "Asia/Seoul": "KST",
        "Asia/Singapore": "SGT",
        "Asia/Hong_Kong": "HKT",
        "Australia/Sydney": "AEST AEDT",
    }
)
_PLACE_OF: Final[Mapping[str, str]] = MappingProxyType(
    {name: place for place, names in _PLACES.items() for name in names.split()}
)
# Of Chicago and of China; of India, Israel and Ireland.
_UNCLEAR: Final = frozenset(["CST", "IST"])
# Cities that have a zone are those of these regions: others are names of countries, and of zones as they once were.
_REGIONS: Final = frozenset(
    ["Africa", "America", "Antarctica", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific"]
)
# Islands and towns whose names before "time" mean something else.
_NO_CITIES: Final = frozenset(["Center", "Christmas", "Easter", "North", "South", "Wake", "West"])
_NAMES: Final = "|".join(sorted((*_PLACE_OF, *_UNCLEAR), key=len, reverse=True))
# "CT scan", "PT session" and the "ET" of French are none.
_NO_ZONE: Final = (
    r"(?!\ (?:\d|[aAàÀ]\b|(?i:scans?|angio\w*|sessions?|appointments?|exercises?|evaluations?|visits?)\b))"
)
# In capitals: "est" and "et" are French words, "utc" nobody's.
_ZONE: Final = re.compile(
    rf"""
    (?<=-\d\d[T ]) (?P<behind_date>\d\d) :\d\d (?: :\d\d (?:[.,]\d{{1,9}})? )?
    (?P<ahead> Z | [+-]\d\d:?\d\d ) (?!\w)
    |
    (?: (?<![\d.:]) (?P<first>[012]?\d) (?:[:.h]\d\d)? (?:\ ?(?i:[ap]\.?m\.?))? \ ?(?:[-–]|to|bis)\ ? )?
    (?<![\d.:]) (?P<hour>[012]?\d) (?:[:.h]\d\d (?::\d\d)?)?
    (?: Z (?!\w)
      | (?: \ ?(?i:[ap]\.?m\.?|uhr|uur|h|ч) )? \ ?
        \(? (?: (?:UTC|GMT)(?P<offset>[+-]\d\d?(?::?\d\d)?)? | (?P<name>{_NAMES}){_NO_ZONE}
          | (?P<place>[A-Z]\w+(?:/[A-Z][\w-]+){{1,2}}) | (?P<city>[A-Z][\w-]+(?:\ [A-Z][\w-]+){{0,2}})\ time
        ) (?![\w+-])
    )
    """,
    re.VERBOSE,
)
_HALF_DAY: Final = 12


class NamedZone(NamedTuple):
    """The zone of an hour; `zone` is None where its name stands for several, or for none that this machine knows."""

    zone: tzinfo | None
    hours: tuple[int, ...]
    """The hour that it stands behind, and the one from which on, both as told."""

    def is_of(self, told: time) -> bool:
        """Say whether it is the zone of this time of a day: a half or a quarter may be told by the next hour."""
        return any((each - told.hour) % _HALF_DAY <= (told.minute > 0) for each in self.hours)


def zone_of(text: str) -> NamedZone | None:
    """Return the zone that stands behind the first hour with one; None where none does."""
    for found in _ZONE.finditer(text):
        if (zone := _zone(found)) is not None:
            return zone
    return None


def _zone(found: "re.Match[str]") -> NamedZone | None:
    """Return the zone of an hour; None where what stands there is the name of none."""
    hours = tuple(int(each) for each in found.group("behind_date", "first", "hour") if each is not None)
    if (name := found["name"]) is not None:
        return NamedZone(None if name in _UNCLEAR else _clock_of(_PLACE_OF[name]), hours)
    if (place := found["place"] or _place_of(found["city"])) is not None:
        clock = _clock_of(place)
        return None if clock is None else NamedZone(clock, hours)
    if found["city"] is not None:
        return None
    offset = found["offset"] or found["ahead"] or "Z"
    return NamedZone(UTC if offset == "Z" else _ahead_by(offset), hours)


@lru_cache(1)
def _cities() -> Mapping[str, str]:
    """Return the zones by the names of their cities."""
    from zoneinfo import available_timezones  # seldom needed: it looks through a folder

    places = [name for name in available_timezones() if name.partition("/")[0] in _REGIONS]
    return {name.rpartition("/")[2].replace("_", " "): name for name in sorted(places, reverse=True)}


def _place_of(city: str | None) -> str | None:
    return None if city is None or city in _NO_CITIES else _cities().get(city)


def _clock_of(place: str) -> tzinfo | None:
    from zoneinfo import ZoneInfo  # seldom needed

    try:
        return ZoneInfo(place)
    except (LookupError, OSError):  # a system without such data
        return None


def _ahead_by(offset: str) -> tzinfo | None:
    digits = offset[1:].replace(":", "")
    hours, minutes = (int(digits[:-2]), int(digits[-2:])) if len(digits) > 2 else (int(digits), 0)
    if hours > 14 or minutes > 59:
        return None
    ahead = timedelta(hours=hours, minutes=minutes)
    return timezone(-ahead if offset[0] == "-" else ahead)
