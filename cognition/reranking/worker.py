"""Have a reranker read memories in the background, and judge what recalls bring.

Nothing here may end a device: the model is a package of somebody else's, and what the signals say stands without it.
Texts go to the thread one at a time, since a thread cannot be cancelled and whoever closes a store waits for it.
"""

import sqlite3
import time
from collections.abc import Awaitable, Callable, Sequence

import trio

from cognition.background.naming import IDLE_S, quiet
from cognition.errors import ModelUnavailable
from cognition.recall.stages import Ranked
from cognition.reranking.mixing import reread_by
from cognition.reranking.readings import count_unread, keep, keep_fresh, read_one, unread
from cognition.reranking.reranker import Reranker
from replica import Core, Replica, ReplicaError


class RerankerWorker:
    """The reranker of one replica, where there is one; `work` has to be running."""

    def __init__(self, replica: Replica, reranker: Reranker | None) -> None:
        self.reranker = reranker
        self.trouble: Exception | None = None
        """Why the reranker reads nothing at present, if that is so."""
        self._replica = replica
        self._reading = trio.Lock()  # two readers would read the same page

    def reread(self, parts: Sequence[Ranked]) -> list[Ranked]:
        """Have the reranker judge the best of every part of a question; on any thread."""
        if self.reranker is None:
            return list(parts)
        try:
            reread = [reread_by(self.reranker, ranked, len(parts)) for ranked in parts]
        except Exception as error:
            self.trouble = error  # what the signals say still stands
            return list(parts)
        self.trouble = None
        return reread

    async def keep(self, parts: Sequence[Ranked]) -> None:
        """Keep what was read for a recall, so that the next one finds it."""
        fresh = [read for ranked in parts for read in ranked.fresh.items()]
        if not fresh:
            return

        def write(core: Core, connection: sqlite3.Connection) -> None:
            keep_fresh(connection, fresh)

        try:
            await self._replica.run(write)
        except ReplicaError:
            pass  # it is read again; whoever writes is told

    async def warm(self) -> None:
        """Load the model now; `ModelUnavailable` without it, and that is noted as the trouble."""
        if self.reranker is None:
            return
        try:
            await trio.to_thread.run_sync(read_one, self.reranker, "warm")
            self.trouble = None
        except ModelUnavailable as error:
            self.trouble = error
            raise

    async def pending(self) -> int:
        """Return how many memories are still to be read."""
        return 0 if self.reranker is None else await self._replica.read(count_unread)

    async def settle(self, told: Callable[[int], Awaitable[None]] | None = None) -> None:
        """Read all that came since, for somebody who waits; `told` hears how many there are, before each page."""
        if self.reranker is None:
            return
        async with self._reading:
            while pending := await self.pending():
                if told is not None:
                    await told(pending)
                await self._read_page(self.reranker)

    async def work(self, position: int) -> None:
        """Read what came, for ever; while the model or the disk is missing, whatever is written next is a new try."""
        if self.reranker is None:
            return
        while True:
            await trio.sleep(IDLE_S)
            try:
                while True:
                    async with self._reading:
                        if (took_s := await self._read_page(self.reranker)) is None:
                            break
                    await trio.sleep(took_s)  # as long again for whoever else wants this machine
            except ModelUnavailable as error:
                self.trouble = error
            except ReplicaError:
                pass  # whoever writes is told of the disk
            position = await self._replica.stirred(position)
            await quiet(self._replica)

    async def _read_page(self, reranker: Reranker) -> float | None:
        """Read a page, and return how long that took; None: there is nothing to read."""
        page = await self._replica.read(unread)
        if not page:
            return None
        began = time.perf_counter()
        found = [await trio.to_thread.run_sync(read_one, reranker, one.text) for one in page]

        def write(core: Core, connection: sqlite3.Connection) -> None:
            keep(connection, page, found)

        await self._replica.run(write)
        return time.perf_counter() - began
