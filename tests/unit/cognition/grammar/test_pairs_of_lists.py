"""Two lists of values: each of the one is compared with each of the other, and that must not take long."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from cognition.grammar.pairing import LISTED_MAX, disagree, disagreements
from cognition.grammar.typed import CLAIMS_MAX, TypedReading, read_claims
from cognition.judging.nominees import Near, compared

LETTERS = "bcdfghjklmnpqrstvwxz"
# Two lists take half as many, some four milliseconds. Counted, since a busy machine is no slower by them.
CALLS_MAX = 36_000


def calls_of(work: Callable[[], object]) -> int:
    """How many functions are called meanwhile, of Python and of C."""
    calls = 0

    def heard(_frame: FrameType, event: str, _about: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(heard)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls


def listed(told: str, of: int) -> TypedReading:
    """Return a reading of a text that tells as many values as are read of one; `of` makes another of the same kind."""
    lines = [
        told.format(word=f"{LETTERS[n % 20]}a{LETTERS[(n + of) % 20]}o", n=(7 * n + of) % 90 + 10)
        for n in range(CLAIMS_MAX)
    ]
    return read_claims(" ".join(lines))


@pytest.mark.parametrize(
    "told",
    ["The {word} costs {n}7.13 euros.", "I live in {word}bury.", "The {word} opens at 9:{n} on Monday."],
)
def test_two_lists_are_compared_in_milliseconds(told: str) -> None:
    """Two texts of twenty prices took 0.7 s: for each pair, all pairs were asked whether they agree."""
    older, newer = listed(told, 1), listed(told, 5)
    assert min(len(older.claims), len(newer.claims)) >= CLAIMS_MAX - 4
    disagreements(older, newer, 0.9)  # the lexicon is read once
    assert calls_of(lambda: disagreements(older, newer, 0.9)) < CALLS_MAX


def test_of_lists_the_first_values_are_compared() -> None:
    told = [f"I live in {letter}arbury." for letter in "BCDFGHJKLMNP"]
    older = read_claims(" ".join(told))
    assert len(disagreements(older, read_claims("I live in Zarbury."), 0.9)) == LISTED_MAX
    assert disagreements(read_claims(told[LISTED_MAX - 1]), read_claims("I live in Zarbury."), 0.9)


@pytest.mark.parametrize("newer", ["I live in Porto.", "I live in Lisbon.", "It rains."])
def test_whether_two_disagree_is_told_without_all_in_what(newer: str) -> None:
    older = read_claims("I live in Lisbon.")
    assert disagree(older, read_claims(newer), 0.9) == bool(disagreements(older, read_claims(newer), 0.9))


def test_two_lists_are_nominated_in_milliseconds() -> None:
    """Each price of the one was set beside each of the other: 17 ms, and a review names thousands."""
    older, newer = (
        " ".join(
            f"The {letter}a{letter}o{of} costs {n}{of}7.13 euros."
            for n in range(10, 14)
            for letter in LETTERS
        )
        for of in (1, 5)
    )
    found = compared(older, Near(1, newer, 0.9))  # both are read once
    assert calls_of(lambda: compared(older, Near(1, newer, 0.9))) < CALLS_MAX
    assert (found.relation, len(found.values)) == ("differs", 1)
