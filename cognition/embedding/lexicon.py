"""Say how like single words are, by an embedder's vectors, remembering the words it has seen.

A few hundred candidates hold some two thousand words, nearly the same ones query after query. Remembered,
comparing them with a question costs a product of two small matrices; embedded anew it would cost more than
the whole recall. Only an embedder that looks words up is quick enough for the words it has not seen.
"""

from collections.abc import Sequence
from contextlib import suppress
from itertools import islice
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cognition.embedding.embedder import Embedder
from cognition.embedding.static import StaticEmbedder
from cognition.errors import ModelUnavailable
from cognition.ranking.reading import Glossary

# A rich vocabulary; at 256 numbers of 32 bits, 20 MB. When it is full, it starts anew.
WORDS_MAX: Final = 20_000


class _Numbers(dict[str, int]):
    """Numbers words as they are first asked for: telling new from known ones beforehand would look each up twice."""

    def __missing__(self, word: str) -> int:
        self[word] = number = len(self)
        return number


class WordVectors:
    """A `cognition.ranking.pool.WordLikeness`. Takes no locks: one thread uses it at a time."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._at = _Numbers()
        self._vectors = np.zeros((0, embedder.width), np.float32)
        self._learned = 0
        """Of how many of the words there are vectors."""
        self._weights: dict[str, float] = {}
        self._glossary = Glossary()
        # Of each word of a glossary by its number: which of the words here it is, -1 where it was not asked for yet.
        self._numbered: tuple[Glossary, NDArray[np.int32]] = self._glossary, np.zeros(0, np.int32)

    @property
    def glossary(self) -> Glossary:
        """What is known of words beside their likeness."""
        if self._glossary.is_full:
            self._glossary = Glossary()
        return self._glossary

    def cosines(
        self, glossary: Glossary, which: NDArray[np.int64], terms: Sequence[str]
    ) -> NDArray[np.float32]:
        """Return a row for each word of a glossary, by numbers that rise, and a column for each term."""
        if len(self._at) > WORDS_MAX:
            self._at, self._learned = _Numbers(), 0
            self._numbered = self._glossary, np.zeros(0, np.int32)
        known, column = self._numbered
        if known is not glossary:
            column = np.zeros(0, np.int32)
        if len(which) and which[-1] >= len(column):
            grown = np.full(max(which[-1] + 1, 2 * len(column)), -1, np.int32)
            grown[: len(column)] = column
            column = grown
        self._numbered = glossary, column
        numbers = column[which]
        new = which[numbers < 0]
        if len(new):
            column[new] = self._numbers(glossary.spelled(new.tolist()))
            numbers = column[which]
        asked = self._numbers(terms)
        self._learn()
        found: NDArray[np.float32] = np.vecdot(self._vectors[numbers, None], self._vectors[asked])
        return found

    def weigh(self, terms: Sequence[str]) -> NDArray[np.float64]:
        """Return how telling each word is; all alike where the embedder cannot say."""
        if not isinstance(self._embedder, StaticEmbedder):
            return np.ones(len(terms))
        if len(self._weights) > WORDS_MAX:
            self._weights = {}
        if new := [term for term in terms if term not in self._weights]:
            self._weights.update(zip(new, self._embedder.weigh(new).tolist(), strict=True))
        return np.array([self._weights[term] for term in terms], np.float64)

    def knows(self, word: str) -> bool:
        """Say whether a word is a common one; of none where the embedder cannot say. On any thread."""
        with suppress(ModelUnavailable):
            return isinstance(self._embedder, StaticEmbedder) and self._embedder.knows(word)
        return False

    def _numbers(self, words: Sequence[str]) -> NDArray[np.int64]:
        return np.fromiter(map(self._at.__getitem__, words), np.int64, len(words))

    def _learn(self) -> None:
        """Embed the words that have no vector yet."""
        count = len(self._at)
        new = list(islice(self._at, self._learned, None))
        if not new:
            return
        if count > len(self._vectors):
            grown = np.zeros((max(count, 2 * len(self._vectors)), self._embedder.width), np.float32)
            grown[: self._learned] = self._vectors[: self._learned]
            self._vectors = grown
        self._vectors[self._learned : count] = self._embedder.embed(new)
        self._learned = count
