"""The core profile stays short: what expires, what leaves first, and what never does."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cognition.days import DAY_MS
from cognition.profile.core import (
    EXPIRES_DAYS,
    FACTS_MAX,
    PRUNED_FROM,
    CoreFact,
    eviction_score,
    has_expired,
    staying,
    too_many,
)
from cognition.profile.owner import facts
from replica import Set, Write
from replica.reads.profile import CORE_ROWS
from tests.support.minds import Home
from tests.support.published import published

NOW = 1_700_000_000_000


def fact(
    number: int,
    days: float = 0,
    category: str = "preference",
    confidence: float = 0.9,
    *,
    pinned: bool = False,
) -> CoreFact:
    return CoreFact(number.to_bytes(2), category, confidence, NOW - int(days * DAY_MS), pinned)


@published("LO-16")
def test_a_profile_of_a_hundred_and_fifty_one_lets_one_go_that_is_not_pinned() -> None:
    assert FACTS_MAX == 150
    facts = [fact(number, days=number / 10, pinned=number > 147) for number in range(151)]
    kept = staying(facts, NOW)
    assert len(kept) <= 150
    assert all(one in kept for one in facts if one.pinned)
    assert facts[147] not in kept  # the oldest that is not pinned


@published("LO-17")
@pytest.mark.parametrize(
    ("count", "kept"), [(119, 119), (120, 120), (121, 120), (140, 130), (150, 135), (400, 150)]
)
def test_above_a_hundred_and_twenty_a_profile_shrinks_gently(count: int, kept: int) -> None:
    assert PRUNED_FROM == 120
    assert len(staying([fact(number, days=1) for number in range(count)], NOW)) == kept
    assert count - too_many(count) == kept


@published("LO-18")
@pytest.mark.parametrize(("category", "days"), [("project", 60), ("preference", 180), ("identity", 365)])
def test_each_category_expires_after_its_own_time(category: str, days: int) -> None:
    assert EXPIRES_DAYS[category] == days
    assert not has_expired(fact(1, days, category), NOW)
    assert has_expired(fact(1, days + 1, category), NOW)
    assert staying([fact(1, days, category), fact(2, days + 1, category)], NOW) == [fact(1, days, category)]


@published("LO-19")
def test_what_is_old_and_doubtful_leaves_first() -> None:
    assert eviction_score(fact(1, 40, "project", 0.75), NOW) == pytest.approx(42.666667, abs=1e-6)
    assert eviction_score(fact(1, 90, "preference", 0.9), NOW) == pytest.approx(30)
    assert eviction_score(fact(1, 200, "identity", 1.0), NOW) == pytest.approx(100)
    assert eviction_score(fact(1, 1, "identity", 0.0), NOW) == pytest.approx(50)  # and no division by zero
    assert eviction_score(fact(1, -5), NOW) == 0  # heard tomorrow, by a wrong clock
    young = [fact(number, days=1) for number in range(120)]
    assert fact(999, 30, confidence=0.3) not in staying([*young, fact(999, 30, confidence=0.3)], NOW)


@published("LO-20")
def test_pinned_facts_neither_expire_nor_leave() -> None:
    pinned = [fact(number, 10_000, "project", 0.01, pinned=True) for number in range(10)]
    crowd = [fact(number, days=0) for number in range(100, 250)]
    kept = staying([*pinned, *crowd], NOW)
    assert kept[:10] == pinned
    assert len(kept) == 140
    assert len(staying([fact(number, pinned=True) for number in range(200)], NOW)) == 200


@given(
    st.lists(
        st.builds(
            fact,
            st.integers(0, 65_535),
            st.floats(0, 500),
            st.sampled_from(sorted(EXPIRES_DAYS)),
            st.floats(0, 1),
            pinned=st.booleans(),
        ),
        max_size=300,
        unique_by=lambda one: one.rid,
    )
)
def test_a_profile_is_the_same_in_whatever_order_facts_come(facts: list[CoreFact]) -> None:
    kept = staying(facts, NOW)
    assert set(kept) == set(staying(facts[::-1], NOW))
    loose = [one for one in kept if not one.pinned]
    assert len(kept) <= max(FACTS_MAX, len(kept) - len(loose))
    assert all(one in kept for one in facts if one.pinned)


@published("D-10")
def test_what_leaves_the_profile_is_a_memory_as_before() -> None:
    """Leaving is computed: nothing is written, and nothing is lost."""
    home = Home()
    home.now_ms = NOW - 61 * DAY_MS
    old = home.remember("The user ships the parser", meta={"category": "project"})
    pinned = home.remember("The user ships the lexer", meta={"category": "project"}, pinned=True)
    home.now_ms = NOW
    new = home.remember("The user likes tea", meta={"category": "preference"})
    before = home.core.position
    assert {fact.rid for fact in facts(home.connection, now_ms=NOW)} == {pinned, new}
    assert home.core.position == before
    assert home.number(old)
    home.commit(Write(Set("meta", {"category": "project", "last_conversation": "today"}), old))  # heard again
    assert {fact.rid for fact in facts(home.connection, now_ms=NOW)} == {old, pinned, new}
    crowd = [
        home.remember(f"The user knows {n}", meta={"category": "identity"}, certainty=0.8) for n in range(140)
    ]
    kept = {fact.rid for fact in facts(home.connection, now_ms=NOW + DAY_MS, limit=1_000)}
    assert len(kept) == 143 - 12
    assert {pinned, new} <= kept
    assert len(kept & set(crowd)) == 140 - 12 + (old not in kept)


@published("LO-10")
@pytest.mark.parametrize(
    ("query", "index"),
    [
        ("SELECT id FROM memory WHERE rid = x'00'", "sqlite_autoindex_memory"),
        ("SELECT id FROM memory WHERE conversation = 'chat'", "memory_by_conversation"),
        (
            "SELECT id FROM memory WHERE json_extract(meta, '$.category') = 'project' ORDER BY certainty DESC",
            "memory_by_category_surest",
        ),
        (
            "SELECT id FROM memory WHERE json_extract(meta, '$.category') = 'identity' ORDER BY updated DESC",
            "memory_by_category_latest",
        ),
        (CORE_ROWS, "memory_by_category_latest"),
    ],
)
def test_core_facts_are_found_by_an_index_whatever_they_are_asked_by(query: str, index: str) -> None:
    """By id, by the talk they were last heard in, by category, and there by confidence or by when they were heard."""
    home = Home()
    plan = " ".join(
        str(row[3])
        for row in home.connection.execute(f"EXPLAIN QUERY PLAN {query}", [None] * query.count("?"))
    )
    assert f"USING INDEX {index}" in plan or f"USING COVERING INDEX {index}" in plan, plan
    assert "TEMP B-TREE" not in plan, "and in its order"
