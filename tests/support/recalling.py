"""A memory to be asked: a home, and an index of what was embedded, without threads."""

from collections.abc import Callable, Mapping
from typing import Any

from cognition import Filters, HashedEmbedder, RankedMemory, StaticEmbedder
from cognition.background import queue
from cognition.embedding.index import VectorIndex
from cognition.embedding.lexicon import WordVectors
from cognition.ranking.query import Query
from cognition.ranking.signals import WEIGHTS
from cognition.recall.stages import Ranked, assemble, pool_size, rank, wished
from tests.support.minds import NOW_MS, Home

EMBEDDER = HashedEmbedder()
DAY_MS = 86_400_000


class Memory:
    """A home, and an index of what was embedded."""

    def __init__(self, embedder: HashedEmbedder | StaticEmbedder = EMBEDDER) -> None:
        self.home = Home()
        self.embedder = embedder
        self.index = VectorIndex(embedder.width)
        self.space = queue.enter_space(self.home.connection, embedder.name, now_ms=NOW_MS)

    def embed(self) -> None:
        jobs = queue.due(self.home.connection, now_ms=NOW_MS, limit=10_000)
        rows = self.embedder.embed([job.text for job in jobs])
        kept = queue.done(self.home.connection, self.space, jobs, rows)
        self.index.add([jobs[i].id for i in kept], rows[kept])

    def recall(
        self,
        text: str,
        *,
        k: int = 10,
        by_words: bool = True,
        graph: bool = True,
        weights: Mapping[str, float] = WEIGHTS,
        told: Callable[[Ranked, list[RankedMemory]], None] | None = None,
        **filters: Any,
    ) -> list[RankedMemory]:
        query, k, kept = Query(text if by_words else ""), wished(k), Filters(**filters)
        ranked = rank(
            self.home.connection,
            query,
            vector=self.embedder.embed([text])[0],
            index=self.index,
            lexicon=WordVectors(self.embedder),
            now_ms=NOW_MS,
            filters=kept,
            limit=pool_size(query, k),
            graph=graph,
            weights=weights,
        )
        hits = assemble(self.home.connection, ranked, k, kept)
        if told is not None:
            told(ranked, hits)
        return hits

    def texts(self, text: str, *, k: int = 10, by_words: bool = True, **filters: Any) -> list[str]:
        return [hit.memory.text for hit in self.recall(text, k=k, by_words=by_words, **filters)]
