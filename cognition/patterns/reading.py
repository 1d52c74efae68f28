"""Read from one memory what patterns are made of: whom and what it names, when it was, and how it felt. Pure.

Names come by their capitals, which takes a twentieth of a millisecond; reading for facts takes twenty times that,
and patterns need no facts. Times are in UTC, since a habit must be the same habit on a device in another zone.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from cognition.days import DAY_MS
from cognition.extraction.names import names
from cognition.extraction.values import beginning

# A memory that names more is a list; pairs grow with the square.
NAMES_MAX: Final = 6
TEXT_CHARACTERS_MAX: Final = 4_000
_HOUR_MS: Final = DAY_MS // 24
# 1970-01-01 was a Thursday.
_FIRST_WEEKDAY: Final = 3
WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
PARTS: Final = ("night", "morning", "afternoon", "evening")
_PART_HOURS: Final = 6
# What a habit or a mood may be of beside a name: everything that is told.
EVERYTHING: Final = ""


@dataclass(frozen=True, slots=True)
class Noted:
    """What one memory adds to patterns. `names` are as written, by what they are compared by."""

    names: Mapping[str, str]
    topics: tuple[str, ...]
    at_ms: int
    valence: float | None

    @property
    def subjects(self) -> tuple[str, ...]:
        """What a habit or a mood of this memory may be about."""
        return tuple(dict.fromkeys((EVERYTHING, *self.names, *self.topics)))

    @property
    def day(self) -> int:
        """The day it was, counted from 1970."""
        return self.at_ms // DAY_MS

    @property
    def bucket(self) -> int:
        """The part of the week it was in: a weekday's night, morning, afternoon or evening."""
        return bucket_of(self.at_ms)


def note(text: str, fields: Mapping[str, Any], created_ms: int) -> Noted:
    """Read one memory."""
    speaker = fields.get("speaker")
    found = names(beginning(text, TEXT_CHARACTERS_MAX), known=(speaker,) if speaker else ())
    named = ((speaker, *found) if speaker else found)[:NAMES_MAX]
    topics = tuple(str(fields[name]).casefold() for name in ("topic", "project") if fields.get(name))
    valence = fields.get("valence")
    return Noted(
        {key_of(name): name for name in reversed(named)},
        topics,
        fields.get("told_at", created_ms),
        None if valence is None else float(valence),
    )


def key_of(name: str) -> str:
    """Return what a name is compared by."""
    return " ".join(name.split()).casefold()


def bucket_of(at_ms: int) -> int:
    """Return the part of the week of a time, from 0 (Monday night) to 27 (Sunday evening)."""
    weekday = (at_ms // DAY_MS + _FIRST_WEEKDAY) % len(WEEKDAYS)
    return weekday * len(PARTS) + (at_ms % DAY_MS) // _HOUR_MS // _PART_HOURS


def bucket_words(bucket: int) -> str:
    """Return a part of the week in words."""
    return f"{WEEKDAYS[bucket // len(PARTS)]} {PARTS[bucket % len(PARTS)]}s"
