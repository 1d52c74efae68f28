"""Which schemas a store from elsewhere may have, beside what a restored backup shows of them (`tests/security`)."""

import sqlite3
from contextlib import closing

import pytest

from replica.errors import StoreCorrupt
from replica.storage.foreign import hold_to
from replica.storage.schema import APPLICATION_ID, MIGRATIONS
from replica.storage.sql import connect
from replica.storage.store import SqliteStore


def at_version(version: int) -> sqlite3.Connection:
    """Return a store as an older program left it."""
    connection = connect(":memory:")
    for step in MIGRATIONS[:version]:
        step(connection)
    connection.execute(f"PRAGMA user_version = {version}")
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    return connection


def ours() -> sqlite3.Connection:
    """Return a store of this program, with a table that is derived, and a trigger on it."""
    connection = connect(":memory:")
    SqliteStore(connection)
    connection.execute("CREATE TABLE derived (text)")
    connection.execute("CREATE TRIGGER follow AFTER INSERT ON derived BEGIN SELECT 1; END")
    return connection


def test_a_trigger_of_an_older_store_goes_where_it_has_no_table_for_ours() -> None:
    with closing(at_version(1)) as store, closing(ours()) as own:
        store.execute("CREATE TRIGGER follow AFTER INSERT ON op BEGIN SELECT 2; END")
        assert hold_to(store, own) == 1
        assert store.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall() == []


def test_a_file_without_a_version_is_no_store() -> None:
    with closing(connect(":memory:")) as store, closing(ours()) as own:
        with pytest.raises(StoreCorrupt, match="version 0"):
            hold_to(store, own)


@pytest.mark.parametrize(
    "table",
    [
        "more (x DEFAULT (zeroblob(1000000000)))",
        "more (x CHECK (length(x)))",
        "more (x REFERENCES op ON DELETE CASCADE)",
        "more (x, y AS (x))",
    ],
)
def test_a_table_that_computes_is_in_no_store(table: str) -> None:
    with closing(at_version(len(MIGRATIONS))) as store, closing(ours()) as own:
        store.execute(f"CREATE TABLE {table}")
        with pytest.raises(StoreCorrupt, match="computes something"):
            hold_to(store, own)


@pytest.mark.parametrize("said", ["DEFAULT 'AS (a default)'", "/* CHECK (it) */", "-- REFERENCES nothing\n"])
def test_a_table_may_say_what_it_would_compute(said: str) -> None:
    with closing(at_version(len(MIGRATIONS))) as store, closing(ours()) as own:
        store.execute(f"CREATE TABLE more (x {said})")
        assert hold_to(store, own) == 0
