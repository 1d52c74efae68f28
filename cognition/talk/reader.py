"""Have a model read talk in the background: nobody waits for it, and nothing is lost where it fails.

The reader takes one stretch at a time from the queue: reading the store, asking the model in a thread, and
writing are three steps, so the store is never held up by a model. What comes of one stretch is a value
(`ReadOutcome`), error or not: no answer of a model can stop the talk.
"""

import math
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import trio

from cognition.contradictions.reading import read_statements
from cognition.contradictions.telling import ClaimWriter, PendingClaims, telling_of
from cognition.errors import ModelUnavailable
from cognition.extraction.contract import BadAnswer, read_core_facts, read_reading
from cognition.extraction.prompts import CORE_SYSTEM, READING_SYSTEM, core_prompt, reading_prompt
from cognition.extraction.values import Statement
from cognition.memories import Shown
from cognition.models.chat import ChatMessage, ChatModel
from cognition.talk import queue
from cognition.talk.core_facts import core_writes, known_facts
from cognition.talk.queue import TalkJob, WindowTurn
from cognition.talk.writing import KIND, SUMMARY, reading_writes
from replica import Core, DeviceId, MemoryId, Remember, Replica, ReplicaError, Write, is_known
from replica.reads.ids import is_shown

# LO-03.
TEMPERATURE: Final = 0.1
CORE_TOKENS_MAX: Final = 500
# A reading of ten messages is some thirty records.
READING_TOKENS_MAX: Final = 2_500
# A model that is not there is looked for again after this long: somebody may be starting it.
TROUBLE_RETRY_S: Final = 60
# A bad answer is asked for once more (ML-43).
ASKS_MAX: Final = 2


@dataclass(frozen=True, slots=True)
class ReadOutcome:
    """What came of one stretch: how much was written and dropped, or why nothing was."""

    written: int = 0
    dropped: int = 0
    error: str | None = None


class TalkReader:
    """Reads talk with one model, for as long as `work` runs."""

    def __init__(self, replica: Replica, device: DeviceId, model: ChatModel, *, newer: bool = False) -> None:
        """`newer`: the owner wants the later word to stand, and not to be asked."""
        self._newer = newer
        self._replica = replica
        self._device = device
        self.model = model
        self._wake = trio.Event()
        self._progress = trio.Event()
        self.trouble: ModelUnavailable | ReplicaError | None = None

    async def note(self, conversation: str, workspace: str | None, *, closing: bool = False) -> int:
        """Take note of new messages in a talk, or of its end; return how many stretches became due."""
        now_ms = self._replica.now_ms()

        def write(core: Core, connection: sqlite3.Connection) -> int:
            return queue.note_talk(
                connection, self._device, conversation, workspace, now_ms=now_ms, closing=closing
            )

        queued = await self._replica.run(write)
        self.wake()
        return queued

    def wake(self) -> None:
        """Look into the queue now."""
        self._wake.set()

    async def settle(self) -> None:
        """Wait until nothing waits to be read; raises what keeps it from that."""
        while True:
            progress = self._progress  # from before the look: what is read during it is progress, too
            if not (await self._replica.read(queue.talk_state)).pending:
                return
            if self.trouble is not None:
                raise self.trouble
            await progress.wait()

    async def work(self) -> None:
        """Read what is due, for ever."""
        while True:
            self._wake = wake = trio.Event()
            try:
                while await self.read_next() is not None:
                    self._tell()
                self.trouble, wait_s = None, await self._until_due_s()
            except (ModelUnavailable, ReplicaError) as error:
                self.trouble, wait_s = error, TROUBLE_RETRY_S
            self._tell()
            with trio.move_on_after(wait_s):
                await wake.wait()

    async def read_next(self) -> ReadOutcome | None:
        """Read the stretch that is due, if one is; `ModelUnavailable` where there is nobody to ask."""
        now_ms = self._replica.now_ms()
        job = await self._replica.read(lambda connection: queue.due_talk(connection, now_ms=now_ms))
        if job is None:
            return None
        turns, known = await self._replica.read(
            lambda connection: (queue.window_of(connection, job), known_facts(connection, job.workspace))
        )
        if len(turns) < queue.WINDOW_MIN:  # what it was about has been forgotten
            await self._replica.run(lambda core, connection: queue.read_talk(connection, job))
            return ReadOutcome()
        try:
            writes, dropped = await self._ask(job, turns, known)
        except ModelUnavailable:
            raise
        except Exception as error:
            told = f"{type(error).__name__}: {error}"
            last = isinstance(error, BadAnswer)
            await self._replica.run(
                lambda core, connection: queue.failed_talk(connection, job, told, now_ms=now_ms, last=last)
            )
            return ReadOutcome(error=told)
        return ReadOutcome(
            await self._replica.run(
                lambda core, connection: _keep(core, connection, job, writes, now_ms, newer=self._newer)
            ),
            dropped,
        )

    async def _ask(
        self, job: TalkJob, turns: Sequence[WindowTurn], known: Sequence[Shown]
    ) -> tuple[list[Write], int]:
        """Ask, and ask once more where the answer is not what was asked for."""
        window = [turn.message for turn in turns]
        system, asked, tokens = (
            (CORE_SYSTEM, core_prompt(window, [it.memory.text for it in known]), CORE_TOKENS_MAX)
            if job.kind == "core"
            else (READING_SYSTEM, reading_prompt(window), READING_TOKENS_MAX)
        )
        messages = [ChatMessage("system", system), ChatMessage("user", asked)]
        refused: BadAnswer | None = None
        for _ in range(ASKS_MAX):
            answer = await trio.to_thread.run_sync(self._complete(messages, tokens), abandon_on_cancel=True)
            try:
                if job.kind == "core":
                    facts, dropped = read_core_facts(answer, len(known))
                    return core_writes(facts, known, job), dropped
                reading = read_reading(answer, window)
                return reading_writes(reading, turns, job), reading.dropped
            except BadAnswer as error:
                refused = error
        assert refused is not None
        raise refused

    def _complete(self, messages: Sequence[ChatMessage], tokens: int) -> Callable[[], str]:
        return lambda: self.model.complete(messages, temperature=TEMPERATURE, max_tokens=tokens)

    async def _until_due_s(self) -> float:
        due_at = (await self._replica.read(queue.talk_state)).due_at
        return math.inf if due_at is None else max(0.0, (due_at - self._replica.now_ms()) / 1_000)

    def _tell(self) -> None:
        progress, self._progress = self._progress, trio.Event()
        progress.set()


def _keep(
    core: Core,
    connection: sqlite3.Connection,
    job: TalkJob,
    writes: Sequence[Write],
    now_ms: int,
    *,
    newer: bool,
) -> int:
    """Write what is neither here nor forgotten, with what it claims, and take the stretch out of the queue.

    A crash between the two reads the stretch again, which writes nothing twice: ids follow from what is said.
    """
    kept = [write for write in writes if _is_wanted(connection, write)]
    teller = ClaimWriter(core, connection, now_ms)
    for write in kept:
        teller.tell([write], claimed(write, now_ms, newer=newer))
    teller.commit()
    queue.read_talk(connection, job)
    return len(kept)


def claimed(write: Write, now_ms: int, *, newer: bool = False) -> list[tuple[PendingClaims, Statement]]:
    """Return what a fact that a model read states of which only one thing can be true, as of one read by patterns.

    A summary is of many things at once, and a word that the message itself holds was claimed with the message.
    """
    if write.rid is None or not isinstance(write.body, Remember) or write.body.fields.get("type") is None:
        return []
    fields = write.body.fields
    if isinstance(meta := fields.get("meta"), dict) and meta.get(KIND) == SUMMARY:
        return []
    telling = telling_of(write.rid, fields, now_ms, newer=newer)
    return [
        (telling, statement)
        for statement in read_statements(write.body.text, told_at_ms=telling.told_ms, speaker=telling.speaker)
    ]


def _is_wanted(connection: sqlite3.Connection, write: Write) -> bool:
    """Say whether a write still makes sense: what it is of is here, and it is itself neither here nor forgotten."""
    if not isinstance(write.body, Remember):
        return write.rid is not None and is_shown(connection, write.rid)
    parent = write.body.fields.get("parent")
    if isinstance(parent, bytes) and not is_shown(connection, MemoryId(parent)):
        return False
    return write.rid is None or not is_known(connection, write.rid)
