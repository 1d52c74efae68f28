"""Each published formula, with its own numbers."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cognition.days import DAY_MS
from cognition.ranking import scoring
from tests.support.published import published


def near(value: float) -> object:
    return pytest.approx(value, abs=1e-6)


@published("ML-29")
@pytest.mark.parametrize(
    ("similarity", "confidence", "expected"), [(0.6, 0.81, 0.54), (0.6, 0.25, 0.30), (1, 1, 1), (0.5, 0, 0)]
)
def test_confidence_damps_a_similarity_by_its_root(
    similarity: float, confidence: float, expected: float
) -> None:
    assert scoring.damped(similarity, confidence) == near(expected)


@published("ML-31")
@pytest.mark.parametrize(
    ("count", "expected"), [(0, 0), (1, 0.289065), (3, 0.578130), (10, 1), (20, 1), (-1, 0)]
)
def test_reinforcement_has_diminishing_returns_and_saturates(count: int, expected: float) -> None:
    assert scoring.reinforcement_factor(count) == near(expected)


@published("ML-32")
@pytest.mark.parametrize(
    ("count", "expected"), [(0, 0), (1, 0.150190), (10, 0.519574), (100, 1), (10_000, 1)]
)
def test_access_counts_for_less_the_more_there_is(count: int, expected: float) -> None:
    assert scoring.access_factor(count) == near(expected)


@published("ML-33")
def test_salience_is_a_weighted_sum_of_four() -> None:
    assert sum(scoring.SALIENCE_WEIGHTS.values()) == near(1)
    thirty_days = math.exp(-0.005 * 30)
    assert scoring.salience(confidence=0.8, reinforcements=3, accesses=9, decay=thirty_days) == near(0.702529)
    assert scoring.salience(confidence=1, reinforcements=0, accesses=0, decay=1) == near(0.55)
    assert scoring.salience(confidence=1, reinforcements=10, accesses=100, decay=1) == near(1)


@published("YD-12")
def test_a_negative_cosine_is_no_similarity() -> None:
    assert scoring.similarity_of(-0.4) == 0
    assert scoring.similarity_of(0.4) == 0.4


@published("YD-14")
def test_recency_is_an_e_fold_a_week() -> None:
    assert scoring.recency(7 * DAY_MS) == near(0.367879)
    assert scoring.recency(0) == 1
    assert scoring.recency(-5 * DAY_MS) == 1


@published("YD-15")
def test_base_relevance_weighs_similarity_decay_and_recency() -> None:
    assert sum(scoring.BASE_WEIGHTS.values()) == near(1)
    signals = {"similarity": 0.6, "decay": 0.765600, "recency": 0.367879}
    assert scoring.base(signals) == near(0.563484)


@published("YD-16")
@pytest.mark.parametrize(
    ("similarity", "expected"), [(0.25, 0.5), (0.15, 0.231475), (0.35, 0.768525), (0.6, 0.985226)]
)
def test_the_gate_opens_around_the_threshold(similarity: float, expected: float) -> None:
    assert scoring.gate(similarity) == near(expected)


@published("YD-17")
def test_importance_raises_a_score_by_at_most_four_fifths() -> None:
    raised = scoring.amplified(0.563484, similarity=0.6, importance=0.9)
    assert raised == near(0.563484 * (1 + 0.985226 * 0.8 * 0.9))
    assert raised == near(0.963198)
    assert scoring.amplified(1, similarity=1, importance=1) <= 1.8


@published("YD-18")
def test_the_important_but_unrelated_does_not_win() -> None:
    def total(similarity: float, importance: float) -> float:
        signals = {"similarity": similarity, "decay": importance, "recency": 1.0}
        return scoring.amplified(scoring.base(signals), similarity=similarity, importance=importance)

    assert total(0.6, 0.2) > total(0.05, 1.0)


@published("YD-19")
def test_mood_boosts_by_at_most_three_tenths() -> None:
    assert scoring.valence_boost(-0.8, 1) == near(1.24)
    assert scoring.valence_boost(1, 1) == near(1.3)


@published("YD-21")
def test_a_neutral_query_boosts_both_moods_alike() -> None:
    assert scoring.valence_boost(0.7, 1) == scoring.valence_boost(-0.7, 1)


@published("YD-79")
@given(st.floats(-1, 1), st.floats(-1, 1))
def test_an_opposed_mood_lowers_and_no_score_turns_negative(valence: float, alignment: float) -> None:
    boost = scoring.valence_boost(valence, alignment)
    assert 0.7 - 1e-9 <= boost <= 1.3 + 1e-9
    assert scoring.valence_boost(-0.8, -1) == near(0.76)


@published("YD-23")
def test_the_graph_has_a_profile_of_its_own() -> None:
    assert scoring.GRAPH_WEIGHTS == {"similarity": 0.35, "decay": 0.15, "recency": 0.20, "graph": 0.30}
    assert sum(scoring.GRAPH_WEIGHTS.values()) == near(1)


@published("ME-03")
@pytest.mark.parametrize(("count", "expected"), [(0, 1), (1, 1.0693), (10, 1.2398), (100, 1.4615)])
def test_recalls_boost_sublinearly(count: int, expected: float) -> None:
    assert scoring.access_boost(count) == pytest.approx(expected, abs=1e-4)
