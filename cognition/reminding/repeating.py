"""Say when something that repeats is due: a pure function of when it first was and of its rule.

A rule is an RRULE of RFC 5545 as far as `recurring.py` writes it: FREQ by day, week, month or year, INTERVAL, BYDAY
with weekdays or with the n-th of one in a month, and BYMONTHDAY=-1; and UNTIL, which calendars write. When it does not
happen, a calendar tells beside its rule as EXDATE; here that is a part of it, with times by UTC. What else a rule says
is not looked at.

A rule is counted by the clock of the zone that it names, as TZID, which a calendar tells beside it, too: what repeats
at nine is due at nine after clocks are changed. A time that is skipped then is due as long after the change as it would
have been (RFC 5545, 3.3.5); of one that comes twice, the first counts. Devices agree as far as their zone data does.

A rule that names no zone is counted by the clock of UTC, and so is one whose zone a device does not know: where clocks
are set forward and back, what repeats at nine is due an hour beside that from then on.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from cognition.days import DAY_MS, moment_shown, shown_at
from replica import Memory

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

REPEATS: Final = "repeats"
"""The entry of a memory's metadata that holds the rule."""
EXCEPTED: Final = "EXDATE"
ZONE: Final = "TZID"
# The longest name of a zone has thirty-two characters.
ZONE_CHARACTERS_MAX: Final = 40
# Each is a time of sixteen characters, and a comma.
EXCEPTED_MAX: Final = 100
# Ten years of months: two kilobytes.
LISTED_MAX: Final = 120
# Longer than any rule that says something to a person, with its zone and as many times at which it does not hold.
RULE_CHARACTERS_MAX: Final = 120 + len(f";{ZONE}=") + ZONE_CHARACTERS_MAX + 17 * EXCEPTED_MAX
# Names of the zones' own database. All of them begin with a capital, and what stands beside them there does not: the
# machine's own zone as "localtime", and the zones that count leap seconds in "right/".
_ZONE_NAME: Final = re.compile(r"[A-Z][A-Za-z0-9_+-]*(?:/[A-Za-z0-9][A-Za-z0-9_+-]*){0,2}", re.ASCII)
_DAYS: Final = {"DAILY": 1, "WEEKLY": 7}
_MONTHS: Final = {"MONTHLY": 1, "YEARLY": 12}
_WEEKDAYS: Final = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
# In each stretch of a rule something is due, but for a stretch that begins before it was first.
_STRETCHES_MAX: Final = 5
_DAY: Final = re.compile(r"([+-]?\d)?(MO|TU|WE|TH|FR|SA|SU)")
_INTERVAL_MAX: Final = 1_000
# Python refuses to read a number of thousands of digits, and anybody of the group may write one.
_INTERVAL_DIGITS_MAX: Final = 4
# The first moment that calendars here have, and some days for the weekdays around it. Nothing repeats from before it.
_BEGINS_MS: Final = -62_135_596_800_000
_FIRST_MS_MIN: Final = _BEGINS_MS + 60 * DAY_MS
# From the first of a month on, this is the next one.
_MONTH_DAYS: Final = 31
_UNTIL: Final = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)Z?)?", re.ASCII)
# How often something happens would have to be counted through. Such a rule is left alone where nobody waits for it.
_COUNTED: Final = "COUNT="
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MS: Final = timedelta(milliseconds=1)
_ENDS_MS: Final = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // _MS
# The times of a rule without a zone follow no clock that is set forward and back, and a calendar's exceptions do.
# Nothing that is read here is due twice within a day.
_NEAR_MS: Final = DAY_MS // 2


def rule_of(memory: Memory) -> object:
    """Return the rule by which a memory's reminder repeats; None where it does not."""
    meta = memory.fields.get("meta")
    return meta.get(REPEATS) if isinstance(meta, dict) else None


def rule_text(memory: Memory) -> str | None:
    """Return the rule by which something repeats, to be shown: whoever wrote it may have written any length."""
    rule = rule_of(memory)
    return rule[:RULE_CHARACTERS_MAX] if isinstance(rule, str) and rule else None


class _Rule(NamedTuple):
    step: str
    interval: int
    weekdays: tuple[int, ...]
    nth: int
    is_last_day: bool
    until_ms: int | None = None
    excepted_ms: tuple[int, ...] = ()
    zone: "ZoneInfo | None" = None


def parts_of(rule: str) -> dict[str, str]:
    """Return what a rule says, by the names of its parts."""
    return dict(part.split("=", 1) for part in rule.split(";") if "=" in part)


def with_exceptions(rule: str, excepted_ms: Iterable[int]) -> str:
    """Return a rule that does not hold at some of its times, in ms since 1970: of more than a hundred at the latest."""
    times = sorted({*excepted_ms})[-EXCEPTED_MAX:]
    said = ",".join(f"{_EPOCH + timedelta(milliseconds=each):%Y%m%dT%H%M%SZ}" for each in times)
    return f"{rule};{EXCEPTED}={said}" if said else rule


def without_exceptions(rule: str) -> tuple[str, tuple[int, ...]]:
    """Return a rule as RFC 5545 has it, without zone, and at which times it does not hold, in ms since 1970."""
    parts = [part for part in rule.split(";") if not part.startswith((f"{EXCEPTED}=", f"{ZONE}="))]
    return ";".join(parts), _excepted(parts_of(rule[:RULE_CHARACTERS_MAX]))


def with_zone(rule: str, zone: str | None) -> str:
    """Return a rule that is counted by the clock of a zone, named as "Europe/Berlin", instead of one that it names.

    The rule as it is where there is no name, or one that this device does not know.
    """
    if zone is None or _zone_called(zone) is None:
        return rule
    parts = [part for part in rule.split(";") if not part.startswith(f"{ZONE}=")]
    at = next((at for at, part in enumerate(parts) if part.startswith(f"{EXCEPTED}=")), len(parts))
    return ";".join([*parts[:at], f"{ZONE}={zone}", *parts[at:]])


def zone_in(rule: str) -> "ZoneInfo | None":
    """Return the zone that a rule names; None where it names none, or none that this device knows."""
    return _zone_called(parts_of(rule[:RULE_CHARACTERS_MAX]).get(ZONE, ""))


@lru_cache(64)
def _zone_called(name: str) -> "ZoneInfo | None":
    if len(name) > ZONE_CHARACTERS_MAX or _ZONE_NAME.fullmatch(name) is None:
        return None
    from zoneinfo import ZoneInfo  # here: most of what is read names none

    try:
        return ZoneInfo(name)
    except (LookupError, OSError, ValueError):  # none such, a folder of them, or a file that is none
        return None


def by_utc(first_ms: int, rule: str) -> str | None:
    """Return a rule as a calendar has to be told it that reads its days by UTC, as it reads `first_ms`.

    None where nothing repeats by it here. The days of a rule with a zone stay as they are, as a calendar reads those by
    that zone's clock. A rule without one says weekdays and the last of a month by the clock of whoever wrote it, which
    may be a day beside UTC's. The n-th of a weekday in a month stays as it is: see `listed`.
    """
    read = _read(rule)
    if read is None:
        return None
    said = parts_of(rule)
    said["INTERVAL"] = str(read.interval) if read.interval > 1 else ""
    said["UNTIL"] = ""
    if read.until_ms is not None:  # by UTC as the first is, and never beside a count (RFC 5545, 3.3.10)
        said["UNTIL"] = f"{_EPOCH + timedelta(milliseconds=read.until_ms):%Y%m%dT%H%M%SZ}"
        said.pop("COUNT", None)
    first = _EPOCH + timedelta(milliseconds=first_ms)
    if read.step == "WEEKLY" and read.weekdays:
        shift = first.weekday() - _weekday_of(first_ms, read)
        said["BYDAY"] = ",".join(_WEEKDAYS[(day + shift) % 7] for day in read.weekdays)
    elif read.is_last_day and read.zone is None and first.day == 1:
        said["BYMONTHDAY"] = "1"
    return ";".join(f"{name}={value}" for name, value in said.items() if value)


def listed(first_ms: int, rule: str) -> list[int]:
    """Return the first times of what no rule by UTC says, in ms since 1970; none where `by_utc` says it.

    It names no zone, is due on the n-th of a weekday in a month, and that is another day by UTC: its day before the
    first Monday may lie in the month before.
    """
    read = _read(rule)
    if (
        read is None
        or not read.nth
        or (_EPOCH + timedelta(milliseconds=first_ms)).weekday() == read.weekdays[0]
    ):
        return []
    times = [first_ms]
    with suppress(OverflowError):  # beyond what a calendar has
        while len(times) < LISTED_MAX and (after_ms := following(first_ms, rule, times[-1])) is not None:
            times.append(after_ms)
    return times


def latest(first_ms: int, rule: object, now_ms: int) -> int:
    """Return the last time by now at which something was due; the first, where it does not repeat or is yet to come."""
    read = _read(rule)
    if read is None or not _FIRST_MS_MIN <= first_ms <= now_ms:
        return first_ms
    now_ms = now_ms if read.until_ms is None else min(now_ms, max(first_ms, read.until_ms))
    stretch = _stretch_of(first_ms, read, now_ms)
    for back in range(_STRETCHES_MAX + len(read.excepted_ms)):
        past = [time for time in _times(first_ms, read, stretch + 2 - back) if time <= now_ms]
        if past:
            return max(past)
    return first_ms


def is_on(first_ms: int, lasts_ms: int, rule: object, start_ms: int, end_ms: int) -> bool:
    """Say whether something that lasts so long each time is on in a stretch of time, whose ends belong to it.

    Of what happens so many times and no more, the first is known.
    """
    last_ms = latest(first_ms, _uncounted(rule), end_ms)
    read = _read(rule)
    is_excepted = read is not None and _is_excepted(last_ms, read)
    return not is_excepted and last_ms <= end_ms and last_ms + lasts_ms >= start_ms


def turn_ms(first_ms: int, rule: object, end_ms: int) -> int | None:
    """Return how long behind the time before it the last time by `end_ms` is; None where that is the first."""
    last_ms = latest(first_ms, _uncounted(rule), end_ms)
    return None if last_ms <= first_ms else last_ms - latest(first_ms, rule, last_ms - 1)


def _uncounted(rule: object) -> object:
    return None if isinstance(rule, str) and _COUNTED in rule else rule


def following(first_ms: int, rule: object, after_ms: int) -> int | None:
    """Return the next time behind another at which something is due; None where it does not repeat."""
    read = _read(rule)
    if read is None or first_ms < _FIRST_MS_MIN:
        return None
    if after_ms < first_ms:
        if not _is_excepted(first_ms, read):
            return first_ms
        after_ms = first_ms
    stretch = _stretch_of(first_ms, read, after_ms)
    for ahead in range(_STRETCHES_MAX + len(read.excepted_ms)):
        coming = [time for time in _times(first_ms, read, stretch + ahead) if time > after_ms]
        if coming:
            return min(coming) if read.until_ms is None or min(coming) <= read.until_ms else None
    return None  # beyond what a calendar has


@lru_cache(256)
def _read(rule: object) -> _Rule | None:
    if not isinstance(rule, str):
        return None
    parts = parts_of(rule[:RULE_CHARACTERS_MAX])
    step = parts.get("FREQ", "")
    if step not in _DAYS and step not in _MONTHS:
        return None
    interval = parts.get("INTERVAL", "1")
    days = [_DAY.fullmatch(day) for day in parts.get("BYDAY", "").split(",") if day]
    known = [(int(day[1] or 0), _WEEKDAYS.index(day[2])) for day in days if day is not None]
    zone = _zone_called(parts.get(ZONE, ""))
    return _Rule(
        step,
        int(interval) if _is_count(interval) else 1,
        tuple(weekday for _, weekday in known),
        known[0][0] if known and step == "MONTHLY" else 0,
        step == "MONTHLY" and parts.get("BYMONTHDAY") == "-1",
        _until(parts.get("UNTIL", ""), zone),
        _excepted(parts),
        zone,
    )


def _excepted(parts: Mapping[str, str]) -> tuple[int, ...]:
    times = parts.get(EXCEPTED, "").split(",")[:EXCEPTED_MAX]
    return tuple(sorted(each for each in map(_until, times) if each is not None))


def _is_excepted(time_ms: int, rule: _Rule) -> bool:
    at = bisect_right(rule.excepted_ms, time_ms - _NEAR_MS)
    return at < len(rule.excepted_ms) and rule.excepted_ms[at] < time_ms + _NEAR_MS


def _until(text: str, zone: "ZoneInfo | None" = None) -> int | None:
    """Return the last moment of a rule; of a day its end, and None where a rule names none.

    A day, and a time that does not say that it is UTC's, are by the clock of the zone, as the first time is.
    """
    found = _UNTIL.fullmatch(text)
    if found is None:
        return None
    year, month, day, hour, minute, second = map(int, found.groups("0"))
    try:
        moment = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError:
        return None
    until_ms = (moment - _EPOCH) // _MS + (0 if found[4] else DAY_MS - 1)
    return until_ms if text.endswith("Z") else min(max(_BEGINS_MS, _moment(until_ms, zone)), _ENDS_MS)


def _is_count(text: str) -> bool:
    return len(text) <= _INTERVAL_DIGITS_MAX and text.isdecimal() and 0 < int(text) < _INTERVAL_MAX


def _stretch_of(first_ms: int, rule: _Rule, time_ms: int) -> int:
    """Return the number of the day, week, month or year of a rule that holds a time, or the one before it."""
    first_ms, time_ms = _wall(first_ms, rule), _wall(time_ms, rule)
    if rule.step in _DAYS:
        return (time_ms - _begins(first_ms, rule)) // (_DAYS[rule.step] * rule.interval * DAY_MS)
    first, time = (_EPOCH + timedelta(milliseconds=each) for each in (first_ms, time_ms))
    months = (time.year - first.year) * 12 + time.month - first.month
    # The last of a month may be the first of the next one by UTC.
    return max(0, (months - 1) // (_MONTHS[rule.step] * rule.interval))


def _times(first_ms: int, rule: _Rule, stretch: int) -> list[int]:
    """Return when something is due in a stretch of its rule, from the first time on."""
    times = [_moment(wall_ms, rule.zone) for wall_ms in _wall_times(_wall(first_ms, rule), rule, stretch)]
    return [time for time in times if time >= first_ms and not _is_excepted(time, rule)]


def _wall(time_ms: int, rule: _Rule) -> int:
    """Return what a rule's clock shows at a time, as the time at which that of UTC shows it."""
    return time_ms if rule.zone is None else shown_at(time_ms, rule.zone)


def _moment(wall_ms: int, zone: "ZoneInfo | None") -> int:
    """Return when the clock of a zone shows what that of UTC shows at a time."""
    return wall_ms if zone is None else moment_shown(wall_ms, zone)


# What follows counts by what the clock shows.


def _begins(first_ms: int, rule: _Rule) -> int:
    """Return when the first stretch of a rule by days begins: for weekdays, with the Monday of that week."""
    if rule.step != "WEEKLY" or not rule.weekdays:
        return first_ms
    return first_ms - (_weekday_of(first_ms, rule)) * DAY_MS


def _weekday_of(first_ms: int, rule: _Rule) -> int:
    """Return the weekday of the first time; of a rule without a zone by the clock of whoever wrote it.

    That may be a day beside UTC's, and so it is the nearest weekday that the rule names.
    """
    shown = (_EPOCH + timedelta(milliseconds=first_ms)).weekday()
    if rule.zone is not None:
        return shown
    return min(rule.weekdays, key=lambda day: (abs((shown - day + 3) % 7 - 3), day))


def _wall_times(first_ms: int, rule: _Rule, stretch: int) -> list[int]:
    if stretch < 0:
        return []
    if rule.step in _DAYS:
        begins = _begins(first_ms, rule) + stretch * _DAYS[rule.step] * rule.interval * DAY_MS
        by_weekday = rule.step == "WEEKLY" and rule.weekdays
        return [begins + day * DAY_MS for day in rule.weekdays] if by_weekday else [begins]
    month = _months_on(first_ms, stretch * _MONTHS[rule.step] * rule.interval)
    if stretch and month <= first_ms:
        return []
    if not rule.nth and not rule.is_last_day:
        return [month]
    return [_in_month(first_ms, month, rule)]


def _in_month(first_ms: int, month_ms: int, rule: _Rule) -> int:
    """Return the n-th of a weekday in a month, or its last day, at the hour of the first."""
    first, month = (_EPOCH + timedelta(milliseconds=each) for each in (first_ms, month_ms))
    after = (month.replace(day=1) + timedelta(days=_MONTH_DAYS)).replace(day=1)
    if rule.is_last_day:
        if rule.zone is None and first.day == 1:  # by UTC it is the first of the next month
            return (month.replace(day=1) - _EPOCH) // _MS
        return (after - timedelta(days=1) - _EPOCH) // _MS
    weekday = rule.weekdays[0]
    # By UTC it may be a day beside.
    shift = (first.weekday() - weekday + 3) % 7 - 3 if rule.zone is None else 0
    if rule.nth < 0:
        back = (after - timedelta(days=1)).weekday() - weekday
        found = after - timedelta(days=1 + back % 7)
    else:
        found = month.replace(day=1) + timedelta(
            days=(weekday - month.replace(day=1).weekday()) % 7 + 7 * (rule.nth - 1)
        )
    return (found - _EPOCH) // _MS + shift * DAY_MS


def _months_on(first_ms: int, months: int) -> int:
    """Return the same day so many months on, or the last of a shorter month."""
    first = _EPOCH + timedelta(milliseconds=first_ms)
    month = first.year * 12 + first.month - 1 + months
    for back in range(4):
        try:
            found = first.replace(year=month // 12, month=month % 12 + 1, day=first.day - back)
        except ValueError:
            continue
        return (found - _EPOCH) // _MS
    return first_ms
