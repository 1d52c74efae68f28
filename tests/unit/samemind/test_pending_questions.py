"""Which questions an agent is told of at the start: those that what it was given is about, new ones, then by turns."""

import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import samemind
from replica import connect
from samemind import BlockingMind
from samemind.commands.answers._waiting import QUESTIONS_MAX, pending_questions

DAY_MS = 86_400_000
PEOPLE = ("Ann", "Bea", "Cleo", "Dora", "Mia", "Fay", "Gwen", "Hana")


@pytest.fixture
def mind(tmp_path: Path) -> Iterator[BlockingMind]:
    with samemind.open_blocking(tmp_path) as opened:
        for who in PEOPLE:
            opened.remember(f"{who} lives in Lisbon")
            assert opened.remember(f"{who} lives in Porto", read=True).contradictions, who
        yield opened


@pytest.fixture
def connection(mind: BlockingMind, tmp_path: Path) -> Iterator[sqlite3.Connection]:
    (path,) = tmp_path.glob("*.db")
    opened = connect(str(path))
    yield opened
    opened.close()


def test_what_a_context_is_about_is_asked_first(mind: BlockingMind) -> None:
    for who in PEOPLE:
        asked = mind.context(f"where does {who} live?").questions
        assert asked[0].entity == who
        assert len(asked) == QUESTIONS_MAX


def test_what_came_up_today_is_asked_before_the_rest_the_newest_first(connection: sqlite3.Connection) -> None:
    now_ms = int(time.time() * 1_000)
    asked = pending_questions(connection, (), now_ms=now_ms)
    assert [each.entity for each in asked] == [*PEOPLE[:-4:-1]]


def test_every_question_has_its_turn_and_a_day_asks_the_same(connection: sqlite3.Connection) -> None:
    now_ms = int(time.time() * 1_000)
    days = [
        [each.entity for each in pending_questions(connection, (), now_ms=now_ms + day * DAY_MS)]
        for day in range(2, 32)
    ]
    assert {who for day in days for who in day} == set(PEOPLE)
    assert max(sum(who in day for day in days) for who in PEOPLE) < len(days)
    noon_ms = (now_ms // DAY_MS + 5) * DAY_MS + DAY_MS // 2
    assert pending_questions(connection, (), now_ms=noon_ms) == pending_questions(
        connection, (), now_ms=noon_ms + DAY_MS // 3
    )
