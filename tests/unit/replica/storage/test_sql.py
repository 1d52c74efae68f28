"""What a write transaction promises: durable for whatever is acknowledged, not waited for where it can be made anew."""

import ctypes
import errno
import os
import shutil
import sqlite3
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from replica import (
    Core,
    DerivedTables,
    Remember,
    ReplicaError,
    RowChange,
    SqliteStore,
    StoreCorrupt,
    StoreFailed,
    Write,
    connect,
    derived_transaction,
    new_memory_id,
    transaction,
)
from replica.storage.sql import RoomAhead, as_trouble, insert_many
from tests.support.replicas import NOW_MS, core_of

FULL, NORMAL = 2, 1


def synchronous(connection: sqlite3.Connection) -> int:
    """Return how a connection's next commit waits for the disk."""
    ((level,),) = connection.execute("PRAGMA synchronous")
    return int(level)


def store(path: Path) -> sqlite3.Connection:
    """Return a connection as replicas have it, to a table of numbers."""
    connection = connect(str(path))
    connection.execute("CREATE TABLE item (number INTEGER)")
    return connection


def device(*derived: DerivedTables) -> tuple[Core, sqlite3.Connection]:
    """Return a device, and its store's connection."""
    connection = connect(":memory:")
    return core_of("ann", SqliteStore(connection, derived)), connection


def remember(core: Core, text: str) -> None:
    """Write one memory."""
    core.commit([Write(Remember(text, {}), new_memory_id(NOW_MS, Random(text)))], NOW_MS)


def fails() -> None:
    """Stand for whatever goes wrong in a transaction."""
    raise LookupError("half way")


def cuts_off() -> None:
    """Stand for Ctrl-C."""
    raise KeyboardInterrupt


def test_a_derived_transaction_alone_does_not_wait_for_the_disk(tmp_path: Path) -> None:
    connection = store(tmp_path / "store.db")
    assert synchronous(connection) == FULL
    with derived_transaction(connection):
        assert synchronous(connection) == NORMAL
        connection.execute("INSERT INTO item VALUES (1)")
    assert synchronous(connection) == FULL
    with transaction(connection):
        assert synchronous(connection) == FULL
    assert connection.execute("SELECT number FROM item").fetchall() == [(1,)]
    connection.close()


@pytest.mark.parametrize("breaks", [fails, cuts_off])
def test_a_derived_transaction_that_fails_leaves_nothing_and_the_next_one_is_durable(
    tmp_path: Path, breaks: Callable[[], None]
) -> None:
    connection = store(tmp_path / "store.db")

    def work() -> None:
        with derived_transaction(connection):
            connection.execute("INSERT INTO item VALUES (1)")
            breaks()

    with pytest.raises((LookupError, KeyboardInterrupt)):
        work()
    assert synchronous(connection) == FULL
    assert connection.execute("SELECT number FROM item").fetchall() == []
    connection.close()


def test_a_durable_transaction_is_durable_whatever_was_left_behind(tmp_path: Path) -> None:
    connection = store(tmp_path / "store.db")
    connection.execute("PRAGMA synchronous = OFF")
    with transaction(connection):
        assert synchronous(connection) == FULL
    connection.close()


def test_no_op_can_be_written_within_a_derived_transaction() -> None:
    core, connection = device()
    before = core.frontier()
    with pytest.raises(StoreFailed), derived_transaction(connection):
        remember(core, "told")
    assert core.frontier() == before
    assert connection.execute("SELECT count(*) FROM op").fetchone() == (0,)
    remember(core, "told again")
    assert connection.execute("SELECT count(*) FROM op").fetchone() == (1,)
    assert synchronous(connection) == FULL
    connection.close()


class Watching:
    """A `replica.DerivedTables` that notes how the commits that it is part of wait for the disk."""

    def __init__(self) -> None:
        self.levels: list[int] = []

    def migrate(self, connection: sqlite3.Connection) -> None:
        """Keep nothing."""

    def changed(self, connection: sqlite3.Connection, changes: Sequence[RowChange], now_ms: int) -> None:
        """Note how this commit will wait."""
        self.levels.append(synchronous(connection))

    def purge(self, connection: sqlite3.Connection) -> None:
        """Keep nothing."""


def test_every_op_is_committed_durably_whatever_came_before_it() -> None:
    watching = Watching()
    core, connection = device(watching)
    remember(core, "first")
    with derived_transaction(connection):
        pass
    remember(core, "after a derived transaction")
    with pytest.raises(LookupError), derived_transaction(connection):
        fails()
    remember(core, "after one that failed")
    connection.execute("PRAGMA synchronous = NORMAL")
    remember(core, "after one that left its level behind")
    assert watching.levels == [FULL] * 4
    connection.close()


class _Range(ctypes.Structure):
    _fields_ = (("offset", ctypes.c_uint64), ("length", ctypes.c_uint64))


class _Pages(ctypes.Structure):
    _fields_ = tuple(
        (name, ctypes.c_uint64) for name in ("cached", "dirty", "writing", "evicted", "recently_evicted")
    )


def unwritten_pages(path: Path) -> int:
    """Return how many pages of a file a power cut would take; skips where the kernel does not tell."""
    if sys.platform != "linux":
        pytest.skip("only Linux tells which pages of a file are not on the disk yet")
    found = _Pages()
    file = os.open(path, os.O_RDONLY)
    try:
        library = ctypes.CDLL(None, use_errno=True)
        cachestat = 451
        if library.syscall(cachestat, file, ctypes.byref(_Range()), ctypes.byref(found), 0) != 0:
            pytest.skip("this kernel does not tell which pages of a file are not on the disk yet")
    finally:
        os.close(file)
    return int(found.dirty + found.writing)


def test_a_durable_commit_brings_what_was_not_waited_for_before_it_to_the_disk(tmp_path: Path) -> None:
    """So nothing that is acknowledged can be lost for having followed something that was not waited for."""
    probe = tmp_path / "probe"
    with probe.open("wb") as file:
        file.write(bytes(10_000))
        file.flush()
        os.fsync(file.fileno())
    if unwritten_pages(probe):
        pytest.skip("this file system keeps all of its files in memory")
    connection = store(tmp_path / "store.db")
    log = tmp_path / "store.db-wal"
    waited = []
    for number in range(5):  # the kernel may write pages by itself at any moment, though seldom so soon
        with derived_transaction(connection):
            connection.execute("INSERT INTO item VALUES (?)", (number,))
        waited.append(unwritten_pages(log) == 0)
        with transaction(connection):
            connection.execute("INSERT INTO item VALUES (?)", (number,))
        assert unwritten_pages(log) == 0
    assert not all(waited)
    connection.close()


@pytest.mark.parametrize(
    ("code", "what"),
    [
        (sqlite3.SQLITE_FULL, "written"),
        (sqlite3.SQLITE_IOERR_WRITE, "written"),
        (sqlite3.SQLITE_IOERR_FSYNC, "written"),
        (sqlite3.SQLITE_IOERR_READ, "read"),
        (sqlite3.SQLITE_CANTOPEN, "read"),
    ],
)
def test_a_disk_that_takes_nothing_is_not_said_to_give_nothing(code: int, what: str) -> None:
    """On a full disk an erasure had taken effect, and "could not be read" was all that was said."""
    error = sqlite3.OperationalError("the disk")
    error.sqlite_errorcode = code
    assert f"could not be {what} (the disk)" in str(as_trouble(error))


def written_bytes() -> int:
    """Return how much this process has handed to the system to be written."""
    counts = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    return int(counts["wchar"])


@pytest.mark.skipif(not Path("/proc/self/io").exists(), reason="the system does not count what is written")
@pytest.mark.parametrize("inserts_many", [True, False])
def test_what_takes_back_one_statement_of_many_rows_is_in_no_file(tmp_path: Path, inserts_many: bool) -> None:
    """Unless told, SQLite writes there each page that a statement changes, though a rollback takes all of it back."""
    if not inserts_many and sqlite3.sqlite_version_info < (3, 40):
        pytest.skip("this SQLite writes nothing there")
    connection, random = store(tmp_path / "many.db"), Random(1)
    connection.execute("CREATE TABLE random (n INTEGER, text TEXT)")
    connection.execute("CREATE INDEX by_n ON random (n, json_extract(text, '$.a'))")
    rows = [(random.getrandbits(60), "{}") for _ in range(20_000)]
    with transaction(connection):
        insert_many(connection, "INSERT INTO random VALUES", "(?, ?)", rows[:15_000])
    with transaction(connection, inserts_many=inserts_many):
        before = written_bytes()
        insert_many(connection, "INSERT INTO random VALUES", "(?, ?)", rows[15_000:])
        assert (written_bytes() == before) is inserts_many
    assert connection.execute("SELECT count(*) FROM random").fetchone() == (20_000,)


def test_an_old_sqlite_is_named_before_a_file_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What RHEL 8 has takes no statement of ours: a full disk was blamed."""
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 33, 0))
    with pytest.raises(ReplicaError, match=r"expected SQLite 3\.34 or newer"):
        connect(str(tmp_path / "memory.db"))
    assert [*tmp_path.iterdir()] == []


def test_a_store_says_so_of_much_that_comes_at_once_and_of_nothing_else() -> None:
    core, connection = device()
    said: list[str] = []
    connection.set_trace_callback(said.append)
    for count in (1, 200):
        said.clear()
        rids = [new_memory_id(NOW_MS + n, Random(n)) for n in range(count)]
        core.commit([Write(Remember("ann", {}), rid) for rid in rids], NOW_MS)
        assert ("PRAGMA temp_store = MEMORY" in said) is (count > 1)


def test_what_is_sorted_stays_in_files_whatever_is_inserted(tmp_path: Path) -> None:
    """Also within the transaction, and where it could not begin."""
    connection = store(tmp_path / "sorted.db")
    with transaction(connection, inserts_many=True):
        assert connection.execute("PRAGMA temp_store").fetchone() == (0,)
    connection.execute("BEGIN")
    with pytest.raises(StoreFailed), transaction(connection, inserts_many=True):
        pass
    assert connection.execute("PRAGMA temp_store").fetchone() == (0,)


def test_a_store_for_one_alone_writes_ahead_and_lets_nobody_else_in(tmp_path: Path) -> None:
    path = str(tmp_path / "memory.db")
    connection = connect(path, exclusive=True)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
    SqliteStore(connection)
    assert not (tmp_path / "memory.db-shm").exists(), "it needs no memory that processes share"
    other = sqlite3.connect(path, timeout=0)
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        other.execute("SELECT * FROM memory")
    other.close()
    connection.close()
    again = connect(path)
    assert again.execute("SELECT count(*) FROM memory").fetchone() == (0,)
    again.close()


def long_log(path: Path) -> int:
    """Return the length of the log that SQLite writes beside a store."""
    return path.with_name(f"{path.name}-wal").stat().st_size


def texts_of_a_crash(path: Path, folder: Path) -> set[str]:
    """Return what a device holds that is opened with a store's files as they are at this moment."""
    folder.mkdir()
    for name in (path.name, f"{path.name}-wal"):
        shutil.copyfile(path.with_name(name), folder / name)
    with closing(connect(str(folder / path.name))) as connection:
        SqliteStore(connection)
        return {text for (text,) in connection.execute("SELECT text FROM memory")}


def test_commits_write_over_room_that_was_made_for_them(tmp_path: Path) -> None:
    """A file that grows waits for the file system's journal too. Wherever a program ends, all is there."""
    path = tmp_path / "a.db"
    with closing(connect(str(path))) as connection:
        core = core_of("ann", SqliteStore(connection))
        length = long_log(path)
        lengths = []
        told = set()
        for number in range(40):
            told.add(f"Memory {number} is told")
            remember(core, f"Memory {number} is told")
            lengths.append(long_log(path))
            if number % 10 == 9:
                assert texts_of_a_crash(path, tmp_path / f"after-{number}") == told
        assert lengths[5] - length < 1_000_000, "who tells a few things and ends makes none"
        assert 1_000_000 + lengths[5] < lengths[-1] < 4_000_000
        assert len({*lengths[10:]}) <= 5, "few of thirty made the file longer"


def test_room_is_made_behind_what_others_write(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with closing(connect(str(path))) as connection, closing(connect(str(path))) as other:
        core = core_of("ann", SqliteStore(connection))
        with transaction(other):
            other.execute("CREATE TABLE item (number INTEGER)")
        for number in range(30):
            with transaction(other):
                other.execute("INSERT INTO item VALUES (?)", (number,))
            remember(core, f"Memory {number} is told")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        for number in range(30, 60):
            remember(core, f"Memory {number} is told")
            with transaction(other):
                other.execute("INSERT INTO item VALUES (?)", (number,))
        assert long_log(path) > 1_000_000
        texts = texts_of_a_crash(path, tmp_path / "crash")
        assert texts == {f"Memory {number} is told" for number in range(60)}
        with closing(connect(str(tmp_path / "crash" / "a.db"))) as left:
            assert [*left.execute("SELECT number FROM item ORDER BY number")] == [*zip(range(60))]


def test_a_log_of_nothing_but_room_is_an_empty_one(tmp_path: Path) -> None:
    """A program may end after the log was emptied and made long again."""
    path = tmp_path / "a.db"
    with closing(connect(str(path))) as connection:
        core = core_of("ann", SqliteStore(connection))
        remember(core, "It is told")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        room = RoomAhead(connection)
        path.with_name("a.db-wal").write_bytes(b"\0")  # else there is nothing that grew
        for _ in range(8):
            room.keep()
        assert long_log(path) > 1_000_000
        assert texts_of_a_crash(path, tmp_path / "crash") == {"It is told"}
        remember(core, "So is this")
        assert texts_of_a_crash(path, tmp_path / "later") == {"It is told", "So is this"}


def test_room_that_is_made_ahead_is_on_the_disk_and_is_made_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a commit writes over is no news to the file system only if it was there before."""
    path = tmp_path / "a.db"
    lengths_on_disk = []
    monkeypatch.setattr(os, "fsync", lambda log: lengths_on_disk.append(os.fstat(log).st_size))
    with closing(connect(str(path))) as connection:
        core = core_of("ann", SqliteStore(connection))
        length = long_log(path)
        core.store.make_room()
        assert lengths_on_disk == [long_log(path)]
        assert long_log(path) > length + 1_000_000
        core.store.make_room()
        for number in range(5):
            remember(core, f"Memory {number} is told")
        assert lengths_on_disk == [long_log(path)]
        texts = texts_of_a_crash(path, tmp_path / "crash")
        assert texts == {f"Memory {number} is told" for number in range(5)}


def test_a_disk_without_room_to_spare_takes_what_fits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_file: int, _bytes: bytes) -> int:
        raise OSError(errno.ENOSPC, "no space left on device")

    monkeypatch.setattr(os, "write", full)
    path = tmp_path / "a.db"
    with closing(connect(str(path))) as connection:
        core = core_of("ann", SqliteStore(connection))
        length = long_log(path)
        core.store.make_room()
        for number in range(20):
            remember(core, f"Memory {number} is told")
        assert len(core.store.all_memories()) == 20
        assert long_log(path) - length < 1_000_000


def test_the_last_that_a_disk_has_is_left_to_whoever_needs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There, a write ends where the disk does, and nobody could write anything any more."""
    write = os.write
    monkeypatch.setattr(os, "write", lambda file, data: write(file, data[:1_000_000]))
    path = tmp_path / "a.db"
    with closing(connect(str(path))) as connection:
        core = core_of("ann", SqliteStore(connection))
        length = long_log(path)
        for number in range(20):
            remember(core, f"Memory {number} is told")
        assert long_log(path) - length < 1_000_000
        texts = texts_of_a_crash(path, tmp_path / "crash")
        assert texts == {f"Memory {number} is told" for number in range(20)}


def test_no_room_is_made_where_nobody_else_may_open_the_files(tmp_path: Path) -> None:
    """On the disk of a browser each byte is carried over by hand."""
    path = tmp_path / "a.db"
    with closing(connect(str(path), exclusive=True)) as connection:
        core = core_of("ann", SqliteStore(connection))
        length = long_log(path)
        for number in range(20):
            remember(core, f"Memory {number} is told")
        assert long_log(path) - length < 1_000_000


def test_an_error_that_quotes_what_is_damaged_says_that_the_store_is(tmp_path: Path) -> None:
    """SQLite's own words are no text then, and Python raises another error in place of SQLite's."""
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
        connection.execute("CREATE TABLE item (number INTEGER)")
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_schema SET name = CAST(x'a0' AS TEXT), sql = 'CREATE TABLE'")
        connection.commit()
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
        with pytest.raises(UnicodeDecodeError) as raised:
            connection.execute("SELECT * FROM item")
        assert isinstance(as_trouble(raised.value), StoreCorrupt)
