"""Rows of memories, as every package above the replica reads them."""

import pytest

from replica import (
    MemoryId,
    Remember,
    Value,
    all_memories,
    count_tellings,
    memories_by_age,
    memories_called,
    memories_of,
    memories_to_come,
    newest_numbers,
    numbers_between,
    show_memory_id,
)
from replica.ids import parse_memory_id
from replica.ops import Set, Write
from replica.reads import ROWS_PER_READ
from tests.support.replicas import NOW_MS, core_of, remember, sqlite_store

RID = MemoryId(bytes(range(16)))
FIELDS: dict[str, Value] = {
    "speaker": "Ann",
    "tags": ["boats"],
    "meta": {"n": 1},
    "pinned": True,
    "importance": 0.5,
}


def test_a_row_has_its_fields_as_what_they_are_and_says_who_told_it() -> None:
    """Lists, maps and flags are no text and no numbers, and what is not set is not there."""
    store = sqlite_store()
    core = core_of("ann", store)
    (op,) = core.commit([Write(Remember("The boat leaks", FIELDS), RID)], NOW_MS)
    (shown,) = all_memories(store.connection)
    assert shown.memory.text == "The boat leaks"
    assert shown.memory.fields == FIELDS
    assert (shown.device, shown.incarnation) == (core.origin.device, core.origin.incarnation)
    assert shown.rid == op.rid == RID
    assert shown.device_name == "ann"


def test_rows_are_found_by_number_and_by_id_whatever_is_asked_beside_them() -> None:
    """What does not show is left out, and what is asked for twice comes once."""
    store = sqlite_store()
    rids = remember(core_of("ann", store), "one", "two", "three")
    by_id = {shown.rid: shown for shown in memories_called(store.connection, [*rids, bytes(16), rids[0]])}
    assert by_id.keys() == set(rids)
    numbers = [by_id[rid].id for rid in rids[:2]]
    assert {shown.rid for shown in memories_of(store.connection, [*numbers, 10**9])} == set(rids[:2])
    assert list(memories_of(store.connection, ())) == []


@pytest.mark.parametrize("count", [ROWS_PER_READ - 1, ROWS_PER_READ, ROWS_PER_READ + 1])
def test_more_rows_than_are_read_at_a_time_all_come(count: int) -> None:
    """At the bound, and on both sides of it; by age is by stamp."""
    store = sqlite_store()
    rids = remember(core_of("ann", store), *map(str, range(count)))
    assert [shown.memory.text for shown in all_memories(store.connection)] == [*map(str, range(count))]
    assert len(list(memories_called(store.connection, rids))) == count
    aged = list(memories_by_age(store.connection))
    assert aged == sorted(aged, key=lambda shown: (shown.memory.created, shown.rid))
    assert len(aged) == count


def test_an_id_is_shown_as_the_uuid_that_reads_back_as_it() -> None:
    """By hand, and as `uuid` would."""
    rid = MemoryId(bytes(range(16)))
    assert show_memory_id(rid) == "00010203-0405-0607-0809-0a0b0c0d0e0f"
    assert parse_memory_id(show_memory_id(rid)) == rid


def test_what_is_to_come_is_read_by_its_time() -> None:
    """Other memories with a time, plans without one, and what is archived are none of it."""
    store = sqlite_store()
    plan: dict[str, Value] = {"type": "prospective"}
    told: dict[str, dict[str, Value]] = {
        "second": plan | {"event_start": 20},
        "first": plan | {"event_start": 10},
        "archived": plan | {"event_start": 5, "archived": True},
        "brought back": plan | {"event_start": 30, "archived": False},
        "without a time": plan,
        "a day": {"type": "episodic", "event_start": 1},
    }
    writes = [
        Write(Remember(text, fields), MemoryId(bytes([number]) * 16))
        for number, (text, fields) in enumerate(told.items())
    ]
    core_of("ann", store).commit(writes, NOW_MS)
    shown = [it.memory.text for it in memories_to_come(store.connection)]
    assert shown == ["first", "second", "brought back"]


def test_the_newest_are_tellings_that_are_not_put_away() -> None:
    """What was changed last comes first, and a fact stands with its telling."""
    store = sqlite_store()
    core = core_of("ann", store)
    first, second, third, fact = (MemoryId(bytes([number]) * 16) for number in (1, 2, 3, 4))
    for at, (rid, fields) in enumerate([(first, {}), (second, {}), (third, {}), (fact, {"parent": first})]):
        core.commit([Write(Remember(f"said {at}", fields), rid)], NOW_MS + at)
    core.commit([Write(Set("archived", True), second)], NOW_MS + 10)
    core.commit([core.edit_of(first, "said once more")], NOW_MS + 11)
    named = {shown.id: shown.rid for shown in all_memories(store.connection)}
    assert [named[number] for number in newest_numbers(store.connection, 9)] == [first, third]
    assert [named[number] for number in newest_numbers(store.connection, 1)] == [first]
    assert count_tellings(store.connection) == 3


def test_a_stretch_of_time_holds_what_happened_or_was_told_in_it() -> None:
    """Both ends are in it; what has a time of its own is not of the time it was told at."""
    store = sqlite_store()
    core = core_of("ann", store)
    told, happening, put_away = (MemoryId(bytes([number]) * 16) for number in (1, 2, 3))
    later_ms = NOW_MS + 86_400_000
    core.commit([Write(Remember("told now", {}), told)], NOW_MS)
    core.commit([Write(Remember("happens later", {"event_start": later_ms}), happening)], NOW_MS)
    core.commit([Write(Remember("put away", {"archived": True}), put_away)], NOW_MS)
    named = {shown.id: shown.rid for shown in all_memories(store.connection)}

    def between(start_ms: int, end_ms: int) -> list[MemoryId]:
        return [named[number] for number in numbers_between(store.connection, start_ms, end_ms, 9)]

    assert between(NOW_MS - 1_000, NOW_MS + 1_000) == [told]
    assert between(later_ms, later_ms) == [happening]
    assert between(later_ms + 1, later_ms + 2) == []
    assert between(NOW_MS - 1_000, later_ms) == [happening, told]
    assert len(numbers_between(store.connection, NOW_MS - 1_000, later_ms, 1)) == 1
