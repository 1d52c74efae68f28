"""Whoever owns a memory is one person by whatever name things are told, and may be taken apart again."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import samemind
from samemind import BlockingMind
from tests.support.published import published


@pytest.fixture
def mind(tmp_path: Path) -> Iterator[BlockingMind]:
    with samemind.open_blocking(tmp_path / "home") as opened:
        yield opened


def told(mind: BlockingMind) -> list[str]:
    return [fact.text for fact in mind.profile().dynamic]


def test_who_says_their_name_is_one_person_with_it(mind: BlockingMind) -> None:
    mind.remember("I live in Berlin", speaker="Julia")
    mind.remember("ich wohne in Hamburg")
    assert list(mind.contradictions()) == []
    mind.set_profile(name="Julia")
    (found,) = mind.contradictions()
    assert {found.a.value, found.b.value} == {"Berlin", "Hamburg"}
    assert sorted(told(mind)) == ["I live in Berlin", "ich wohne in Hamburg"]
    assert {hit.text for hit in mind.recall("where do I live?", k=2)} == {
        "I live in Berlin",
        "ich wohne in Hamburg",
    }
    assert mind.verify().ok


def test_me_ich_and_the_user_of_a_chat_are_the_owner(mind: BlockingMind) -> None:
    for speaker, city in (("me", "Porto"), ("ich", "Bonn"), ("user", "Oslo"), ("I", "Leeds")):
        mind.remember(f"I live in {city}", speaker=speaker)
    assert len(told(mind)) == 4
    (found,) = mind.contradictions()
    assert len(found.beliefs) == 4


def test_the_first_word_of_a_name_is_a_name_too_and_a_namesake_is_taken_apart_again(
    mind: BlockingMind,
) -> None:
    mind.remember("Julia lives in Berlin")
    mind.remember("I live in Hamburg")
    mind.set_profile(name="Julia Weber")
    assert len(list(mind.contradictions())) == 1
    mind.set_profile(aliases="-")
    assert list(mind.contradictions()) == []
    mind.set_profile(aliases="Jule, J. Weber")
    assert list(mind.contradictions()) == []
    mind.remember("I live in Kiel", speaker="jule")
    assert len(list(mind.contradictions())) == 1
    mind.set_profile(aliases="")
    assert len(list(mind.contradictions())) == 1, "the name stands again"


def test_what_is_so_of_my_sister_is_so_of_julias(mind: BlockingMind) -> None:
    mind.remember("Julia's birthday is on 3 May")
    mind.remember("My birthday is on 4 May")
    mind.set_profile(name="Julia")
    assert len(list(mind.contradictions())) == 1


def test_what_was_decided_stays_decided_when_names_come_and_go(mind: BlockingMind) -> None:
    mind.set_profile(name="Julia")
    mind.remember("I live in Berlin", speaker="Julia")
    mind.remember("I live in Hamburg")
    (found,) = mind.contradictions()
    mind.resolve(found.id, keep_b=True)
    mind.set_profile(aliases="-")
    mind.set_profile(aliases="")
    (again,) = mind.contradictions()
    assert (again.id, again.status) == (found.id, "settled")


def test_it_does_not_matter_when_the_name_comes(tmp_path: Path) -> None:
    """Two devices that hear of it before and after the claims judge alike."""

    def name(mind: BlockingMind) -> None:
        mind.set_profile(name="Julia")

    def tell(mind: BlockingMind) -> None:
        mind.remember("I live in Berlin", speaker="Julia")
        mind.remember("I live in Hamburg")

    def judged(*steps: Callable[[BlockingMind], None]) -> list[tuple[str, str]]:
        with samemind.open_blocking(tmp_path / steps[0].__name__) as mind:
            for step in steps:
                step(mind)
            return [(each.id, each.status) for each in mind.contradictions()]

    assert judged(name, tell) == judged(tell, name) != []


@pytest.mark.parametrize(
    ("own", "others", "question"),
    [
        ("I moved to Lisbon last year", "Alice lives in Berlin", "where do I live"),
        ("I'm based in Lisbon", "Alice lives in Berlin", "where do I live"),
        ("My job is at Novo", "Alice works at Stripe", "where do I work"),
        ("I have a peanut allergy", "Bob is allergic to nuts", "what am I allergic to"),
        ("I was born on 3 May", "Ann's birthday is 4 June", "when is my birthday"),
        ("I am married to Eva", "Ben is married to Ann", "who is my wife"),
    ],
)
@published("PM-64")
@pytest.mark.parametrize("speaker", [None, "Sam"])
def test_where_do_i_live_finds_the_owners_fact_before_anybody_elses(
    mind: BlockingMind, own: str, others: str, question: str, speaker: str | None
) -> None:
    """The row: "where do I live" finds the user's fact. Others' facts share more words with the question."""
    if speaker is not None:
        mind.set_profile(name=speaker)
    mind.remember(own, speaker=speaker)
    mind.remember(others)
    (best,) = mind.recall(question, k=1)
    assert best.text == own


@published("PM-22")
@pytest.mark.parametrize("told", ["I moved to Lisbon last year", "I'm based in Lisbon"])
def test_where_do_i_live_matches_moved_to_and_based_in_beside_a_rival(mind: BlockingMind, told: str) -> None:
    """The row, with somebody in the store of whom the question's own verb is said."""
    mind.remember("Alice lives in Berlin")
    mind.remember("We live-stream the concert on Friday")
    mind.remember(told)
    (best,) = mind.recall("where do I live", k=1)
    assert best.text == told
