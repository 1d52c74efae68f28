"""Compare memories with older ones: who is to be asked about which pair, and what cannot both hold."""

import sqlite3
from collections.abc import Sequence
from functools import partial
from typing import Final, NamedTuple

from cognition.background.worker import EmbeddingWorker
from cognition.judging import noticing
from cognition.judging.nominating import (
    ByMeaning,
    Nominated,
    ReviewUnderWay,
    Vectorized,
    nominated,
)
from cognition.memories import Shown
from cognition.thinking.cycle import Deadline
from replica import Core, MemoryId, Replica
from replica.reads.ids import number_of

# How long whoever asks for a review waits: a thousand texts that people write take two to four seconds. Lists of
# values, thousands of texts that all share their words, or a busy machine would make it minutes; then the newest were
# looked at.
REVIEW_S: Final = 8.0
# After so long others that read have their turn.
_LOOK_S: Final = 0.1


class Reviewed(NamedTuple):
    """Pairs that nobody judged, the weightiest first, and how many texts a review did not come to."""

    pairs: list[tuple[Shown, Nominated]]
    left: int


class Comparing:
    """Compares memories of one replica, by meaning where they have vectors."""

    def __init__(self, replica: Replica, embedding: EmbeddingWorker) -> None:
        self._replica = replica
        self._embedding = embedding
        self._by_meaning = ByMeaning(embedding.embed_here)  # the reading thread's own

    async def nominate(self, rid: MemoryId) -> list[Nominated]:
        """Return the older memories that one which was just told is to be compared with: see `nominated`.

        By meaning where the model is loaded, else by words: nobody who tells something waits for a model.
        """
        vector = await self._embedding.vector_of_new(rid)
        by_meaning = None
        if vector is not None:
            embedding = self._embedding
            await embedding.catch_up()  # what was told a moment ago is compared with, too
            by_meaning = Vectorized(vector, self._by_meaning, embedding.loaded, embedding.waiting())

        def read(connection: sqlite3.Connection) -> list[Nominated]:
            compared_by = by_meaning
            if compared_by is None and self._embedding.ready:  # it may have its vector already
                number = number_of(connection, rid)
                compared_by = None if number is None else self._vectorized(connection, number)
            return nominated(connection, rid, compared_by)

        return await self._replica.read(read)

    async def unjudged(self, workspace: str | None = None) -> Reviewed:
        """Return the pairs of memories that somebody should judge: see `ReviewUnderWay`."""
        deadline = Deadline(REVIEW_S)
        await self._embedding.catch_up()
        review = await self._replica.read(partial(ReviewUnderWay, workspace=workspace))
        while not review.is_over:
            await self._replica.read(partial(self._look, review))
            if deadline.is_past:
                break
        return Reviewed(review.pairs(), review.left)

    def _look(self, review: ReviewUnderWay, connection: sqlite3.Connection) -> None:
        """Go on with a review for a moment."""

        def by_meaning(number: int) -> Vectorized | None:
            return self._vectorized(connection, number) if self._embedding.ready else None

        moment = Deadline(_LOOK_S)
        review.look(connection, by_meaning, lambda: moment.is_past)

    async def notice(self, deadline: Deadline) -> bool:
        """Compare what came with what was told before it, and claim what cannot both hold; some of it in any case.

        Returns whether the time was up: there may be more.
        """
        while numbers := await self._replica.read(noticing.waiting):
            ready = self._embedding.ready and self._embedding.trouble is None

            def find(
                connection: sqlite3.Connection, numbers: list[int] = numbers, ready: bool = ready
            ) -> tuple[list[noticing.DisagreeingPair], Sequence[int]]:
                return noticing.find(connection, numbers, self._vectorized if ready else lambda *_: None)

            found, looked_at = await self._replica.read(find)

            def write(
                core: Core,
                connection: sqlite3.Connection,
                found: list[noticing.DisagreeingPair] = found,
                looked_at: Sequence[int] = looked_at,
            ) -> None:
                noticing.write(core, connection, found, looked_at, self._replica.now_ms())

            await self._replica.run(write)
            if deadline.is_past:
                return True
        return False

    def _vectorized(self, connection: sqlite3.Connection, number: int) -> Vectorized | None:
        """Return what compares a stored memory by meaning; None where it has no vector."""
        vector = self._embedding.loaded(connection).vectors([number]).get(number)
        return None if vector is None else Vectorized(vector, self._by_meaning, self._embedding.loaded, {})
