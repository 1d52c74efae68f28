"""The durable queue of talk that a model is still to read: when a stretch is due, and what came of it.

A model is never asked about each message. Core facts are asked for every five messages of a talk and at its
end, a whole reading every ten and at the end; each time the last ten messages are shown, and a talk of one
message is none. A stretch enters the queue by the ids of its messages: it holds no text, so what is erased
meanwhile is never sent to anybody.

A model that fails is tried again after 1.5 s, 3 s, 6 s and 12 s; the fifth failure is the last until somebody
asks again. An answer that is not what was asked for is asked for once more at once, and then given up: the
same question brings the same answer.
"""

import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from cognition.background.queue import ATTEMPTS_MAX, BACKOFF_BASE_MS, ERROR_CHARACTERS_MAX, QueueState, state
from replica import DeviceId, MemoryId, transaction
from replica.reads.texts import said_then

if TYPE_CHECKING:
    from cognition.extraction.contract import Message

ReadingKind = Literal["core", "reading"]
# LO-01, LO-02: every so many messages each kind is asked for, and how many it is shown.
EVERY: Final[dict[ReadingKind, int]] = {"core": 5, "reading": 10}
WINDOW: Final = 10
WINDOW_MIN: Final = 2
# Records that a model made carry this as their source, and are never read again; nor is what came from recall.
MODEL: Final = "model"
_NOT_TALK: Final = (MODEL, "recall")
# Messages looked at when one comes: a talk that was imported whole is queued in so many steps.
_UNREAD_MAX: Final = 10_000


class TalkJob(NamedTuple):
    """One stretch to be read; `workspace` is None for none."""

    id: int
    kind: ReadingKind
    conversation: str
    workspace: str | None
    upto: int


class TalkEntry(NamedTuple):
    """One row of the queue, as people see it."""

    id: int
    kind: str
    conversation: str
    enqueued_at: int
    last_attempt_at: int | None
    attempts: int
    last_error: str | None
    status: str


class WindowTurn(NamedTuple):
    """A message of a window, and the memory that holds it."""

    id: int
    rid: MemoryId
    message: "Message"


def note_talk(
    connection: sqlite3.Connection,
    device: DeviceId,
    conversation: str,
    workspace: str | None,
    *,
    now_ms: int,
    closing: bool = False,
) -> int:
    """Queue what became due in a talk, after new messages or at its end; return how many stretches that are."""
    queued = 0
    with transaction(connection):
        for kind, every in EVERY.items():
            unread = _unread(connection, device, conversation, workspace, kind)
            steps = [unread[start : start + every] for start in range(0, len(unread), every)]
            due = [step for step in steps if len(step) == every or closing]
            for step in due:
                if len(_turn_ids(connection, conversation, workspace, step[-1])) < WINDOW_MIN:
                    break
                connection.execute(
                    "INSERT INTO talk_queue (kind, conversation, workspace, upto, enqueued_at) VALUES (?, ?, ?, ?, ?)",
                    (kind, conversation, workspace, step[-1], now_ms),
                )
                connection.execute(
                    "INSERT OR REPLACE INTO talk_read VALUES (?, ?, ?, ?)",
                    (conversation, workspace or "", kind, step[-1]),
                )
                queued += 1
    return queued


def due_talk(connection: sqlite3.Connection, *, now_ms: int) -> TalkJob | None:
    """Return the stretch to read next: new ones in their order, then those whose wait is over."""
    for row in connection.execute(
        """SELECT id, kind, conversation, workspace, upto FROM talk_queue
           WHERE status = 'pending' AND (attempts = 0 OR last_attempt_at + (? << (attempts - 1)) <= ?)
           ORDER BY attempts, id LIMIT 1""",
        (BACKOFF_BASE_MS, now_ms),
    ):
        return TalkJob(*row)
    return None


def window_of(connection: sqlite3.Connection, job: TalkJob) -> list[WindowTurn]:
    """Return the messages that a job is about, as they stand now; the forgotten ones are not among them."""
    # A question asks no model, and needs none of its patterns.
    from cognition.extraction.contract import Message

    ids = _turn_ids(connection, job.conversation, job.workspace, job.upto)
    return [
        WindowTurn(said.id, said.rid, Message(said.speaker, said.text, said.told_ms))
        for said in said_then(connection, ids)
    ]


def read_talk(connection: sqlite3.Connection, job: TalkJob) -> None:
    """Take a stretch out of the queue: it was read, or nothing is left of it."""
    with transaction(connection):
        connection.execute("DELETE FROM talk_queue WHERE id = ?", (job.id,))


def failed_talk(
    connection: sqlite3.Connection, job: TalkJob, error: str, *, now_ms: int, last: bool = False
) -> None:
    """Count a failure; the fifth is the last, and so is one that says so."""
    with transaction(connection):
        connection.execute(
            """UPDATE talk_queue SET attempts = attempts + 1, last_attempt_at = ?, last_error = ?,
               status = CASE WHEN ? OR attempts + 1 >= ? THEN 'failed' ELSE 'pending' END WHERE id = ?""",
            (now_ms, error[:ERROR_CHARACTERS_MAX], last, ATTEMPTS_MAX, job.id),
        )


def requeue_talk(connection: sqlite3.Connection, ids: Sequence[int] | None = None) -> int:
    """Give stretches another five attempts: these, or all that failed. Return how many."""
    fresh = "UPDATE talk_queue SET status = 'pending', attempts = 0, last_attempt_at = NULL WHERE "
    with transaction(connection):
        before = connection.total_changes
        if ids is None:
            connection.execute(fresh + "status = 'failed'")
        else:
            connection.executemany(fresh + "id = ?", [(number,) for number in ids])
        return connection.total_changes - before


def talk_state(connection: sqlite3.Connection) -> QueueState:
    """Return how the queue stands."""
    return state(connection, "talk_queue")


def talk_entries(
    connection: sqlite3.Connection, *, status: str | None = None, limit: int = 100
) -> list[TalkEntry]:
    """Return rows of the queue, oldest first."""
    return [
        TalkEntry(*row)
        for row in connection.execute(
            """SELECT id, kind, conversation, enqueued_at, last_attempt_at, attempts, last_error, status
               FROM talk_queue WHERE ? IS NULL OR status = ? ORDER BY id LIMIT ?""",
            (status, status, limit),
        )
    ]


# What counts as a message: not a fact of one, and nothing that a model or a recall brought.
_IS_TALK: Final = (
    "m.conversation = ? AND m.workspace IS ? AND m.parent IS NULL AND ifnull(m.source, '') NOT IN (?, ?)"
)


def _unread(
    connection: sqlite3.Connection, device: DeviceId, conversation: str, workspace: str | None, kind: str
) -> list[int]:
    """Return the messages told on this device that are in no stretch yet: others' devices read their own."""
    rows = connection.execute(
        f"""SELECT m.id FROM shown_memory m JOIN known_feed f ON f.no = m.feed WHERE {_IS_TALK} AND f.device = ?
            AND m.id > ifnull((SELECT upto FROM talk_read WHERE conversation = ? AND workspace = ? AND kind = ?), 0)
            ORDER BY m.id LIMIT ?""",
        (conversation, workspace, *_NOT_TALK, device, conversation, workspace or "", kind, _UNREAD_MAX),
    )
    return [number for (number,) in rows]


def _turn_ids(
    connection: sqlite3.Connection, conversation: str, workspace: str | None, upto: int
) -> list[int]:
    rows = connection.execute(
        f"SELECT m.id FROM shown_memory m WHERE {_IS_TALK} AND m.id <= ? ORDER BY m.id DESC LIMIT ?",
        (conversation, workspace, *_NOT_TALK, upto, WINDOW),
    )
    return [number for (number,) in rows]
