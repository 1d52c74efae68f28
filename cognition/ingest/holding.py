"""Keep back what looks secret, on this device alone, until its owner releases or drops it.

What is held is no memory: it is in no log, no index and no answer, and no other device hears of it. It keeps
the id that the memory will have, so that whoever told it can name it before and after. A change of a memory is
held under an id of its own, and the memory stays as it is meanwhile.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from cognition.ingest.sameness import telling_words
from cognition.words import terms
from replica import MemoryId, Value, transaction
from replica.codec import pack, unpack

# Nobody reads a longer list; what has gone makes room for what came later.
LISTED_MAX: Final = 1_000
# A question is compared with no more of them, the newest, and with as many as have so many letters together: a thousand
# take 0.7 ms. A long one is left out rather than cut, since half of a secret does not look like one.
COMPARED_MAX: Final = 100
COMPARED_CHARACTERS_MAX: Final = 100_000


class QuarantinedText(NamedTuple):
    """Something that was told and looks secret: a memory to be, or a change of the memory that it is `about`.

    Of a change, `text` is empty where it leaves the words as they are, `was` is what they were when it was told, and
    `fields` is what it asks for: whoever releases it works that out against what the memory holds by then.
    """

    rid: MemoryId
    kinds: tuple[str, ...]
    text: str
    fields: Mapping[str, Any]
    held_at: int
    about: MemoryId | None = None
    was: str | None = None


def secret_kinds(text: str, fields: Mapping[str, Value], *, known: Sequence[str] = ()) -> tuple[str, ...]:
    """Return what kinds of secret a memory would hold, in its text or its fields; `known` texts hold them already."""
    # Here, for it compiles much: whoever asks what is held about something mostly holds nothing.
    from cognition.extraction.secrets import secrets

    kinds: dict[str, None] = {}
    for each in (text, *texts_of(fields)):
        for found in secrets(each):
            if not any(each[found.start : found.end] in one for one in known):
                kinds[found.kind] = None
    return (*kinds,)


def texts_of(fields: Mapping[str, Value]) -> list[str]:
    """Return the texts in a memory's fields; what stands under a name is told with it, as "password: …" is."""
    texts: list[str] = []
    for value in fields.values():
        if isinstance(value, str):
            texts.append(value)
        elif isinstance(value, dict):
            texts += [f"{key}: {one}" for key, one in value.items() if isinstance(one, str)]
        elif isinstance(value, list):
            texts += value
    return texts


def hold(connection: sqlite3.Connection, held: QuarantinedText) -> MemoryId:
    """Keep one back, unless the very same is held already; return the id it will have.

    A change that is told again is meant for what the memory says now.
    """
    fields = pack(dict(held.fields))
    with transaction(connection):
        for (rid,) in connection.execute(
            "SELECT rid FROM held WHERE text = ? AND fields = ? AND about IS ?",
            (held.text, fields, held.about),
        ):
            connection.execute("UPDATE held SET was = ? WHERE rid = ?", (held.was, rid))
            return MemoryId(rid)
        connection.execute(
            "INSERT OR REPLACE INTO held (rid, kinds, text, fields, held_at, about, was) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (held.rid, ", ".join(held.kinds), held.text, fields, held.held_at, held.about, held.was),
        )
    return held.rid


def held_here(connection: sqlite3.Connection) -> list[QuarantinedText]:
    """Return what is held, oldest first, as much of it as anybody reads."""
    return _read(connection, "ORDER BY held_at, rid LIMIT ?", (LISTED_MAX,))


def count_held_about(connection: sqlite3.Connection, question: str) -> int:
    """Return how many new texts that are held have a word of a question, beside what is secret in them.

    The small words of a question ("what", "is") stand in any text.
    """
    asked: set[str] | None = None
    count, left = 0, COMPARED_CHARACTERS_MAX
    # One text at a time, and none is sorted.
    for (text,) in connection.execute(
        """SELECT text FROM (SELECT rid FROM held WHERE about IS NULL ORDER BY held_at DESC LIMIT ?)
            CROSS JOIN held USING (rid)""",
        (COMPARED_MAX,),
    ):
        if len(text) <= left:
            from cognition.extraction.secrets import masked  # here, as above

            asked = set(telling_words(" ".join(terms(question)))) if asked is None else asked
            left -= len(text)
            count += not asked.isdisjoint(telling_words(masked(text)))
    return count


def find_held(connection: sqlite3.Connection, low: bytes, high: bytes) -> list[QuarantinedText]:
    """Return what is held under ids from one to another, both included, oldest first."""
    return _read(
        connection, "WHERE rid BETWEEN ? AND ? ORDER BY held_at, rid LIMIT ?", (low, high, LISTED_MAX)
    )


def _read(connection: sqlite3.Connection, which: str, arguments: Sequence[Any]) -> list[QuarantinedText]:
    return [
        QuarantinedText(
            MemoryId(rid),
            tuple(kinds.split(", ")),
            text,
            unpack(fields),
            held_at,
            None if about is None else MemoryId(about),
            was,
        )
        for rid, kinds, text, fields, held_at, about, was in connection.execute(
            f"SELECT rid, kinds, text, fields, held_at, about, was FROM held {which}", arguments
        )
    ]


def drop(connection: sqlite3.Connection, rid: MemoryId) -> None:
    """Forget what is held; SQLite overwrites the row."""
    with transaction(connection):
        connection.execute("DELETE FROM held WHERE rid = ?", (rid,))
