"""Embed wordings that have no vectors of this embedder: those that came with a memory, and another embedder's.

Whoever asks waits for the vectors of a few pages, so that an answer does not depend on when it is asked for; more are
embedded behind.
"""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Final

import numpy as np
import trio

from cognition.embedding.embedder import Vectors
from cognition.errors import ModelUnavailable
from cognition.wordings import tables
from replica import Replica, ReplicaError

# Memories whose wordings are embedded together: at most 24 texts, some sixty milliseconds.
PAGE: Final = 8
# As many pages are waited for: a quarter of a second, as of memories (`cognition.background.worker`).
PAGES_AWAITED_MAX: Final = 4
TROUBLE_RETRY_S: Final = 60

Embed = Callable[[Sequence[str]], Awaitable[Vectors]]


class WordingEmbedder:
    """Embeds the wordings of one replica; `work` has to be running for what nobody waits for."""

    def __init__(self, replica: Replica, embed: Embed, space: int) -> None:
        """`embed` makes the vectors of the space of this number."""
        self._replica, self._embed, self._space = replica, embed, space
        self._waits = False
        self._wake = trio.Event()
        self._embedding = trio.Lock()  # whoever asks waits also for what is under way

    def came(self) -> None:
        """Note that there are wordings without vectors."""
        self._waits = True
        self._wake.set()

    @property
    def waits(self) -> bool:
        """Whether some have no vectors yet, as far as is known; asked by any thread."""
        return self._waits or self._embedding.locked()

    async def work(self) -> None:
        """Embed what waits, for ever."""
        while True:
            await self._wake.wait()
            self._wake = trio.Event()
            try:
                while self._waits:
                    await self.embed_some()
            except (ModelUnavailable, ReplicaError):
                with trio.move_on_after(TROUBLE_RETRY_S):
                    await self._wake.wait()
                self._wake.set()

    async def catch_up(self) -> None:
        """Embed what waits as far as whoever asks may wait for it; where nothing embeds, words are all there is."""
        with suppress(ModelUnavailable, ReplicaError):
            for _ in range(PAGES_AWAITED_MAX):
                if not self.waits:
                    return
                await self.embed_some()

    async def embed_some(self) -> None:
        """Embed a page, where anything waits."""
        async with self._embedding:
            if self._waits:
                await self._embed_page()

    async def _embed_page(self) -> None:
        self._waits = False  # before it is looked: what comes meanwhile is noted
        try:
            page = await self._replica.read(
                lambda connection: tables.other_space(connection, self._space, PAGE)
            )
            if not page:
                return
            vectors = await vectors_of(self._embed, [texts for _, texts in page])
            await self._replica.run(
                lambda core, connection: tables.keep_vectors(connection, self._space, page, vectors)
            )
        except BaseException:
            self._waits = True
            raise
        self._waits = True  # there may be more


async def vectors_of(embed: Embed, wordings: Sequence[Sequence[str]]) -> list[bytes]:
    """Return the vectors of some lists of wordings, as the store keeps them, list by list."""
    texts = [text for some in wordings for text in some]
    if not texts:
        return [b""] * len(wordings)
    made = (await embed(texts)).astype(np.float16)
    ends = np.cumsum([len(some) for some in wordings])
    return [rows.tobytes() for rows in np.split(made, ends[:-1])]
