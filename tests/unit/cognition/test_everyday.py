"""Quiet notes beside loud ones, and people who are taken for one another: what the household asks."""

import pytest

from cognition import StaticEmbedder
from cognition.ranking import roles
from cognition.ranking.nicknames import others, stands_in
from cognition.ranking.query import Query
from cognition.ranking.reading import telling
from cognition.words import words
from replica import Value
from tests.bench.everyday import SEEN
from tests.bench.everyday_held_out import HELD_OUT
from tests.bench.swaps import SWAPS, Swap
from tests.support.recalling import Memory

EMBEDDER = StaticEmbedder()


def test_there_are_sixty_everyday_questions_and_thirty_swaps_no_two_alike() -> None:
    assert (len(SEEN), len(HELD_OUT), len(SWAPS)) == (30, 30, 30)
    assert len({case.question for case in SEEN + HELD_OUT} | {swap.question for swap in SWAPS}) == 90


@pytest.mark.parametrize("swap", SWAPS, ids=lambda swap: swap.question)
@pytest.mark.parametrize("backwards", [False, True])
def test_what_belongs_to_another_is_not_returned_first(swap: Swap, backwards: bool) -> None:
    memory = Memory(EMBEDDER)
    told = list(enumerate(swap.told))
    rids = {}
    for at, (speaker, text) in reversed(told) if backwards else told:
        said: dict[str, Value] = {"speaker": speaker, "conversation": "chat", "position": 3 * at}
        rids[at] = memory.home.remember(text, **(said if speaker else {}))
    memory.embed()
    assert memory.recall(swap.question)[0].rid == rids[0]


def test_small_words_of_another_language_are_asked_for_in_english() -> None:
    assert Query("When is bin day?").terms == ("bin", "day")
    assert Query("Which war did his son see?").terms == ("war", "son", "see")
    assert Query("Wie alt bin ich?").terms == ("alt",)


def test_liz_may_be_elizabeth_unless_there_is_a_liz() -> None:
    assert Query("What does Liz play?").names(["Elizabeth Shaw", "Ann"]) == {"Elizabeth Shaw"}
    assert Query("What does Liz play?").names(["Elizabeth Shaw", "Liz"]) == {"Liz"}
    assert Query("What does Liz Taylor play?").names(["Elizabeth Shaw", "Ann"]) == set()
    assert Query("What will he play?").names(["William"]) == set()


@pytest.mark.parametrize(
    ("text", "is_called"),
    [
        ("the cat likes tuna", False),
        ("Cat food is in the shed", False),
        ("Cat said that tuna is off", True),
        ("Tuna for Cat, please", True),
        ("tuna for cathy, please", True),
        ("Cat bought tuna", True),
        ("Nobody likes tuna. Cat's away", True),
        ("\ud800 cat", False),
    ],
)
def test_a_short_form_that_is_a_word_is_a_name_where_it_is_written_as_one(text: str, is_called: bool) -> None:
    assert stands_in(text, words(text), others("kate")) is is_called


def test_the_cat_is_not_kate() -> None:
    memory = Memory(EMBEDDER)
    rid = memory.home.remember("Kate's favourite is rhubarb pie")
    memory.home.remember("The cat likes to eat tuna and cream")
    memory.embed()
    assert memory.recall("What does Kate like to eat?")[0].rid == rid


@pytest.mark.parametrize(
    ("question", "answer", "other"),
    [
        ("Who studied at MIT?", "Jo went to MIT for maths", "Jo studied at Leeds"),
        ("Who was in Las Palmas?", "Jo came back from Las Palmas", "Jo came back from the shop with palms"),
    ],
)
def test_small_words_of_another_language_are_found_in_english(question: str, answer: str, other: str) -> None:
    memory = Memory(EMBEDDER)
    rid = memory.home.remember(answer)
    memory.home.remember(other)
    memory.embed()
    hit = memory.recall(question)[0]
    assert hit.rid == rid
    assert {"mit", "las"} & {*telling(answer)} == {"mit", "las"} & {*Query(question).terms}


def test_names_go_together_both_ways() -> None:
    assert "elizabeth" in others("liz")
    assert "liz" in others("elizabeth")
    assert all(name in others(other) for name in others("саша") for other in others(name))
    assert others("walrus") == frozenset()


@pytest.mark.parametrize(
    ("question", "text", "contradicts"),
    [
        ("Who lent Anna money?", "Anna lent Ben 50 euros", True),
        ("Who lent Anna money?", "Ben lent Anna 50 euros", False),
        ("Who lent Anna money?", "Ben was lent 50 euros by Anna", True),
        ("Who lent Anna money?", "Anna is rich", False),
        ("Who lent Anna money?", "Ben lent Anna 50 euros, then Anna lent him 20", False),
        ("Whom did Anna lend money?", "Ben lent Anna 50 euros", True),
        ("Who has invited Anna?", "Anna invited Ben", True),
        ("Wer hat Anna eingeladen?", "Anna hat Ben eingeladen", True),
        ("Wer hat Anna eingeladen?", "Ben hat Anna eingeladen", False),
        ("Who lent Anna money?", "I lent Anna 50 euros", False),
        ("Who lent Anna money?", "Anna and Carl lent Ben 50 euros", True),
        # Somebody else's act beside her name.
        ("Who lent Anna money?", "Anna says Carl lent her 50 euros", False),
        ("Who lent Anna money?", "Anna was finally lent 50 euros by Carl", False),
        ("Who taught Anna?", "Anna's uncle taught her chess", False),
        ("Who invited Anna?", "Anna thanked Carl who invited her", False),
        ("Wer hat Anna geholfen?", "Anna hat gesagt, Carl habe ihr geholfen", False),
        ("Wer hat Anna eingeladen?", "Anna wurde von Ben eingeladen", False),
        ("What did Anna sell?", "Anna's car was sold in May", False),
        ("What did Anna read?", "Dune, read by Anna in June", False),
        ("What did Anna buy?", "Ben bought rice for Anna's party", False),
    ],
)
def test_who_did_it_to_whom_is_read_from_where_the_names_stand(
    question: str, text: str, contradicts: bool
) -> None:
    asked = roles.asked(question, {"anna", "ben"})
    assert asked is not None
    assert roles.contradicts(asked, text, {"anna"}, None) is contradicts


@pytest.mark.parametrize(
    ("text", "speaks", "contradicts"),
    [
        ("I was helped by Anna", False, False),
        ("Anna and I helped Carl", False, False),
        ("We helped Carl with Anna", False, False),
        ("I helped Carl", False, True),
        ("I helped Carl", True, False),
        ("Carl helped me", True, True),
        ("I was helped by Carl", True, True),
    ],
)
def test_i_is_whoever_speaks(text: str, speaks: bool, contradicts: bool) -> None:
    asked = roles.asked("Who did Anna help?", {"anna"})
    assert asked is not None
    assert roles.contradicts(asked, text, {"anna"}, speaks) is contradicts


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Who married Anna?", "Anna married Carl in 2012"),
        ("Who lives with Anna?", "Anna lives with Carl"),
        ("When did Anna meet Ben?", "Ben met Anna in Rome"),
        ("What did Anna get for her birthday?", "Ben got Anna a scarf"),
        ("Who sat next to Anna?", "Anna sat next to Carl"),
    ],
)
def test_what_two_do_together_is_told_of_either(question: str, text: str) -> None:
    memory = Memory(EMBEDDER)
    rid = memory.home.remember(text)
    memory.embed()
    assert memory.recall(question)[0].rid == rid
    assert "role" not in memory.recall(question)[0].signals


@pytest.mark.parametrize(
    "question", ["Who is Anna?", "Where is the key?", "Who", "", "What did Anna's brother study?", "Anna?"]
)
def test_what_asks_of_no_act_between_two_is_left_alone(question: str) -> None:
    assert roles.asked(question, {"anna"}) is None
