"""Read what was told beside those who tell: `cognition.ingest.gate` on the store's thread, a slice at a time."""

import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

import trio

from cognition.ingest.gate import SLICE_S, WAITED_FOR_SLICE_S, TellingReader
from cognition.ingest.local import LocalTables
from replica import Replica, ReplicaError

# Who tells one thing after another has not told anything for this long when that is over. Reading goes on beside them
# after some patience: it shares the interpreter and the store with whoever tells.
QUIET_S: Final = 0.1
PATIENCE_S: Final = 2.0
# A full disk is tried again after this long.
TROUBLE_RETRY_S: Final = 60


class Ingest(TellingReader):
    """Takes tellings in; `work` has to be running."""

    def __init__(self, replica: Replica, local: LocalTables | None, *, newer: bool) -> None:
        super().__init__(local, replica.now_ms, newer=newer)
        self._replica = replica

    async def catch_up(self) -> None:
        """Read all that is waited for. A store that cannot be written now still answers with what there is."""
        try:
            while self.waits:
                await self._replica.run(partial(self.read_some, budget_s=WAITED_FOR_SLICE_S), in_between=True)
        except ReplicaError:
            pass  # who writes is told, and the work goes on in the background

    async def read_brought(
        self,
        told: Callable[[int], Awaitable[None]] | None = None,
        *,
        ends: Callable[[], bool] = lambda: False,
    ) -> None:
        """Read what was brought in, for somebody who waits for it and is told how much is left; until it `ends`."""
        while self.brought and not ends():
            await self._replica.run(partial(self.read_some, budget_s=WAITED_FOR_SLICE_S, all_brought=True))
            if told is not None:
                await told(self.brought)

    async def work(self, news: int) -> None:
        """Read what was told, for ever, when nobody tells anything; then what was brought in, half of the time."""
        while True:
            while not (self.waits or self.brought):
                news = await self._replica.stirred(news)
            try:
                await self._quiet()
                if self._gathering and not self.waits:
                    await trio.sleep(QUIET_S)
                    continue
                began = time.perf_counter()
                await self._replica.run(
                    partial(self.read_some, budget_s=SLICE_S, all_brought=not self._gathering)
                )
                if not self.waits:
                    await trio.sleep(time.perf_counter() - began)
            except ReplicaError:
                await trio.sleep(TROUBLE_RETRY_S)

    async def _quiet(self) -> None:
        with trio.move_on_after(PATIENCE_S):
            while (left_s := self._told_s + QUIET_S - time.monotonic()) > 0:  # noqa: ASYNC110 -- told elsewhere
                await trio.sleep(left_s)
