"""What is a kind of what: the doctor is a cardiologist, and no cardiologist any doctor."""

import pytest

from cognition import StaticEmbedder
from cognition.ranking.kinds import kinds_of
from cognition.ranking.query import KINDS_ASKED_MAX, Query
from cognition.ranking.stem import stem
from tests.support.recalling import Memory

EMBEDDER = StaticEmbedder()


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("doctor", "cardiologist"),
        ("doctors", "gp"),
        ("pet", "kitten"),
        ("flat", "apartment"),
        ("apartment", "flat"),
    ],
)
def test_a_kind_stands_for_what_it_is_a_kind_of(asked: str, told: str) -> None:
    assert told in kinds_of(asked)
    assert stem(asked) not in map(stem, kinds_of(asked))


@pytest.mark.parametrize(
    ("asked", "told"), [("cardiologist", "doctor"), ("kitten", "dog"), ("walrus", "animal")]
)
def test_who_asks_for_one_kind_asks_for_no_other(asked: str, told: str) -> None:
    assert told not in kinds_of(asked)


@pytest.mark.parametrize(
    ("question", "answer", "other"),
    [
        (
            "What illness does our dog have?",
            "Took Rex to the vet: ear infection, drops twice a day",
            "Our dog is brown",
        ),
        ("Which tradesman came?", "The locksmith changed both locks", "The parcel came"),
        ("Which sport does Nils do?", "Nils is in the handball and rowing club", "Nils was born in Turku"),
    ],
)
def test_a_note_without_the_word_is_found_by_a_kind_of_it(question: str, answer: str, other: str) -> None:
    memory = Memory(EMBEDDER)
    rids = [memory.home.remember(text) for text in (answer, other)]
    memory.embed()
    found = {hit.rid: hit.signals.get("echo", 0) for hit in memory.recall(question)}
    assert found[rids[0]] > 0


def test_a_name_is_no_kind_of_anything() -> None:
    assert Query("Where does Robin live?").kinds == {}
    assert Query("Where is the bird?").kinds.keys() == {"bird"}


def test_a_page_of_words_that_have_kinds_asks_for_no_more_than_a_question() -> None:
    page = (
        "doctor relative pet tradesman sport film car medicine vegetable teacher instrument language colour food "
        * 9
    )
    assert len(Query("where is " + page).synonyms) < KINDS_ASKED_MAX + 40
