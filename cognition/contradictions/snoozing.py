"""Keep until when nobody is to be asked about a contradiction: in a setting that all devices share."""

import sqlite3
from typing import Final

from replica import Set, Write, read_settings

_PREFIX: Final = "question.later."


def snooze(slot: bytes, until_ms: int | None) -> Write:
    """Return what puts a question off until a time, in ms since 1970; None asks it again at once."""
    return Write(Set(f"{_PREFIX}{slot.hex()}", until_ms))


def snoozed(connection: sqlite3.Connection, now_ms: int) -> dict[bytes, int]:
    """Return the slots of the questions that are put off, with until when. What is no time says nothing."""
    return {
        bytes.fromhex(slot): until
        for slot, until in read_settings(connection, _PREFIX).items()
        if _is_slot(slot) and isinstance(until, int) and until > now_ms
    }


def _is_slot(text: str) -> bool:
    try:
        return bytes.fromhex(text).hex() == text
    except ValueError:
        return False
