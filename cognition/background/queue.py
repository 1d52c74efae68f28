"""The durable queue of what is still to be embedded: what is due, what came of it, and when to try again.

A memory enters the queue in the transaction that commits it (`cognition.tables`), so a crash at any moment
leaves either no memory or one that is queued. Success deletes the row. A failure is tried again after 1.5
s, 3 s, 6 s and 12 s; the fifth leaves the row as `failed`, with its error, until somebody asks for it
again.

A row is named by its memory and holds no text: the text is read when it is due, and a vector is kept only
if the memory still says what was embedded. Where the model itself is missing no attempt is counted: that is
no fault of the texts.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from cognition.embedding.embedder import Embedder, Vectors
from cognition.embedding.index import Halves, VectorIndex
from cognition.memories import EACH, fields_of
from cognition.tables import INDEXED_FIELDS, indexed
from cognition.wordings.tables import drop_vectors
from replica import MemoryId, derived_transaction, transaction
from replica.reads.texts import wordings_of
from replica.values import dataclass

ATTEMPTS_MAX: Final = 5
BACKOFF_BASE_MS: Final = 1_500
# Enough to tell one cause from another; a traceback belongs in a log.
ERROR_CHARACTERS_MAX: Final = 500

# A batch should hold the store's reader, and a thread, for about this long: short beside what a person
# notices.
BATCH_MS_TARGET: Final = 100
BATCH_MIN: Final = 8
BATCH_MAX: Final = 1_024
# Vectors read at a time, so that they are not all held twice: half a megabyte with what they are read from. With four
# times as many, a process of a thousand memories keeps three megabytes more.
_LOADED_ROWS: Final = 256
_LOADING_KIB: Final = 2_048

_COLUMNS: Final = ", ".join(f'm."{name}"' for name in INDEXED_FIELDS)


class Job(NamedTuple):
    """One text to be embedded, for the memory of this number."""

    id: int
    text: str


class QueueRow(NamedTuple):
    """One row of the queue, as people see it."""

    id: int
    rid: MemoryId
    text: str
    enqueued_at: int
    last_attempt_at: int | None
    attempts: int
    last_error: str | None
    status: str


@dataclass(frozen=True, slots=True)
class QueueState:
    """How much waits, how much was given up, and when the next try is due (None: nothing waits)."""

    pending: int
    failed: int
    due_at: int | None


def next_batch(size: int, took_ms: float) -> int:
    """Return how many texts to take next, after this many took so long."""
    if took_ms < BATCH_MS_TARGET / 2:
        size *= 2
    elif took_ms > BATCH_MS_TARGET:
        size //= 2
    return min(max(size, BATCH_MIN), BATCH_MAX)


def due(connection: sqlite3.Connection, *, now_ms: int, limit: int) -> list[Job]:
    """Return the texts to embed now: new ones in the order they came, then those whose wait is over."""
    select = f"SELECT q.id, m.text, {_COLUMNS} FROM embed_queue q JOIN shown_memory m ON m.id = q.id WHERE "
    rows = connection.execute(select + "q.attempts = 0 ORDER BY q.id LIMIT ?", (limit,)).fetchall()
    if len(rows) < limit:
        rows += connection.execute(
            select
            + """q.attempts > 0 AND q.status = 'pending'
                AND q.last_attempt_at + (? << (q.attempts - 1)) <= ? ORDER BY q.attempts, q.id LIMIT ?""",
            (BACKOFF_BASE_MS, now_ms, limit - len(rows)),
        )
    return [
        Job(number, indexed(text, fields_of(INDEXED_FIELDS, values)).whole())
        for number, text, *values in rows
    ]


def job_of(connection: sqlite3.Connection, rid: MemoryId) -> Job | None:
    """Return what is to be embedded of a memory; None where nothing waits."""
    row = connection.execute(
        f"SELECT m.id, m.text, {_COLUMNS} FROM embed_queue q JOIN shown_memory m ON m.id = q.id WHERE m.rid = ?",
        (rid,),
    ).fetchone()
    if row is None:
        return None
    number, text, *values = row
    return Job(number, indexed(text, fields_of(INDEXED_FIELDS, values)).whole())


def state(connection: sqlite3.Connection, table: str = "embed_queue") -> QueueState:
    """Return how a queue stands: that of texts to embed, or another one whose rows are tried and put off alike."""
    counts = dict(connection.execute(f"SELECT status, count(*) FROM {table} GROUP BY status"))
    ((due_at,),) = connection.execute(
        f"""SELECT min(CASE attempts WHEN 0 THEN enqueued_at ELSE last_attempt_at + (? << (attempts - 1)) END)
            FROM {table} WHERE status = 'pending'""",
        (BACKOFF_BASE_MS,),
    )
    return QueueState(counts.get("pending", 0), counts.get("failed", 0), due_at)


def has_pending(connection: sqlite3.Connection) -> bool:
    """Say whether a text waits to be embedded, or to be tried again: counting a million takes a fifth of a second."""
    return bool(
        connection.execute("SELECT EXISTS (SELECT 1 FROM embed_queue WHERE status = 'pending')").fetchone()[0]
    )


def unembedded(connection: sqlite3.Connection) -> int:
    """Return how many memories have no vector: those that wait for one, and those that were given up."""
    ((count,),) = connection.execute("SELECT count(*) FROM embed_queue")
    return int(count)


def entries(connection: sqlite3.Connection, *, status: str | None = None, limit: int = 100) -> list[QueueRow]:
    """Return rows of the queue, oldest first."""
    return [
        QueueRow(number, MemoryId(rid), *rest)
        for number, rid, *rest in connection.execute(
            """SELECT q.id, m.rid, m.text, q.enqueued_at, q.last_attempt_at, q.attempts, q.last_error,
                      q.status FROM embed_queue q JOIN shown_memory m ON m.id = q.id
               WHERE ? IS NULL OR q.status = ? ORDER BY q.id LIMIT ?""",
            (status, status, limit),
        )
    ]


def done(connection: sqlite3.Connection, space: int, jobs: Sequence[Job], vectors: Vectors) -> list[int]:
    """Keep the vectors of those memories that still say what was embedded.

    Return which of the jobs these are. No write that waits for the disk has to wait for these: what a power cut takes
    back is queued as it was.
    """
    with derived_transaction(connection):
        texts = _texts(connection, [job.id for job in jobs])
        kept = [i for i, job in enumerate(jobs) if texts.get(job.id) == job.text]
        data = vectors.astype(np.float16)
        connection.executemany(
            "INSERT OR REPLACE INTO vector VALUES (?, ?, ?)",
            [(jobs[i].id, space, data[i].tobytes()) for i in kept],
        )
        connection.executemany("DELETE FROM embed_queue WHERE id = ?", [(jobs[i].id,) for i in kept])
    return kept


def embed_all(connection: sqlite3.Connection, index: VectorIndex, embedder: Embedder, *, now_ms: int) -> None:
    """Empty the queue of a store that nobody else uses into an index, at once; what cannot be embedded is left."""
    while jobs := due(connection, now_ms=now_ms, limit=BATCH_MAX):
        try:
            vectors = embedder.embed([job.text for job in jobs])
        except Exception:
            return
        index.add([job.id for job in jobs], vectors)
        connection.executemany("DELETE FROM embed_queue WHERE id = ?", [(job.id,) for job in jobs])


def failed(connection: sqlite3.Connection, errors: Mapping[int, str], *, now_ms: int) -> None:
    """Count a failure of each memory; the fifth is the last."""
    with derived_transaction(connection):
        connection.executemany(
            """UPDATE embed_queue SET attempts = attempts + 1, last_attempt_at = ?, last_error = ?,
               status = CASE WHEN attempts + 1 >= ? THEN 'failed' ELSE 'pending' END WHERE id = ?""",
            [
                (now_ms, error[:ERROR_CHARACTERS_MAX], ATTEMPTS_MAX, number)
                for number, error in errors.items()
            ],
        )


def requeue(connection: sqlite3.Connection, rids: Iterable[MemoryId] | None = None) -> int:
    """Give up rows another five attempts: these memories', or all that failed. Return how many."""
    fresh = "UPDATE embed_queue SET status = 'pending', attempts = 0, last_attempt_at = NULL WHERE "
    with transaction(connection):
        before = connection.total_changes
        if rids is None:
            connection.execute(fresh + "status = 'failed'")
        else:
            connection.executemany(
                fresh + "id = (SELECT id FROM shown_memory WHERE rid = ?)", [(rid,) for rid in rids]
            )
        return connection.total_changes - before


def enter_space(connection: sqlite3.Connection, name: str, *, now_ms: int) -> int:
    """Make `name` the space of all vectors and return its number.

    If it was another, every memory is queued again.
    """
    row = connection.execute("SELECT no FROM vector_space WHERE name = ?", (name,)).fetchone()
    if row is not None:
        return int(row[0])
    with transaction(connection):
        connection.execute("DELETE FROM vector")
        connection.execute("DELETE FROM vector_space")
        drop_vectors(connection)  # of wordings: the number of a space that is gone comes again
        connection.execute("INSERT INTO vector_space (name) VALUES (?)", (name,))
        connection.execute(
            "INSERT OR REPLACE INTO embed_queue (id, enqueued_at) SELECT id, ? FROM shown_memory", (now_ms,)
        )
        ((number,),) = connection.execute("SELECT no FROM vector_space")
        return int(number)


def room_for_vectors(connection: sqlite3.Connection) -> int:
    """Return a number that no fewer vectors have, and hardly more: their rows follow one another."""
    # One at a time: asked for both, SQLite reads every row.
    ((first,),) = connection.execute("SELECT min(id) FROM vector")
    ((last,),) = connection.execute("SELECT max(id) FROM vector")
    return 0 if first is None or last is None else int(last - first + 1)


def read_vectors(
    connection: sqlite3.Connection, space: int, width: int
) -> Iterator[tuple[list[int], Halves]]:
    """Return every vector of a space, some thousands at a time, with the numbers of the memories they are of."""
    bytes_wide = width * np.dtype(np.float16).itemsize
    # Their pages are read once: kept, they would push everything else out of the connection's cache, and fill it.
    ((pages,),) = connection.execute("PRAGMA cache_size")
    connection.execute(f"PRAGMA cache_size = -{_LOADING_KIB}")
    cursor = connection.execute(
        "SELECT id, data FROM vector WHERE space = ? AND length(data) = ? ORDER BY id", (space, bytes_wide)
    )
    while rows := cursor.fetchmany(_LOADED_ROWS):
        yield _unpacked(rows, width)
    connection.execute(f"PRAGMA cache_size = {pages}")


def vectors_of(
    connection: sqlite3.Connection, space: int, width: int, ids: Sequence[int]
) -> tuple[list[int], Halves]:
    """Return the vectors that there are of these memories, in the order of their numbers."""
    bytes_wide = width * np.dtype(np.float16).itemsize
    rows = connection.execute(
        f"SELECT id, data FROM vector WHERE id IN ({EACH}) AND space = ? AND length(data) = ? ORDER BY id",
        (json.dumps(list(ids)), space, bytes_wide),
    )
    return _unpacked(rows.fetchall(), width)


def _unpacked(rows: Sequence[tuple[int, bytes]], width: int) -> tuple[list[int], Halves]:
    packed = np.frombuffer(b"".join([data for _, data in rows]), np.float16)
    return [number for number, _ in rows], packed.reshape(-1, width)


def _texts(connection: sqlite3.Connection, ids: Sequence[int]) -> dict[int, str]:
    return {
        said.id: indexed(said.text, said.fields).whole()
        for said in wordings_of(connection, ids, INDEXED_FIELDS)
    }
