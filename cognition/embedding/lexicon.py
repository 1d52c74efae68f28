"""Say how like single words are, by an embedder's vectors, remembering the words it has seen.

A few hundred candidates hold some two thousand words, nearly the same ones query after query. Remembered,
comparing them with a question costs a product of two small matrices; embedded anew it would cost more than
the whole recall. Only an embedder that looks words up is quick enough for the words it has not seen.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cognition.embedding.embedder import Embedder

# A rich vocabulary; at 256 numbers of 32 bits, 20 MB. When it is full, it starts anew.
WORDS_MAX: Final = 20_000


class WordVectors:
    """A `cognition.ranking.pool.Lexicon`. Takes no locks: one thread uses it at a time."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._at: dict[str, int] = {}
        self._vectors = np.zeros((0, embedder.width), np.float32)

    def cosines(self, some: Sequence[str], others: Sequence[str]) -> NDArray[np.float64]:
        """Return a row for each of some words, a column for each of the others."""
        self._learn([*some, *others])
        rows, columns = self._rows(some), self._rows(others)
        cosines: NDArray[np.float32] = np.einsum("ik,jk->ij", rows, columns)
        return cosines.astype(np.float64)

    def _learn(self, words: Sequence[str]) -> None:
        new = [word for word in dict.fromkeys(words) if word not in self._at]
        if not new:
            return
        if len(self._at) + len(new) > WORDS_MAX:
            self._at, new = {}, list(dict.fromkeys(words))
        count = len(self._at)
        if count + len(new) > len(self._vectors):
            grown = np.zeros(
                (max(count + len(new), 2 * len(self._vectors)), self._embedder.width), np.float32
            )
            grown[:count] = self._vectors[:count]
            self._vectors = grown
        self._vectors[count : count + len(new)] = self._embedder.embed(new)
        self._at.update(zip(new, range(count, count + len(new)), strict=True))

    def _rows(self, words: Sequence[str]) -> NDArray[np.float32]:
        return self._vectors[[self._at[word] for word in words]]
