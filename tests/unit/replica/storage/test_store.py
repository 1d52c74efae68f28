"""What a store in SQLite does when the disk, the file or the process fails it."""

import json
import os
import resource
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest

from replica import RowChange, SqliteStore, connect, ops
from replica.codec import payload_hash
from replica.core import Core
from replica.errors import InvalidOp, StoreCorrupt, StoreFailed, StoreNewer
from replica.ids import DeviceId, OpId, OpRef, Origin, new_memory_id
from replica.oplog import Changes, FoldStatus, LogEntry
from replica.ops import Claim, Op, SameSlot, Write
from replica.rows import row_of
from replica.storage import schema
from replica.verify import verify_replica
from tests.support.published import published
from tests.support.replicas import (
    NOW_MS,
    acquaint,
    core_of,
    group,
    memories,
    remember,
    rows_of,
    say,
    settle,
    sqlite_store,
    texts,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


def image(folder: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in folder.iterdir()}


def refused(path: Path, error: type[Exception], match: str) -> None:
    """Opening fails with this error and leaves every byte of the folder as it was."""
    before = image(path.parent)
    with pytest.raises(error, match=match):
        SqliteStore(connect(str(path)))
    assert image(path.parent) == before


def test_another_programs_file_is_left_as_it_is(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE recipes (name TEXT)")
    connection.close()
    refused(path, StoreCorrupt, "another program's SQLite file; it was left as it is")


@pytest.mark.parametrize("content", [b"hello", b"a text file\n" * 999, b"SQLite format 3\0" + bytes(99)])
def test_a_file_that_is_no_database_is_left_as_it_is(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    refused(path, StoreCorrupt, "expected a samemind store")


def test_a_damaged_store_is_refused_and_left_as_it_is(path: Path) -> None:
    sqlite_store(str(path)).connection.close()
    whole = path.read_bytes()
    path.write_bytes(whole[:100] + Random(1).randbytes(4_000) + whole[4_100:])
    refused(path, StoreCorrupt, "it was left as it is. Restore a backup")


def test_a_store_of_a_later_version_is_refused_and_left_as_it_is(path: Path) -> None:
    connection = connect(str(path))
    SqliteStore(connection)
    connection.execute(f"PRAGMA user_version = {len(schema.MIGRATIONS) + 1}")
    connection.close()
    refused(path, StoreNewer, "Upgrade samemind to open it")


@pytest.mark.parametrize("version", [0, -1, -999])
def test_a_store_that_says_it_is_of_no_version_is_refused_as_that(path: Path, version: int) -> None:
    """Steps were taken that its tables had behind them, and a table was said to be there already."""
    connection = connect(str(path))
    SqliteStore(connection)
    connection.execute(f"PRAGMA user_version = {version}")
    connection.close()
    refused(path, StoreCorrupt, f"version 1 to .*, got one that says it is of version {version}; it was left")


def test_an_empty_file_of_a_version_below_zero_becomes_a_whole_store(path: Path) -> None:
    connection = connect(str(path))
    connection.execute("PRAGMA user_version = -1")
    connection.close()
    remember(core_of("ann", sqlite_store(str(path))), "one")
    assert texts(core_of("ann", sqlite_store(str(path)))) == {"one"}


@pytest.mark.parametrize("pages", [1, 4, 16, 40])
def test_a_disk_that_is_full_while_a_store_is_brought_up_is_told_and_it_goes_on_when_there_is_room(
    path: Path, pages: int
) -> None:
    """SQLite's own words said no more than that it was full, or that nothing could be rolled back."""
    connection = connect(str(path))
    ((room,),) = connection.execute("PRAGMA max_page_count").fetchall()
    connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(
        StoreFailed, match=r"could not be brought from version \d+ to .* has room, then try again"
    ):
        SqliteStore(connection)
    connection.execute(f"PRAGMA max_page_count = {room}")
    core = core_of("ann", SqliteStore(connection))
    remember(core, "one")
    assert verify_replica(core).ok


def test_an_empty_file_becomes_a_store(path: Path) -> None:
    path.touch()
    remember(core_of("ann", sqlite_store(str(path))), "one")
    assert texts(core_of("ann", sqlite_store(str(path)))) == {"one"}


@published("ME-24")
def test_a_store_of_version_n_is_brought_to_n_plus_1_with_its_data(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    core = core_of("ann", sqlite_store(str(path)))
    remember(core, "one", "two")
    before = core.digests()
    core.store.connection.close()  # type: ignore[attr-defined]

    def add_mood(connection: sqlite3.Connection) -> None:
        connection.execute("ALTER TABLE memory ADD COLUMN mood TEXT")
        connection.execute("UPDATE memory SET mood = 'calm: ' || text")

    version = len(schema.MIGRATIONS)
    monkeypatch.setattr(schema, "MIGRATIONS", [*schema.MIGRATIONS, add_mood])
    store = sqlite_store(str(path))
    assert store.connection.execute("PRAGMA user_version").fetchall() == [(version + 1,)]
    assert {mood for (mood,) in store.connection.execute("SELECT mood FROM memory")} == {
        "calm: one",
        "calm: two",
    }
    assert core_of("ann", store).digests() == before


@published("LO-11")
def test_a_store_of_version_1_is_opened_by_version_2_which_adds_a_table_filled_from_its_data(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def add_core_facts(connection: sqlite3.Connection) -> None:
        connection.execute("CREATE TABLE core_fact (id INTEGER PRIMARY KEY, fact TEXT NOT NULL)")
        connection.execute("INSERT INTO core_fact SELECT id, lower(text) FROM memory")

    first = list(schema.MIGRATIONS)
    core = core_of("ann", sqlite_store(str(path)))
    remember(core, "One", "Two")
    before = core.digests()
    core.store.connection.close()  # type: ignore[attr-defined]
    monkeypatch.setattr(schema, "MIGRATIONS", [*first, add_core_facts])
    store = sqlite_store(str(path))
    assert store.connection.execute("PRAGMA user_version").fetchall() == [(len(first) + 1,)]
    facts = store.connection.execute("SELECT fact FROM core_fact ORDER BY id").fetchall()
    assert facts == [("one",), ("two",)]
    assert texts(core_of("ann", store)) == {"One", "Two"}
    assert core_of("ann", store).digests() == before


def test_an_older_store_learns_who_judged_its_claims(path: Path) -> None:
    """Of two that said it at once, the one whose word shows."""
    ann, ben = group(
        "ann", "ben", make_store=lambda: sqlite_store(str(path)) if not path.exists() else sqlite_store()
    )
    rids = remember(ann, "the market", "Christmas market")
    claims = [
        say(ann, Claim("market", "time", value, (), None), rid).place
        for value, rid in zip("89", rids, strict=True)
    ]
    settle([ann, ben])
    one, other = zip(rids, claims, strict=True)
    for number, core in enumerate((ann, ben)):
        say(core, SameSlot.of(one, other, True, by=4, sureness=100), now_ms=NOW_MS + number)
    settle([ann, ben])
    connection = ann.store.connection  # type: ignore[attr-defined]
    shown = connection.execute("SELECT * FROM same_slot").fetchall()
    assert connection.execute("SELECT f.device FROM same_slot s JOIN feed f ON f.no = s.feed").fetchall() == [
        (ben.device,)
    ]
    if sqlite3.sqlite_version_info < (3, 35):
        pytest.skip("this SQLite drops no column")
    for statement in (
        "DROP VIEW shown_same_slot",
        "DROP INDEX same_slot_by_one",
        "DROP INDEX same_slot_by_other",
        "ALTER TABLE same_slot DROP COLUMN feed",
        "CREATE INDEX same_slot_by_one ON same_slot (one)",
        "CREATE INDEX same_slot_by_other ON same_slot (other)",
        f"PRAGMA user_version = {schema.MIGRATIONS.index(schema.say_who_judged_claims)}",
    ):
        connection.execute(statement)
    connection.close()
    store = sqlite_store(str(path))
    assert store.connection.execute("SELECT * FROM same_slot").fetchall() == shown
    assert verify_replica(core_of("ann", store)).ok


def test_a_migration_that_fails_leaves_the_version_before_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sqlite_store(str(path)).connection.close()

    def half(connection: sqlite3.Connection) -> None:
        connection.execute("CREATE TABLE half (a)")
        connection.execute("INSERT INTO nowhere VALUES (1)")

    version = len(schema.MIGRATIONS)
    with monkeypatch.context() as patch:
        patch.setattr(schema, "MIGRATIONS", [*schema.MIGRATIONS, half])
        with pytest.raises(
            StoreCorrupt, match=rf"tables of version {version} .* to version {version + 1} .*nowhere"
        ):
            SqliteStore(connect(str(path)))
    store = sqlite_store(str(path))
    assert store.connection.execute("PRAGMA user_version").fetchall() == [(version,)]
    assert store.connection.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'half'").fetchall() == [
        (0,)
    ]


@published("ME-12")
def test_a_store_is_one_file_that_can_be_copied_to_another_place(path: Path, tmp_path: Path) -> None:
    core = core_of("ann", sqlite_store(str(path)))
    remember(core, "one")
    before = core.digests()
    core.store.connection.close()  # type: ignore[attr-defined]
    assert [each.name for each in tmp_path.iterdir()] == ["store.db"]
    (tmp_path / "elsewhere").mkdir()
    copy = tmp_path / "elsewhere" / "copied.db"
    copy.write_bytes(path.read_bytes())
    again = core_of("ann", sqlite_store(str(copy)))
    assert again.digests() == before
    assert texts(again) == {"one"}


# -- writes that fail ------------------------------------------------------------------------------------------


class Failing:
    """Derived tables that fail when told to, in the midst of the fold's transaction."""

    def __init__(self) -> None:
        self.error: Exception | None = None

    def migrate(self, connection: sqlite3.Connection) -> None:
        connection.execute("CREATE TABLE IF NOT EXISTS told (id INTEGER PRIMARY KEY, text TEXT)")

    def changed(self, connection: sqlite3.Connection, changes: Sequence[RowChange], now_ms: int) -> None:
        for change in changes:
            text = None if change.after is None else change.after.text
            connection.execute("INSERT OR REPLACE INTO told VALUES (?, ?)", (change.id, text))
        if self.error is not None:
            raise self.error

    def purge(self, connection: sqlite3.Connection) -> None:
        """Nothing is kept here that outlives its row."""


@pytest.fixture
def failing() -> Iterator[tuple[Core, Failing]]:
    tables = Failing()
    connection = connect(":memory:")
    yield core_of("ann", SqliteStore(connection, [tables])), tables
    connection.close()


@pytest.mark.parametrize(
    "error", [RuntimeError("a bug"), sqlite3.OperationalError("database or disk is full")]
)
def test_a_write_that_fails_midway_leaves_everything_as_before(
    failing: tuple[Core, Failing], error: Exception
) -> None:
    core, tables = failing
    remember(core, "one")
    dump = [*core.store.connection.iterdump()]  # type: ignore[attr-defined]
    before = (core.digests(), core.position, core.frontier())
    tables.error = error
    with pytest.raises(StoreFailed if isinstance(error, sqlite3.Error) else RuntimeError):
        remember(core, "two", "three")
    assert (core.digests(), core.position, core.frontier()) == before
    assert [*core.store.connection.iterdump()] == dump  # type: ignore[attr-defined]
    tables.error = None
    remember(core, "four")
    assert texts(core) == {"one", "four"}
    assert verify_replica(core).problems == ()
    told = core.store.connection.execute("SELECT text FROM told ORDER BY id")  # type: ignore[attr-defined]
    assert [text for (text,) in told] == ["one", "four"]


_OPEN_ON_A_FULL_DISK = """
import resource, signal, sys
from replica.errors import StoreFailed
from replica.storage.sql import connect

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
try:
    connect(sys.argv[1])
except StoreFailed as error:
    said = str(error)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
print(said)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits on the size of files are POSIX's")
def test_a_disk_without_a_free_byte_is_not_told_as_a_damaged_store(path: Path) -> None:
    """SQLite needs room even to read, for what the readers of one store share; the store itself is whole."""
    sqlite_store(str(path)).connection.close()
    done = subprocess.run(
        [sys.executable, "-c", _OPEN_ON_A_FULL_DISK, str(path)],
        capture_output=True, text=True, check=True, timeout=120,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[4])},
    )  # fmt: skip
    assert "could not be opened" in done.stdout
    assert "has room, then try again" in done.stdout
    sqlite_store(str(path)).connection.close()


_FILL_THE_DISK = """
import json, resource, sys
from replica.errors import StoreFailed
from replica.verify import verify_replica
from tests.support.replicas import core_of, remember, sqlite_store, texts

core = core_of("ann", sqlite_store(sys.argv[1]))
remember(core, "before")
resource.setrlimit(resource.RLIMIT_FSIZE, (800_000, resource.RLIM_INFINITY))
import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
failed, kept = "", 0
for n in range(200):
    try:
        remember(core, f"{n} " + "x" * 20_000)
        kept += 1
    except StoreFailed as error:
        failed = str(error)
        break
held = len(texts(core))
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
remember(core, "after")
print(json.dumps([failed, kept, held, len(texts(core)), verify_replica(core).problems]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits on the size of files are POSIX's")
def test_a_full_disk_says_so_loses_nothing_acknowledged_and_lets_go_on(path: Path) -> None:
    """In a process of its own, whose files may not grow: the operating system refuses the write for real."""
    assert resource.RLIM_INFINITY
    done = subprocess.run(
        [sys.executable, "-c", _FILL_THE_DISK, str(path)],
        capture_output=True, text=True, check=True, timeout=120,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[4])},
    )  # fmt: skip
    failed, kept, held, after, problems = json.loads(done.stdout)
    assert "nothing was changed" in failed
    assert 0 < kept < 200
    assert held == kept + 1
    assert after == kept + 2
    assert problems == []


_DIE_INSIDE_A_COMMIT = """
import os, sys
from replica import SqliteStore, connect
from tests.support.replicas import core_of, remember

class Deadly:
    armed = False
    def migrate(self, connection): pass
    def changed(self, connection, changes, now_ms):
        if self.armed:
            os._exit(9)

tables = Deadly()
core = core_of("ann", SqliteStore(connect(sys.argv[1]), [tables]))
for n in range(5):
    remember(core, f"memory {n}")
    print(n, flush=True)
tables.armed = True
remember(core, "never acknowledged")
"""


def test_a_process_that_dies_inside_a_commit_loses_what_was_not_acknowledged_and_nothing_else(
    path: Path,
) -> None:
    died = subprocess.run(
        [sys.executable, "-c", _DIE_INSIDE_A_COMMIT, str(path)],
        capture_output=True, text=True, check=False, timeout=120,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[4])},
    )  # fmt: skip
    assert (died.returncode, died.stdout.split()) == (9, ["0", "1", "2", "3", "4"])
    core = core_of("ann", sqlite_store(str(path)))
    assert texts(core) == {f"memory {n}" for n in range(5)}
    assert verify_replica(core).problems == ()
    remember(core, "and on")
    assert [row.seq for row in rows_of(core)] == list(range(1, 7))


def test_a_store_that_may_not_be_written_is_read_and_says_why_it_keeps_nothing(path: Path) -> None:
    core = core_of("ann", sqlite_store(str(path)))
    remember(core, "one")
    connection: sqlite3.Connection = core.store.connection  # type: ignore[attr-defined]
    connection.execute("PRAGMA query_only = ON")
    with pytest.raises(StoreFailed, match="nothing was changed"):
        remember(core, "two")
    assert texts(core) == {"one"}
    connection.execute("PRAGMA query_only = OFF")
    remember(core, "three")
    assert texts(core) == {"one", "three"}


# -- what shows ------------------------------------------------------------------------------------------------


@published("ML-09")
def test_every_field_is_a_column_and_comes_back_also_when_it_is_null() -> None:
    core = core_of("ann", sqlite_store())
    fields: dict[str, Any] = {
        "type": "episodic",
        "importance": 0.5,
        "valence": -1,
        "certainty": 0.25,
        "half_life": 604_800.0,
        "domain": "work",
        "project": "boat",
        "topic": "keel",
        "speaker": "Ann",
        "conversation": "conv-26:session_1",
        "turn": "D1:3",
        "position": 3,
        "told_at": NOW_MS,
        "event_start": -5,
        "event_end": 5,
        "source": "notes.md",
        "workspace": "crew",
        "parent": bytes(16),
        "tags": ["a", "b"],
        "meta": {"confidence": 0.75, "none": None, "yes": True, "é": "ü"},
        "pinned": True,
        "archived": False,
        "invented later": b"kept as it came",
    }
    rid = new_memory_id(NOW_MS, Random(1))
    core.commit([Write(ops.Remember("full", fields), rid)], NOW_MS)
    (bare,) = remember(core, "bare")
    again = core_of("ann", core.store)
    assert memories(again)[rid].fields == fields
    assert memories(again)[bare].fields == {}
    connection: sqlite3.Connection = core.store.connection  # type: ignore[attr-defined]
    names = [name for name in fields if name != "invented later"]
    columns = ", ".join(f'"{name}"' for name in names)
    ((*shown,),) = connection.execute(f"SELECT {columns} FROM memory WHERE rid = ?", (rid,))
    row = dict(zip(names, shown, strict=True))
    assert json.loads(row.pop("tags")) == fields["tags"]
    assert json.loads(row.pop("meta")) == fields["meta"]
    assert row == {name: fields[name] for name in row}
    ((*nulls,),) = connection.execute(f"SELECT {columns} FROM memory WHERE rid = ?", (bare,))
    assert set(nulls) == {None}
    alone = {name: new_memory_id(NOW_MS, Random(name)) for name in (*fields, "nothing")}
    core.commit(
        [Write(ops.Remember(name, {name: fields.get(name)}), one) for name, one in alone.items()], NOW_MS
    )
    for name, one in alone.items():
        row = connection.execute(f"SELECT {columns}, more FROM memory WHERE rid = ?", (one,)).fetchone()
        filled = [column for column, value in zip((*names, "more"), row, strict=True) if value is not None]
        assert filled == [name if name in names else "more"]
    assert verify_replica(core).ok


def test_bytes_in_metadata_are_refused_before_any_store_meets_them() -> None:
    """JSON cannot hold them: one such op would stop the sync of everybody who took it."""
    core = core_of("ann", sqlite_store())
    with pytest.raises(InvalidOp, match="metadata that JSON can hold"):
        say(core, ops.Remember("one", {"meta": {"a": b"bytes"}}), new_memory_id(NOW_MS, Random(1)))


def test_what_shows_is_of_no_use_to_whoever_may_only_read(path: Path) -> None:
    core = core_of("ann", sqlite_store(str(path)))
    remember(core, "one")
    reader = connect(str(path), read_only=True)
    assert reader.execute("SELECT text FROM memory").fetchall() == [("one",)]
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        reader.execute("DELETE FROM memory")
    reader.close()


def test_the_log_gives_back_each_op_as_it_came() -> None:
    """Of adds that say nothing else only some values are bound; one that says more is stored whole."""
    origin, rid, payload = Origin(DeviceId(bytes(32)), bytes(8)), bytes(range(16)), bytes(40)
    add = Op(origin, 1, 5, (), 1, 1, True, rid, None, payload_hash(payload), payload, OpId(bytes(32)))
    said: list[dict[str, Any]] = [
        {},
        {"ends": False},
        {"kind": 2},
        {"version": 2},
        {"kind": 2, "version": 2},
        {"rid": None},
        {"seen": (OpRef(origin, 3, bytes(8)),)},
        {"payload": None},
    ]
    ways: list[tuple[dict[str, Any], bytes | None, FoldStatus]] = [
        (one, None, FoldStatus.FOLDED) for one in said
    ]
    ways += [
        ({}, bytes(64), FoldStatus.FOLDED),
        ({}, None, FoldStatus.UNKNOWN),
        *([({}, None, FoldStatus.FOLDED)] * 120),
    ]
    entries = [
        LogEntry(
            n, 0, add._replace(seq=n, hlc=n + 5, id=OpId(n.to_bytes(32)))._replace(**one), signature, status
        )
        for n, (one, signature, status) in enumerate(ways, 1)
    ]
    store = sqlite_store()
    store.write(Changes(entries=entries), NOW_MS)
    assert [*store.rows()] == [*map(row_of, entries)]


@pytest.mark.parametrize("table", ["member", "introduction"])
def test_an_introduction_that_damage_left_in_parts_is_named(table: str) -> None:
    """SQLite holds to NOT NULL when it writes; it reads what a flipped bit made of a row."""
    store = sqlite_store()
    core = core_of("ann", store)
    acquaint(core, "ann", "ben")
    connection = store.connection
    if sqlite3.sqlite_version_info < (3, 37):
        pytest.skip("this SQLite holds to the schema that it has read")
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute(
        "UPDATE sqlite_schema SET sql = replace(sql, ' NOT NULL', '') WHERE name = ?", (table,)
    )
    connection.execute("PRAGMA writable_schema = RESET")
    connection.execute(
        f"INSERT OR REPLACE INTO {table} (device, public_key, name, introduced_by, signature)"
        " SELECT device, public_key, name, introduced_by, signature FROM member LIMIT 1"
    )
    with pytest.raises(StoreCorrupt, match=table):
        store.membership()


@pytest.mark.parametrize(("kept", "is_smaller"), [(0, True), (60, False)])
def test_a_large_file_that_is_mostly_free_is_written_anew_and_no_other(
    path: Path, monkeypatch: pytest.MonkeyPatch, kept: int, is_smaller: bool
) -> None:
    with closing(connect(str(path))) as connection:
        store = SqliteStore(connection)
        connection.execute("CREATE TABLE page (data BLOB)")
        connection.executemany("INSERT INTO page VALUES (zeroblob(40000))", [()] * 100)
        connection.execute("DELETE FROM page WHERE rowid > ?", (kept,))

        def pages() -> int:
            ((count,),) = connection.execute("PRAGMA page_count")
            return int(count)

        before = pages()
        store.shrink()
        assert pages() == before, "it is not large"
        monkeypatch.setattr("replica.storage.store._SHRINK_PAGES_MIN", before)
        store.shrink()
        assert (pages() < before) is is_smaller
