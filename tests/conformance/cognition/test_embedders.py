"""`check_embedder`: what every embedder promises, tried on each."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from cognition import Embedder, HashedEmbedder, StaticEmbedder
from cognition.embedding.onnx import OnnxEmbedder
from tests.support.models import needs_models

AWKWARD = [
    "",
    "   ",
    "\0",
    "😀🎉",
    "\ud800 half a surrogate",
    "مرحبا بالعالم",
    "x" * 200_000,
    "?!",
    "\n\t",
    "日本語",
]


# Sentence-transformers loads for seconds: what it promises is asked where it is loaded for more than that.
EMBEDDERS = [HashedEmbedder, StaticEmbedder, pytest.param(OnnxEmbedder, marks=needs_models)]


def check_embedder(make: Callable[[], Embedder]) -> None:
    """Unit or zero vectors of the stated width.

    The same text gives the same vector, in any company or thread.
    """
    embedder = make()
    name, width = embedder.name, embedder.width
    texts = ["Ann moved to Lisbon", "the cat sat on the mat", *AWKWARD]
    rows = embedder.embed(texts)
    assert rows.dtype == np.float32
    assert rows.shape == (len(texts), width)
    assert np.isfinite(rows).all()
    lengths = np.linalg.norm(rows, axis=1)
    assert ((np.abs(lengths - 1) < 1e-4) | (lengths == 0)).all()
    assert lengths[0] > 0
    assert not rows[texts.index("")].any()
    assert np.allclose(make().embed(texts[::-1])[::-1], rows, atol=1e-5)
    assert np.allclose([embedder.embed([text])[0] for text in texts], rows, atol=1e-5)
    with ThreadPoolExecutor(4) as threads:
        for again in threads.map(lambda _: embedder.embed(texts), range(8)):
            assert np.allclose(again, rows, atol=1e-5)
    assert embedder.embed([]).shape == (0, width)
    assert (embedder.name, embedder.width) == (name, width) == (make().name, make().width)


@pytest.mark.parametrize("make", EMBEDDERS)
def test_an_embedder_keeps_its_promises(make: Callable[[], Embedder]) -> None:
    check_embedder(make)


@pytest.mark.parametrize("make", EMBEDDERS)
def test_texts_with_words_in_common_are_nearer_than_others(make: Callable[[], Embedder]) -> None:
    one, other, stranger = make().embed(
        ["the dog chased a cat", "a cat ran from the dog", "quarterly tax report"]
    )
    assert one @ other > one @ stranger
