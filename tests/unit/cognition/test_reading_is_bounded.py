"""What a text says is found in work that grows with its length, whoever wrote it and however it repeats itself."""

import time

import pytest

from cognition.ingest.plan import read_text
from tests.support.replicas import NOW_MS

# A page takes less than a second on a slow machine, a sentence a few thousandths.
PAGE_SECONDS_MAX = 10.0
# What tries all ways to part so many characters takes many seconds; longer sentences are not read for habits.
SENTENCE_CHARACTERS = 165
SENTENCE_SECONDS_MAX = 1.0

BEGINNINGS = (
    *("I run ", "I eat meat ", "I don't eat meat ", "I used to play guitar ", "I quit smoking ", "I go to the gym "),
    *("I've never been to ", "I tried ", "I am a big ", "I am a fan of ", "I work at ", "I moved ", "I have two cats "),
    *("I have been married ", "I am 34 ", "My favorite ", "My name is ", "I prefer ", "I love ", "My husband "),
    *("I am happily married to ", "Ann's favorite ", "I lost my job ", "I got a new job ", "My brother ", "He "),
    *("In the ", "So, ", "I live in ", "I haven't had any ", "I've been "),
)  # fmt: skip
REPEATED = (
    *(
        "every day ",
        "each a ",
        "most week ",
        "now ",
        "a ",
        "New ",
        "too ",
        "again ",
        "and ",
        "big ",
        "the ",
        "at ",
        "with ",
    ),
    *("for ", "my ", "to ", "very ", "lol ", "just ", "once ", "on mondays ", "these days ", "I ", "and I "),
)


def cpu_seconds(text: str) -> float:
    """Return what reading a text costs, on whatever machine, however busy."""
    began = time.process_time()
    read_text(text, {"speaker": "Sam"}, now_ms=NOW_MS)
    return time.process_time() - began


@pytest.mark.parametrize("beginning", BEGINNINGS)
def test_words_that_repeat_behind_the_beginning_of_a_statement_cost_little(beginning: str) -> None:
    for words in REPEATED:
        repeated = (words * SENTENCE_CHARACTERS)[:SENTENCE_CHARACTERS]
        assert cpu_seconds(f"{beginning}{repeated}#x") < SENTENCE_SECONDS_MAX, words


@pytest.mark.parametrize(
    "text",
    [
        "I eat " + "very " * 3_900,
        "My favorite " + "x " * 9_000 + "is y",
        "I and " * 3_000,
        "I b" + "-b" * 9_000,
        '"I am ' * 3_000,
        "I work at " + "Aa " * 6_000,
        "I have been doing " + "a " * 9_000 + "for 3 years",
        "Well." + " " * 19_000 + "x",
        "Well." + "?" * 19_000 + "x",
        "A. " * 6_000,
        "I have two cats, " * 1_200,
        "I run for a week and " * 900,
        "\n> " * 6_000,
        "My brother is 34. " * 1_100,
        "I tried " + "with a " * 2_500 + "#",
    ],
    ids=lambda text: text.strip()[:20],
)
def test_a_page_of_one_thing_costs_little(text: str) -> None:
    assert cpu_seconds(text) < PAGE_SECONDS_MAX


@pytest.mark.parametrize("told_at", [-99_999_999_999_999, 2**53, -62_135_596_800_000])
def test_what_was_told_at_no_time_of_our_calendar_is_read_without_the_years_in_it(told_at: int) -> None:
    text = "I'm 34 years old. I have two kids. We have been married for seven years."
    _, found = read_text(text, {"speaker": "Sam", "told_at": told_at}, now_ms=NOW_MS)
    relations = {statement.relation for statement in found.statements}
    assert relations == {"number_of:kids", "relationship_status"}
