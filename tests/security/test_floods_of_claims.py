"""A member that claims something of one thing, or of one memory, thousands of times: every change there stays cheap.

With 8,000 claims in a slot each further one took 0.7 s, and where each had replaced the one before it, minutes. The
bounds are set lower here.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Final

import pytest

from cognition.contradictions import slots, tables
from cognition.contradictions.slots import Belief, ClaimStatus, Judged, LiveClaim, judge
from cognition.contradictions.tables import judged_of
from cognition.contradictions.values import slot_id
from cognition.filters import Filters
from cognition.recall.marking import with_both_sides
from cognition.recall.stages import RankedMemory
from replica import Claim, Core, MemoryId, Remember, Set, Write, memories_called, new_memory_id
from replica.ops import OpKind
from samemind.panel.browsing import _claims
from tests.support.deciding import connection_of, make_store, records
from tests.support.replicas import NOW_MS, everything, group, settle

IN_SLOT_MAX: Final = 16
OF_MEMORY_MAX: Final = 8


@pytest.fixture
def cores(monkeypatch: pytest.MonkeyPatch) -> list[Core]:
    monkeypatch.setattr(tables, "IN_SLOT_PER_DEVICE_MAX", IN_SLOT_MAX)
    monkeypatch.setattr(tables, "OF_MEMORY_PER_DEVICE_MAX", OF_MEMORY_MAX)
    return group("ann", "ben", "eve", make_store=make_store)


def tell(core: Core, value: str, *, now_ms: int = NOW_MS) -> MemoryId:
    """Tell in a memory of its own where somebody lives."""
    rid = new_memory_id(NOW_MS, Random(f"{core.device!r} {value}"))
    core.commit(
        [
            Write(Remember(f"Ann lives in {value}", {}), rid),
            Write(Claim("Ann", "lives_in", value, (), None), rid),
        ],
        now_ms,
    )
    return rid


def told(connection: sqlite3.Connection) -> list[LiveClaim]:
    return [each.told for each in judged_of(connection, slot_id(None, "Ann", "lives_in")).beliefs]


def test_in_one_slot_the_newest_claims_of_each_device_count(cores: list[Core]) -> None:
    ann, ben, eve = cores
    tell(ann, "Lisbon", now_ms=NOW_MS - 2)
    tell(ben, "Porto", now_ms=NOW_MS - 1)
    for number in range(3 * IN_SLOT_MAX):
        tell(eve, f"city {number}", now_ms=NOW_MS + number)
    settle(cores, NOW_MS + 100)
    for core in cores:
        values = [each.value for each in told(connection_of(core))]
        assert values == ["Lisbon", "Porto", *(f"city {n}" for n in range(2 * IN_SLOT_MAX, 3 * IN_SLOT_MAX))]
    assert records(ann) == records(ben) == records(eve)
    ((*_, status, _, _, _),) = records(ann)
    assert status == "open"
    # What does not count any more is left out where a memory's claims are shown.
    connection = connection_of(ann)
    numbers = [n for (n,) in connection.execute("SELECT id FROM shown_memory ORDER BY id")]
    assert len([each for n in numbers for each in _claims(connection, [n])]) == IN_SLOT_MAX + 2


def test_of_one_memory_the_newest_claims_of_each_device_count(cores: list[Core]) -> None:
    ann, _, eve = cores
    rid = tell(ann, "Lisbon")
    settle(cores, NOW_MS)
    work = []
    for start in (0, 200):
        eve.commit(
            [Write(Claim(f"thing {n}", "time", f"{n} pm", (), None), rid) for n in range(start, start + 200)],
            NOW_MS + 1 + start,
        )
        settle(cores, NOW_MS + 500)
        filed = connection_of(ann).execute("SELECT count(*) FROM claim_slot").fetchall()
        assert filed == [(OF_MEMORY_MAX + 1,)]
        assert [each.value for each in told(connection_of(ann))] == ["Lisbon"]
        statements: list[str] = []
        connection_of(ann).set_trace_callback(statements.append)
        ann.commit([Write(Set("topic", "places"), rid)], NOW_MS + 1_000 + start)
        connection_of(ann).set_trace_callback(None)
        work.append(len([each for each in statements if "claim_slot" in each]))
    assert work[0] == work[1]


def test_what_tells_of_many_open_contradictions_is_marked_by_the_first_alone() -> None:
    """To judge all of them took 20 ms in each recall of a memory with a hundred, and longer the more tell of each."""
    (ann,) = group("ann", make_store=make_store)
    mentioned = ("Lisbon", "Porto")
    rids = [new_memory_id(NOW_MS, Random(city)) for city in mentioned]
    work = []
    for start in (0, 20):
        ann.commit(
            [
                *(
                    Write(Remember(f"They live in {c}", {}), r)
                    for r, c in zip(rids, mentioned, strict=True)
                    if not start
                ),
                *(
                    Write(Claim(f"person {n}", "lives_in", city, (), None), rid)
                    for rid, city in zip(rids, mentioned, strict=True)
                    for n in range(start, start + 20)
                ),
            ],
            NOW_MS + start,
        )
        connection = connection_of(ann)
        hits = [
            RankedMemory(it.rid, 0.5, (), 0.0, {}, it.memory, ann.device)
            for it in memories_called(connection, rids)
        ]
        statements: list[str] = []
        connection.set_trace_callback(statements.append)
        marked = with_both_sides(connection, hits, Filters(), 2)
        connection.set_trace_callback(None)
        slots = [
            slot for (slot,) in connection.execute("SELECT slot FROM contradiction WHERE status = 'open'")
        ]
        assert len(slots) == start + 20
        assert [hit.contradiction for hit in marked] == [min(slots)] * 2
        work.append(len(statements))
    assert work[0] == work[1]


class Counted(tuple[Belief, ...]):
    """The claims of a slot; counts how often they are gone through."""

    times = 0

    def __iter__(self) -> Iterator[Belief]:
        type(self).times += 1
        return super().__iter__()


def test_claims_that_were_replaced_are_looked_through_once_and_not_for_each_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Counted, "times", 0)

    def judged(relation: str, claims: Sequence[LiveClaim]) -> Judged:
        found = judge(relation, claims)
        return replace(found, beliefs=Counted(found.beliefs))

    monkeypatch.setattr(slots, "judge", judged)
    times = []
    for count in (10, 40):  # which one frame brings, or it would be as often as there are frames
        ann, eve = group("ann", "eve", make_store=make_store)
        for number in range(count):
            tell(eve, f"city {number}", now_ms=NOW_MS + number)
        rid = tell(eve, "Lisbon", now_ms=NOW_MS + 1_000)
        places = tuple(sorted(op.place for op in everything(eve).ops if op.kind == OpKind.CLAIM))
        eve.commit([Write(Claim("Ann", "lives_in", "Porto", places, None), rid)], NOW_MS + 2_000)
        Counted.times = 0
        settle([ann, eve], NOW_MS + 3_000)
        assert len(connection_of(ann).execute("SELECT id FROM claim_retired").fetchall()) == count
        times.append(Counted.times)
    assert times[0] == times[1]


def test_values_beyond_what_a_device_may_open_are_compared_up_to_a_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    count = 0

    def compatible(one: str, other: str) -> bool:
        nonlocal count
        count += 1
        return False

    monkeypatch.setattr(slots, "compatible", compatible)
    monkeypatch.setattr(slots, "VALUES_PER_DEVICE_MAX", 8)
    monkeypatch.setattr(slots, "COMPARED_PER_DEVICE_MAX", 16)

    def claim(number: int, device: bytes) -> LiveClaim:
        return LiveClaim(
            number.to_bytes(8), 1, number, number, number.to_bytes(16), f"city {number}", number << 16, number,
            None, None, device, device, (), (),
        )  # fmt: skip

    of_eve = [claim(number, b"eve") for number in range(500)]
    judged = judge("lives_in", [*of_eve, claim(501, b"ann")])
    assert count == 2 * (sum(range(8)) + 16 * 8 + 8), "all values, and those that hold"
    assert len(judged.beliefs) == 501
    assert all(each.standing is ClaimStatus.HELD for each in judged.beliefs)
    assert [side[0].told.value for side in judged.sides] == [*(f"city {n}" for n in range(8)), "city 501"]
