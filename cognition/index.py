"""Find the vectors nearest to one, among all or among some.

Exact: one product of a matrix with a vector. Up to some ten thousand memories that is as fast as any index,
and it cannot miss. A filter that keeps some rows is the same product over those rows.

The product is `einsum`, not `@`: BLAS would share a product of this size among its threads, which costs 10
to 20 times its own time whenever the cores have anything else to do. `einsum` uses one thread, always in
the same way.

An index belongs to whoever made it and takes no locks: callers use it from one thread at a time.
"""

from collections.abc import Sequence
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from cognition.embedding.embedder import Vectors
from cognition.errors import IndexStale

Numbers = NDArray[np.int64]
# A first block of rows; from there the matrix doubles, so that adding one costs no copy of all.
ROWS_MIN: Final = 256


class VectorIndex(Protocol):
    """Vectors by the number of their memory."""

    def add(self, ids: Sequence[int], vectors: Vectors) -> None:
        """Take vectors in, in place of those that had the same number.

        `IndexStale` if the width is another.
        """
        ...

    def remove(self, ids: Sequence[int]) -> None:
        """Drop vectors; numbers that are not here are no error."""
        ...

    def search(
        self, query: Vectors, k: int, *, among: Sequence[int] | None = None
    ) -> list[tuple[int, float]]:
        """Return up to `k` (number, cosine), the nearest first; with `among`, of these numbers only."""
        ...

    def __len__(self) -> int:
        """How many vectors are here."""
        ...


class ExactIndex:
    """A matrix, a column of numbers beside it, and where each number stands."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._matrix = np.zeros((0, width), np.float32)
        self._ids: Numbers = np.zeros(0, np.int64)
        self._at: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._at)

    def add(self, ids: Sequence[int], vectors: Vectors) -> None:
        """Take vectors in; the last rows are the newest."""
        if vectors.shape != (len(ids), self._width):
            raise IndexStale(f"expected {len(ids)} vectors of width {self._width}, got {vectors.shape}")
        fresh = [number for number in dict.fromkeys(ids) if number not in self._at]
        self._reserve(len(self._at) + len(fresh))
        for number in fresh:
            row = len(self._at)
            self._at[number] = row
            self._ids[row] = number
        self._matrix[[self._at[number] for number in ids]] = vectors

    def remove(self, ids: Sequence[int]) -> None:
        """Drop vectors; the last row moves into the gap."""
        for number in ids:
            row = self._at.pop(number, None)
            if row is not None:
                last = len(self._at)
                if row != last:
                    self._matrix[row] = self._matrix[last]
                    self._ids[row] = self._ids[last]
                    self._at[int(self._ids[row])] = row

    def search(
        self, query: Vectors, k: int, *, among: Sequence[int] | None = None
    ) -> list[tuple[int, float]]:
        """Multiply, pick the best `k`, and put them in order; equal cosines go by number."""
        if query.shape != (self._width,):
            raise IndexStale(f"expected a vector of width {self._width}, got {query.shape}")
        if among is None:
            ids, matrix = self._ids[: len(self._at)], self._matrix[: len(self._at)]
        else:
            rows = np.array([row for number in among if (row := self._at.get(number)) is not None], np.int64)
            ids, matrix = self._ids[rows], self._matrix[rows]
        if k <= 0 or not len(ids):
            return []
        cosines = np.einsum("ij,j->i", matrix, query)
        return in_order(ids, cosines, k)

    def _reserve(self, rows: int) -> None:
        if rows > len(self._matrix):
            grown = max(ROWS_MIN, rows, 2 * len(self._matrix))
            matrix = np.zeros((grown, self._width), np.float32)
            matrix[: len(self._at)] = self._matrix[: len(self._at)]
            ids = np.zeros(grown, np.int64)
            ids[: len(self._at)] = self._ids[: len(self._at)]
            self._matrix, self._ids = matrix, ids


def in_order(ids: Numbers, cosines: Vectors, k: int) -> list[tuple[int, float]]:
    """Return the best `k`, the nearest first; equal cosines go by number."""
    if k < len(ids):
        kth = np.partition(cosines, len(ids) - k)[len(ids) - k]
        best = np.flatnonzero(
            cosines >= kth
        )  # ties at the edge come along, so that numbers decide among them
        ids, cosines = ids[best], cosines[best]
    order = np.lexsort((ids, -cosines))[:k]
    return list(zip(ids[order].tolist(), cosines[order].tolist(), strict=True))
