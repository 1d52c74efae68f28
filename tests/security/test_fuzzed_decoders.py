"""Spoiled input to every decoder ends in the documented error, or is taken and does no harm (`tests.support.fuzzing`).

A fixed seed for each, and a fresh one each run; those that failed once are kept. `make fuzz` goes on for minutes.
"""

import random

import pytest

from tests.support.fuzzing import TARGETS, failure

# A second of each on a quiet machine.
CALLS = {
    "frames": 40, "bodies": 8, "snapshots": 40, "wire": 12, "sessions": 20, "link-frames": 300, "carriers": 8,
    "importers": 60, "control": 20, "http": 20, "settings": 60, "identities": 60, "codes": 200, "questions": 200,
    "entries": 4,
}  # fmt: skip
FRESH = random.SystemRandom().randrange(2**32)


@pytest.mark.parametrize("name", TARGETS)
def test_spoiled_input_is_refused_in_the_documented_words_or_does_no_harm(name: str) -> None:
    seeds = [*range(CALLS[name] // 2), *range(FRESH, FRESH + CALLS[name] // 2)]
    for seed in seeds:
        found = failure(name, seed)
        assert found is None, found


@pytest.mark.parametrize(
    ("name", "seed", "was"),
    [
        (
            "snapshots",
            10148,
            "a snapshot without a deletion that it covers brought the memory's digest out of step",
        ),
        ("identities", 2318, "a bit that flipped in the kind of a key was told as a bug"),
        ("identities", 17175, "and one in the version of its certificate"),
        ("codes", 11012, "three letters where a code has its number"),
    ],
)
def test_what_failed_once_holds(name: str, seed: int, was: str) -> None:
    assert failure(name, seed) is None, was
