"""A field that is new: what was written in it before this program knew it, and what it cannot hold."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from sqlite3 import sqlite_version_info

import pytest

from replica import ops
from replica.codec import pack
from replica.core import Core
from replica.errors import InvalidOp
from replica.fields import FIELDS
from replica.ids import MemoryId, new_memory_id
from replica.reads.memories import memories_called, unknown_fields
from replica.storage import schema
from replica.storage.shown import _columns_of
from replica.storage.store import SqliteStore
from replica.verify import verify_replica
from tests.support.replicas import NOW_MS, agree, group, remember, say, settle, sqlite_store


@pytest.fixture(autouse=True)
def known_anew() -> Iterator[None]:
    """Which fields have columns is kept, since no program changes it while it runs."""
    _columns_of.cache_clear()
    yield
    _columns_of.cache_clear()


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the topic had come after 0.1.0."""
    monkeypatch.setitem(FIELDS, "topic", replace(FIELDS["topic"], later=True))


def shown(core: Core, rid: MemoryId) -> dict[str, object]:
    assert isinstance(core.store, SqliteStore)
    (found,) = memories_called(core.store.connection, (rid,))
    return found.memory.fields


def written_before_the_topic_was_known(core: Core) -> SqliteStore:
    """The store as a program left it that had no column for topics and kept them as they came."""
    store = core.store
    assert isinstance(store, SqliteStore)
    if sqlite_version_info < (3, 35):
        pytest.skip("this SQLite drops no column")
    sql = store.connection
    sql.execute("DROP VIEW shown_memory")
    sql.execute("DROP INDEX memory_by_topic")
    for number, topic in sql.execute("SELECT id, topic FROM memory WHERE topic IS NOT NULL").fetchall():
        more = {"invented later": "x", "topic": topic} if number == 1 else {"topic": topic}
        sql.execute("UPDATE memory SET more = ? WHERE id = ?", (pack(more), number))
    sql.execute("ALTER TABLE memory DROP COLUMN topic")
    return store


@pytest.mark.usefixtures("later")
def test_what_was_kept_of_a_field_while_it_was_unknown_shows_after_the_upgrade(tmp_path: Path) -> None:
    (ann,) = group("ann", make_store=lambda: sqlite_store(str(tmp_path / "store.db")))
    one, two, three = remember(ann, "one", "two", "three")
    say(ann, ops.Set("invented later", "x"), one)
    say(ann, ops.Set("topic", "boats"), one)
    say(ann, ops.Set("topic", "sails"), two)
    sql = written_before_the_topic_was_known(ann).connection
    schema.add_field(sql, "topic")
    assert [shown(ann, rid) for rid in (one, two, three)] == [{"topic": "boats"}, {"topic": "sails"}, {}]
    assert unknown_fields(sql) == {one: {"invented later": "x"}}
    assert sql.execute("SELECT topic FROM shown_memory ORDER BY id").fetchall() == [
        ("boats",),
        ("sails",),
        (None,),
    ]
    assert verify_replica(ann).ok
    schema.add_field(sql, "topic")
    assert verify_replica(ann).ok, "a store that has the column is left as it is"


def test_what_a_later_field_cannot_hold_is_kept_shows_nowhere_and_parts_nobody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Ben's program does not know the field, Ann's does: whoever refused the number would have another state."""
    ann, ben = group("ann", "ben", make_store=sqlite_store)
    (rid,) = remember(ben, "one")
    with monkeypatch.context() as before:
        before.setitem(FIELDS, "topic", replace(FIELDS["topic"], check=lambda value: None))
        say(ben, ops.Set("topic", 3), rid)
    monkeypatch.setitem(FIELDS, "topic", replace(FIELDS["topic"], later=True))
    with pytest.raises(InvalidOp, match="topic: expected text"):
        say(ann, ops.Set("topic", 3), rid)
    settle([ann, ben])
    assert agree(ann, ben)
    assert isinstance(ann.store, SqliteStore)
    assert (shown(ann, rid), unknown_fields(ann.store.connection)) == ({}, {rid: {"topic": 3}})
    assert verify_replica(ann).ok
    say(ann, ops.Set("topic", "boats"), rid)
    assert (shown(ann, rid), unknown_fields(ann.store.connection)) == ({"topic": "boats"}, {})
    assert verify_replica(ann).ok


def test_so_is_what_a_memory_held_of_it_from_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    ann, ben = group("ann", "ben", make_store=sqlite_store)
    with monkeypatch.context() as before:
        before.setitem(FIELDS, "topic", replace(FIELDS["topic"], check=lambda value: None))
        rid = new_memory_id(NOW_MS, Random(1))
        say(ben, ops.Remember("one", {"topic": 3, "speaker": "Ben"}), rid)
    _columns_of.cache_clear()
    monkeypatch.setitem(FIELDS, "topic", replace(FIELDS["topic"], later=True))
    settle([ann, ben])
    assert isinstance(ann.store, SqliteStore)
    assert (shown(ann, rid), unknown_fields(ann.store.connection)) == (
        {"speaker": "Ben"},
        {rid: {"topic": 3}},
    )
    assert verify_replica(ann).ok


@pytest.mark.usefixtures("later")
def test_a_migration_leaves_where_it_is_what_the_field_cannot_hold() -> None:
    (ann,) = group("ann", make_store=sqlite_store)
    (rid,) = remember(ann, "one")
    say(ann, ops.Set("topic", "boats"), rid)
    sql = written_before_the_topic_was_known(ann).connection
    sql.execute("UPDATE memory SET more = ?", (pack({"topic": 3}),))
    schema.add_field(sql, "topic")
    assert (shown(ann, rid), unknown_fields(sql)) == ({}, {rid: {"topic": 3}})
