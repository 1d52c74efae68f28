"""A member with ten thousand reminders: what each look at them costs is bounded, and nobody else's wait for them.

Forty thousand reminders and triggers were all gone through with each cycle of thinking, every five seconds by whoever
shows notifications, and before each answer to an agent; and the oldest two hundred held the places of all that is due.
"""

import sqlite3
from collections.abc import Callable
from math import inf
from pathlib import Path
from random import Random
from typing import Any

import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st

from cognition.days import DAY_MS
from cognition.thinking import cycle
from cognition.thinking.cycle import Deadline, Round, Step, StepOutcome, think
from cognition.triggers import goals as goal_progress
from cognition.triggers.detect import LOOKED_AT, goals, reminders
from cognition.triggers.kinds import KINDS, REMINDER, REVIEW, Thresholds
from cognition.triggers.raised import (
    LIVE_OF_A_KIND_MAX,
    LIVE_OF_OTHER_KINDS_MAX,
    described,
    read_live,
    read_raised,
)
from cognition.triggers.step import RAISED_MAX, TriggerStep, devices_of
from replica import Access, Core, MemoryId, Trigger, Write, connect
from replica.ids import new_memory_id
from replica.ops import Remember
from replica.storage.store import SqliteStore
from samemind.commands.answers._waiting import pending_triggers
from samemind.daemon.notifying import due_now
from tests.support.minds import derived_tables, open_memory, remember
from tests.support.replicas import NOW_MS, agree, group, settle

DUE_MS = NOW_MS - DAY_MS
THRESHOLDS = Thresholds()


def with_tables() -> SqliteStore:
    return SqliteStore(connect(":memory:"), derived_tables())


def tell(core: Core, texts: list[str], due_ms: int) -> list[MemoryId]:
    rids = [new_memory_id(NOW_MS, core._random) for _ in texts]
    fields = {"type": "prospective", "event_start": due_ms}
    core.commit(
        [Write(Remember(text, fields), rid) for text, rid in zip(texts, rids, strict=True)],  # type: ignore[arg-type]
        NOW_MS,
    )
    return rids


def flooded(count: int, *kinds: str) -> tuple[Core, sqlite3.Connection, MemoryId]:
    """Ann, who has one thing to be reminded of; Eve has many, all due earlier, and raised triggers on each of them."""
    ann, eve = group("ann", "eve", make_store=with_tables)
    rids = tell(eve, [f"call number {n}" for n in range(count)], 1)
    for kind in kinds:
        raised = [Write(Trigger(eve._random.randbytes(16), 0, kind, ()), rid) for rid in rids]
        for start in range(0, count, 2_000):
            eve.commit(raised[start : start + 2_000], NOW_MS)
    (honest,) = tell(ann, ["take the medicine"], DUE_MS)
    settle([ann, eve])
    assert isinstance(ann.store, SqliteStore)
    return ann, ann.store.connection, honest


def statements(connection: sqlite3.Connection, work: Callable[[], object]) -> int:
    """Return how many statements some work takes."""
    run: list[str] = []
    connection.set_trace_callback(run.append)
    work()
    connection.set_trace_callback(None)
    return len(run)


def test_what_is_due_of_each_device_takes_turns() -> None:
    _, connection, honest = flooded(LOOKED_AT + 50)
    found = [each.rid for each in reminders(connection, NOW_MS, THRESHOLDS)]
    assert len(found) == LOOKED_AT
    assert honest in found


def test_an_honest_reminder_is_raised_by_the_first_cycle() -> None:
    ann, connection, honest = flooded(LOOKED_AT + 50)
    assert len(TriggerStep().run(ann, connection, NOW_MS).ids) == RAISED_MAX
    assert honest in {each.rid for each in read_live(connection, NOW_MS)}


def test_what_waits_of_one_device_holds_back_no_reminder_of_another() -> None:
    ann, connection, honest = flooded(REMINDER.pending_max + 50, REMINDER.name)
    TriggerStep().run(ann, connection, NOW_MS)
    assert honest in {each.rid for each in read_raised(connection) if each.held.raised[0] >> 16 == NOW_MS}


VOID_KINDS = (*KINDS, "pattern:theme", "reminder:x", "of a later version")


def with_something_of_each_kind(voids: list[tuple[int, str, int]]) -> tuple[Core, Core, sqlite3.Connection]:
    """Ann, of whose memories some are to be brought up, and Eve, who raised what follows from nothing on them."""
    ann, eve = group("ann", "eve", make_store=with_tables)
    random = Random(1)

    def say(text: str, at_ms: int, **fields: Any) -> MemoryId:
        rid = new_memory_id(at_ms, random)
        ann.commit([Write(Remember(text, fields), rid)], at_ms)
        return rid

    long_ago = NOW_MS - 400 * DAY_MS
    rids = [say("the safe is behind the picture", long_ago, importance=0.8, type="episodic")]
    rids.append(say("I want to sail to Greece", long_ago, goal="open"))
    rids.append(say("take the medicine", long_ago, type="prospective", event_start=DUE_MS))
    rids += [say(f"note {n} of the garden", long_ago, topic="garden") for n in range(20)]
    settle([ann, eve])
    eve.commit(
        [
            Write(Trigger(n.to_bytes(16), status, kind, ()), rids[place])
            for n, (place, kind, status) in enumerate(voids)
        ],
        NOW_MS - 1,
    )
    settle([ann, eve])
    assert isinstance(ann.store, SqliteStore)
    return ann, eve, ann.store.connection


def brought_up(voids: list[tuple[int, str, int]]) -> list[list[str]]:
    """Return what Ann raises in three cycles, of which the last is a month later."""
    ann, eve, connection = with_something_of_each_kind(voids)
    raised = [list(TriggerStep().run(ann, connection, NOW_MS + ms).ids) for ms in (0, 1, 30 * DAY_MS)]
    settle([ann, eve])
    assert agree(ann, eve)
    return raised


def test_something_of_each_kind_is_brought_up() -> None:
    """Or the law below would hold of nothing."""
    assert len(brought_up([])[0]) == len({"review", "goal", "reminder", "topic"})


@given(st.lists(st.tuples(st.integers(0, 22), st.sampled_from(VOID_KINDS), st.integers(0, 3)), max_size=30))
@settings(max_examples=25, deadline=None)
def test_what_follows_from_no_memory_changes_nothing_that_is_brought_up(
    voids: list[tuple[int, str, int]],
) -> None:
    """Five of a kind, or one on each memory, held that kind back for days."""
    assert brought_up(voids) == brought_up([])


def test_a_thousand_triggers_of_nothing_on_ones_own_memories_hold_back_and_hide_no_reminder() -> None:
    """Before it is raised, and after: those of Eve are the latest then."""
    voids = [(place, REMINDER.name, 0) for place in range(2, 23) for _ in range(LIVE_OF_A_KIND_MAX // 10)]
    assert len(voids) > 2 * REMINDER.pending_max
    ann, eve, connection = with_something_of_each_kind(voids)
    TriggerStep().run(ann, connection, NOW_MS)
    (honest,) = [
        each.rid
        for each in read_raised(connection)
        if each.held.raised[0] >> 16 == NOW_MS and each.kind == REMINDER.name
    ]
    later = [Trigger(eve._random.randbytes(16), 0, REMINDER.name, ()) for _ in voids]
    eve.commit([Write(each, honest) for each in later], NOW_MS + 1)
    settle([ann, eve])
    waiting = pending_triggers(connection, NOW_MS + 2, THRESHOLDS, ())
    assert "“take the medicine” is due" in {each.reason for each in waiting}
    assert "take the medicine" in str(due_now(connection, NOW_MS + 2, THRESHOLDS, every_kind=False))


def test_of_what_matters_and_fades_one_of_ones_own_waits_whatever_a_members_is() -> None:
    ann, eve, connection = with_something_of_each_kind([])
    for number in range(20):
        matters = Remember(f"matter {number}", {"importance": 1.0, "type": "episodic"})
        eve.commit(
            [Write(matters, new_memory_id(NOW_MS, eve._random))], NOW_MS - 800 * DAY_MS + number * DAY_MS
        )
    settle([ann, eve])

    def waiting() -> list[str]:
        rows = read_live(connection, NOW_MS)
        return [
            str(ann.device == devices_of(connection, [each.rid])[each.rid])
            for each in rows
            if each.kind == REVIEW.name
        ]

    for cycle_ms in range(3):
        TriggerStep().run(ann, connection, NOW_MS + cycle_ms)
        assert sorted(waiting()) == ["False"] * REVIEW.pending_max + ["True"]


def test_what_cools_down_does_so_whatever_a_member_raises_on_it() -> None:
    """A review that Eve raised last hid the one from which fourteen days are counted."""
    ann, eve, connection = with_something_of_each_kind([])
    rid = new_memory_id(NOW_MS, ann._random)
    fades: dict[str, Any] = {"importance": 0.9, "type": "episodic", "half_life": 3_600.0}
    ann.commit([Write(Remember("the code of the gate", fades), rid)], NOW_MS)

    def reviews_at(days: float) -> int:
        now_ms = NOW_MS + round(days * DAY_MS)
        TriggerStep().run(ann, connection, now_ms)
        return sum(each.rid == rid and each.raised_ms == now_ms for each in read_raised(connection))

    raised = [reviews_at(1)]
    settle([ann, eve])
    eve.commit([Write(Trigger(bytes(16), 0, REVIEW.name, ()), rid)], NOW_MS + 2 * DAY_MS)
    settle([ann, eve])
    ann.commit([Write(Access(((rid, 1, NOW_MS + 2 * DAY_MS),)))], NOW_MS + 2 * DAY_MS)
    raised += [reviews_at(days) for days in (3, 14.9, 15)]
    assert raised == [1, 0, 0, 1]


def test_of_what_was_raised_those_on_each_devices_memories_take_turns() -> None:
    ann, connection, honest = flooded(LIVE_OF_A_KIND_MAX + 50, REMINDER.name)
    ann.commit([Write(Trigger(bytes(16), 0, REMINDER.name, ()), honest)], NOW_MS - 1)
    live = read_live(connection, NOW_MS)
    assert len(live) == LIVE_OF_A_KIND_MAX
    assert honest in {each.rid for each in live}


def test_what_was_raised_by_a_clock_that_was_years_ahead_comes_last() -> None:
    """It came first for all those years, and what is due now was not among the first so many."""
    ann, connection, honest = flooded(1)
    years_ahead = NOW_MS + 50 * 365 * DAY_MS
    of_today = Write(Trigger(bytes(16), 0, REMINDER.name, ()), honest)
    ann.commit([of_today], NOW_MS)
    early = [
        Write(Trigger(n.to_bytes(16), 0, REMINDER.name, ()), honest)
        for n in range(1, LIVE_OF_A_KIND_MAX + 50)
    ]
    ann.commit(early, years_ahead)
    assert bytes(16) in {each.id for each in read_live(connection, NOW_MS)}


def costs(ann: Core, connection: sqlite3.Connection, of_kinds: int) -> list[int]:
    live = read_live(connection, NOW_MS)
    assert len(live) <= LIVE_OF_A_KIND_MAX * of_kinds
    looks: list[Callable[[], object]] = [
        lambda: described(connection, NOW_MS, THRESHOLDS, among=live),
        lambda: pending_triggers(connection, NOW_MS, THRESHOLDS, ()),
        lambda: due_now(connection, NOW_MS, THRESHOLDS, every_kind=True),
        lambda: TriggerStep().run(ann, connection, NOW_MS),
    ]
    return [statements(connection, look) for look in looks]


@pytest.mark.parametrize("kinds", [(REMINDER.name,), ("pattern:theme", "of a later version")])
def test_what_a_look_costs_does_not_grow_with_what_a_member_raised(kinds: tuple[str, ...]) -> None:
    some, more = (
        costs(*flooded(count, *kinds)[:2], len(kinds))
        for count in (LIVE_OF_A_KIND_MAX + 50, 2 * LIVE_OF_A_KIND_MAX + 50)
    )
    assert more == pytest.approx(some, rel=0.25)


def with_goals(count: int, told: int = 0) -> tuple[sqlite3.Connection, MemoryId, Core]:
    """Ann pursues one thing and told of it; Eve states many, all earlier, and tells of hers without end."""
    ann, eve = group("ann", "eve", make_store=with_tables)

    def say(core: Core, text: str, at_ms: int, **fields: str) -> MemoryId:
        rid = new_memory_id(NOW_MS, core._random)
        core.commit([Write(Remember(text, fields), rid)], at_ms)
        return rid

    for number in range(count):
        say(eve, f"I want to learn Portuguese number {number}", NOW_MS - DAY_MS, goal="open")
    for number in range(told):
        say(eve, f"I learn Portuguese, page {number}", NOW_MS - DAY_MS)
    honest = say(ann, "I want to run the marathon in Lisbon", NOW_MS, goal="open")
    settle([ann, eve])
    say(ann, "I ran half a marathon in Lisbon today", NOW_MS + 1)
    assert isinstance(ann.store, SqliteStore)
    return ann.store.connection, honest, ann


def steps_of_goals(connection: sqlite3.Connection) -> int:
    """Return how many hundreds of steps SQLite's machine takes to follow all goals."""
    count = 0

    def step() -> None:
        nonlocal count
        count += 1

    connection.set_progress_handler(step, 100)
    list(goals(connection, NOW_MS, THRESHOLDS))
    connection.set_progress_handler(None, 0)
    return count


def test_goals_of_each_device_are_followed_by_turns() -> None:
    """Eight thousand goals took six seconds in each cycle, and their number squared."""
    connection, honest, ann = with_goals(LOOKED_AT + 50)
    found = [each.rid for each in goals(connection, NOW_MS + 15 * DAY_MS, THRESHOLDS)]
    assert honest in found
    assert len(set(found)) == LOOKED_AT
    TriggerStep().run(ann, connection, NOW_MS + 2)
    assert honest in {each.rid for each in read_live(connection, NOW_MS + 2)}


def test_what_was_told_of_a_goal_is_looked_through_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(goal_progress, "_FOUND_MAX", 50)
    some, more = (
        steps_of_goals(connection)
        for connection, _, _ in (with_goals(20, told=100), with_goals(20, told=400))
    )
    assert more == pytest.approx(some, rel=0.25)


def test_triggers_on_goals_are_looked_at_up_to_a_bound_of_their_own() -> None:
    """Why a thousand of them are there took seconds to find, before each answer to an agent."""
    _, connection, _ = flooded(LIVE_OF_OTHER_KINDS_MAX + 50, "goal_stagnation")
    assert len(read_live(connection, NOW_MS)) == LIVE_OF_OTHER_KINDS_MAX
    assert len(pending_triggers(connection, NOW_MS, THRESHOLDS, ())) <= LIVE_OF_OTHER_KINDS_MAX


def test_between_the_visits_of_a_cycle_others_have_their_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever a link has to write waits for a few visits at most, however much there is to think about."""
    monkeypatch.setattr(cycle, "VISIT_S", 0.0)  # a visit is one call then, however fast the machine is

    async def main() -> None:
        async with open_memory(tmp_path / "memory.db") as (replica, mind):
            told = [f"Remind me to call {n} about {n * n}" for n in range(600)]
            await remember(replica, *told, type="prospective", event_start=1, importance=0.9)
            turns, calls = 0, list[int]()
            done = trio.Event()

            def take(core: Core, connection: sqlite3.Connection) -> None:
                nonlocal turns
                turns += 1

            async def link() -> None:
                while not done.is_set():
                    await replica.run(take)

            class Counted:
                def __init__(self, step: Step) -> None:
                    self.name, self._step = step.name, step

                def run(self, core: Core, connection: sqlite3.Connection, now_ms: int) -> StepOutcome:
                    calls.append(turns)
                    return self._step.run(core, connection, now_ms)

            await mind.settle()
            async with trio.open_nursery() as nursery:
                nursery.start_soon(link)
                ours = Round([Counted(step) for step in mind._round.steps])
                await think(replica, ours, Deadline(inf))
                done.set()
            assert len(calls) > 10, "a cycle is many calls"
            assert all(before < later for before, later in zip(calls, calls[4:], strict=False)), (
                "a call that is over before the link has asked again may be followed by the next"
            )

    trio.run(main)
