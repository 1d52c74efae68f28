"""Have a local model say memories in other words, in the background, so that they are found by those too.

Nobody waits for it. A page of memories is asked for at a time: reading the store, asking the model in a thread, and
writing are three steps. What was told within the last minute may yet be put right, and is left until then.

Only a model on this machine or its network is asked: one that is elsewhere is shown talk, and nothing else.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from cognition.extraction.contract import Message, read_wordings
from cognition.extraction.prompts import REWORDING_SYSTEM, rewording_prompt
from cognition.models.asking import QUIET_MS, SHOWN_CHARACTERS, BackgroundAsker
from cognition.models.chat import ChatModel
from cognition.wordings import tables
from cognition.wordings.embedding import Embed, vectors_of
from cognition.wordings.tables import UnwordedMemory, checked
from replica import Replica

# Three short sentences for each of eight notes are some six hundred tokens.
PAGE: Final = 8
TOKENS_MAX: Final = 1_500
# Wordings are to differ, so a little warmer than what is read out of talk.
TEMPERATURE: Final = 0.3


@dataclass(frozen=True, slots=True)
class Reworded:
    """What came of a page: how many memories it held, and how many of them have other words now."""

    asked: int
    worded: int


class Reworder(BackgroundAsker):
    """Asks one model, for as long as `work` runs."""

    def __init__(self, replica: Replica, model: ChatModel, embed: Embed, space: int) -> None:
        """`embed` makes the vectors of the space of this number."""
        super().__init__(model, temperature=TEMPERATURE, tokens_max=TOKENS_MAX)
        self._replica, self._embed, self._space = replica, embed, space

    async def work(self) -> None:
        """Reword what is due, for ever."""
        await self._work(self.reword_next)

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
        """Return other words for each memory of a page; where no answer can be had, there are none."""
        shown = [Message(one.speaker, one.text[:SHOWN_CHARACTERS], one.told_ms) for one in page]
        found = await self._answer(
            [one.id for one in page],
            REWORDING_SYSTEM,
            rewording_prompt(shown),
            lambda answer: read_wordings(answer, len(page)),
        )
        return [[] for _ in page] if found is None else found
