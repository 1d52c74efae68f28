"""Keep what a reranker read of each memory, and have it read what came since, in the background.

A reading belongs to the words and the speaker of a memory, and to one model. It is derived data of this device: not an
op, not shared, and made anew when the model changes. Memories are read in the order of their numbers, so what is still
to be read are the numbers above the last reading, and the rows that `cognition.tables` emptied since their words are
others now. A recall that meets a few memories that were not read yet reads them for itself, and keeps that too.

A text that the model fails at, while it reads another, has an empty reading, or it would hold up all that came later.
"""

import json
import sqlite3
from collections.abc import Sequence
from typing import Final, NamedTuple

from cognition.errors import ModelUnavailable
from cognition.memories import EACH
from cognition.reranking.reranker import Reranker
from cognition.words import RANKED_CHARACTERS_MAX
from replica import derived_transaction
from replica.reads.ids import number_ahead
from replica.reads.texts import said_after, said_at

# Some two hundred milliseconds.
PAGE: Final = 8
# What is kept of a text that the model fails at.
UNREADABLE: Final = b""
# Every model reads this, or it reads nothing.
PROBE: Final = "It rains."
# How many memories may lie unread before one that a recall read for itself, for that to be kept: each is marked then.
AHEAD_MAX: Final = 1_000


class RerankText(NamedTuple):
    """One memory to be read, as it is read."""

    id: int
    text: str


def as_read(text: str, speaker: str | None) -> str:
    """Return a memory as the model reads it: whoever asks what somebody did must see who speaks."""
    text = text[:RANKED_CHARACTERS_MAX]
    return f"{speaker}: {text}" if speaker else text


def enter_model(connection: sqlite3.Connection, name: str) -> None:
    """Take up the readings of this model, and drop those of another."""
    with derived_transaction(connection):
        found = connection.execute("SELECT value FROM cognition WHERE name = 'reader'").fetchone()
        if found != (name,):
            connection.execute("DELETE FROM reading")
            connection.execute("INSERT OR REPLACE INTO cognition VALUES ('reader', ?)", (name,))


def unread(connection: sqlite3.Connection, limit: int = PAGE) -> list[RerankText]:
    """Return memories that are still to be read: those whose words changed, then those that came."""
    rows = connection.execute(
        """SELECT m.id, m.text, m.speaker FROM reading r JOIN shown_memory m ON m.id = r.id
           WHERE r.data IS NULL LIMIT ?""",
        (limit,),
    ).fetchall()
    if len(rows) < limit:
        rows += said_after(connection, _last_read(connection), limit=limit - len(rows))
    return [RerankText(number, as_read(text, speaker)) for number, text, speaker in rows]


def count_unread(connection: sqlite3.Connection) -> int:
    """Return how many memories are still to be read."""
    ((count,),) = connection.execute(
        """SELECT (SELECT count(*) FROM reading r JOIN shown_memory m ON m.id = r.id WHERE r.data IS NULL)
                + (SELECT count(*) FROM shown_memory WHERE id > ?)""",
        (_last_read(connection),),
    )
    return int(count)


def read_one(reranker: Reranker, text: str) -> bytes:
    """Return what a reranker makes of a text; `UNREADABLE` where it fails at this one only, else `ModelUnavailable`."""
    try:
        (reading,) = reranker.read([text])
    except ModelUnavailable:
        raise
    except Exception:
        try:
            reranker.read([PROBE])
        except ModelUnavailable:
            raise
        except Exception as error:
            raise ModelUnavailable(
                f"expected {reranker.name} to read {PROBE!r}, got: {type(error).__name__}: {error}"
            ) from error
        return UNREADABLE
    return reading


def keep(connection: sqlite3.Connection, page: Sequence[RerankText], readings: Sequence[bytes]) -> None:
    """Keep the readings of those memories that still say what was read."""
    with derived_transaction(connection):
        numbers = [one.id for one in page]
        now = {said.id: as_read(said.text, said.speaker) for said in said_at(connection, numbers)}
        connection.executemany(
            "INSERT OR REPLACE INTO reading VALUES (?, ?)",
            [
                # What went meanwhile is a row without a reading, or the next page would begin before it again.
                (one.id, reading if now.get(one.id) == one.text else None)
                for one, reading in zip(page, readings, strict=True)
            ],
        )
        # Unless others stand behind it.
        connection.execute(
            f"""DELETE FROM reading WHERE id IN ({EACH}) AND data IS NULL AND id < ?
                AND NOT EXISTS (SELECT 1 FROM shown_memory m WHERE m.id = reading.id)""",
            (json.dumps(numbers), _last_read(connection)),
        )


def keep_fresh(connection: sqlite3.Connection, read: Sequence[tuple[tuple[int, str], bytes]]) -> None:
    """Keep what a recall read for itself, and mark what it leaped over, so that the background comes to that."""
    last = _last_read(connection)
    after = number_ahead(connection, last, AHEAD_MAX)
    near = [(RerankText(*one), reading) for one, reading in read if after is None or one[0] < after]
    if not near:
        return
    with derived_transaction(connection):
        connection.execute(
            "INSERT OR IGNORE INTO reading (id) SELECT id FROM shown_memory WHERE id > ? AND id < ?",
            (last, max(one.id for one, _ in near)),
        )
    keep(connection, [one for one, _ in near], [reading for _, reading in near])


def readings_of(connection: sqlite3.Connection, ids: Sequence[int]) -> dict[int, bytes]:
    """Return the readings there are of these memories."""
    return dict(
        connection.execute(
            f"SELECT id, data FROM reading WHERE data IS NOT NULL AND id IN ({EACH})", (json.dumps(ids),)
        )
    )


def _last_read(connection: sqlite3.Connection) -> int:
    """Return the number below which every memory was read or is marked."""
    ((number,),) = connection.execute("SELECT coalesce(max(id), 0) FROM reading")
    return int(number)
