"""What full text is asked for where many memories hold the words of a question."""

import math
from collections.abc import Callable

import pytest

from cognition import Filters, fulltext
from cognition.fulltext import FulltextQuery, bounded
from cognition.search import passes
from replica import Remember, Write, new_memory_id
from tests.support.minds import Home

EVERYTHING = ['"walrus"', '"tea"', '"cake"']


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> Home:
    """A memory in which forty is many; the numbers of its rows count from 1, as they are told."""
    for name, value in {"RANKED_MAX": 20, "RARE_MAX": 5, "COMMON": 60}.items():
        monkeypatch.setattr(fulltext, name, value)
    return Home()


def tell(home: Home, *texts: str, **fields: str) -> None:
    home.commit(
        *[Write(Remember(text, dict(fields)), new_memory_id(home.now_ms, home.random)) for text in texts]
    )


def asked(home: Home, *terms: str) -> FulltextQuery:
    return bounded(home.connection, "memory_text", terms)


def test_where_few_hold_any_of_the_words_all_are_ranked(home: Home) -> None:
    tell(home, *["tea"] * 12, *["cake"] * 8)
    assert asked(home, *EVERYTHING) == FulltextQuery('"walrus" OR "tea" OR "cake"')


def test_where_many_do_a_rare_word_or_two_of_the_others_stand_out(home: Home) -> None:
    tell(home, *["tea time"] * 30, *["cake time"] * 30, "tea and cake", "a walrus")
    assert asked(home, *EVERYTHING) == FulltextQuery(
        '"walrus" OR "tea" OR "cake"', '"walrus" OR ("cake" AND ("tea"))'
    )


def test_a_word_that_nearly_all_hold_is_asked_for_only_where_there_are_no_others(home: Home) -> None:
    tell(home, *["tea"] * 61, "cake", "walrus")
    assert asked(home, *EVERYTHING) == FulltextQuery('"walrus" OR "cake"')
    assert asked(home, '"tea"') == FulltextQuery('"tea"', '"tea"')


def test_as_many_words_are_paired_as_can_be_told_apart_quickly(home: Home) -> None:
    words = [f"{letter}oat" for letter in "bcdghkmrst"]
    tell(home, *[word for word in words for _ in range(10)])
    among = asked(home, *(f'"{word}"' for word in words)).among
    assert among is not None
    # Six of them, each with those after it.
    assert [part.count(" OR ") + 1 for part in among.split(" AND ")[1:-1]] == [5 + 1, 4 + 1, 3 + 1, 2 + 1]
    assert among.count(" AND ") == 5


def test_what_stands_out_keeps_the_scores_of_the_whole_question(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(
        home,
        *["tea time"] * 30,
        *["cake time"] * 30,
        *["tea and cake"] * 3,
        "a walrus",
        "walrus, tea and cake",
    )
    some = passes.by_words(passes.Candidates(home.connection, Filters()), ["walrus", "tea", "cake"], 5)
    monkeypatch.setattr(fulltext, "RANKED_MAX", 1_000)
    whole = passes.by_words(passes.Candidates(home.connection, Filters()), ["walrus", "tea", "cake"], 5)
    assert {number for number, _ in whole} == {61, 62, 63, 64, 65}
    assert some == whole


def test_where_too_few_stand_out_the_newest_that_hold_any_of_the_words_follow(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fulltext, "NEWEST_MAX", 10)
    tell(home, *["tea time"] * 30, *["cake time"] * 30, "tea and cake", "nothing", "tea time")
    found = [
        number
        for number, _ in passes.by_words(passes.Candidates(home.connection, Filters()), ["tea", "cake"], 4)
    ]
    # Beside the one that has both, the newest ten are 53 to 60 and 63; of equal ones the oldest come first.
    assert found == [61, 53, 54, 55]


@pytest.mark.parametrize(
    "many", [lambda: ["tea time"] * 40, lambda: ["tea and cake"] * 40], ids=["one word", "pairs"]
)
def test_a_narrow_recall_finds_what_passes_it_behind_whatever_does_not(
    home: Home, many: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passes, "NEWEST_MAX", 10)
    tell(home, "tea, once", "tea with cake", speaker="Ann")
    tell(home, *many(), speaker="Bob")
    found = passes.by_words(passes.Candidates(home.connection, Filters(speaker="ann")), ["tea", "cake"], 5)
    assert [number for number, _ in found] == [2, 1]


def test_an_expression_that_is_no_word_is_left_as_it_is(home: Home) -> None:
    tell(home, *["tea"] * 30, speaker="Ann")
    tell(home, "tea", speaker="Bob")
    assert (
        passes.by_match(home.connection, ['speaker : ("bob") AND text : ("tea")'], Filters(), 5)[0][0] == 31
    )
    assert len(passes.by_match(home.connection, ['speaker : ("ann") AND text : ("tea")'], Filters(), 5)) == 5
    assert passes.by_match(home.connection, [], Filters(), 5) == []


def test_of_words_that_few_hold_the_holders_come_the_rarest_together_first(home: Home) -> None:
    tell(home, *["tea"] * (passes.RARE_HELD_MAX + 1), "walrus", "walrus and cake", "cake", "cake")
    one, both, *cakes = range(passes.RARE_HELD_MAX + 2, passes.RARE_HELD_MAX + 6)
    tell(home, "walrus, tea, cake: again")
    told = cakes[-1] + 1
    found = passes.by_rare_words(home.connection, told, ["walrus", "tea", "cake"], 99, 9)
    assert [*found] == [both, one, *sorted(cakes, reverse=True)], "no tea, and not the telling itself"
    assert found[one] == pytest.approx(math.log(100 / 3))
    assert found[both] == pytest.approx(math.log(100 / 3) + math.log(100 / 4))
    assert [*passes.by_rare_words(home.connection, told, ["walrus", "tea", "cake"], 99, 2)] == [both, one]
    tell(home, "tea")
    assert passes.by_rare_words(home.connection, 1, ["tea"], 99, 99) == {}
    assert passes.by_rare_words(home.connection, told, [], 99, 9) == {}


def test_a_word_is_rare_up_to_a_number_of_others_whether_or_not_it_is_told_again(home: Home) -> None:
    tell(home, *["tea"] * passes.RARE_HELD_MAX)
    assert len(passes.by_rare_words(home.connection, 99, ["tea"], 99, 99)) == passes.RARE_HELD_MAX
    tell(home, "tea")
    assert len(passes.by_rare_words(home.connection, passes.RARE_HELD_MAX + 1, ["tea"], 99, 99)) == (
        passes.RARE_HELD_MAX
    )
    assert passes.by_rare_words(home.connection, 99, ["tea"], 99, 99) == {}
    assert passes.by_rare_words(home.connection, 1, ["tea"], 5, 99) == dict.fromkeys(
        range(passes.RARE_HELD_MAX + 1, 1, -1), 0.0
    ), "a count that is behind what is filed makes nothing rarer than common"


def test_a_word_that_many_are_labelled_with_is_not_rare_for_being_in_few_texts(home: Home) -> None:
    """Each memory is filed under its day: whoever names a month in a text is not to go through all of them."""
    tell(home, *["soup"] * (passes.RARE_HELD_MAX + 1), project="November")
    tell(home, "in November")
    assert passes.by_rare_words(home.connection, 99, ["november"], 99, 99) == {}
