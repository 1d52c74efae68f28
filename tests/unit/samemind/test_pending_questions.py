"""Which questions an agent is told of at the start: those that what it was given is about, new ones, then by turns."""

import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import samemind
from cognition.contradictions.snoozing import SNOOZE_MS_MAX, SNOOZED_MAX, snooze, snoozed
from cognition.contradictions.tables import ClaimTables
from cognition.contradictions.values import slot_id
from replica import Claim, Remember, Set, SqliteStore, Write, connect, derived_memory_id, read_settings
from samemind import BlockingMind
from samemind.commands.answers._waiting import QUESTIONS_MAX, pending_questions
from samemind.commands.contradictions._parts import ContradictionView
from tests.support.replicas import NOW_MS, group, sqlite_store

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


def about_ann(mind: BlockingMind) -> ContradictionView:
    return next(each for each in mind.contradictions() if each.entity == "Ann")


@pytest.mark.parametrize("news", ["another value", "the same again", "other words"])
def test_what_is_put_off_is_asked_once_something_new_is_told_of_it(mind: BlockingMind, news: str) -> None:
    found = about_ann(mind)
    mind.snooze_contradiction(found, "7d")
    mind.remember("Bea lives in Evora", read=True)
    mind.pin(found.a.rid)
    assert about_ann(mind).snoozed_until is not None, "nothing new of Ann"
    if news == "another value":
        mind.remember("Ann lives in Faro", read=True)
    elif news == "the same again":
        mind.remember("Ann lives in Porto, she told me at lunch", read=True)
    else:
        mind.correct(found.b.rid, "Ann lives in Porto with her aunt")
    assert about_ann(mind).snoozed_until is None
    assert mind.context("where does Ann live?").questions[0].entity == "Ann"
    mind.snooze_contradiction(found, "7d")
    assert about_ann(mind).snoozed_until is not None


def test_nothing_is_put_off_for_longer_than_a_year(
    mind: BlockingMind, connection: sqlite3.Connection
) -> None:
    """Not by a member either whose clock is ten years ahead, or who writes whatever they like."""
    found = about_ann(mind)
    with pytest.raises(samemind.Usage, match="within 366 days"):
        mind.snooze_contradiction(found, "9999-12-31")
    until = mind.snooze_contradiction(found, "365d").snoozed_until
    assert until is not None
    slot, until_ms = bytes.fromhex(found.id), round(until.timestamp() * 1_000)
    assert snoozed(connection, until_ms - 1) == {slot: until_ms}
    assert snoozed(connection, until_ms) == {}, "its time has come"
    ahead_ms = until_ms - SNOOZE_MS_MAX - DAY_MS  # by a clock that is as far behind as one may be
    assert snoozed(connection, ahead_ms) == {slot: until_ms}
    assert snoozed(connection, ahead_ms - 1) == {}
    assert snoozed(connection, until_ms - 3_650 * DAY_MS) == {}


@pytest.mark.parametrize(
    "value",
    [7, None, "", "x", "1 2 3", "9" * 5_000, "-1 ab", "٣ ab", "² ab", ["1", "2"], {"until": 1}],
    ids=lambda value: repr(value)[:12],
)
def test_a_crooked_setting_puts_nothing_off(value: Any) -> None:
    (ann,) = group("ann", make_store=sqlite_store)
    assert isinstance(ann.store, SqliteStore)
    ClaimTables().migrate(ann.store.connection)
    for slot in ("", "zz", "00" * 16, "AA" * 16, " 00"):
        ann.commit([Write(Set(f"question.later.{slot}", value))], NOW_MS)
    assert snoozed(ann.store.connection, NOW_MS) == {}


def test_a_question_is_put_off_under_its_one_name_alone_and_of_many_the_last_count() -> None:
    (ann,) = group("ann", make_store=sqlite_store)
    assert isinstance(ann.store, SqliteStore)
    connection = ann.store.connection
    ClaimTables().migrate(connection)
    slot, until_ms = bytes.fromhex("ab" * 16), NOW_MS + DAY_MS
    write = snooze(connection, slot, until_ms)
    assert isinstance(write.body, Set)
    for name in (slot.hex().upper(), f" {slot.hex()}", f"ab {slot.hex()[2:]}", "zz"):
        ann.commit([Write(Set(f"question.later.{name}", write.body.value))], NOW_MS)
    assert snoozed(connection, NOW_MS) == {}
    ann.commit([write], NOW_MS)
    more = [snooze(connection, number.to_bytes(16), until_ms) for number in range(SNOOZED_MAX - 1)]
    ann.commit(more, NOW_MS + 1)
    assert len(snoozed(connection, NOW_MS)) == SNOOZED_MAX
    ann.commit([snooze(connection, bytes(15) + b"!" * 2, until_ms)], NOW_MS + 2)
    assert len(found := snoozed(connection, NOW_MS)) == SNOOZED_MAX
    assert slot not in found
    ann.commit([snooze(connection, slot, None)], NOW_MS + 3)
    assert slot.hex() not in read_settings(connection, "question.later."), (
        "asked again, nothing is left of it"
    )


def test_every_device_means_the_same_question_by_what_it_puts_off() -> None:
    """Whatever order a set has in its process: else a question that one device put off is asked by the next."""
    (ann,) = group("ann", make_store=lambda: SqliteStore(connect(":memory:"), [ClaimTables()]))
    assert isinstance(ann.store, SqliteStore)
    for city in ("Lisbon", "Porto", "Faro", "Braga", "Evora", "Sines"):
        rid = derived_memory_id("test", city)
        claim = Write(Claim("Ann", "lives_in", city, (), None), rid)
        ann.commit([Write(Remember(f"Ann lives in {city}", {}), rid), claim], NOW_MS)
    write = snooze(ann.store.connection, slot_id(None, "Ann", "lives_in"), NOW_MS)
    assert isinstance(write.body, Set)
    assert write.body.value == f"{NOW_MS} 162613a09273d7b8"
    ann.store.connection.close()


def test_what_can_be_no_time_is_refused(mind: BlockingMind) -> None:
    name = mind.contradictions()[0].id
    with pytest.raises(samemind.Usage, match="a time to come"):
        mind.snooze_contradiction(name, "whenever")
    with pytest.raises(samemind.NotFound, match="no contradiction has the id"):
        mind.snooze_contradiction("123456789", "1h")


def test_a_question_that_is_settled_is_not_put_off(mind: BlockingMind) -> None:
    name = mind.contradictions()[0].id
    mind.resolve(name, keep_a=True)
    with pytest.raises(samemind.Usage, match="got one that is settled") as refused:
        mind.snooze_contradiction(name, "7d")
    assert (refused.value.code, name[:12] in refused.value.hint) == ("settled", True)
    assert mind.snooze_contradiction(name, "now").snoozed_until is None


def test_a_question_that_was_put_off_is_asked_again_once_its_decision_is_undone(mind: BlockingMind) -> None:
    name = mind.contradictions()[0].id
    until = mind.snooze_contradiction(name, "7d").snoozed_until
    assert mind.reopen(name).contradiction.snoozed_until == until, "it is open already"
    mind.resolve(name, keep_a=True)
    found = mind.reopen(name).contradiction
    assert (found.status, found.snoozed_until) == ("open", None)
