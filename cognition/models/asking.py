"""Ask a model about one thing after the other in the background, and bear with it where it fails.

A model that is not there, or too busy, is asked again a minute later. An answer that is not what was asked for is asked
for once more, and then there is none: the same question brings the same answer.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeVar

import trio

from cognition.errors import ModelUnavailable
from cognition.extraction.contract import BadAnswer
from cognition.models.chat import ChatMessage, ChatModel, ModelFailed
from replica import ReplicaError

# What was told within this time may yet be put right, or settled, by whoever told it.
QUIET_MS: Final = 60_000
# So much of a memory is shown: what matters of a long one stands near its beginning.
SHOWN_CHARACTERS: Final = 600
LOOK_S: Final = 60
ASKS_MAX: Final = 2
# What a model breaks at so often is left as it is, or nothing behind it would have its turn.
BREAKS_MAX: Final = 5

Result = TypeVar("Result")


class BackgroundAsker:
    """Asks one model; for whoever has it do one kind of work."""

    def __init__(self, model: ChatModel, *, temperature: float, tokens_max: int) -> None:
        """`tokens_max`: of an answer."""
        self._model, self._temperature, self._tokens_max = model, temperature, tokens_max
        self._breaks: tuple[object, int] = (None, 0)
        self.trouble: ModelUnavailable | ModelFailed | ReplicaError | None = None
        """Why nothing is asked at present, if that is so."""

    async def _work(self, do_next: Callable[[], Awaitable[object | None]]) -> None:
        """Do what is due, for ever; `do_next` returns None where nothing is."""
        while True:
            try:
                while await do_next() is not None:
                    self.trouble = None
            except (ModelUnavailable, ModelFailed, ReplicaError) as error:
                self.trouble = error
            await trio.sleep(LOOK_S)

    async def _answer(
        self, about: object, system: str, prompt: str, read: Callable[[str], Result]
    ) -> Result | None:
        """Return what is read of the answer, where `read` raises no `BadAnswer`; None where none can be had.

        `ModelUnavailable` or `ModelFailed`: nobody answered. A model that broke `BREAKS_MAX` times on end `about` one
        thing has no answer on it.
        """
        asked = [ChatMessage("system", system), ChatMessage("user", prompt)]
        for _ in range(ASKS_MAX):
            try:
                answer = await trio.to_thread.run_sync(self._complete, asked, abandon_on_cancel=True)
            except ModelFailed:
                if self._broke(about):
                    break
                raise
            try:
                return read(answer)
            except BadAnswer:
                continue
        return None

    def _broke(self, about: object) -> bool:
        """Note that the model broke at something; say whether it has done so too often."""
        known, often = self._breaks
        self._breaks = about, often + 1 if known == about else 1
        return self._breaks[1] >= BREAKS_MAX

    def _complete(self, messages: Sequence[ChatMessage]) -> str:
        return self._model.complete(messages, temperature=self._temperature, max_tokens=self._tokens_max)
