"""Rerank by late interaction: a text is read once, when it comes, and a question is held against what was read.

The model (answerai-colbert-small, from the wheel of the extra `[models]`: `cognition.embedding.packaged`) gives a
vector for each token of a text. How well a text answers is how near, on average, each token of the question has its
nearest token in it. A cross-encoder reads question and text together and has to be asked anew for each pair, 15 ms a
text; here the text is read beforehand, the question takes one reading of its own, and then some hundred texts cost ten
to thirty. On conversations it finds more than the cross-encoder that stood here, which beside it found nothing.

A vector of 384 numbers for each token would be forty times the text. Only the sign of each number is kept, less what
all tokens have in common: 48 bytes a token, which lose nothing that could be measured (decision 0024).
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from cognition.embedding.embedder import Vectors, unit
from cognition.embedding.packaged import PackagedModel, Pinned
from cognition.reranking.middle import middle
from cognition.reranking.reranker import Scores
from cognition.words import is_english

COLBERT: Final = Pinned(
    "colbert",
    weights="4980983628c18e4f0a4c756114abd2d7c097c6ccad9cffc70e77302d21e05df0",
    tokenizer="cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448",
)
WIDTH: Final = 384
BYTES_A_TOKEN: Final = WIDTH // 8
# A turn of talk has some forty. Of longer texts the beginning is read, which bounds what is kept of a text to six
# thousand bytes.
TOKENS_MAX: Final = 128
# A question has a dozen. Each of its tokens is held against all of the texts, while somebody waits.
ASKED_MAX: Final = 32
# The tokens by which the model was taught to tell a question from a text; they stand second.
QUESTION: Final = 1
TEXT: Final = 2
# What is done to a text and what is kept of it; raise it when that changes.
RECIPE: Final = 2


class LateInteraction:
    """The reranker of `[models]`. Nothing is loaded before the first text or question."""

    def __init__(self) -> None:
        self._model = PackagedModel(COLBERT, tokens_max=TOKENS_MAX)
        self._middle = middle()

    @property
    def name(self) -> str:
        """The model; its weights' hash says which, and the number how texts are kept."""
        return f"colbert-small-{COLBERT.weights[:12]}/{RECIPE}"

    def knows(self, question: str) -> bool:
        """English is all it was taught."""
        return is_english(question)

    def read(self, texts: Sequence[str]) -> list[bytes]:
        """Return the signs of each text's tokens."""
        return [
            np.packbits(self.tokens(text, TEXT, TOKENS_MAX) > self._middle, axis=1).tobytes()
            for text in texts
        ]

    def holds(self, reading: bytes) -> bool:
        """A reading is whole tokens, one at least."""
        return bool(reading) and len(reading) % BYTES_A_TOKEN == 0

    def scores(self, question: str, readings: Sequence[bytes], before: Sequence[int] | None = None) -> Scores:
        """Return the mean, over the tokens of the question, of the cosine with the nearest token of each text.

        A turn of talk often leaves out what the turn before it named. So half is how near each text comes alone, and
        half how near it comes together with what was said before it.
        """
        if not readings:
            return np.zeros(0)
        asked = unit(self.tokens(question, QUESTION, ASKED_MAX) - self._middle)
        held = np.frombuffer(b"".join(readings), np.uint8).reshape(-1, BYTES_A_TOKEN)
        signs = np.unpackbits(held, axis=1).astype(np.float32)
        # Not `@`, whose threads wait for the cores: see `cognition.embedding.index`. Signs are +1 and -1, unpacked 1
        # and 0.
        near = 2 * np.einsum("ij,kj->ik", asked, signs) - asked.sum(axis=1, keepdims=True)
        near /= np.sqrt(WIDTH)
        begins = np.cumsum([0, *(len(one) // BYTES_A_TOKEN for one in readings[:-1])])
        nearest = np.maximum.reduceat(near, begins, axis=1)
        if before is not None:
            places = np.array(before)
            together = np.maximum(nearest, nearest[:, np.where(places < 0, np.arange(len(places)), places)])
            nearest = (nearest + together) / 2
        said: Scores = np.clip(nearest.mean(axis=0), 0, 1).astype(np.float64)
        return said

    def tokens(self, text: str, kind: int, most: int) -> Vectors:
        """Return a vector of length 1 for each token of a text, up to a number of them."""
        return unit(np.array(self._model.run(text, marker=kind, most=most), np.float32))
