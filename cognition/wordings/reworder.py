"""Have a local model say memories in other words, in the background, so that they are found by those too.

Nobody waits for it. A page of memories is asked for at a time: reading the store, asking the model in a thread, and
writing are three steps. What was told within the last minute may yet be put right, and is left until then. A model that
is not there, or too busy, is asked again a minute later; an answer that is none is asked for once more, and then the
page is left as it is: the same question brings the same answer.

Only a model on this machine or its network is asked: one that is elsewhere is shown talk, and nothing else.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import trio

from cognition.errors import ModelUnavailable
from cognition.extraction.contract import BadAnswer, Message, read_wordings
from cognition.extraction.prompts import REWORDING_SYSTEM, rewording_prompt
from cognition.models.chat import ChatMessage, ChatModel, ModelFailed
from cognition.wordings import tables
from cognition.wordings.embedding import Embed, vectors_of
from cognition.wordings.tables import UnwordedMemory, checked
from replica import Replica, ReplicaError

# Three short sentences for each of eight notes are some six hundred tokens.
PAGE: Final = 8
TOKENS_MAX: Final = 1_500
# Wordings are to differ, so a little warmer than what is read out of talk.
TEMPERATURE: Final = 0.3
# So much of a memory is shown: whoever wrote more said too much for three short sentences.
SHOWN_CHARACTERS: Final = 600
QUIET_MS: Final = 60_000
LOOK_S: Final = 60
ASKS_MAX: Final = 2
# A page at which the model breaks so often is left as it is, or nothing behind it would have its turn.
BREAKS_MAX: Final = 5


@dataclass(frozen=True, slots=True)
class Reworded:
    """What came of a page: how many memories it held, and how many of them have other words now."""

    asked: int
    worded: int


class Reworder:
    """Asks one model, for as long as `work` runs."""

    def __init__(self, replica: Replica, model: ChatModel, embed: Embed, space: int) -> None:
        """`embed` makes the vectors of the space of this number."""
        self._replica, self._model, self._embed, self._space = replica, model, embed, space
        self._breaks: tuple[tuple[int, ...], int] = ((), 0)
        self.trouble: ModelUnavailable | ModelFailed | ReplicaError | None = None

    async def work(self) -> None:
        """Reword what is due, for ever."""
        while True:
            try:
                while await self.reword_next() is not None:
                    self.trouble = None
            except (ModelUnavailable, ModelFailed, ReplicaError) as error:
                self.trouble = error
            await trio.sleep(LOOK_S)

    async def reword_next(self) -> Reworded | None:
        """Reword the next page; None where nothing is due. `ModelUnavailable` or `ModelFailed`: nobody answered."""
        before_ms = self._replica.now_ms() - QUIET_MS
        page = await self._replica.read(
            lambda connection: tables.unworded(connection, before_ms=before_ms, limit=PAGE)
        )
        if not page:
            return None
        found = await self._ask(page)
        wordings = [checked(texts, one.text) for one, texts in zip(page, found, strict=True)]
        vectors = await vectors_of(self._embed, wordings)
        await self._replica.run(
            lambda core, connection: tables.keep(connection, self._space, page, wordings, vectors)
        )
        return Reworded(len(page), sum(map(bool, wordings)))

    async def _ask(self, page: Sequence[UnwordedMemory]) -> list[list[str]]:
        """Ask, and once more where the answer is not what was asked for; then there are no other words."""
        shown = [Message(one.speaker, one.text[:SHOWN_CHARACTERS], one.told_ms) for one in page]
        asked = [ChatMessage("system", REWORDING_SYSTEM), ChatMessage("user", rewording_prompt(shown))]
        for _ in range(ASKS_MAX):
            try:
                answer = await trio.to_thread.run_sync(self._complete, asked, abandon_on_cancel=True)
            except ModelFailed:
                if self._broke(page):
                    break
                raise
            try:
                return read_wordings(answer, len(page))
            except BadAnswer:
                continue
        return [[] for _ in page]

    def _broke(self, page: Sequence[UnwordedMemory]) -> bool:
        """Note that the model broke at a page; say whether it has done so too often."""
        numbers = tuple(one.id for one in page)
        known, often = self._breaks
        self._breaks = numbers, often + 1 if known == numbers else 1
        return self._breaks[1] >= BREAKS_MAX

    def _complete(self, messages: Sequence[ChatMessage]) -> str:
        return self._model.complete(messages, temperature=TEMPERATURE, max_tokens=TOKENS_MAX)
