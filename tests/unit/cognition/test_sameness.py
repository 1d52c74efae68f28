"""Which tellings say the same: pairs of different facts are never linked, repetitions mostly are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cognition.ingest.sameness import CHARACTERS_MAX, SAME_BUT_ORDER, SAME_WORDS, sureness
from tests.support.minimal_pairs import DIFFERENT, HELD_OUT, REPEATED
from tests.support.published import published

PAIRS = [(kind, *pair) for kind, pairs in DIFFERENT.items() for pair in pairs]
PAIRS += [("held out", *pair) for pair in HELD_OUT]


def test_there_are_enough_pairs_of_every_kind() -> None:
    assert len(PAIRS) >= 150
    assert min(map(len, DIFFERENT.values())) >= 6


@published("LO-40", "ME-11")
@pytest.mark.parametrize(("kind", "one", "other"), PAIRS)
def test_what_differs_in_one_telling_thing_is_not_linked(kind: str, one: str, other: str) -> None:
    assert sureness(one, other) == sureness(other, one) == 0, kind


@published("ML-51")
@pytest.mark.parametrize(("one", "other"), REPEATED)
def test_a_repetition_is_linked(one: str, other: str) -> None:
    assert sureness(one, other) == sureness(other, one) > 0


@pytest.mark.parametrize(
    ("one", "other", "sure"),
    [
        ("Milk is in the fridge", "The milk is in the fridge", SAME_WORDS),
        ("Dentist on Monday at 10", "On Monday at 10 dentist", SAME_BUT_ORDER),
        ("On Monday I really paid Ann", "I paid Ann on Monday.", SAME_BUT_ORDER),
        ("Here Ann pays", "Ann pays here", 0),  # they share no number, date or time
        ("the", "the", 0),
        ("", "", 0),
        ("!?", "!?", SAME_WORDS),
    ],
)
def test_how_sure_a_link_is(one: str, other: str, sure: int) -> None:
    assert sureness(one, other) == sure


@given(st.text(max_size=60), st.text(max_size=60))
def test_who_is_asked_first_makes_no_difference(one: str, other: str) -> None:
    assert sureness(one, other) == sureness(other, one)


@given(st.text(max_size=60), st.sampled_from(["7", "not", "Monday", "🍕", "x2"]))
def test_a_number_a_not_a_day_or_a_sign_that_is_added_is_never_passed_over(text: str, more: str) -> None:
    assert sureness(text, f"{text} {more}") == 0


def test_a_page_is_no_telling() -> None:
    assert sureness("a " * CHARACTERS_MAX, "a " * CHARACTERS_MAX) == 0
