from itertools import permutations
from random import Random

import pytest

from cognition.ranking.scoring import LEARNING_RATE, WEIGHT_MAX, WEIGHT_MIN
from cognition.ranking.signals import WEIGHTS
from cognition.recall.feedback import (
    FIRST_WEIGHTS,
    learned,
    learned_weights,
    lesson,
    ranking_weights,
    shares,
    signal_weights,
)
from replica import WHOLE_AMOUNT, MemoryId, Write, read_lessons
from tests.support.minds import Home
from tests.support.published import published
from tests.support.replicas import group, say, settle

RID = MemoryId(bytes(16))


@published("YD-24")
def test_one_feedback_moves_each_weight_by_its_share_then_bounds_then_normalises() -> None:
    """The numbers of the paper, through the whole-number sums that travel."""
    first = {"similarity": 0.50, "decay": 0.20, "recency": 0.30}
    part = {"similarity": 0.3 / 0.5, "decay": 0.1 / 0.5, "recency": 0.1 / 0.5}
    taught = {name: round(0.05 * share * WHOLE_AMOUNT) for name, share in part.items()}
    assert learned(taught, first) == pytest.approx(
        {"similarity": 0.504762, "decay": 0.200000, "recency": 0.295238}, abs=1e-6
    )


@published("YD-24")
def test_a_thousand_feedbacks_keep_every_weight_within_bounds_and_the_sum_at_one() -> None:
    random = Random(5)
    sums = dict.fromkeys(FIRST_WEIGHTS, 0)
    for _ in range(1_000):
        given = {name: random.uniform(-1, 2) for name in WEIGHTS}
        relevant = random.random() < 0.9
        for name, amount in lesson(RID, given, relevant=relevant, rate=random.uniform(0.001, 1)).amounts:
            sums[name] += amount
        weights = learned(sums)
        assert sum(weights.values()) == pytest.approx(1)
        # Bounds hold before normalising, as in the paper: the five may sum to between 0.25 and 4.5 then.
        assert all(WEIGHT_MIN / 4.5 <= weight <= WEIGHT_MAX / 0.25 for weight in weights.values())
    assert all(-(10**15) < amount < 10**15 for amount in sums.values())


@published("YD-24")
def test_a_weight_is_clamped_before_all_are_normalised() -> None:
    whole = 10 * WHOLE_AMOUNT
    up = learned({"recency": whole})
    assert up == pytest.approx(
        {name: (0.9 if name == "recency" else first) / 1.75 for name, first in FIRST_WEIGHTS.items()}
    )
    down = learned({"similarity": -whole})
    assert down == pytest.approx(
        {name: (0.05 if name == "similarity" else first) / 0.65 for name, first in FIRST_WEIGHTS.items()}
    )


@published("YD-25")
def test_the_rate_is_applied_where_feedback_is_given() -> None:
    given = {"meaning": 3.0, "graph": 1.0, "question": -5.0}
    assert dict(lesson(RID, given, relevant=True).amounts) == {
        "similarity": round(0.75 * LEARNING_RATE * WHOLE_AMOUNT),
        "graph": round(0.25 * LEARNING_RATE * WHOLE_AMOUNT),
        "decay": 0,
        "importance": 0,
        "recency": 0,
    }
    twice = dict(lesson(RID, given, relevant=False, rate=2 * LEARNING_RATE).amounts)
    assert twice["graph"] == -round(0.5 * LEARNING_RATE * WHOLE_AMOUNT)
    for rate in (0.0, -0.1, 1.5):
        with pytest.raises(ValueError, match="expected a learning rate"):
            lesson(RID, given, relevant=True, rate=rate)


def test_what_nothing_spoke_for_teaches_nothing() -> None:
    assert shares({"question": -1.0}) == {}
    assert {amount for _, amount in lesson(RID, {}, relevant=True).amounts} == {0}


def test_without_feedback_the_ranking_is_as_it_was_fitted() -> None:
    assert ranking_weights(Home().connection) is WEIGHTS
    assert signal_weights(FIRST_WEIGHTS) == pytest.approx(dict(WEIGHTS))


def test_feedback_for_new_memories_makes_newness_count_for_more() -> None:
    home = Home()
    rid = home.remember("x")
    for _ in range(20):
        home.commit(Write(lesson(rid, {"recency": 1.0}, relevant=True)))
    weights = ranking_weights(home.connection)
    assert weights["recency"] > 1.5 * WEIGHTS["recency"]
    assert weights["words"] < WEIGHTS["words"]
    assert sum(learned_weights(home.connection).values()) == pytest.approx(1)


@published("YD-11")
def test_devices_that_were_taught_apart_in_any_order_weigh_alike() -> None:
    """Learned weights are small shared state: they come to the same sums wherever lessons meet."""
    lessons = [
        lesson(RID, {"recency": 1.0}, relevant=True),
        lesson(RID, {"meaning": 1.0, "graph": 2.0}, relevant=False),
        lesson(RID, {"use": 1.0}, relevant=True, rate=0.7),
    ]
    seen = set()
    for order in permutations(lessons):
        cores = group("ann", "ben", "cleo")
        for core, each in zip(cores, order, strict=True):
            say(core, each)
        settle(list(cores))
        homes = {str(core.digests()) for core in cores}
        assert len(homes) == 1
        seen.add(cores[0].digests().visible)
    assert len(seen) == 1
    home = Home()
    for each in lessons:
        home.commit(Write(each))
    assert read_lessons(home.connection) == {
        "decay": 700_000_000,
        "graph": -round(LEARNING_RATE * WHOLE_AMOUNT * 2 / 3),
        "importance": 0,
        "recency": round(LEARNING_RATE * WHOLE_AMOUNT),
        "similarity": -round(LEARNING_RATE * WHOLE_AMOUNT / 3),
    }
