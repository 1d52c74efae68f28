"""Keep back what looks secret, on this device alone, until its owner releases or drops it.

What is held is no memory: it is in no log, no index and no answer, and no other device hears of it. It keeps
the id that the memory will have, so that whoever told it can name it before and after.
"""

import sqlite3
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from cognition.extraction.secrets import secrets
from replica import MemoryId, Value, transaction
from replica.codec import pack, unpack

LISTED_MAX: Final = 1_000


class Held(NamedTuple):
    """Something that was told and looks secret."""

    rid: MemoryId
    kinds: tuple[str, ...]
    text: str
    fields: Mapping[str, Any]
    held_at: int


def secret_kinds(text: str, fields: Mapping[str, Value]) -> tuple[str, ...]:
    """Return what kinds of secret a memory would hold, in its text or in its metadata."""
    texts = [text]
    for value in fields.values():
        if isinstance(value, str):
            texts.append(value)
        elif isinstance(value, dict):
            texts += [f"{key}: {one}" for key, one in value.items() if isinstance(one, str)]
    return tuple(dict.fromkeys(found.kind for each in texts for found in secrets(each)))


def hold(connection: sqlite3.Connection, held: Held) -> MemoryId:
    """Keep one back, unless the very same is held already; return the id it will have."""
    fields = pack(dict(held.fields))
    with transaction(connection):
        for (rid,) in connection.execute(
            "SELECT rid FROM held WHERE text = ? AND fields = ?", (held.text, fields)
        ):
            return MemoryId(rid)
        connection.execute(
            "INSERT OR REPLACE INTO held VALUES (?, ?, ?, ?, ?)",
            (held.rid, ", ".join(held.kinds), held.text, fields, held.held_at),
        )
    return held.rid


def held_here(connection: sqlite3.Connection, *, limit: int = LISTED_MAX) -> list[Held]:
    """Return what is held, oldest first."""
    return [
        Held(MemoryId(rid), tuple(kinds.split(", ")), text, unpack(fields), held_at)
        for rid, kinds, text, fields, held_at in connection.execute(
            "SELECT rid, kinds, text, fields, held_at FROM held ORDER BY held_at, rid LIMIT ?", (limit,)
        )
    ]


def find_held(connection: sqlite3.Connection, low: bytes, high: bytes) -> list[Held]:
    """Return what is held under ids from one to another, both included."""
    return [each for each in held_here(connection) if low <= each.rid <= high]


def drop(connection: sqlite3.Connection, rid: MemoryId) -> None:
    """Forget what is held; SQLite overwrites the row."""
    with transaction(connection):
        connection.execute("DELETE FROM held WHERE rid = ?", (rid,))
