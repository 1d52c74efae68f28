"""A question speaks of a moment, and its answers say how likely they are to be about it."""

from collections.abc import Iterator
from datetime import datetime

import pytest

import samemind
from samemind.library.blocking import BlockingMind

TOLD = {
    "planted the garlic by the shed": "2026-05-31T10:00:00Z",
    "planted out the leeks": "2026-04-02T10:00:00Z",
    "the dentist can see me on 12 June": "2026-05-01T10:00:00Z",
    "my sister Ann moved to Lisbon": "2026-03-01T10:00:00Z",
    "the wifi password is on the fridge": "2026-02-01T10:00:00Z",
}


@pytest.fixture(scope="module")
def mind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BlockingMind]:
    with samemind.open_blocking(tmp_path_factory.mktemp("clock") / "m.db") as mind:
        for text, at in TOLD.items():
            mind.remember(text, at=datetime.fromisoformat(at))
        mind.wait_for_queue()
        yield mind


def first(mind: BlockingMind, query: str, now: str) -> str:
    return mind.recall(query, now=now).results[0].text


def test_yesterday_is_counted_from_the_moment_that_is_given(mind: BlockingMind) -> None:
    assert "garlic" in first(mind, "what did I plant yesterday?", "2026-06-01T09:00:00Z")
    assert "leeks" in first(mind, "what did I plant yesterday?", "2026-04-03T09:00:00Z")


def test_a_question_in_another_language_names_a_time_too(mind: BlockingMind) -> None:
    assert "garlic" in first(mind, "Was habe ich gestern gemacht?", "2026-06-01T09:00:00Z")
    assert "leeks" in first(mind, "qu'est-ce que j'ai fait début avril ?", "2026-06-01T09:00:00Z")


def test_what_happens_at_a_time_is_found_though_it_was_told_before(mind: BlockingMind) -> None:
    assert "dentist" in first(mind, "what is on next week?", "2026-06-05T09:00:00Z")


def test_confidence_tells_what_is_about_the_question_from_what_is_not(mind: BlockingMind) -> None:
    (best, *others) = mind.recall("where did Ann move?").results
    assert "Lisbon" in best.text
    assert best.confidence > 0.5 > max(hit.confidence for hit in others)
    sure = mind.recall("where did Ann move?", min_confidence=0.5).results
    assert [hit.rid for hit in sure] == [best.rid]
    assert mind.recall("qwertyzxcv", min_confidence=0.2).results == []


def test_a_time_that_cannot_be_read_is_refused(mind: BlockingMind) -> None:
    with pytest.raises(samemind.SamemindError, match="now"):
        mind.recall("x", now="soon")
