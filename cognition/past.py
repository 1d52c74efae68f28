"""Answer from a store as it was: whatever is asked of a mind can be asked of another moment.

Such a store is made for one question, and nobody else uses it. Its texts are embedded anew where that is quick, and
else, where there are many, found by their words; nothing is written and nothing is counted.
"""

import sqlite3
from collections.abc import Callable
from functools import partial
from typing import Final, TypeVar

import trio

from cognition.background import queue
from cognition.embedding.index import VectorIndex
from cognition.entities import keep, read_some, unread
from cognition.filters import Filters
from cognition.mind import Cognition
from cognition.ranking.compound import split
from cognition.recall.explain import ExplainedStage, why_not
from cognition.recall.relating import related
from cognition.recall.stages import K_DEFAULT, Hits, Ranked, ReadQuery, wished
from cognition.recall.tracing import TraceStage as Traced
from cognition.search.postings import Postings
from cognition.tables import INDEXED_FIELDS, embed_all_later, indexed
from cognition.thinking.cycle import Deadline
from cognition.words import QUERY_CHARACTERS_MAX
from replica import MemoryId, count_memories
from replica.reads.texts import wording_of

Result = TypeVar("Result")
# As many texts a costly embedder makes vectors of for a question about the past: within a second or two.
EMBEDDED_MAX: Final = 500


class PastMind:
    """A mind at a moment, `now_ms` in ms since 1970: it answers from a store as it was, which nobody else uses."""

    def __init__(self, mind: Cognition, connection: sqlite3.Connection, now_ms: int) -> None:
        self._mind = mind
        self._connection = connection
        self._index: VectorIndex | None = None
        # Not the mind's: what is asked of the past runs on a thread of its own.
        self._lexicon = mind.new_lexicon()
        self._postings = Postings()
        self.model = mind.model
        self.tables = mind.tables
        self.now_ms = now_ms

    async def read(self, function: Callable[[sqlite3.Connection], Result]) -> Result:
        """Run `function(connection)` in a thread."""
        return await trio.to_thread.run_sync(function, self._connection)

    async def recall(
        self,
        query: str,
        *,
        k: int = K_DEFAULT,
        filters: Filters = Filters(),
        graph: bool = True,
        traces: list[list[Traced]] | None = None,
        now_ms: int | None = None,
    ) -> Hits:
        """Return what a recall would have brought, asked at the moment that is shown, or at another one."""
        parts = [await self._read_query(part) for part in split(query[:QUERY_CHARACTERS_MAX]).parts]

        def answer(connection: sqlite3.Connection) -> Hits:
            ranked = [
                self._ranked(connection, part, k=wished(k), filters=filters, graph=graph, now_ms=now_ms)
                for part in parts
            ]
            reread = self._mind.reranking.reread(ranked)
            hits = self._mind.answer(connection, query, reread, k=wished(k), filters=filters, traces=traces)
            hits.unembedded = (count_memories if self._index is None else queue.unembedded)(connection)
            return hits

        return await self.read(answer)

    async def why_not(
        self, rid: MemoryId, query: str, *, k: int = K_DEFAULT, filters: Filters = Filters()
    ) -> list[ExplainedStage]:
        """Return the stages that a memory would have gone through."""
        k = wished(k)
        parts = [await self._read_query(part) for part in split(query[:QUERY_CHARACTERS_MAX]).parts]

        def explain(connection: sqlite3.Connection) -> list[ExplainedStage]:
            ranked = self._mind.reranking.reread(
                [self._ranked(connection, part, k=k, filters=filters) for part in parts]
            )
            hits = self._mind.answer(connection, query, ranked, k=k, filters=filters)
            return why_not(connection, rid, ranked, hits, filters=filters, k=k)

        return await self.read(explain)

    async def related(self, rid: MemoryId) -> list[tuple[MemoryId, float]]:
        """Return the memories that were most alike to one; none where embedding is slow."""
        return await self.read(partial(self._related, rid))

    async def read_entities(self, seconds: float) -> None:
        """Read what those texts of this moment name and state of which it was not copied from the present.

        After so many seconds the rest of them stays unread (`cognition.entities.count_unread`).
        """
        deadline = Deadline(seconds)

        def read(connection: sqlite3.Connection) -> None:
            while not deadline.is_past and (page := unread(connection)):
                keep(connection, page, read_some(page))

        await self.read(read)

    def _related(self, rid: MemoryId, connection: sqlite3.Connection) -> list[tuple[MemoryId, float]]:
        said = wording_of(connection, rid, INDEXED_FIELDS)
        if said is None or not self._embeds(connection):
            return []
        whole = indexed(said.text, said.fields).whole()
        vector = self._mind.embedding.embedder.embed([whole])[0]
        return related(connection, self._loaded(connection), rid, vector)

    def _ranked(
        self,
        connection: sqlite3.Connection,
        part: ReadQuery,
        *,
        k: int,
        filters: Filters,
        graph: bool = True,
        now_ms: int | None = None,
    ) -> Ranked:
        return self._mind.ranked(
            connection,
            part,
            self._loaded,
            self._lexicon,
            self._postings,
            k=k,
            filters=filters,
            graph=graph,
            now_ms=self.now_ms if now_ms is None else now_ms,
        )

    async def _read_query(self, text: str) -> ReadQuery:
        """Read a question by the words that were held then."""
        if await self.read(self._embeds):
            return await self.read(lambda connection: self._mind.read_here(connection, text, self._postings))
        return await self.read(
            lambda connection: self._mind.read_here(connection, text, self._postings, None)
        )

    def _embeds(self, connection: sqlite3.Connection) -> bool:
        """Say whether all texts of this moment can be embedded while somebody waits."""
        if self._mind.embeds_quickly:
            return True
        return count_memories(connection) <= EMBEDDED_MAX

    def _loaded(self, connection: sqlite3.Connection) -> VectorIndex:
        """Return the vectors of this moment, made on the thread that first wants them."""
        if self._index is None:
            embedder = self._mind.embedding.embedder
            self._index = VectorIndex(embedder.width)
            embed_all_later(connection)
            queue.embed_all(connection, self._index, embedder, now_ms=self.now_ms)
        return self._index
