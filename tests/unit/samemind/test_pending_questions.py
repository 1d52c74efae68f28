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


def test_what_is_put_off_is_not_asked_until_its_time(
    mind: BlockingMind, connection: sqlite3.Connection
) -> None:
    found = {each.entity: each for each in mind.contradictions()}
    until = mind.snooze_contradiction(found["Ann"], "7d").snoozed_until
    assert until is not None
    assert mind.contradiction(found["Ann"].id).snoozed_until == until
    assert mind.contradiction(found["Bea"].id).snoozed_until is None
    assert "Ann" not in [each.entity for each in mind.context("where does Ann live?").questions]
    days = [
        [
            each.entity
            for each in pending_questions(connection, (), now_ms=int(until.timestamp() * 1_000) + at)
        ]
        for at in [-1 - day * DAY_MS for day in range(7)]
    ]
    assert "Ann" not in {who for day in days for who in day}
    after_ms = int(until.timestamp() * 1_000) + 1
    later = [
        [each.entity for each in pending_questions(connection, (), now_ms=after_ms + day * DAY_MS)]
        for day in range(30)
    ]
    assert "Ann" in {who for day in later for who in day}
    ops = mind.digest().ops
    assert mind.snooze_contradiction(found["Ann"], "now").snoozed_until is None
    assert mind.snooze_contradiction(found["Ann"], "now").snoozed_until is None
    assert mind.digest().ops == ops + 1
    assert mind.context("where does Ann live?").questions[0].entity == "Ann"


def test_what_is_put_off_comes_up_as_no_trigger(mind: BlockingMind) -> None:
    for each in mind.contradictions():
        mind.snooze_contradiction(each, "1h")
    mind.think()
    block = mind.context("where does Ann live?")
    assert ("conflict_escalation" in {each.kind for each in block.triggers}, block.questions) == (False, [])
    mind.snooze_contradiction(mind.contradictions()[0], "now")
    mind.think()
    assert "conflict_escalation" in {each.kind for each in mind.context("where does Ann live?").triggers}


def test_what_can_be_no_time_is_refused(mind: BlockingMind) -> None:
    name = mind.contradictions()[0].id
    with pytest.raises(samemind.Usage, match="a time to come"):
        mind.snooze_contradiction(name, "whenever")
    with pytest.raises(samemind.NotFound, match="no contradiction has the id"):
        mind.snooze_contradiction("123456789", "1h")
