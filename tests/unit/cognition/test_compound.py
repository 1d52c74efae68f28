import time

import pytest

from cognition.ranking.compound import split
from tests.support.published import published


def rule_of(text: str) -> str | None:
    return split(text).rule


@published("PM-28")
def test_and_before_a_question_word_splits() -> None:
    parts, rule = split("when did I join the gym and why did I stop going there")
    assert rule == "and-wh"
    assert parts == ("when did I join the gym", "why did I stop going there")


@published("PM-29")
def test_because_splits() -> None:
    assert rule_of("did Ann leave the big company because her manager was never there") == "because"


@published("PM-30")
def test_comma_also_splits() -> None:
    assert rule_of("which database runs the blog, also which cache runs the shop") == "comma-also"


@published("PM-31")
def test_and_also_splits() -> None:
    assert rule_of("tell me which database runs the blog and also the shop cache") == "and-also"


@published("PM-32")
def test_a_question_mark_before_a_capital_splits() -> None:
    assert rule_of("Which database runs the blog? Ann asked for the shop cache") == "sentence-q"


@published("PM-33")
def test_a_full_stop_before_a_capitalised_word_splits_and_an_abbreviation_does_not() -> None:
    assert rule_of("The blog database is slow today. Find the shop cache settings") == "sentence-period"
    assert rule_of("which blog database is used e.g. postgres for the shop cache") is None
    assert rule_of("what did the patient hear from Dr. No about blood pressure tablets") is None
    assert rule_of("What J.K. Rowling quote does Tim resonate with most of all?") is None


@published("PM-34")
def test_the_most_specific_rule_comes_first() -> None:
    text = "when did the blog database break and why did it, also because the cache failed"
    assert rule_of(text) == "and-wh"


@published("PM-35")
@pytest.mark.parametrize(
    "text",
    [
        "when did I join and why leave",  # seven words
        "when did I join the old gym and why is it so",  # the second part says nothing
        "tell me all about the gym that I joined in May last year",  # nothing to split at
        "",
    ],
)
def test_short_questions_and_empty_parts_are_left_whole(text: str) -> None:
    assert split(text) == ((text,), None)


@pytest.mark.parametrize(
    "sentence", ["Why is the dog red? ", "The dog ran home. ", "Ann saw a red dog, also "]
)
def test_a_pasted_page_is_one_question(sentence: str) -> None:
    assert len(split(sentence * 3).parts) == 3
    assert len(split(sentence * 9).parts) == 1


@pytest.mark.parametrize(
    "page",
    [
        "what did we say of the big red dog" + 20_000 * " " + "and why",
        1_000 * "The dog ran home. ",
        3_000 * " and ",
    ],
)
def test_a_page_is_looked_through_once(page: str) -> None:
    """Ten seconds where each rule looks from every space of a run to its end; a fiftieth of one otherwise."""
    began_s = time.thread_time()
    split(page)
    assert time.thread_time() - began_s < 2
