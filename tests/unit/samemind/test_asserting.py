"""Edges that cannot both hold contradict each other, as memories that say the same would."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import samemind
from samemind import BlockingMind
from tests.support.published import published


@pytest.fixture
def mind(tmp_path: Path) -> Iterator[BlockingMind]:
    with samemind.open_blocking(tmp_path / "home") as opened:
        yield opened


@published("YD-34")
def test_two_edges_that_cannot_both_hold_are_one_contradiction_and_friends_are_none(
    mind: BlockingMind,
) -> None:
    """The row: works_at Google and Meta, one conflict; friends_with twice, none."""
    mind.relate("Ann", "works_at", "Google")
    mind.relate("Ann", "works_at", "Meta")
    mind.relate("Ann", "friends_with", "Bob")
    mind.relate("Ann", "friends_with", "Carl")
    (found,) = mind.contradictions()
    assert (found.entity, found.relation, found.severity, found.action, found.status) == (
        *("Ann", "works_at", "high", "ask", "open"),
    )
    assert {found.a.value, found.b.value} == {"Google", "Meta"}
    assert mind.think().contradictions.count == 1
    (best, *_) = mind.recall("where does Ann work?")
    assert best.claim is not None
    assert best.claim.standing == "disputed"


@published("YD-38")
def test_an_edge_contradicts_what_a_text_says(mind: BlockingMind) -> None:
    mind.remember("Ann lives in Porto")
    mind.relate("Ann", "lives_in", "Porto")
    assert len(list(mind.list())) == 1, "what is claimed already is not told twice"
    mind.relate("Ann", "lives_in", "Faro")
    assert len(list(mind.contradictions())) == 1


def test_what_is_related_no_more_is_contradicted_no_more_and_may_be_told_again(mind: BlockingMind) -> None:
    for _ in range(2):
        mind.relate("Ann", "works_at", "Google")
        mind.relate("Ann", "works_at", "Meta")
        mind.relate("Ann", "works_at", "Meta")
        assert len(list(mind.contradictions())) == 1
        mind.unrelate("Ann", "works_at", "Meta")
        assert list(mind.contradictions()) == []
    assert [memory.text for memory in mind.list()] == ["Ann works at Google"]
    assert mind.verify().ok


def test_an_edge_of_which_there_may_be_many_is_no_memory(mind: BlockingMind) -> None:
    mind.relate("Ann", "owns", "a boat")
    mind.relate("Ann", "speaks", "Irish")
    assert list(mind.list()) == []
