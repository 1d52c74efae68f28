"""What a reranker promises: a question and texts in, one number a text out.

It reads both together, which an embedder cannot: that costs milliseconds a text, so it is asked of the best few. Its
numbers are compared within one question only, and become one signal among others (`cognition.reranking.mixing`).
"""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]


class Reranker(Protocol):
    """Says how well texts answer a question. May be called from several threads; loads on its first call."""

    @property
    def name(self) -> str:
        """The model, known without loading anything."""
        ...

    def scores(self, question: str, texts: Sequence[str]) -> Scores:
        """Return one number a text, from 0 (does not answer) to 1; a text's number does not depend on the others.

        Raises `ModelUnavailable` where the model cannot be had on this machine.
        """
        ...
