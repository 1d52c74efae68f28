"""The signal against what is said of somebody else, where the asker asks of themselves."""

from typing import Any

import numpy as np
import pytest

from cognition.ranking.pool import CandidateRow, Pool
from cognition.ranking.query import Query
from cognition.ranking.signals import another
from tests.bench.homes import OTHERS, pairs, read
from tests.support.published import published

NOW_MS = 1_700_000_000_000
PLAIN: dict[str, Any] = {
    "speaker": None,
    "conversation": None,
    "time_ms": 0,
    "importance": None,
    "accesses": 0,
    "last_access": 0,
}
# What is asked of the asker, their own note, and somebody else's.
ASKED = [(home.questions[0].text, *home.notes[1:]) for each in read(OTHERS) for home in pairs(each)]


def given(question: str, *texts: str, position: int | None = None, about: str | None = None) -> list[float]:
    """Return what the signal gives texts that have, or whose labels have, the words of the question."""
    labels = question if about is None else about
    rows = [
        CandidateRow(id=i, rid=i.to_bytes(16), content=i, text=text, about=labels, position=position, **PLAIN)
        for i, text in enumerate(texts)
    ]
    none = np.zeros(len(rows))
    pool = Pool(Query(question), rows, none, none, NOW_MS)
    column: list[float] = another.SIGNAL.of(pool).tolist()
    return column


@published("PM-64")
@pytest.mark.parametrize(
    ("question", "own", "others"), [each for each in ASKED if Query(each[0]).asked is None]
)
def test_what_somebody_else_has_counts_against_it_in_ten_languages(
    question: str, own: str, others: str
) -> None:
    assert given(question, own, others) == [0, 1]


@pytest.mark.parametrize(
    "question",
    [
        "What car does Ben have?",  # of whom it is
        "What car does my sister have?",
        "Which car did I lend to Ben?",  # of both
        "Who has a car for me?",  # of whoever it may be
        "Which car is it?",
    ],
)
def test_nothing_is_against_what_may_be_asked_for(question: str) -> None:
    assert given(question, "Ben's car is a red Opel", "My sister drives a red car") == [0, 0]


@pytest.mark.parametrize(
    "text",
    [
        "I bought Ben's car",
        "My sister gave me her car",
        "We share Ben's car",
        "At Ben's: the car keys",  # of no car of his
        "The car has winter tyres",
        "The car of the year",
        "Altes Auto verkauft",  # an adjective, and no Alte's car
        "The car that stands behind the old mill is beside Ben's van",  # nor at the beginning
        "Car: winter tyres, oil, wipers, belts, a light, and then Ben's trailer",  # what it is about stands before
    ],
)
def test_the_askers_own_and_nobodys_are_left_alone(text: str) -> None:
    assert given("What car do I have?", text) == [0]


def test_a_turn_of_talk_is_left_alone() -> None:
    assert given("What car do I have?", "Ben's car is a red Opel", position=1) == [0]


def test_what_shares_no_word_with_the_question_is_left_alone() -> None:
    assert given("What car do I have?", "Ben's Opel is red", "Ben's car is red", about="") == [0, 1]


def test_who_asks_in_one_language_may_have_told_in_another() -> None:
    texts = [
        "Bens Auto ist ein roter Opel",
        "Ich habe Bens Auto gekauft",
        "I live in the Südvorstadt of Leipzig",
    ]
    assert given("What car do I have?", *texts) == [1, 0, 0]
