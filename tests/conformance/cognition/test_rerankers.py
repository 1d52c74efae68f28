"""`check_reranker`: what every reranker promises, tried on each."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from cognition.reranking import LateInteraction, Reranker
from tests.support.models import OverlapReranker, needs_models
from tests.support.published import published

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
    read = reranker.read(TEXTS)
    assert len(read) == len(TEXTS)
    assert all(read)
    said = reranker.scores(QUESTION, read)
    assert said.dtype == np.float64
    assert said.shape == (len(TEXTS),)
    assert ((said >= 0) & (said <= 1)).all()
    assert said.argmax() == 0
    assert make().read(TEXTS[::-1])[::-1] == read
    assert [reranker.read([text])[0] for text in TEXTS] == read
    assert np.allclose(make().scores(QUESTION, read[::-1])[::-1], said)
    assert np.allclose([reranker.scores(QUESTION, [one])[0] for one in read], said)
    alone = [-1] * len(read)
    assert np.allclose(reranker.scores(QUESTION, read, alone), said)
    after_the_best = reranker.scores(QUESTION, read, [-1, *([0] * (len(read) - 1))])
    assert np.isclose(after_the_best[0], said[0])
    assert (after_the_best[1:] > said[1:]).all(), "what stands before helps"
    assert (after_the_best[1:] <= 1).all()
    with ThreadPoolExecutor(4) as threads:
        for again in threads.map(lambda _: reranker.scores(QUESTION, read), range(4)):
            assert np.allclose(again, said)
    assert reranker.read([]) == []
    assert reranker.scores(QUESTION, []).shape == (0,)
    for question in ("", "?!", "x" * 100_000, "\ud800"):
        assert reranker.scores(question, read[:2]).shape == (2,)
    assert reranker.knows(QUESTION)
    assert reranker.name == name == make().name


@published("ML-16")
@pytest.mark.parametrize("make", [OverlapReranker, pytest.param(LateInteraction, marks=needs_models)])
def test_a_reranker_keeps_its_promises_and_so_does_the_fake_of_one(
    make: Callable[[], Reranker],
) -> None:
    check_reranker(make)
