"""The verbs as methods, for programs that run trio.

Every method is the verb of the command line with the same name and options, and returns its result as a frozen
dataclass. Where a memory's id is expected, anything that has a `rid` will do; where a time is, a datetime or ISO text.
They are in `samemind.methods`.
"""

import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from samemind.config import Home
from samemind.methods.answers import Answers
from samemind.methods.device import Devices
from samemind.methods.keeping import Keeping
from samemind.methods.memories import Memories
from samemind.methods.taking import Taking
from samemind.methods.thinking import Thinking
from samemind.reach import Reached, reach
from samemind.results.memories import RememberedMany

if TYPE_CHECKING:
    from cognition.sensory import Kind as SensedKind
    from cognition.sensory import SensoryBuffer


class Mind(Memories, Answers, Taking, Thinking, Keeping, Devices):
    """One device's memory. Made by `samemind.open`."""

    def __init__(self, reached: Reached) -> None:
        super().__init__(reached)
        self._sensed: SensoryBuffer | None = None  # made by the first thing that is sensed

    def sense(self, text: str, *, kind: "SensedKind" = "turn", speaker: str | None = None) -> None:
        """Hold a turn, a document's chunk or an API's response for five seconds, until `absorb`."""
        if self._sensed is None:
            from cognition.sensory import SensoryBuffer  # loads a mind, which most callers have no use for

            self._sensed = SensoryBuffer()
        self._sensed.push(text, kind=kind, now_ms=_monotonic_ms(), speaker=speaker)

    async def absorb(self) -> RememberedMany:
        """Remember what was sensed and is still fresh, with the facts in it; what it was, is `source_kind`."""
        fresh = [] if self._sensed is None else self._sensed.process(_monotonic_ms())
        items = [
            {"text": one.text, "meta": {"source_kind": one.kind}}
            | ({} if one.speaker is None else {"speaker": one.speaker})
            for one in fresh
        ]
        return await self.remember_many(items, facts=True)


@asynccontextmanager
async def open_mind(path: str | os.PathLike[str], *, name: str | None = None) -> AsyncIterator[Mind]:
    """Open a home for the block. While this program holds the store, it answers other programs that want it."""
    async with reach(Home.at(path), program="a program", answers=True, name=name) as reached:
        yield Mind(reached)


def _monotonic_ms() -> int:
    return time.monotonic_ns() // 1_000_000
