"""Have a model say in the background what nominees are to each other, of those that nobody judged.

It is asked about one memory at a time, beside the older ones that may contradict or repeat it, the likeliest first, and
at most about so many a day. Of what it says, what cannot both be true is raised, and what repeats is linked: a person's
verdict and an agent's outrank it, and it is never asked about by itself. That something has changed is left to them: it
would take the older memory out of what holds, on the word of a model that may be wrong.

Reading the store, asking in a thread, and writing are three steps, so the store is never held up. A pair is asked about
once, and once more when either memory was changed.
"""

import hashlib
import json
import sqlite3
from collections import deque
from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from cognition.background.worker import EmbeddingWorker
from cognition.days import DAY_MS
from cognition.extraction.contract import Message, ModelVerdict, read_verdicts
from cognition.extraction.prompts import JUDGING_SYSTEM, judging_prompt
from cognition.extraction.secrets import secrets
from cognition.fading.tiers import told_ms
from cognition.judging.settling import in_order, settle
from cognition.judging.verdicts import WEIGHTS, Judge, Verdict, standing
from cognition.memories import EACH, Shown
from cognition.models.asking import QUIET_MS, SHOWN_CHARACTERS, BackgroundAsker
from cognition.models.chat import ChatModel
from replica import Core, MemoryId, Replica, memories_called, transaction
from replica.hlc import COUNTER_BITS

if TYPE_CHECKING:
    from cognition.judging.comparing import Comparing

# To look which pairs there are takes seconds of processor time; whoever tells much has it done once in so long.
REVIEW_EVERY_MS: Final = 300_000
# Three verdicts with the words of both texts.
TOKENS_MAX: Final = 800
TEMPERATURE: Final = 0.0
_PAIR_DIGITS: Final = 32
_WRITTEN: Final = (Verdict.DISAGREE, Verdict.REPEATS)


class Compared(NamedTuple):
    """What came of one memory: with how many older ones it was compared, and the verdicts that were written."""

    older: int
    verdicts: tuple[Verdict, ...]


class _Comparison(NamedTuple):
    told: Shown
    older: tuple[Shown, ...]


class ModelJudge(BackgroundAsker):
    """Asks one model, for as long as `work` runs."""

    def __init__(
        self,
        replica: Replica,
        model: ChatModel,
        comparing: "Comparing",
        embedding: EmbeddingWorker,
        *,
        daily_max: int,
    ) -> None:
        """`daily_max`: about how many memories it is asked within a day."""
        super().__init__(model, temperature=TEMPERATURE, tokens_max=TOKENS_MAX)
        self._replica, self._comparing, self._embedding = replica, comparing, embedding
        self.daily_max = daily_max
        self._waiting: deque[_Comparison] = deque()
        self._newest: int | None = None
        self._due_ms: int | None = None

    async def work(self) -> None:
        """Have judged what is due, for ever."""
        await self._work(self.judge_next)

    async def judge_next(self) -> Compared | None:
        """Ask about the next memory; None where nothing is due. `ModelUnavailable`, `ModelFailed`: nobody answered."""
        now_ms = self._replica.now_ms()
        await self._look(now_ms)
        if not self._waiting:
            return None
        if await self.asked_of_late() >= self.daily_max:
            return None
        comparison = self._waiting[0]
        found = await self._ask(comparison)
        self._waiting.popleft()
        return await self._replica.run(
            lambda core, connection: _write(core, connection, comparison, found, self._replica.now_ms())
        )

    async def asked_of_late(self) -> int:
        """Return about how many memories the model was asked about within a day."""
        since_ms = self._replica.now_ms() - DAY_MS
        return await self._replica.read(partial(_asked_since, since_ms=since_ms))

    async def _look(self, now_ms: int) -> None:
        """Look which pairs wait to be judged, where anything was told since the last look."""
        newest = await self._replica.read(_newest)
        if newest != self._newest:
            self._newest = newest
            self._due_ms = self._due_ms or now_ms + QUIET_MS
        # A clock that was put back has nothing wait for longer.
        if self._due_ms is None or 0 < self._due_ms - now_ms <= REVIEW_EVERY_MS:
            return
        if not self._embedding.ready:  # by words alone it would be asked about others
            await self._embedding.embed(["a"])
        pairs = (await self._comparing.unjudged()).pairs
        comes = any(_is_fresh(told, now_ms) for told, _ in pairs)
        self._due_ms = now_ms + REVIEW_EVERY_MS if comes else None
        ripe = [
            (told, each.shown)
            for told, each in pairs
            if not _is_fresh(told, now_ms) and self._may_see(told) and self._may_see(each.shown)
        ]
        self._waiting = deque(_by_memory(await self._replica.read(partial(_unasked, pairs=ripe))))

    def _may_see(self, it: Shown) -> bool:
        """Say whether a model may be shown a memory: one elsewhere no secret, which its owner wanted in this memory."""
        return not (self._model.remote and secrets(it.memory.text))

    async def _ask(self, comparison: _Comparison) -> list[ModelVerdict]:
        """Return a model's verdicts; where no answer can be had, there are none."""
        new, *older = map(_message, (comparison.told, *comparison.older))
        texts = [each.text for each in older]
        found = await self._answer(
            comparison,
            JUDGING_SYSTEM,
            judging_prompt(new, older),
            lambda answer: read_verdicts(answer, new.text, texts, among=_WRITTEN),
        )
        return found or []


def _asked_since(connection: sqlite3.Connection, since_ms: int) -> int:
    ((count,),) = connection.execute(
        "SELECT count(DISTINCT asked_ms) FROM model_asked WHERE asked_ms > ?", (since_ms,)
    )
    return int(count)


def _newest(connection: sqlite3.Connection) -> int:
    ((number,),) = connection.execute("SELECT ifnull(max(id), 0) FROM shown_memory")
    return int(number)


def _is_fresh(told: Shown, now_ms: int) -> bool:
    """Say whether a memory may yet be settled; what came from a clock that is ahead is not waited for."""
    return 0 <= now_ms - (told.memory.created >> COUNTER_BITS) < QUIET_MS


def _by_memory(pairs: Iterable[tuple[Shown, Shown]]) -> list[_Comparison]:
    """Return what each memory is to be compared with, in the order in which the first of its pairs comes."""
    found: dict[MemoryId, _Comparison] = {}
    for told, older in pairs:
        known = found.get(told.rid, _Comparison(told, ()))
        found[told.rid] = known._replace(older=(*known.older, older))
    return list(found.values())


def _unasked(
    connection: sqlite3.Connection, pairs: Sequence[tuple[Shown, Shown]]
) -> list[tuple[Shown, Shown]]:
    """Return the pairs of which the model was not asked yet."""
    named = {_pair(told, older): (told, older) for told, older in pairs}
    rows = connection.execute(f"SELECT pair FROM model_asked WHERE pair IN ({EACH})", (json.dumps([*named]),))
    asked = {pair for (pair,) in rows}
    return [pair for name, pair in named.items() if name not in asked]


def _write(
    core: Core,
    connection: sqlite3.Connection,
    comparison: _Comparison,
    found: Sequence[ModelVerdict],
    now_ms: int,
) -> Compared:
    """Write the verdicts on pairs that still say the same and that nobody judged meanwhile; note that it was asked."""
    told = comparison.told
    now = {
        it.rid: it.memory.text
        for it in memories_called(connection, [told.rid, *(it.rid for it in comparison.older)])
    }
    written = []
    for said in found:
        older, verdict = comparison.older[said.older], Verdict(said.verdict)
        if any(now.get(it.rid) != it.memory.text for it in (told, older)):
            continue
        if verdict is Verdict.DISAGREE and said.older_words == said.new_words:
            continue
        if standing(connection, told.rid, older.rid) is not None:
            continue
        first, second = in_order(connection, (older.rid, told.rid))
        settle(
            core,
            connection,
            first,
            second,
            verdict,
            weight=WEIGHTS[Judge.MODEL],
            since_ms=None,
            now_ms=now_ms,
        )
        written.append(verdict)
    with transaction(connection):
        connection.executemany(
            "INSERT OR REPLACE INTO model_asked VALUES (?, ?)",
            [(_pair(told, older), now_ms) for older in comparison.older],
        )
    return Compared(len(comparison.older), tuple(written))


def _pair(told: Shown, older: Shown) -> str:
    # Not of the texts: who erases one leaves nothing by which it could be guessed.
    both = " ".join(f"{it.rid.hex()} {it.memory.updated}" for it in (told, older))
    return hashlib.sha256(both.encode()).hexdigest()[:_PAIR_DIGITS]


def _message(it: Shown) -> Message:
    speaker = it.memory.fields.get("speaker")
    return Message(
        speaker if isinstance(speaker, str) else None, it.memory.text[:SHOWN_CHARACTERS], told_ms(it.memory)
    )
