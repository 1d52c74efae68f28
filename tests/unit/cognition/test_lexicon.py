"""How like single words are, by an embedder's vectors: remembered, started anew, and after an embedder failed."""

from collections.abc import Sequence

import numpy as np
import pytest

from cognition import HashedEmbedder
from cognition.embedding import lexicon
from cognition.embedding.embedder import Vectors
from cognition.embedding.lexicon import WordVectors

TEXTS = (("tea", "cup"), (), ("lake",), ("cup", "lake", "rain"))
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


def expected(texts: Sequence[Sequence[str]], terms: Sequence[str]) -> np.ndarray:
    """Return the same, each word embedded anew."""
    embedder = HashedEmbedder()
    asked = embedder.embed(terms)
    return np.array(
        [(embedder.embed(text) @ asked.T).max(axis=0) if text else np.zeros(len(terms)) for text in texts]
    )


def test_each_word_is_embedded_once_and_each_text_has_its_nearest() -> None:
    embedder = Failing()
    words = WordVectors(embedder)
    for _ in range(2):
        assert words.nearest(TEXTS, TERMS) == pytest.approx(expected(TEXTS, TERMS), abs=1e-6)
    assert sorted(embedder.embedded) == ["cup", "lake", "rain", "snow", "tea"]
    assert words.nearest([("snow", "hail")], ("tea",)) == pytest.approx(
        expected([("snow", "hail")], ("tea",)), abs=1e-6
    )
    assert sorted(embedder.embedded) == ["cup", "hail", "lake", "rain", "snow", "tea"]


def test_a_full_vocabulary_starts_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lexicon, "WORDS_MAX", 6)
    embedder = Failing()
    words = WordVectors(embedder)
    for texts, terms in ((TEXTS, TERMS), ([("hail", "wind")], ("tea",)), (TEXTS, TERMS)):
        assert words.nearest(texts, terms) == pytest.approx(expected(texts, terms), abs=1e-6)
    assert embedder.embedded.count("cup") == 2


def test_words_that_came_while_the_embedder_failed_are_embedded_later() -> None:
    embedder = Failing()
    words = WordVectors(embedder)
    embedder.fails = True
    with pytest.raises(OSError, match="no model"):
        words.nearest(TEXTS, TERMS)
    assert words.nearest(TEXTS, TERMS) == pytest.approx(expected(TEXTS, TERMS), abs=1e-6)


def test_no_texts_or_no_terms_are_like_nothing() -> None:
    words = WordVectors(HashedEmbedder())
    assert words.nearest((), TERMS).shape == (0, 2)
    assert words.nearest(TEXTS, ()).shape == (4, 0)
    assert not words.nearest([(), ()], TERMS).any()
