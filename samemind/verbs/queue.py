"""Show what is still to be done, and try again what was given up.

Two queues are shown as one: memories to be embedded, named by their ids, and stretches of talk for a model to
read, named `talk-N`. What a reranker has still to read is counted with them, and has no entries: it is never given up.
"""

from datetime import datetime
from typing import Final

from cognition.queue import BACKOFF_BASE_MS, Entry
from cognition.talk.queue import TalkEntry, talk_entries, talk_state
from replica import MemoryId, show_memory_id
from samemind.control.server import Say
from samemind.device import Device
from samemind.errors import Usage
from samemind.results.taking import Queue, QueueEntry, Requeued
from samemind.surface.taking import ListQueue, Requeue, WaitForQueue
from samemind.times import at_ms
from samemind.verbs.ids import find_memory

LIST_MAX: Final = 10_000
_TALK: Final = "talk-"
# Enough to know a text again.
_SHOWN_CHARACTERS: Final = 80


async def queue_list(device: Device, options: ListQueue) -> Queue:
    """List both queues."""
    if not 0 <= options.limit <= LIST_MAX:
        raise Usage(f"expected a limit of 0 to {LIST_MAX}, got {options.limit}", code="invalid")
    state = await device.mind.embedding.state()
    talk = await device.replica.read(talk_state)
    embeds = await device.mind.embedding.entries(status=options.status, limit=options.limit)
    talks = await device.replica.read(
        lambda connection: talk_entries(connection, status=options.status, limit=options.limit)
    )
    entries = [*map(_embed_entry, embeds), *map(_talk_entry, talks)]
    return Queue(
        pending=state.pending + talk.pending + await device.mind.reranking.pending(),
        failed=state.failed + talk.failed,
        entries=entries[: options.limit],
    )


async def queue_requeue(device: Device, options: Requeue) -> Requeued:
    """Give entries five attempts more."""
    if not options.ids:
        count = await device.mind.embedding.requeue()
        return Requeued(count=count + await device.mind.requeue_talk(None))
    talks = [_number(text) for text in options.ids if text.startswith(_TALK)]
    rids: list[MemoryId] = await device.replica.read(
        lambda connection: [
            find_memory(connection, text) for text in options.ids if not text.startswith(_TALK)
        ]
    )
    count = await device.mind.embedding.requeue(rids) if rids else 0
    return Requeued(count=count + (await device.mind.requeue_talk(talks) if talks else 0))


async def queue_wait(device: Device, options: WaitForQueue, say: Say) -> Queue:
    """Wait until everything is embedded, and read by the reranker, saying how far that is.

    A change of either model begins anew.
    """
    total = 0

    async def told(pending: int) -> None:
        nonlocal total
        total = max(total, pending)
        await say({"progress": {"done": total - pending, "total": total}})

    await device.mind.settle(told)
    total = 0
    await device.mind.reranking.settle(told)
    return await queue_list(device, ListQueue())


def _number(text: str) -> int:
    number = text.removeprefix(_TALK)
    if not number.isdecimal():
        raise Usage(f"expected an id that `queue` lists, got {text!r:.40}", code="bad_id")
    return int(number)


def _embed_entry(entry: Entry) -> QueueEntry:
    return _entry(entry, show_memory_id(entry.rid), "embed", entry.text[:_SHOWN_CHARACTERS])


def _talk_entry(entry: TalkEntry) -> QueueEntry:
    return _entry(entry, f"{_TALK}{entry.id}", entry.kind, entry.conversation)


def _entry(entry: Entry | TalkEntry, shown_id: str, work: str, what: str) -> QueueEntry:
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


def _next(entry: Entry | TalkEntry) -> datetime | None:
    if entry.status != "pending" or entry.last_attempt_at is None:
        return None
    return at_ms(entry.last_attempt_at + (BACKOFF_BASE_MS << (entry.attempts - 1)))
