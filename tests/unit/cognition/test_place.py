"""The signal for turns that stand where answers stand in talk."""

from typing import Any

import numpy as np

from cognition.ranking.pool import CandidateRow, Pool
from cognition.ranking.query import Query
from cognition.ranking.signals import place

TURN: dict[str, Any] = {
    "about": "",
    "speaker": None,
    "time_ms": 0,
    "importance": None,
    "accesses": 0,
    "last_access": 0,
}
TALK = ["Good evening", "The walrus swam", "Really", "Into the harbour", "It rains"]


def given(conversation: str | None) -> list[float]:
    """Return what the signal gives the turns of a talk, or texts that are told by themselves."""
    rows = [
        CandidateRow(
            id=at,
            rid=at.to_bytes(16),
            content=at,
            text=text,
            conversation=conversation,
            position=None if conversation is None else at,
            **TURN,
        )
        for at, text in enumerate(TALK)
    ]
    fits = np.array([text == "The walrus swam" for text in TALK], np.float64)
    column: list[float] = place.SIGNAL.of(Pool(Query("where is the walrus"), rows, fits, fits, 0)).tolist()
    return column


def test_the_first_turn_counts_whole_and_two_turns_on_as_far_as_it_fits() -> None:
    opens, fits, next_to_it, answers, later = given("chat")
    assert opens == 1
    assert answers > fits == next_to_it == later == 0


def test_what_is_told_by_itself_stands_nowhere() -> None:
    assert given(None) == [0.0] * len(TALK)
