"""How like single words are, by an embedder's vectors: remembered, started anew, and after an embedder failed."""

from collections.abc import Sequence

import numpy as np
import pytest

from cognition import HashedEmbedder
from cognition.embedding import lexicon
from cognition.embedding.embedder import Vectors
from cognition.embedding.lexicon import WordVectors
from cognition.ranking import reading

WORDS = ("tea", "cup", "lake", "rain")
TERMS = ("cup", "snow")


class Failing(HashedEmbedder):
    """Counts what it embeds, and fails once when told to."""

    def __init__(self) -> None:
        super().__init__()
        self.embedded: list[str] = []
        self.fails = False

    def embed(self, texts: Sequence[str]) -> Vectors:
        if self.fails:
            self.fails = False
            raise OSError("no model")
        self.embedded += texts
        return super().embed(texts)


def expected(words: Sequence[str], terms: Sequence[str]) -> np.ndarray:
    """Return the same, each word embedded anew."""
    embedder = HashedEmbedder()
    return embedder.embed(words) @ embedder.embed(terms).T


def cosines(vectors: WordVectors, words: Sequence[str], terms: Sequence[str]) -> np.ndarray:
    """Return how like words are to terms, as whoever read them in a glossary asks for it."""
    glossary = vectors.glossary
    numbers = [reading.TextWords(glossary, [word], [""]).words[0] for word in words]
    which = np.array(sorted(numbers), np.int64)
    return vectors.cosines(glossary, which, terms)[np.searchsorted(which, numbers)]


def test_each_word_is_embedded_once() -> None:
    embedder = Failing()
    words = WordVectors(embedder)
    for _ in range(2):
        assert cosines(words, WORDS, TERMS) == pytest.approx(expected(WORDS, TERMS), abs=1e-6)
    assert sorted(embedder.embedded) == ["cup", "lake", "rain", "snow", "tea"]
    assert cosines(words, ("snow", "hail"), ("tea",)) == pytest.approx(
        expected(("snow", "hail"), ("tea",)), abs=1e-6
    )
    assert sorted(embedder.embedded) == ["cup", "hail", "lake", "rain", "snow", "tea"]


def test_a_full_vocabulary_starts_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lexicon, "WORDS_MAX", 6)
    embedder = Failing()
    words = WordVectors(embedder)
    for some, terms in ((WORDS, TERMS), (("hail", "wind"), ("tea",)), (WORDS, TERMS)):
        assert cosines(words, some, terms) == pytest.approx(expected(some, terms), abs=1e-6)
    assert embedder.embedded.count("cup") == 2


def test_words_that_came_while_the_embedder_failed_are_embedded_later() -> None:
    embedder = Failing()
    words = WordVectors(embedder)
    embedder.fails = True
    with pytest.raises(OSError, match="no model"):
        cosines(words, WORDS, TERMS)
    assert cosines(words, WORDS, TERMS) == pytest.approx(expected(WORDS, TERMS), abs=1e-6)


def test_no_words_or_no_terms_are_like_nothing() -> None:
    words = WordVectors(HashedEmbedder())
    assert cosines(words, (), TERMS).shape == (0, 2)
    assert cosines(words, WORDS, ()).shape == (4, 0)


def test_a_full_glossary_is_followed_by_a_new_one_and_whoever_reads_in_the_old_one_reads_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reading, "WORDS_MAX", 3)
    words = WordVectors(HashedEmbedder())
    said = reading.TextWords(words.glossary, ["tea in a cup", "the lake"], ["", ""])
    assert words.glossary is not said.glossary
    assert said.with_stem("cups").tolist() == [True, False]
    assert said.telling(0) == ["tea", "cup"]
    other = reading.TextWords(words.glossary, ["a lake"], [""])
    assert other.glossary is words.glossary
    assert other.with_stem("lake").tolist() == [True]
    assert other.with_stem("cup").tolist() == [False]
