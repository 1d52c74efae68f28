"""What was mistyped is put right by the words that memories hold."""

from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import samemind
from cognition.embedding.lexicon import WordVectors
from cognition.embedding.static import StaticEmbedder
from cognition.ranking.vocabulary import TABLES, with_own
from cognition.recall.spelling import UNKNOWN_MAX, _slips_of_beginnings, corrected, slips
from cognition.search.postings import Postings
from tests.support.minds import Home
from tests.support.published import published

LEXICON = WordVectors(StaticEmbedder())
HELD = (
    "We chose Postgres over MySQL for the billing service",
    "Maria lives in Lisbon with her dachshund",
    "The deployment to Frankfurt failed on Thursday",
    "Überraschung: Günther fährt nach Zürich",
    "Сегодня Алексей переехал в Варшаву",
)


@pytest.fixture(scope="module")
def home() -> Home:
    made = Home()
    for text in HELD:
        made.remember(text)
    return made


def test_a_slip_is_a_letter_left_out_added_changed_or_swapped() -> None:
    pairs = {("postgres", "postgers"): 1, ("postgres", "postgres"): 0, ("abcd", "abc"): 1, ("abc", "abcd"): 1,
             ("abcd", "abxd"): 1, ("kitten", "sitting"): 3, ("", "ab"): 2, ("ab", "ba"): 1}  # fmt: skip
    assert {pair: slips(*pair) for pair in pairs} == pairs


SPELLED = st.text("abcé", max_size=6)


@given(one=SPELLED, other=SPELLED)
def test_slips_are_counted_of_every_beginning_as_the_definition_says(one: str, other: str) -> None:
    """The optimal string alignment distance: no letter is touched twice."""

    @cache
    def apart(i: int, j: int) -> int:
        if not i or not j:
            return i + j
        found = [apart(i - 1, j) + 1, apart(i, j - 1) + 1, apart(i - 1, j - 1) + (one[i - 1] != other[j - 1])]
        if i > 1 and j > 1 and one[i - 2 : i] == other[j - 1] + other[j - 2]:
            found.append(apart(i - 2, j - 2) + 1)
        return min(found)

    assert _slips_of_beginnings(one, other) == [apart(i, len(other)) for i in range(len(one) + 1)]
    assert slips(one, other) == apart(len(one), len(other))


@published("PM-65")
@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("did we choose Postgers?", "did we choose postgres?"),
        ("what about the biling service", "what about the billing service"),
        ("what failed in Frankfrt?", "what failed in frankfurt?"),
        ("the deploiment failed", "the deployment failed"),
        ("Deploiment to Frankfurt", "deployment to Frankfurt"),  # no name: a question begins so
        ("who lives in lixsbon", "who lives in lisbon"),
        ("who has a daschhund", "who has a dachshund"),
        ("Frankfurtt deployment", "frankfurt deployment"),
        ("was ist mit Günhter", "was ist mit günther"),
        ("Postgers biling daschhund", "postgres billing dachshund"),  # as many as are looked at
        ("куда переехла Алексей", "куда переехал Алексей"),
    ],
)
def test_a_mistyped_word_is_taken_for_the_one_that_is_held(home: Home, asked: str, meant: str) -> None:
    assert corrected(home.connection, asked, TABLES, LEXICON, Postings()) == meant


@pytest.mark.parametrize(
    "asked",
    [
        "where does Marie live",  # another person
        "where does Carla live",
        "is it a cat",  # too short to tell
        "did we choose Postgres",
        "Oracle or Sybase",
        "who likes it, who loved it",  # not who lives there: these are words
        "what is a zeppelin",
        "Hashicorp Postgers Ansible Jenkins",  # about something else altogether
        "",
        "?!",
        "12345 abc123",
    ],
)
def test_what_may_be_meant_as_it_stands_is_left_alone(home: Home, asked: str) -> None:
    assert corrected(home.connection, asked, TABLES, LEXICON, Postings()) == asked


def test_a_word_that_stands_for_others_is_no_slip(home: Home) -> None:
    assert corrected(
        home.connection, "who has a daschhund", with_own({"dog": ["daschhund"]}), LEXICON, Postings()
    ).endswith("daschhund")


@published("PM-65")
def test_a_question_with_a_slip_finds_its_memory(tmp_path: Path) -> None:
    with samemind.open_blocking(tmp_path / "home") as mind:
        for text in HELD:
            mind.remember(text)
        assert mind.recall("why Postgers?", k=1)[0].text == HELD[0]


@pytest.mark.parametrize(("slips", "mends"), [(UNKNOWN_MAX, True), (UNKNOWN_MAX + 1, False)])
def test_a_question_of_many_unknown_words_is_of_another_language_and_left_alone(
    home: Home, slips: int, mends: bool
) -> None:
    asked = " ".join(["Postgers", *(f"zq{chr(ord('a') + n) * 5}" for n in range(slips - 1))])
    assert (corrected(home.connection, asked, TABLES, LEXICON, Postings()) != asked) is mends
