"""`check_reranker`: what every reranker promises, tried on each."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from cognition.reranking import CrossEncoder, Reranker
from tests.support.models import OverlapReranker, needs_models

QUESTION = "Where does Ann live?"
TEXTS = [
    "Ann lives in Lisbon now",
    "the tax report is late",
    "",
    "\0",
    "😀",
    "\ud800 half a surrogate",
    "x" * 100_000,
    "日本語",
]


def check_reranker(make: Callable[[], Reranker]) -> None:
    """A number from 0 to 1 for each text, the same in any company or thread; what answers comes first."""
    reranker = make()
    name = reranker.name
    said = reranker.scores(QUESTION, TEXTS)
    assert said.dtype == np.float64
    assert said.shape == (len(TEXTS),)
    assert ((said >= 0) & (said <= 1)).all()
    assert said.argmax() == 0
    assert np.allclose(make().scores(QUESTION, TEXTS[::-1])[::-1], said)
    assert np.allclose([reranker.scores(QUESTION, [text])[0] for text in TEXTS], said)
    with ThreadPoolExecutor(4) as threads:
        for again in threads.map(lambda _: reranker.scores(QUESTION, TEXTS), range(4)):
            assert np.allclose(again, said)
    assert reranker.scores(QUESTION, []).shape == (0,)
    for question in ("", "?!", "x" * 100_000, "\ud800"):
        assert reranker.scores(question, TEXTS[:2]).shape == (2,)
    assert reranker.name == name == make().name


@pytest.mark.parametrize("make", [OverlapReranker, pytest.param(CrossEncoder, marks=needs_models)])
def test_ml_16_a_reranker_keeps_its_promises_and_so_does_the_fake_of_one(
    make: Callable[[], Reranker],
) -> None:
    check_reranker(make)
