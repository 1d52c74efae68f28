"""Find memories by other words for what they say: by the words of the wordings, and by the vector of each."""

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from cognition.embedding.embedder import Vectors
from cognition.embedding.index import VectorIndex
from cognition.memories import EACH
from cognition.wordings.tables import WORDINGS_MAX, split_wordings
from cognition.words import any_of

_LOADED_ROWS: Final = 1_024


class FoundByWording(NamedTuple):
    """What wordings bring, by the number of the memory: BM25 of their words, and the cosine of the nearest.

    `middle` and `spread` are those of the cosines that a question has with wordings.
    """

    words: Mapping[int, float]
    cosines: Mapping[int, float]
    middle: float = 0.0
    spread: float = 1.0

    def among(self, numbers: Iterable[int]) -> "FoundByWording":
        """Return what was found of some of the memories, in the same order."""
        kept = set(numbers)
        words, cosines = (
            {number: each for number, each in some.items() if number in kept}
            for some in (self.words, self.cosines)
        )
        return self._replace(words=words, cosines=cosines)

    def as_of_memories(self, middle: float, spread: float) -> dict[int, float]:
        """Return cosines as memories have them that stand out as far, where theirs have this middle and spread.

        Wordings are short, and nearer to most questions than what was told: as they are, they would put whatever has
        some before all that has none.
        """
        return {
            number: middle + spread * (cosine - self.middle) / self.spread
            for number, cosine in self.cosines.items()
        }


NOTHING: Final = FoundByWording({}, {})


class WordingIndex:
    """The vectors of all wordings; used on the store's reading thread only, as the index of memories is."""

    def __init__(self, space: int) -> None:
        """`space`: the number of the embedder whose vectors are asked for."""
        self._space = space
        self._index: VectorIndex | None = None
        self._read = 0  # up to which change
        self._no: dict[int, int] = {}  # of each memory, the change that its vectors are of

    def find(
        self, connection: sqlite3.Connection, terms: Sequence[str], vector: Vectors | None, limit: int
    ) -> FoundByWording:
        """Return up to `limit` memories by the words of their wordings, and as many by meaning, the best first."""
        index = self._followed(connection)
        if index is None:
            return NOTHING
        words = _by_words(connection, terms, limit)
        if vector is None or not vector.any():
            return FoundByWording(words, {})
        return FoundByWording(words, self._by_vector(connection, index, vector, limit), *index.spread(vector))

    def _by_vector(
        self, connection: sqlite3.Connection, index: VectorIndex, vector: Vectors, limit: int
    ) -> dict[int, float]:
        best: dict[int, float] = {}
        for number, cosine in index.search(vector, limit * WORDINGS_MAX):
            best.setdefault(number // WORDINGS_MAX, cosine)
        now = connection.execute(f"SELECT id, no FROM wording WHERE id IN ({EACH})", (json.dumps([*best]),))
        current = {number for number, no in now if self._no.get(number) == no}
        return {number: cosine for number, cosine in best.items() if number in current}

    def _followed(self, connection: sqlite3.Connection) -> VectorIndex | None:
        """Read what came since; None where there never was anything."""
        rows = connection.execute(
            "SELECT no, id, text, data FROM wording WHERE no > ? AND space = ? AND text <> '' ORDER BY no",
            (self._read, self._space),
        )
        while some := rows.fetchmany(_LOADED_ROWS):
            for no, number, text, data in some:
                self._read = no
                self._no[number] = no
                vectors = np.frombuffer(data, np.float16).reshape(len(split_wordings(text)), -1)
                if self._index is None:
                    self._index = VectorIndex(vectors.shape[1])
                first = number * WORDINGS_MAX
                self._index.remove(range(first, first + WORDINGS_MAX))
                self._index.add(range(first, first + len(vectors)), vectors)
        return self._index


def _by_words(connection: sqlite3.Connection, terms: Sequence[str], limit: int) -> dict[int, float]:
    if not terms:
        return {}
    rows = connection.execute(
        """SELECT rowid, -bm25(wording_text) AS score FROM wording_text WHERE wording_text MATCH ?
           ORDER BY score DESC, rowid LIMIT ?""",
        (any_of(terms), limit),
    )
    return dict(rows.fetchall())


def in_turns(found: FoundByWording) -> list[tuple[int, float]]:
    """Return what some searches found as one list: the best of each, then the second of each, and so on."""
    places = sorted(
        (place, which, number)
        for which, some in enumerate((found.words, found.cosines))
        for place, number in enumerate(some)
    )
    best = {
        number: max(found.words.get(number, 0.0), found.cosines.get(number, 0.0)) for _, _, number in places
    }
    return list(best.items())
