"""Make a telling that asks to be reminded fall due."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple

from cognition.reminding.moment import Reminder
from cognition.reminding.reading import names_day, read_asking, read_moment
from cognition.reminding.repeating import REPEATS
from cognition.reminding.zones import zone_of

_PROSPECTIVE: Final = "prospective"
# What somebody said of it, and what says where it stands, is not read otherwise.
_TOLD_OTHERWISE: Final = frozenset({"event_start", "event_end", "goal", "block", "turn", "parent"})


class Reminding(NamedTuple):
    """The fields of a telling, when it is due and by which rule again, and whether it asks for that and names no time.

    `due_ms` is in ms since 1970; None where it reminds nobody.
    """

    fields: dict[str, Any]
    due_ms: int | None = None
    repeats: str | None = None
    lacks_time: bool = False


def with_reminder(text: str, fields: Mapping[str, Any], now_ms: int) -> Reminding:
    """Return the fields of a telling, with what it asks to be reminded of; times are those of this machine's clock.

    What was due by now when it comes in, as in an import of old notes, reminds nobody.
    """
    if not _TOLD_OTHERWISE.isdisjoint(fields) or fields.get("type", _PROSPECTIVE) != _PROSPECTIVE:
        return Reminding(dict(fields))
    told_ms = fields.get("told_at", now_ms)
    try:
        told = datetime.fromtimestamp(told_ms / 1_000, UTC).astimezone().replace(tzinfo=None)
        asks, found = read_asking(text, told)
        due = None if found is None else _due(found, text, told)
        due_ms = None if due is None else round(due.timestamp() * 1_000)
    except (OverflowError, OSError, ValueError):  # told in the year 12000, says its author
        return Reminding(dict(fields))
    if found is None or due_ms is None or due_ms <= now_ms:
        return Reminding(dict(fields), lacks_time=asks)
    told_fields = {**fields, "type": _PROSPECTIVE, "event_start": due_ms}
    if found.repeats is not None:
        told_fields["meta"] = {**(fields.get("meta") or {}), REPEATS: found.repeats}
    return Reminding(told_fields, due_ms, found.repeats)


def zoned_moment(text: str, told: datetime) -> datetime | None:
    """Return the time to come that words name, by the clock of the zone that they name.

    None where they name no time, or that zone is uncertain.
    """
    found = read_moment(text, told)
    return None if found is None else _due(Reminder(found), text, told)


def _due(found: Reminder, text: str, told: datetime) -> datetime | None:
    """Return when something is due, by the clock of the zone that the text names; None where that is uncertain.

    An hour without a day is the next one there. What repeats does so by this machine's clock: in another zone its days
    and hours would be wrong some day.
    """
    named = zone_of(text)
    if named is None or not named.is_of(found.due.hour):
        return found.due
    if named.zone is None:
        return None
    due = found.due.replace(tzinfo=named.zone)
    if not names_day(text, told):
        there = told.astimezone(named.zone)
        due = datetime.combine(there.date(), found.due.time(), named.zone)
        due += timedelta(days=due <= there)
    return None if found.repeats is not None and due.timestamp() != found.due.timestamp() else due
