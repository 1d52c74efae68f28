"""Adversarial swaps: two people who say the same sort of thing, and questions that name one of them."""

import pytest

from cognition import StaticEmbedder
from cognition.context import assemble
from cognition.ranking.classes import classify
from tests.support.recalling import Memory

# What each said of themselves, and what a question about it calls it.
SAID = (
    ("I adopted a cat called Luna", "I adopted a dog called Rex", "Which pet did {} adopt?"),
    ("My birthday is on the third of May", "My birthday is on the ninth of June", "When is {}'s birthday?"),
    (
        "I play the cello in an orchestra",
        "I play the drums in a garage band",
        "What instrument does {} play?",
    ),
    ("I moved to Lisbon last spring", "I moved to Oslo last spring", "Where did {} move to?"),
    ("I am allergic to peanuts", "I am allergic to shellfish", "What is {} allergic to?"),
    ("I work as a nurse in the clinic", "I work as a baker in the old town", "What is {}'s job?"),
    ("I am reading a novel about the sea", "I am reading a book on bridges", "What is {} reading?"),
    ("My sister is called Carla", "My sister is called Dora", "What is the name of {}'s sister?"),
)


@pytest.fixture(scope="module")
def talk() -> Memory:
    """One conversation in which both say all of it by turns, and ask each other about it by name."""
    memory = Memory(StaticEmbedder())
    place = 0
    for of_ann, of_bob, _ in SAID:
        for text, speaker in (
            (of_ann, "Ann"),
            ("Really? Tell me more", "Bob"),
            (of_bob, "Bob"),
            ("Nice", "Ann"),
        ):
            memory.home.remember(text, speaker=speaker, conversation="chat", position=place)
            place += 1
    memory.embed()
    return memory


@pytest.fixture(scope="module")
def facts() -> Memory:
    """The same, told by a third in words that name each: memories that stand alone."""
    memory = Memory(StaticEmbedder())
    for each in SAID:
        for text, name in zip(each[:2], ("Ann", "Bob"), strict=True):
            told = text.replace("I am", f"{name} is").replace("My ", f"{name}'s ").replace("I ", f"{name} ")
            memory.home.remember(told)
    memory.embed()
    return memory


@pytest.mark.parametrize("name", ["Ann", "Bob"])
@pytest.mark.parametrize("at", range(len(SAID)))
def test_what_one_said_of_themselves_is_not_returned_as_the_others(talk: Memory, at: int, name: str) -> None:
    question = SAID[at][2].format(name)
    first = talk.recall(question)[0].memory
    assert (first.text, first.fields["speaker"]) == (SAID[at][name == "Bob"], name)


@pytest.mark.parametrize("name", ["Ann", "Bob"])
@pytest.mark.parametrize("at", range(len(SAID)))
def test_a_fact_of_one_is_not_returned_as_the_others(facts: Memory, at: int, name: str) -> None:
    question = SAID[at][2].format(name)
    first = facts.recall(question)[0].memory.text
    assert name in first
    assert first.split()[-1] == SAID[at][name == "Bob"].split()[-1]


def test_what_only_the_other_said_comes_under_the_name_of_who_said_it() -> None:
    memory = Memory(StaticEmbedder())
    memory.home.remember("I play the cello in an orchestra", speaker="Ann", conversation="chat", position=0)
    memory.home.remember("Bob bought bread", speaker="Bob", conversation="chat", position=1)
    memory.embed()
    question = "What instrument does Bob play?"
    block = assemble(memory.recall(question), classify(question)).text
    assert "- Ann: I play the cello in an orchestra" in block
    assert "- Bob: I play" not in block
