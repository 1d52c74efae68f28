"""Texts that were merged of edits that did not know of each other."""

import weakref
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from replica import connect, variants
from replica.compaction import compact
from replica.core import Core
from replica.ids import MemoryId
from replica.ops import Remember, Write
from replica.storage.store import SqliteStore
from replica.variants import variants_of
from tests.support.replicas import NOW_MS, edit, group, remember, settle, sqlite_store, sync, texts
from tests.unit.replica.test_past import Heard


def heard_store() -> SqliteStore:
    """Return a store that can keep aside what was told last."""
    connection = connect(":memory:")
    store = SqliteStore(connection, [Heard()])
    weakref.finalize(store, connection.close)
    return store


def told(core: Core, *rids: MemoryId) -> list[str]:
    """Return what the devices wrote, the latest first, where a text was merged."""
    assert isinstance(core.store, SqliteStore)
    found = variants_of(core.store.connection, rids)
    return [variant.text for rid in rids for variant in found.get(rid, [])]


def apart(
    was: str, *edits: str, make_store: Callable[[], SqliteStore] = sqlite_store
) -> tuple[list[Core], MemoryId]:
    """Return devices of which each edited one memory while apart from the others, and then heard of them."""
    cores = group(*(f"device {number}" for number in range(len(edits))), make_store=make_store)
    (rid,) = remember(cores[0], was)
    settle(cores)
    for number, (core, text) in enumerate(zip(cores, edits, strict=True)):
        edit(core, rid, text, now_ms=NOW_MS + number)
        assert not told(core, rid)
    settle(cores)
    return cores, rid


def test_two_edits_of_one_place_are_told_alike_on_every_device_until_somebody_who_saw_both_edits() -> None:
    cores, rid = apart("the key is kept by Ann", "the key is kept by Dora", "the key is kept by Carla")
    both = ["the key is kept by Carla", "the key is kept by Dora"]
    assert [told(core, rid) for core in cores] == [both, both]
    assert texts(cores[0]).isdisjoint(both)
    edit(cores[0], rid, both[1], now_ms=NOW_MS + 9)
    assert not told(cores[0], rid)
    assert told(cores[1], rid) == both
    settle(cores)
    assert not told(cores[1], rid)
    assert texts(cores[1]) == {both[1]}


def test_they_are_told_while_something_else_is_being_read() -> None:
    """A page of memories with a summary is read so, and failed for good."""
    cores, rid = apart("the key is kept by Ann", "the key is kept by Dora", "the key is kept by Carla")
    assert isinstance(cores[0].store, SqliteStore)
    ops = cores[0].store.connection.execute("SELECT id FROM op")
    assert next(ops)
    assert len(told(cores[0], rid)) == 2
    ops.close()


def test_they_are_told_to_who_may_only_read_while_something_told_does_not_show_yet(tmp_path: Path) -> None:
    """As where an agent recalls at the very moment at which another one remembers."""
    cores, rid = apart("we meet at ten", "we meet at noon", "we meet at nine", make_store=heard_store)
    cores[0].commit([Write(Remember("something else", {}), MemoryId(bytes(16)))], NOW_MS, may_follow=True)
    assert isinstance(cores[0].store, SqliteStore)
    assert cores[0].store.lags, "else this tests nothing"
    file = str(tmp_path / "memory.db")
    with closing(connect(file)) as copy:
        cores[0].store.connection.backup(copy)
    with closing(connect(file, read_only=True)) as reading:
        assert len(variants_of(reading, [rid])[rid]) == 2


def test_a_member_that_edits_without_end_does_not_hold_up_every_recall(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cores, rid = apart("the key is kept by Ann", "the key is kept by Dora", "the key is kept by Carla")
    monkeypatch.setattr(variants, "EDITS_MAX", 2)
    assert len(told(cores[0], rid)) == 2
    monkeypatch.setattr(variants, "EDITS_MAX", 1)
    assert not told(cores[0], rid)


def test_a_member_that_edits_many_memories_holds_up_no_recall_either_and_hides_no_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cores, rid = apart("the key is kept by Ann", "the key is kept by Dora", "the key is kept by Carla")
    (flooded,) = remember(cores[0], "we meet at ten")
    settle(cores)
    edit(cores[0], flooded, "we meet at noon", now_ms=NOW_MS + 20)
    for number in range(3):
        edit(cores[1], flooded, f"we meet at {number}", now_ms=NOW_MS + 21 + number)
    settle(cores)
    one, other = told(cores[0], rid), told(cores[0], flooded)
    assert (len(one), len(other)) == (2, 2)
    for edits_max, expected in ((6, one + other), (5, one), (2, one), (1, [])):
        monkeypatch.setattr(variants, "EDITS_MAX", edits_max)
        assert told(cores[0], rid, flooded) == expected


def test_an_edit_that_leaves_the_text_as_it_is_says_that_it_is_right() -> None:
    cores, rid = apart("we meet at ten", "we meet at noon", "we meet at nine")
    (merged,) = texts(cores[0])
    edit(cores[1], rid, merged, now_ms=NOW_MS + 9)
    settle(cores)
    assert [told(core, rid) for core in cores] == [[], []]
    assert texts(cores[0]) == texts(cores[1]) == {merged}


def test_of_edits_of_different_places_nothing_is_told() -> None:
    cores, rid = apart(
        "Ann keeps the key in the hall", "Dora keeps the key in the hall", "Ann keeps the key in a box"
    )
    assert texts(cores[0]) == {"Dora keeps the key in a box"}
    assert not told(cores[0], rid)


def test_who_edits_the_same_way_wrote_what_the_text_does_not_say() -> None:
    cores, rid = apart("we met at six", "we met at ten", "we met at ten")
    assert texts(cores[0]) != {"we met at ten"}
    assert told(cores[0], rid) == ["we met at ten"] * 2
    cores, rid = apart("we met at ten sharp", "we met at ten", "we met at ten")
    assert texts(cores[0]) == {"we met at ten"}
    assert not told(cores[0], rid)


def test_each_of_three_is_told_and_an_edit_that_saw_two_of_them_leaves_the_third() -> None:
    cores, rid = apart("red", "green", "blue", "grey")
    assert told(cores[2], rid) == ["grey", "blue", "green"]
    edit(cores[0], rid, "black", now_ms=NOW_MS + 9)
    edit(cores[1], rid, "white", now_ms=NOW_MS + 8)
    sync(cores[0], cores[1])
    edit(cores[0], rid, "violet", now_ms=NOW_MS + 10)
    settle(cores)
    assert not told(cores[2], rid)


def test_what_was_merged_is_told_above_a_base_and_not_below_it() -> None:
    cores = group("ann", "bob", make_store=sqlite_store)
    (rid,) = remember(cores[0], "red")
    edit(cores[0], rid, "green")
    settle(cores)
    assert compact(cores[0], NOW_MS)
    edit(cores[0], rid, "blue")
    edit(cores[1], rid, "grey")
    settle(cores)
    assert sorted(told(cores[0], rid)) == sorted(told(cores[1], rid)) == ["blue", "grey"]
    assert compact(cores[0], NOW_MS)
    assert not told(cores[0], rid)
