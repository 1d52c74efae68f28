"""Entities follow from the memories: kept in step or computed anew, they are the same."""

import sqlite3

from cognition.entities import EntityTables, keep, read_some, unread
from replica import Core, Forget, SqliteStore, connect
from tests.support.published import published
from tests.support.replicas import acquaint, core_of, edit, remember, say, sync


def connection_of(core: Core) -> sqlite3.Connection:
    assert isinstance(core.store, SqliteStore)
    return core.store.connection


def read_all(connection: sqlite3.Connection) -> None:
    while page := unread(connection):
        keep(connection, page, read_some(page))


def tables(connection: sqlite3.Connection) -> list[list[tuple[object, ...]]]:
    return [
        connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall()
        for table in ("entity_mention", "triple")
    ]


@published("YD-47")
def test_entities_computed_anew_equal_those_that_were_kept_in_step() -> None:
    ann = core_of("ann", SqliteStore(connect(":memory:"), [EntityTables()]))
    ben = core_of("ben")
    acquaint(ann, "ann", "ben")
    acquaint(ben, "ben", "ann")
    rids = remember(
        ann, "Alice lives in Berlin", "Bob works at Stripe", "Carol met Dan in Lisbon", "nobody in particular"
    )
    kept = connection_of(ann)
    read_all(kept)
    before = tables(kept)
    assert before[0], "names were found"
    edit(ann, rids[0], "Alice lives in Madrid")
    say(ann, Forget((rids[1],)))
    remember(ben, "Erin lives in Porto")
    sync(ann, ben)
    read_all(kept)
    in_step = tables(kept)
    assert in_step != before
    kept.execute("UPDATE entity_version SET version = 0")  # as an older program would have left it
    EntityTables().migrate(kept)
    assert tables(kept) == [[], []]
    read_all(kept)
    assert tables(kept) == in_step
    kept.close()
