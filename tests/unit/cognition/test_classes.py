import pytest

from cognition.ranking.classes import CLASSES, classify
from tests.support.published import published


def check(text: str, name: str, pool: int, context: int) -> None:
    kind = classify(text)
    assert (kind.name, kind.pool, kind.context) == (name, pool, context)


@published("ML-57")
def test_a_plain_question_is_single_hop() -> None:
    check("What is Ann's dog called?", "SingleHop", 80, 15)


@published("ML-58")
@pytest.mark.parametrize("text", ["When did Ann move?", "How long was it?", "Do both of them ski?"])
def test_when_how_long_and_both_are_multi_hop(text: str) -> None:
    check(text, "MultiHop", 120, 18)


@published("ML-59")
@pytest.mark.parametrize(
    "text", ["What came before that?", "after May?", "during the trip", "On which date was it?"]
)
def test_before_after_during_and_date_are_temporal_and_win(text: str) -> None:
    check(text, "Temporal", 140, 24)
    check(f"When, and how long, {text}", "Temporal", 140, 24)


@published("ML-60")
@pytest.mark.parametrize("text", ["Would Ann like it?", "could she", "what should I do"])
def test_would_could_and_should_are_open_ended(text: str) -> None:
    check(text, "OpenEnded", 100, 15)


def test_a_cue_inside_a_word_is_none() -> None:
    assert classify("Who is the candidate from Aftershock, Beforeton?").name == "SingleHop"
    assert [kind.name for kind in CLASSES] == ["Temporal", "MultiHop", "OpenEnded", "SingleHop"]
