"""What the benches decide by themselves; what they measure is for `make bench`."""

import numpy as np
import pytest

from tests.bench.fitting import Example
from tests.bench.recall_locomo import Outcome, failure

NOTHING = Example(np.zeros((0, 0), np.float32), np.zeros(0, np.bool_), 1, 1)


def outcome(evidence: str, turns: str, speakers: str, named: str = "") -> Outcome:
    return Outcome(
        conversation="c", category=1, question="?", evidence=frozenset(evidence.split()),
        turns=turns.split(), speakers=speakers.split(), named=frozenset(named.split()), bm25=(), took_ms=1.0,
        example=NOTHING,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("asked", "bucket"),
    [
        (outcome("a", "b a", "Ann Bob"), "FOUND"),
        (outcome("a z", "b a", "Ann Bob"), "INCOMPLETE"),
        (outcome("a", "", ""), "LLM_REFUSE"),
        (outcome("a", "b c", "Bob Bob", "Ann"), "SPEAKER_SWAP"),
        (outcome("a", " ".join("bcdefghijk"), " ".join(["Ann"] * 10), "Ann"), "WRONG_FACT"),
        (outcome("a", "b c", "Bob Bob"), "WRONG_FACT"),
    ],
)
def test_ml_83_each_failure_of_a_benchmark_has_one_of_four_names(asked: Outcome, bucket: str) -> None:
    assert failure(asked) == bucket
