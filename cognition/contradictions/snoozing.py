"""Keep until when nobody is to be asked about a contradiction: in a setting that all devices share.

It counts for the question that was put off, as it was known where that was done. Once one more memory stands in it, or
one that does says something else, it is asked again: so is one that another device knew more about. No time is compared
with that of another device's op, and none that is further ahead than anybody puts a question off counts: a device whose
clock is years ahead silences no other.
"""

import hashlib
import sqlite3
from typing import Final

from cognition.contradictions.tables import judged_of
from cognition.days import DAY_MS
from replica import Set, Write, read_settings
from replica.reads.texts import texts_called

_PREFIX: Final = "question.later."
# A leap year. Whoever wants never to be asked keeps both.
SNOOZE_MS_MAX: Final = 366 * DAY_MS
# How far ahead of this device's clock that of another may be: as far as its stamps are believed (`replica.hlc`).
_AHEAD_MS_MAX: Final = DAY_MS
# Nobody puts off more at once, and each is compared with what it was: of more, those count that were put off last.
SNOOZED_MAX: Final = 256
_DIGEST_BYTES: Final = 8
# The largest integer of 64 bits has as many. Python refuses to read one of thousands.
_DIGITS_MAX: Final = 19


def snooze(connection: sqlite3.Connection, slot: bytes, until_ms: int | None) -> Write:
    """Return what puts a question off until a time, in ms since 1970; None asks it again at once."""
    value = None if until_ms is None else f"{until_ms} {_asked(connection, slot)}"
    return Write(Set(f"{_PREFIX}{slot.hex()}", value))


def snoozed(connection: sqlite3.Connection, now_ms: int) -> dict[bytes, int]:
    """Return the slots of the questions that are put off, with until when. What is no time says nothing."""
    found = {}
    for name, value in read_settings(connection, _PREFIX, limit=SNOOZED_MAX, now_ms=now_ms).items():
        slot, (until_ms, asked) = _slot_of(name), _read(value)
        is_later = now_ms < until_ms <= now_ms + SNOOZE_MS_MAX + _AHEAD_MS_MAX
        if slot is not None and is_later and asked == _asked(connection, slot):
            found[slot] = until_ms
    return found


def _asked(connection: sqlite3.Connection, slot: bytes) -> str:
    """Return a digest of what stands against each other in a slot: memories, what they claim there and their words."""
    sides = {
        (belief.told.rid, belief.told.value) for side in judged_of(connection, slot).sides for belief in side
    }
    texts = texts_called(connection, sorted({rid for rid, _ in sides}))
    said = repr(sorted((rid, value, texts.get(rid)) for rid, value in sides))
    return hashlib.sha256(said.encode()).hexdigest()[: 2 * _DIGEST_BYTES]


def _read(value: object) -> tuple[int, str]:
    """Return until when a setting puts a question off, and which; what is none of ours says nothing."""
    until, _, asked = value.partition(" ") if isinstance(value, str) else ("", "", "")
    is_time = until.isascii() and until.isdigit() and len(until) <= _DIGITS_MAX
    return (int(until) if is_time else 0), asked


def _slot_of(text: str) -> bytes | None:
    try:
        slot = bytes.fromhex(text)
    except ValueError:
        return None
    return slot if slot.hex() == text else None
