"""A question is read as (whom, what), in many languages, and a text as stating just that or something else."""

import re

import pytest

from cognition.ranking.asked_words import SLOTS
from cognition.ranking.asking import ASKED_CHARACTERS_MAX, asked_for


@pytest.mark.parametrize(
    ("question", "slot", "names"),
    [
        ("where do I work?", "work", ()),
        ("Do you know where I work?", None, ()),
        ("Who do I currently work for?", "work", ()),
        ("where does Ann work these days", "work", ("ann",)),
        ("Where does my sister live?", "home", ("sister",)),
        ("wann hat Ann Geburtstag?", "birthday", ("ann",)),
        ("Wo wohne ich jetzt?", "home", ()),
        ("¿Dónde trabaja Lucía?", "work", ("lucía",)),
        ("Où est-ce que j’habite maintenant ?", "home", ()),
        ("Dove lavora Giulia?", "work", ("giulia",)),
        ("Onde é que eu moro?", "home", ()),
        ("Gdzie pracuję?", "work", ()),
        ("Waar woont Anouk?", "home", ("anouk",)),
        ("Где я сейчас живу?", "home", ()),
        ("Коли день народження Оксани?", "birthday", ("оксани",)),
        ("À quoi Hugo est-il allergique ?", "allergy", ("hugo",)),
        ("where did I park the work van?", None, ()),
        ("what is the point of work?", None, ()),
    ],
)
def test_a_question_is_read_as_whom_and_what(question: str, slot: str | None, names: tuple[str, ...]) -> None:
    asked = asked_for(question)
    assert (None if asked is None else asked.slot) == slot
    assert asked is None or asked.names == names


@pytest.mark.parametrize(
    ("question", "slot", "names"),
    [
        ("where did I work in October?", "work", ()),
        ("Which town did I live in in the spring of 2025?", "home", ()),
        ("In May 2024, who was my employer?", "work", ()),
        ("where was Ann living last summer", "home", ("ann",)),
        ("wo wohnte Ann im Mai?", "home", ("ann",)),
        ("¿Dónde trabajaba en abril?", "work", ()),
        ("où habitait Hugo en mai ?", "home", ("hugo",)),
        ("Gdzie pracowała Ola w maju?", "work", ("ola",)),
        ("Onde trabalhava o João em maio?", "work", ("joão",)),
        ("Waar woonde Bo in mei?", "home", ("bo",)),
        ("where did I work?", None, ()),
        ("where did I park in October?", None, ()),
        ("did I work in October?", None, ()),
        ("in October?", None, ()),
    ],
)
def test_a_question_of_a_time_is_read_as_one_of_now(
    question: str, slot: str | None, names: tuple[str, ...]
) -> None:
    asked = asked_for(question)
    assert (None if asked is None else asked.slot) == slot
    assert asked is None or (asked.names == names and asked.past)


def test_a_question_of_now_is_of_no_past() -> None:
    asked = asked_for("where do I work?")
    assert asked is not None
    assert not asked.past


def test_a_topic_is_part_of_what_is_asked() -> None:
    asked = asked_for("What's my favourite colour?")
    assert asked is not None
    assert asked.relations == ("favorite:colour",)
    assert asked.tells("My favourite colour is dark green")
    assert not asked.tells("My favourite film is Paddington 2")


def test_who_tells_of_themselves_does_not_tell_of_others() -> None:
    mine, anns = asked_for("where do I work?"), asked_for("where does Ann work?")
    assert mine is not None
    assert anns is not None
    own, others = "I just started at Stripe", "Ann works at Google"
    assert (mine.tells(own), mine.tells(others)) == (True, False)
    assert (anns.tells(own), anns.tells(others)) == (False, True)
    assert all(asked.is_told(text) for asked in (mine, anns) for text in (own, others))
    assert not mine.is_told("My work laptop is slow")


def test_a_name_is_known_by_its_endings_and_with_a_surname() -> None:
    for question, text in (
        ("wann ist Anns Geburtstag?", "Ann hat am 14. März Geburtstag"),
        ("когда день рождения у Лены?", "День рождения Лены 5 июня"),
        ("где живёт Лена?", "Лена живёт в Казани"),
        ("where does Grandma live?", "Grandma Rose lives in Whitby"),
        ("when was my brother born?", "My brother Tom was born on 2 July 1988"),
    ):
        asked = asked_for(question)
        assert asked is not None, question
        assert asked.tells(text), question
    anna = asked_for("where does Anna live?")
    assert anna is not None
    assert not anna.tells("Anna's sister lives in Leeds")


def test_a_claim_is_of_whom_was_asked() -> None:
    for question, entity, told in (
        ("where do I work?", "owner", True),
        ("where do I work?", "Ann", False),
        ("where does Ann work?", "Ann Miller", True),
        ("where does Ann Miller work?", "Ann", True),
        ("where does Ann Miller work?", "Ann Baker", False),
        ("where does my sister work?", "owner's sister", True),
        ("where does my sister work?", "Ann's sister", False),
        ("where does Ann work?", "owner", False),
    ):
        asked = asked_for(question)
        assert asked is not None
        assert asked.is_entity(entity) is told, (question, entity)


def test_what_was_is_asked_in_words_of_its_own() -> None:
    now, then = asked_for("where do I live?"), asked_for("where did I live before?")
    assert now is not None
    assert not now.past
    assert then is None, "no slot is asked for: what is found answers"


def test_a_page_is_no_such_question() -> None:
    assert asked_for("where do I work?" + " " * ASKED_CHARACTERS_MAX) is None


def test_every_way_to_ask_can_be_asked_and_every_way_to_tell_is_found() -> None:
    """Each line of the table, with its first words and a name put in, is read as a question of its slot or another."""
    for slot in SLOTS.values():
        for line in slot.questions.strip().splitlines():
            asked = _spelled(line)
            assert asked_for(asked) is not None, (line, asked)


def _spelled(line: str) -> str:
    """Return the plainest words that a line stands for: first choices, and nothing that may lack."""
    plain = re.sub(r"\([^()]*\)\?|[\w ]\?", "", line)
    plain = re.sub(r"\[(.)[^]]*\]", r"\1", plain)
    plain = re.sub(r"\(([^()|]*)[^()]*\)", r"\1", plain)
    for name, put in (("{who}", "zoe"), ("{whose}", "zoe's"), ("{topic}", "tea")):
        plain = plain.replace(name, put)
    return " ".join(plain.split())
