"""Read a calendar (iCalendar, RFC 5545): each event becomes a memory of when something happens, or happened.

A time without a zone is taken as UTC, so that every device reads it alike. What comes from a calendar reminds of
nothing by itself: the calendar that it is from does. What this program wrote is left out: it is here already, or it was
taken back.
"""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from typing import Any, Final

from cognition.days import DAY_MS
from cognition.reminding.repeating import REPEATS
from replica import Value, derived_memory_id
from samemind.portable.records import Item, Record, Unreadable

SOURCE: Final = "ics"
_BEGINS: Final = "BEGIN:VCALENDAR"
# What `samemind calendar` names its entries by.
_OURS: Final = "@samemind"


def looks_like(text: str) -> bool:
    """Say whether a text is a calendar."""
    return text.lstrip("\ufeff \r\n\t")[: len(_BEGINS)].upper() == _BEGINS


def read(text: str) -> Iterator[Record]:
    """Return every event, in the order of the file; those of a damaged calendar up to the damage."""
    import icalendar  # here: no other format needs it

    try:
        calendars = icalendar.Calendar.from_ical(text, multiple=True)
    except (AttributeError, IndexError, KeyError, RecursionError, TypeError, ValueError) as error:
        yield Unreadable(line=1, reason=f"expected a calendar, {error}"[:500])
        return
    number = 0
    for each in calendars:
        for event in each.walk("VEVENT"):
            number += 1
            try:
                item = _item(number, event)
            except (AttributeError, KeyError, TypeError, ValueError, OverflowError) as error:
                yield Unreadable(line=number, reason=f"expected an event of a calendar, {error!r}"[:500])
                continue
            if item is not None:
                yield item


def _item(number: int, event: Any) -> Item | None:
    title = _words(event.get("summary"))
    if not title:
        raise ValueError("an event has a summary")
    begins = event["dtstart"].dt
    uid = str(event.get("uid") or f"{title} {begins.isoformat()}")
    if uid.endswith(_OURS):
        return None
    place, more = _words(event.get("location")), str(event.get("description") or "").strip()
    said = f"{title}, {place}" if place else title
    fields: dict[str, Value] = {
        "source": SOURCE,
        "event_start": _ms(begins),
        "event_end": _end(event, begins),
    }
    made = event.get("created") or event.get("dtstamp")
    if made is not None:
        fields["told_at"] = _ms(made.dt)
    rule = event.get("rrule")
    if rule is not None:
        fields["meta"] = {REPEATS: rule.to_ical().decode()}
    # One that was moved out of a series has its id, and is an event of its own.
    moved = event.get("recurrence-id")
    name = uid if moved is None else f"{uid} {_ms(moved.dt)}"
    return Item(
        line=number,
        rid=derived_memory_id(SOURCE, name),
        text=f"{said}\n{more}" if more else said,
        fields=fields,
    )


def _end(event: Any, begins: date) -> int:
    """Return when an event ends; a day without an end is a day."""
    if "dtend" in event:
        return max(_ms(begins), _ms(event["dtend"].dt))
    if "duration" in event:
        return max(_ms(begins), _ms(begins) + int(event["duration"].dt.total_seconds() * 1_000))
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
