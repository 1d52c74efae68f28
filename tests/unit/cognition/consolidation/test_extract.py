"""The words of a summary: the most important memory, then what the others add."""

from collections.abc import Iterable
from itertools import permutations

import pytest

from cognition.consolidation import extract
from cognition.consolidation.extract import CHARACTERS_MAX, SummarySource, raised, summaries_of, summarise
from tests.support.published import published
from tests.support.triples import SAID_NEARLY_ALIKE


def source(
    text: str, number: int = 1, importance: float | None = None, speaker: str | None = None
) -> SummarySource:
    return SummarySource(bytes([number]), text, number, importance, speaker)


def said(sources: Iterable[SummarySource]) -> str:
    return summarise(sources).text


@published("YD-29")
def test_the_most_important_memory_leads_with_its_own_words() -> None:
    some = [
        source("We hiked around the lake", 1, 0.4),
        source("The hike around the lake took five hours", 2, 0.9),
        source("It rained on the hike", 3, 0.6),
    ]
    assert said(some).startswith("The hike around the lake took five hours")
    assert said([source("Only this", 1, 0.1)]) == "Only this"


@published("YD-29")
def test_the_others_add_what_is_new_in_them() -> None:
    """And nothing that a sentence before says, word for word."""
    some = [
        source("We hiked around the lake.", 1, 0.9),
        source("We really hiked around the lake! The ferry back was broken.", 2),
        source("we hiked around the lake", 3),
    ]
    assert said(some) == "We hiked around the lake. The ferry back was broken."
    assert len(summarise(some).sources) == 3


@pytest.mark.parametrize("same", SAID_NEARLY_ALIKE, ids=lambda three: three[0])
def test_a_summary_leaves_out_nothing_that_a_member_says(same: tuple[str, ...]) -> None:
    """No number, name, date, place or negation, in five languages; nor who did it to whom."""
    for order in permutations(same):
        text = said([source(each, at) for at, each in enumerate(order)])
        assert sorted(text.split(". ")) == sorted(same)


def test_what_a_summary_has_no_room_for_goes_into_another_one() -> None:
    many = [
        source(f"Invoice {1000 + n} over {n} euros was sent to the office in Porto.", n) for n in range(1, 60)
    ]
    found = list(summaries_of(many, 3))
    assert len(found) > 3
    rids = [each.rid for one in found for each in one.sources]
    assert len(rids) == len(set(rids)) > 50
    for one in found:
        assert len(one.text) <= CHARACTERS_MAX
        for each in one.sources:
            assert each.text.rstrip(".") in one.text


def test_of_a_book_one_sentence_tells_that_there_is_no_room_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of it was put together first, a sentence at a time: two megabytes of short lines took minutes."""
    joined: list[str] = []
    right = extract._joined

    def join(one: str, other: str) -> str:
        joined.append(other)
        return right(one, other)

    monkeypatch.setattr(extract, "_joined", join)
    books = [source("\n".join(f"Line {n} of book {book}" for n in range(900)), book) for book in range(2, 7)]
    assert [*summaries_of(books, 2)] == []
    assert len(joined) < 1_000
    assert len(summarise([source("We hiked.", 1, 0.9), *books]).sources) == 1


def test_what_is_as_long_as_a_book_is_in_no_summary() -> None:
    three = [source(f"We hiked in {where}.", at) for at, where in enumerate(("Porto", "Sintra", "Braga"))]
    book = source("x" * (extract.SOURCE_CHARACTERS_MAX + 1), 0, 1.0)
    (found,) = summaries_of([book, *three], 3)
    assert set(found.sources) == set(three)


def test_a_summary_does_not_hang_on_the_order_of_its_sources() -> None:
    some = [source(f"Thing {name} happened near {name}ville", at) for at, name in enumerate("abc")]
    assert len({said(each) for each in permutations(some)}) == 1


def test_the_older_of_two_that_matter_alike_leads() -> None:
    assert said([source("Later words here", 2), source("Earlier words there", 1)]).startswith("Earlier")


def test_who_speaks_is_named_where_i_would_be_somebody_else() -> None:
    some = [
        source("I passed the biology exam.", 1, 0.9, "Ann"),
        source("My cousin failed the chemistry exam.", 2, None, "Bob"),
    ]
    assert said(some) == "Ann: I passed the biology exam. Bob: My cousin failed the chemistry exam."
    both = [source("I passed the exam.", 1, 0.9, "Ann"), source("I passed the exam.", 2, None, "Bob")]
    assert said(both) == "Ann: I passed the exam. Bob: I passed the exam."
    alone = [some[0], source("My cousin failed the chemistry exam.", 2, None, "Ann")]
    assert (
        said(alone) == "I passed the biology exam. My cousin failed the chemistry exam."
    )  # it has a speaker


def test_a_summary_stays_short_and_keeps_its_lead_whole() -> None:
    long = " ".join(f"word{number}" for number in range(200))
    assert said([source(long, 1, 1.0), source("Something else entirely.", 2)]) == long
    many = [
        source(f"Number {number} tells about thing{number} and place{number}.", number)
        for number in range(1, 60)
    ]
    assert 0.8 * CHARACTERS_MAX < len(said(many)) <= CHARACTERS_MAX


def test_a_summary_matters_more_than_its_sources() -> None:
    assert raised([0.4, None, 0.2]) == 0.6
    assert raised([0.95, None]) == 1.0
