"""Embed by hashing: words become random directions that are the same everywhere.

Two texts are as alike as the words they share, with no model behind it. That is what simulations and tests
need: the same vector on every machine and in every version, from nothing but SHA-256.
"""

import hashlib
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np

from cognition.embedding.embedder import Vectors, unit

_WORD: Final = re.compile(r"[^\W_]+")
# Words of a test's vocabulary; each is 256 bytes at the usual width.
_WORDS_KEPT: Final = 10_000


class HashedEmbedder:
    """A bag of hashed words, `width` wide."""

    def __init__(self, width: int = 64) -> None:
        if width < 1:
            raise ValueError(f"expected a width of 1 or more, got {width}")
        self._width = width
        self._direction = lru_cache(_WORDS_KEPT)(self._direction_of)

    @property
    def name(self) -> str:
        """The space: every hashed embedder of one width makes the same."""
        return f"hashed-1/{self._width}"

    @property
    def width(self) -> int:
        """How many numbers a vector has."""
        return self._width

    @property
    def costly(self) -> bool:
        """Hashing is quick."""
        return False

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the direction of each text's words together."""
        rows = np.zeros((len(texts), self._width), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in _WORD.findall(text.casefold()):
                row += self._direction(word)
        return unit(rows)

    def _direction_of(self, word: str) -> Vectors:
        seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:16])
        # Philox is counter-based: the same numbers on every platform, whatever numpy does to its default
        # generator.
        bits = np.random.Generator(np.random.Philox(key=seed)).integers(0, 2, self._width)
        return (2 * bits - 1).astype(np.float32)
