"""Make a telling that asks to be reminded fall due."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any, Final, NamedTuple

from cognition.reminding.moment import Reminder
from cognition.reminding.reading import names_day, read_asking, read_moment
from cognition.reminding.repeating import REPEATS, with_zone, zone_in
from cognition.reminding.zones import zone_of

_PROSPECTIVE: Final = "prospective"
# What is counted by UTC names no zone.
_OF_UTC: Final = frozenset(
    name for of_utc in ("UTC", "UCT", "Universal", "Zulu") for name in (of_utc, f"Etc/{of_utc}")
)
_HALF_YEAR: Final = timedelta(days=182)
# What somebody said of it, and what says where it stands, is not read otherwise.
_TOLD_OTHERWISE: Final = frozenset({"event_start", "event_end", "goal", "block", "turn", "parent"})


OwnZone = Callable[[], str | None]


def _no_zone() -> str | None:
    return None


class Reminding(NamedTuple):
    """The fields of a telling, when it is due and by which rule again, and whether it asks for that and names no time.

    `due_ms` is in ms since 1970; None where it reminds nobody.
    """

    fields: dict[str, Any]
    due_ms: int | None = None
    repeats: str | None = None
    lacks_time: bool = False


def with_reminder(
    text: str, fields: Mapping[str, Any], now_ms: int, *, own_zone: OwnZone = _no_zone
) -> Reminding:
    """Return the fields of a telling, with what it asks to be reminded of; times are those of this machine's clock.

    `own_zone` returns the name of that clock's zone, by which what repeats is counted from then on; by UTC without it.
    It is asked where something repeats alone, since a machine has to look that up. What was due by now when it comes
    in, as in an import of old notes, reminds nobody.
    """
    if not _TOLD_OTHERWISE.isdisjoint(fields) or fields.get("type", _PROSPECTIVE) != _PROSPECTIVE:
        return Reminding(dict(fields))
    told_ms = fields.get("told_at", now_ms)
    try:
        told = datetime.fromtimestamp(told_ms / 1_000, UTC).astimezone().replace(tzinfo=None)
        asks, found = read_asking(text, told)
        due = None if found is None else _due(found, text, told, own_zone)
        due_ms = None if due is None else round(due.due.timestamp() * 1_000)
    except (OverflowError, OSError, ValueError):  # told in the year 12000, says its author
        return Reminding(dict(fields))
    if due is None or due_ms is None or due_ms <= now_ms:
        return Reminding(dict(fields), lacks_time=asks)
    told_fields = {**fields, "type": _PROSPECTIVE, "event_start": due_ms}
    if due.repeats is not None:
        told_fields["meta"] = {**(fields.get("meta") or {}), REPEATS: due.repeats}
    return Reminding(told_fields, due_ms, due.repeats)


def zoned_moment(text: str, told: datetime) -> datetime | None:
    """Return the time to come that words name, by the clock of the zone that they name.

    None where they name no time, or that zone is uncertain.
    """
    found = read_moment(text, told)
    due = None if found is None else _due(Reminder(found), text, told)
    return None if due is None else due.due


def _due(found: Reminder, text: str, told: datetime, own_zone: OwnZone = _no_zone) -> Reminder | None:
    """Return when something is due, by the clock of the zone that the text names; None where that is uncertain.

    An hour without a day is the next one there.
    """
    named = zone_of(text)
    if named is None or not named.is_of(found.due.time()):
        return found if found.repeats is None else _repeating(found, own_zone())
    if named.zone is None:
        return None
    if found.repeats is not None:
        return _repeating_there(found, text, told, named.zone)
    due = found.due.replace(tzinfo=named.zone)
    if not names_day(text, told):
        there = told.astimezone(named.zone)
        due = datetime.combine(there.date(), found.due.time(), named.zone)
        due += timedelta(days=due <= there)
    return Reminder(due)


def _repeating(found: Reminder, own_zone: str | None) -> Reminder:
    """Return what repeats by the clock of this machine's zone, if that is its clock in summer and in winter."""
    rule = with_zone(found.repeats or "", None if own_zone in _OF_UTC else own_zone)
    zone = zone_in(rule)
    days = (found.due, found.due + _HALF_YEAR)
    if zone is None or any(day.replace(tzinfo=zone).timestamp() != day.timestamp() for day in days):
        return found
    return Reminder(found.due, rule)


def _repeating_there(found: Reminder, text: str, told: datetime, zone: tzinfo) -> Reminder | None:
    """Return what repeats by the clock of a zone that the text names, read as it is told there.

    By an offset, its days and hours are only those of a rule while this machine's clock has it.
    """
    name = "UTC" if zone is UTC else str(zone)
    rule = with_zone(found.repeats or "", name)
    if zone_in(rule) is None:
        due = found.due.replace(tzinfo=zone)
        return Reminder(due, found.repeats) if due.timestamp() == found.due.timestamp() else None
    _, there = read_asking(text, told.astimezone(zone).replace(tzinfo=None))
    if there is None or there.repeats is None:
        return None
    return Reminder(there.due.replace(tzinfo=zone), with_zone(there.repeats, name))
