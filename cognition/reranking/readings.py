"""Keep what a reranker read of each memory, and have it read what came since, in the background.

A reading belongs to the words and the speaker of a memory, and to one model. It is derived data of this device: not an
op, not shared, and made anew when the model changes. Memories are read in the order of their numbers, so what is still
to be read are the numbers above the last reading, and the rows that `cognition.tables` emptied since their words are
others now. Only the background writes: a recall that meets a memory that was not read yet reads it for itself.
"""

import sqlite3
import time
from collections.abc import Sequence
from typing import Final, NamedTuple

import trio

from cognition.errors import ModelUnavailable
from cognition.naming import IDLE_S, quiet
from cognition.reranking.reranker import Reranker
from replica import Core, Replica, StoreFailed, derived_transaction

# Some two hundred milliseconds.
PAGE: Final = 8


class Unread(NamedTuple):
    """One memory to be read, as it is read."""

    id: int
    text: str


def as_read(text: str, speaker: str | None) -> str:
    """Return a memory as the model reads it: whoever asks what somebody did must see who speaks."""
    return f"{speaker}: {text}" if speaker else text


def enter_model(connection: sqlite3.Connection, name: str) -> None:
    """Take up the readings of this model, and drop those of another."""
    with derived_transaction(connection):
        found = connection.execute("SELECT value FROM cognition WHERE name = 'reader'").fetchone()
        if found != (name,):
            connection.execute("DELETE FROM reading")
            connection.execute("INSERT OR REPLACE INTO cognition VALUES ('reader', ?)", (name,))


def unread(connection: sqlite3.Connection, limit: int = PAGE) -> list[Unread]:
    """Return memories that are still to be read: those whose words changed, then those that came."""
    rows = connection.execute(
        """SELECT m.id, m.text, m.speaker FROM reading r JOIN memory m ON m.id = r.id
           WHERE r.data IS NULL LIMIT ?""",
        (limit,),
    ).fetchall()
    if len(rows) < limit:
        rows += connection.execute(
            """SELECT id, text, speaker FROM memory
               WHERE id > (SELECT coalesce(max(id), 0) FROM reading) ORDER BY id LIMIT ?""",
            (limit - len(rows),),
        )
    return [Unread(number, as_read(text, speaker)) for number, text, speaker in rows]


def keep(connection: sqlite3.Connection, page: Sequence[Unread], readings: Sequence[bytes]) -> None:
    """Keep the readings of those memories that still say what was read."""
    with derived_transaction(connection):
        now = {
            number: as_read(text, speaker)
            for number, text, speaker in connection.execute(
                f"SELECT id, text, speaker FROM memory WHERE id IN ({','.join('?' * len(page))})",
                [one.id for one in page],
            )
        }
        connection.executemany(
            "INSERT OR REPLACE INTO reading VALUES (?, ?)",
            [
                # What went meanwhile is a row without a reading, or the next page would begin before it again.
                (one.id, reading if now.get(one.id) == one.text else None)
                for one, reading in zip(page, readings, strict=True)
            ],
        )


def readings_of(connection: sqlite3.Connection, ids: Sequence[int]) -> dict[int, bytes]:
    """Return the readings there are of these memories."""
    return dict(
        connection.execute(
            f"SELECT id, data FROM reading WHERE data IS NOT NULL AND id IN ({','.join('?' * len(ids))})", ids
        )
    )


async def read_ahead(replica: Replica, reranker: Reranker, position: int) -> None:
    """Read what came, for ever; while the model or the disk is missing, whatever is written next is a new try."""
    while True:
        await trio.sleep(IDLE_S)
        try:
            while True:
                if (took_s := await _read_page(replica, reranker)) is None:
                    break
                await trio.sleep(took_s)  # as long again for whoever else wants this machine
        except (ModelUnavailable, StoreFailed):
            pass  # a recall that wants the model says so, and whoever writes is told of the disk
        position = await replica.stirred(position)
        await quiet(replica)


async def read_all(replica: Replica, reranker: Reranker) -> None:
    """Read all that came since, for somebody who waits for it."""
    while await _read_page(replica, reranker) is not None:
        pass


async def _read_page(replica: Replica, reranker: Reranker) -> float | None:
    """Read a page, and return how long that took; None: there is nothing to read."""
    page = await replica.read(unread)
    if not page:
        return None
    began = time.perf_counter()
    found = await trio.to_thread.run_sync(reranker.read, [one.text for one in page])

    def write(core: Core, connection: sqlite3.Connection) -> None:
        keep(connection, page, found)

    await replica.run(write)
    return time.perf_counter() - began
