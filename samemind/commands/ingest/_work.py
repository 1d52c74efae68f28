"""What several commands of this family do."""

import sqlite3
from datetime import datetime
from typing import Final

from cognition.background.queue import BACKOFF_BASE_MS, QueueRow
from cognition.ingest.holding import QuarantinedText, find_held
from cognition.talk.queue import TalkEntry
from replica import show_memory_id
from samemind.commands.ingest._parts import QueueEntry
from samemind.errors import NotFound
from samemind.formats.ids import CANDIDATES_MAX, ambiguous, id_range
from samemind.formats.times import at_ms

TALK: Final = "talk-"


# Enough to know a text again.
_SHOWN_CHARACTERS: Final = 80


def embed_entry(entry: QueueRow) -> QueueEntry:
    return _entry(entry, show_memory_id(entry.rid), "embed", entry.text[:_SHOWN_CHARACTERS])


def talk_entry(entry: TalkEntry) -> QueueEntry:
    return _entry(entry, f"{TALK}{entry.id}", entry.kind, entry.conversation)


def _entry(entry: QueueRow | TalkEntry, shown_id: str, work: str, what: str) -> QueueEntry:
    return QueueEntry(
        id=shown_id,
        work=work,
        what=what,
        status=entry.status,
        attempts=entry.attempts,
        enqueued_at=at_ms(entry.enqueued_at),
        last_attempt_at=None if entry.last_attempt_at is None else at_ms(entry.last_attempt_at),
        next_attempt_at=_next(entry),
        last_error=entry.last_error,
    )


def find(connection: sqlite3.Connection, text: str) -> QuarantinedText:
    found = find_held(connection, *id_range(text, "what is held"))
    if not found:
        raise NotFound(f"no quarantined text has the id {text}", hint="`samemind held` lists what is")
    if len(found) > 1:
        raise ambiguous("ids", text, tuple(show_memory_id(each.rid) for each in found[:CANDIDATES_MAX]))
    return found[0]


def _next(entry: QueueRow | TalkEntry) -> datetime | None:
    if entry.status != "pending" or entry.last_attempt_at is None:
        return None
    return at_ms(entry.last_attempt_at + (BACKOFF_BASE_MS << (entry.attempts - 1)))
