"""What a reranker promises: it reads texts beforehand, and says of a question how well each answers it.

Reading a text costs milliseconds, so it is done once, when the text comes, and what was made of it is kept beside the
memory (`cognition.reranking.readings`). A question is read when it is asked. The numbers are compared within one
question only, and become one signal among others (`cognition.reranking.mixing`).
"""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]


class Reranker(Protocol):
    """Says how well texts answer a question. May be called from several threads; loads on its first call.

    `read` and `scores` raise `ModelUnavailable` where the model cannot be had on this machine; whatever else `read`
    raises is laid to the text.
    """

    @property
    def name(self) -> str:
        """The model, known without loading anything; it changes whenever its readings would."""
        ...

    def knows(self, question: str) -> bool:
        """Say whether it knows the language of a question; asked in another it would only do harm."""
        ...

    def read(self, texts: Sequence[str]) -> list[bytes]:
        """Return what it makes of each text, never nothing; in any company the same."""
        ...

    def holds(self, reading: bytes) -> bool:
        """Say whether these bytes are a reading, and not what damage left of one."""
        ...

    def scores(self, question: str, readings: Sequence[bytes], before: Sequence[int] | None = None) -> Scores:
        """Return one number a reading, from 0 (does not answer) to 1.

        `before` has for each reading the place among them of what was said right before it, or -1; half of a number is
        how well the two answer together. None depends on any other reading.
        """
        ...
