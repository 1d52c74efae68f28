"""Quiet notes beside loud ones, and people who are taken for one another: what the household asks."""

import pytest

from cognition import StaticEmbedder
from cognition.ranking import roles
from cognition.ranking.nicknames import others
from cognition.ranking.query import Query
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
    ],
)
def test_who_did_it_to_whom_is_read_from_where_the_names_stand(
    question: str, text: str, contradicts: bool
) -> None:
    asked = roles.asked(question, {"anna", "ben"})
    assert asked is not None
    assert roles.contradicts(asked, text, {"anna"}, None) is contradicts


@pytest.mark.parametrize(
    "question", ["Who is Anna?", "Where is the key?", "Who", "", "What did Anna's brother study?", "Anna?"]
)
def test_what_asks_of_no_act_between_two_is_left_alone(question: str) -> None:
    assert roles.asked(question, {"anna"}) is None
