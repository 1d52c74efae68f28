import pytest
from hypothesis import given
from hypothesis import strategies as st

from cognition.context import budget
from cognition.embedding.static import StaticEmbedder
from tests.support.published import published

FIXTURES = (
    "Ann moved to Lisbon in May 2023, and she likes it there.",
    "def f(x: int) -> list[str]: return [str(i) for i in range(x)]",
    "Где живёт Анна? Она переехала в Лиссабон.",
    "a b c d e f g h i j k l m n o p",
    "😀🎉 party!!! 12345678901234567890",
)


@published("LO-22")
@pytest.mark.parametrize(
    ("window", "conversation", "expected"), [(4_096, 1_000, 500), (4_096, 3_400, 150), (4_096, 2_096, 375)]
)
def test_memory_gets_a_quarter_of_what_is_left_within_bounds(
    window: int, conversation: int, expected: int
) -> None:
    assert budget.memory_budget(window, conversation) == expected


@published("LO-22")
def test_the_ideal_lies_within_the_bounds() -> None:
    assert budget.TOKENS_MIN < budget.memory_budget(4_096, 2_196) == 350 < budget.TOKENS_MAX


@published("LO-24")
def test_compaction_begins_at_four_fifths_of_the_window() -> None:
    assert not budget.must_compact(790, 1_000)
    assert budget.must_compact(800, 1_000)
    assert budget.must_compact(700, 1_000, at=0.7)


@published("LO-25")
def test_the_middle_goes_first() -> None:
    messages = [f"m{n}" for n in range(12)]
    assert budget.middle_out(messages) == ["m0", "m1", "m6", "m7", "m8", "m9", "m10", "m11"]
    assert budget.middle_out(messages[:8]) == messages[:8]


@published("LO-27")
@pytest.mark.parametrize("text", FIXTURES)
def test_an_estimate_is_never_below_what_a_tokenizer_counts(text: str) -> None:
    embedder = StaticEmbedder()
    pieces, _ = embedder._load()
    assert budget.tokens(text) >= len(pieces.of(text))


@published("LO-22")
@given(st.integers(0, 200_000), st.integers(0, 200_000))
def test_the_budget_keeps_its_bounds_whatever_the_window(window: int, conversation: int) -> None:
    assert budget.TOKENS_MIN <= budget.memory_budget(window, conversation) <= budget.TOKENS_MAX
