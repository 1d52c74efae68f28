"""Nearest vectors by a graph (HNSW): answers in a fraction of the time, and may miss one in a hundred.

Exact search costs some 12 ms at 100,000 memories, so this is for larger ones, chosen by `open_mind(make_index=...)`. It
needs the extra `ann`, which compiles. Building costs half a millisecond a vector, which the first recall pays.

A filter that keeps few rows is searched exactly on those rows: a callback inside the graph would run Python for every
step. The graph depends on the order of insertion: it is never stored, hashed or compared between devices.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from cognition.embedding.embedder import Vectors
from cognition.errors import IndexStale, ModelUnavailable
from cognition.index import ROWS_MIN, in_order

# Edges a vector, effort at building, effort at searching (as measured: 99 of 100 found at 100,000).
LINKS: Final = 16
BUILD_EFFORT: Final = 200
SEARCH_EFFORT: Final = 200


class HnswIndex:
    """A `VectorIndex` over hnswlib."""

    def __init__(self, width: int) -> None:
        try:
            import hnswlib
        except ImportError:
            raise ModelUnavailable(
                "expected hnswlib to be installed; it needs a C++ compiler: pip install 'samemind[ann]'"
            ) from None
        self._width = width
        self._ids: set[int] = set()
        self._graph = hnswlib.Index(space="ip", dim=width)
        self._graph.init_index(ROWS_MIN, M=LINKS, ef_construction=BUILD_EFFORT)

    def __len__(self) -> int:
        return len(self._ids)

    def add(self, ids: Sequence[int], vectors: Vectors) -> None:
        """Take vectors in, one thread at a time, so that the same order gives the same graph."""
        if vectors.shape != (len(ids), self._width):
            raise IndexStale(f"expected {len(ids)} vectors of width {self._width}, got {vectors.shape}")
        wanted = self._graph.get_current_count() + len(ids)
        if wanted > self._graph.get_max_elements():
            self._graph.resize_index(max(wanted, 2 * self._graph.get_max_elements()))
        if ids:
            self._graph.add_items(vectors, np.array(ids, np.int64), num_threads=1)
            self._ids.update(ids)

    def remove(self, ids: Sequence[int]) -> None:
        """Leave vectors out of every answer; the graph keeps them as stepping stones."""
        for number in ids:
            if number in self._ids:
                self._ids.discard(number)
                self._graph.mark_deleted(number)

    def search(
        self, query: Vectors, k: int, *, among: Sequence[int] | None = None
    ) -> list[tuple[int, float]]:
        """Ask the graph, or multiply where the rows are named."""
        if query.shape != (self._width,):
            raise IndexStale(f"expected a vector of width {self._width}, got {query.shape}")
        if among is not None:
            ids = np.array([number for number in among if number in self._ids], np.int64)
            if k <= 0 or not len(ids):
                return []
            rows = np.asarray(self._graph.get_items(ids), np.float32)
            return in_order(ids, np.einsum("ij,j->i", rows, query), k)
        k = min(k, len(self._ids))
        if k <= 0:
            return []
        self._graph.set_ef(max(SEARCH_EFFORT, k))
        found, distances = self._graph.knn_query(query[None, :], k=k, num_threads=1)
        return in_order(found[0].astype(np.int64), 1 - distances[0], k)
