"""Adversarial swaps: two people who say the same sort of thing, and questions that name one of them."""

import pytest

from cognition import StaticEmbedder
from cognition.context.block import assemble
from cognition.ranking.classes import classify
from cognition.ranking.query import Query
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


# As two people say it of themselves who share as much of their names as the pairs below do.
TALK = (
    ("I broke my left wrist skating", "I broke my right ankle skiing", "What did {} break?"),
    ("my landlord raised the rent in May", "my landlord sold the flat", "What did {}'s landlord do?"),
    ("two sugars in my coffee, always", "black coffee for me, always", "How does {} take coffee?"),
    ("I teach chemistry in the evening", "I teach geography in the evening", "What does {} teach?"),
    ("We named our daughter Ida", "We named our son Karl", "What did {} name the child?"),
    ("My exam is on Tuesday", "My exam is on Friday", "When is {}'s exam?"),
    ("I sold my motorbike", "I sold my boat", "What did {} sell?"),
    ("I grew up in Cork", "I grew up in Turin", "Where did {} grow up?"),
    ("I quit smoking in March", "I quit drinking in April", "What did {} quit?"),
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Tom Baker", "Tom Fisher"),
        ("Bill", "Will"),
        ("Joanna", "Johanna"),
        ("Екатерина", "Дмитрий"),
        ("María", "Mario"),
    ],
)
def test_people_with_names_that_are_nearly_alike_are_told_apart(one: str, other: str) -> None:
    memory, place = Memory(StaticEmbedder()), 0
    for of_one, of_other, _ in TALK:
        for text, speaker in (
            (of_one, one),
            ("oh really, and then?", other),
            (of_other, other),
            ("I see", one),
        ):
            memory.home.remember(text, speaker=speaker, conversation="chat", position=place)
            place += 1
    memory.embed()
    for said, question in (
        (told[who == other], told[2].format(who)) for told in TALK for who in (one, other)
    ):
        assert memory.recall(question)[0].memory.text == said, question


@pytest.mark.parametrize(
    ("one", "other", "question", "names"),
    [
        ("Marta broke her wrist", "Nuria broke her ankle", "What did {} break?", "Marta Nuria"),
        (
            "Joanna leaves from gate 12",
            "Johanna leaves from gate 21",
            "{} leaves from which gate?",
            "Joanna Johanna",
        ),
        ("Pavel teaches chemistry", "Petra teaches geography", "What does {} teach?", "Pavel Petra"),
        ("Carmen vive en Granada", "Lucía vive en Burgos", "¿Dónde vive {}?", "Carmen Lucía"),
        ("Jürgen trinkt nur Tee", "Anke trinkt nur Kaffee", "Was trinkt {}?", "Jürgen Anke"),
        ("Ольга работает врачом", "Ирина работает юристом", "Кем работает {}?", "Ольга Ирина"),
        ("Тарас купив велосипед", "Олесь купив човен", "Що купив {}?", "Тарас Олесь"),
        ("Kenji's exam is on Tuesday", "Akira's exam is on Friday", "When is {}'s exam?", "Kenji Akira"),
    ],
)
def test_a_third_tells_of_two_in_several_languages(one: str, other: str, question: str, names: str) -> None:
    memory = Memory(StaticEmbedder())
    told = [memory.home.remember(text) for text in (other, one)]
    memory.embed()
    for name, rid in zip(names.split(), reversed(told), strict=True):
        assert memory.recall(question.format(name))[0].rid == rid, name


def test_who_is_named_by_the_first_name_alone_may_be_either() -> None:
    both = ["Tom Baker", "Tom Fisher"]
    assert Query("What did Tom sell?").names(both) == {*both}
    assert Query("What did Tom Baker sell?").names([*both, "Ann"]) == {"Tom Baker"}
    assert Query("Did Tom Baker call Ann?").names([*both, "Ann Fisher"]) == {"Tom Baker", "Ann Fisher"}
    assert Query("Did Tom Baker call Tom Fisher?").names([*both, "Tom Reed"]) == {*both}


@pytest.mark.parametrize(
    ("question", "speakers"),
    [
        ("What kind of a car does Tom drive?", ("Tom A. Baker", "Tom Fisher")),
        ("¿De qué color es el coche de Juan?", ("Juan de la Cruz", "Juan Pérez")),
        ("¿Qué dijo Juan de la casa?", ("Juan de la Cruz", "Juan Pérez")),
        ("When did Anna say she may move?", ("Anna May", "Anna Lee")),
        ("How young was Mark when he moved?", ("Mark Young", "Mark Reed")),
        ("What did Will cook in the long winter?", ("Will Long", "Will Smith")),
        ("What did Tom (the baker's son) sell?", ("Tom Baker", "Tom Fisher")),
        ("Which baker does Tom know?", ("Tom Baker", "Tom Fisher")),
        ("What did Maria Lopez say?", ("Maria Lopez Vega", "Maria Elena Lopez")),
    ],
)
def test_words_that_stand_apart_from_a_first_name_are_no_part_of_the_name(
    question: str, speakers: tuple[str, str]
) -> None:
    assert Query(question).names(speakers) == {*speakers}


@pytest.mark.parametrize(
    ("question", "meant", "other"),
    [
        ("What did Tom Baker drive?", "Tom A. Baker", "Tom Fisher"),
        ("What did Tom A. Baker drive?", "Tom A. Baker", "Tom A. Fisher"),
        ("¿Qué coche tiene Juan de la Cruz?", "Juan de la Cruz", "Juan de la Peña"),
        ("When may Anna May move?", "Anna May", "Anna Lee"),
        ("Where does Maria Lopez live?", "Maria Elena Lopez", "Maria Elena Vega"),
        ("Did Tom O'Brien call?", "Tom O'Brien", "Tom O'Hara"),
        ("Was Tom with Fisher when Tom Baker called?", "Tom Baker", "Tom Fisher"),
        ("Did Anna Lee meet Anna May Vega?", "Anna Lee", "Anna Ruiz"),
    ],
)
def test_a_full_name_is_known_by_the_words_behind_the_first(question: str, meant: str, other: str) -> None:
    assert Query(question).names([meant, other]) == {meant}


def test_a_page_of_one_name_is_counted_in_a_moment() -> None:
    people = [f"Tom Tom Baker {n}" for n in range(50)]
    assert Query("Tom " * 5_000).names(people) == {*people}


def test_what_only_the_other_said_comes_under_the_name_of_who_said_it() -> None:
    memory = Memory(StaticEmbedder())
    memory.home.remember("I play the cello in an orchestra", speaker="Ann", conversation="chat", position=0)
    memory.home.remember("Bob bought bread", speaker="Bob", conversation="chat", position=1)
    memory.embed()
    question = "What instrument does Bob play?"
    block = assemble(memory.recall(question), classify(question)).text
    assert "- Ann: I play the cello in an orchestra" in block
    assert "- Bob: I play" not in block
