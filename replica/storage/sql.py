"""Open a SQLite file the way a replica needs it, and run its statements in whole transactions."""

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import chain
from typing import Any, Final, TypeVar

from replica.errors import ReplicaError, StoreCorrupt, StoreFailed
from replica.file_system import open_descriptor
from replica.storage.cipher import open_encrypted
from replica.storage.schema import SQLITE_CODE, check, is_of_the_disk, migrate

Result = TypeVar("Result")
# The oldest that all of this was tried with: what a Python 3.11 of RHEL 9 brings.
SQLITE_MIN: Final = (3, 34)
# SQLite takes 32,766 parameters since 3.32; a power of two below it keeps the few statements cached.
_PARAMETERS_MAX: Final = 16_384
# More are no faster, and of the widest rows, slower.
ROWS_AT_ONCE: Final = 50
# Random 16-byte keys make checkpoints the cost of large syncs; 16,000 pages (64 MB) halve it.
_CHECKPOINT_PAGES: Final = 16_000
# What some 400 memories write, a few megabytes: brought over in hundredths of a second.
REST_ROWS_MIN: Final = 5_000
# What SQLite fills, it keeps until it is told to let go: a program in use grows by twice this, as it writes on one
# connection and reads on another. A sync of 120,000 ops takes no more processor time with 8 MB than with 64; SQLite's
# own 2 MB are too few for that.
_CACHE_KIB: Final = 8_192
# Room for what some sixty tellings write ahead, and how many commits pass between two looks at whether there is any: to
# open the file takes 5 microseconds, and what is at an end after fewer commits writes nothing for those to come.
_ROOM_BYTES: Final = 1_048_576
_COMMITS_A_LOOK: Final = 8
# How often to look for a moment between two commits: beside a loop of nothing but commits, 24,000 a second, up to 162
# times were needed. So many take a second.
_TRIES_MAX: Final = 2_000
# Labels and speakers, which most rows of a store share.
_FOLDED_KEPT: Final = 1_024
# Kinds of SQLITE_IOERR that only a write meets.
_WRITING: Final = {
    sqlite3.SQLITE_IOERR_WRITE,
    sqlite3.SQLITE_IOERR_FSYNC,
    sqlite3.SQLITE_IOERR_DIR_FSYNC,
    sqlite3.SQLITE_IOERR_TRUNCATE,
}


def open_file(name: str, *, uri: bool = False, key: bytes | None = None) -> sqlite3.Connection:
    """Open a file and set nothing; `key` is that of an encrypted one (`replica.storage.cipher`).

    `ReplicaError` where this Python's SQLite is older than `SQLITE_MIN`.
    """
    if key is not None:
        return open_encrypted(name, key, uri=uri)
    if sqlite3.sqlite_version_info < SQLITE_MIN:
        wanted = ".".join(map(str, SQLITE_MIN))
        raise ReplicaError(
            f"expected SQLite {wanted} or newer, this Python has {sqlite3.sqlite_version}; "
            "install a Python that brings a newer one"
        )
    return sqlite3.connect(name, uri=uri, isolation_level=None, check_same_thread=False)


def connect(
    path: str, *, read_only: bool = False, key: bytes | None = None, exclusive: bool = False
) -> sqlite3.Connection:
    """Open a store the way a replica needs it; autocommit, so that transactions are explicit.

    `exclusive` lets nobody else open it, for where processes share no memory, as on the disk of a browser:
    SQLite writes ahead there only if it is told so before anything else.

    SQL has `casefold(text)` there: of SQLite's own, `NOCASE` and `lower` know no letters but those of ASCII.
    """
    if read_only:
        connection = open_file(_for_reading(path), uri=True, key=key)
    else:
        connection = open_file(path, key=key)
        if exclusive:
            connection.execute(
                "PRAGMA locking_mode = EXCLUSIVE"
            )  # changes no file, and none is read before it
        try:
            check(connection)  # before anything is set: a file that is not ours is left as it is
        except BaseException:
            connection.close()
            raise
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
    _add_functions(connection)
    return connection


def connect_beside(
    path: str, *, key: bytes | None = None, migrations: Iterable[Callable[[sqlite3.Connection], None]] = ()
) -> sqlite3.Connection:
    """Open an empty store in memory that reads the file of another, too, as `now`; until `DETACH now`.

    What a statement copies from there SQLite carries over by itself, in half the time that it takes to hold each row in
    between. `key` is that of an encrypted file; `migrations` make what tables it is to have beside a store's own.
    """
    connection = open_file(":memory:", uri=True, key=key)
    _add_functions(connection)
    connection.execute("PRAGMA temp_store = MEMORY")  # the disk may be full, and is to hold nothing of this
    # Before the file is there, in which these would find what they drop.
    for make in (migrate, *migrations):
        make(connection)
    connection.execute("ATTACH ? AS now", (_for_reading(path),))
    return connection


@contextmanager
def read_together(connection: sqlite3.Connection, *beside: sqlite3.Connection) -> Iterator[None]:
    """Read one moment of a store's file in the block on several connections, all but the first from `connect_beside`.

    These are in a transaction meanwhile, which the block's end commits. `StoreFailed` where somebody writes so often
    that no moment is found.
    """
    for _ in range(_TRIES_MAX):
        versions = [*map(_version, beside)]
        try:
            connection.execute("BEGIN")
            connection.execute(
                "SELECT count(*) FROM sqlite_schema"
            ).fetchall()  # the moment is that of a first read
            for each in beside:
                each.execute("BEGIN")
            if [*map(_version, beside)] == versions:  # nobody has committed since
                yield
                for each in beside:
                    each.execute("COMMIT")
                return
        finally:
            for reading in (connection, *beside):
                reading.rollback()
    raise StoreFailed(
        "the store could not be read at one moment: others write into it all the time; try again"
    )


def _version(beside: sqlite3.Connection) -> Any:
    """Return what differs whenever others have committed to the file since."""
    return beside.execute("PRAGMA now.data_version").fetchone()


def _for_reading(path: str) -> str:
    # A tenth of what a phone imports at its first start, and no phone comes by here.
    from urllib.parse import quote

    # No host: the first name behind two slashes would be read as one.
    host = "//" if path.startswith("/") else ""
    return f"file:{host}{quote(path)}?mode=ro"


def _add_functions(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA busy_timeout = 5000")
    connection.create_function("casefold", 1, _casefold, deterministic=True)


@lru_cache(_FOLDED_KEPT)
def _casefold(text: str | float | None) -> str | float | None:
    return text.casefold() if isinstance(text, str) else text


@contextmanager
def transaction(connection: sqlite3.Connection, *, inserts_many: bool = False) -> Iterator[None]:
    """Run a block in one durable write transaction: what it wrote is on the disk when the block has ended.

    A disk that refuses becomes `StoreFailed`, with nothing half-written. `inserts_many`: by statements of many rows
    (`insert_many`). To be able to take back one of these, SQLite copies each page that it changes, to a file beyond
    64 kB; where an index is in no order, fifty rows change some fifty. Such copies stay in memory then.
    """
    with _transaction(connection, "FULL", inserts_many=inserts_many):
        yield


@contextmanager
def derived_transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Run a block in one write transaction that does not wait for the disk: for what can be made anew, and only that.

    A power cut may take back the last such transactions, each whole; one that was followed by a durable transaction
    stays, since SQLite's log is written in order and a durable commit waits for all of it. No op can be written inside:
    the store begins a transaction of its own, which SQLite refuses within another.
    """
    try:
        with _transaction(connection, "NORMAL"):
            yield
    finally:
        if not connection.in_transaction:
            connection.execute("PRAGMA synchronous = FULL")


@contextmanager
def _transaction(
    connection: sqlite3.Connection, synchronous: str, *, inserts_many: bool = False
) -> Iterator[None]:
    try:
        # Said by each transaction for itself, so that none depends on what the one before left behind.
        connection.execute(f"PRAGMA synchronous = {synchronous}")
        if inserts_many:
            # It holds from the beginning of a transaction to its end; what is sorted there stays in files.
            connection.execute("PRAGMA temp_store = MEMORY")
        try:
            connection.execute("BEGIN IMMEDIATE")
        finally:
            if inserts_many:
                connection.execute("PRAGMA temp_store = DEFAULT")
        try:
            yield
        except BaseException:
            if connection.in_transaction:  # SQLite rolls back by itself on a full disk
                connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")
    except sqlite3.OperationalError as error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise StoreFailed(
            f"the store could not be written ({error}); nothing was changed. Free some space or make the file "
            "writable, then try again"
        ) from error


def whole(connection: sqlite3.Connection, work: Callable[[], Result]) -> Result:
    """Run a function that has its transactions inside itself: one that it leaves open is rolled back."""
    try:
        result = work()
    except BaseException:
        if connection.in_transaction:
            connection.rollback()
        raise
    if connection.in_transaction:
        connection.rollback()
        raise RuntimeError("the function returned with its transaction open: expected COMMIT, rolled it back")
    return result


def has_index(connection: sqlite3.Connection, name: str) -> bool:
    """Say whether a store has an index now."""
    sql = "SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = ?"
    return connection.execute(sql, (name,)).fetchone() is not None


@contextmanager
def index_made_anew(connection: sqlite3.Connection, name: str) -> Iterator[None]:
    """Do without an index in the block, which fills its table, and make it afterwards, if the store has that index.

    Where its values come in no order, one that is sorted once costs half of one that grows.
    """
    made = connection.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (name,)).fetchone()
    if made is None:
        yield
        return
    connection.execute(f"DROP INDEX {name}")
    yield
    connection.execute(*made)


def bring_over(connection: sqlite3.Connection) -> None:
    """Bring what SQLite has written ahead into its file, as far as no reader still needs the file as it was."""
    _tried(connection, "PRAGMA wal_checkpoint(PASSIVE)")


def bring_much_over(connection: sqlite3.Connection, rows_before: int) -> int:
    """Bring over what was written since the last time, if that is much; for when there is nothing else to do.

    SQLite would go on writing behind it until some commit has 64 MB to bring over, all of which the next start would
    read. `rows_before` is what was returned the last time; the first time it is 0, or less where that is much already.

    Afterwards the log begins anew at the front: a commit that lies over older ones is on the disk in two thirds of the
    time that a growing file takes. The first one there flushes the head of the log as well as itself, so it is written
    here, and changes nothing: nobody is to wait for both.
    """
    rows = connection.total_changes
    if rows - rows_before < REST_ROWS_MIN:
        return rows_before
    bring_over(connection)
    ((version,),) = connection.execute("PRAGMA user_version")
    _tried(connection, f"PRAGMA user_version = {version}")
    return rows


def _tried(connection: sqlite3.Connection, statement: str) -> None:
    try:
        connection.execute(statement)
    except sqlite3.OperationalError:
        pass  # a disk that refuses: all of it is safe where it is, and a commit will say what is wrong


class RoomAhead:
    """Keep the file that SQLite writes ahead longer than what is in it.

    A commit that makes a file longer waits for the journal of the file system too: on ext4 that takes as long again as
    to write over what is there. SQLite never gives room back, and takes none before it needs it. It reads as far as
    frames have the salts of the file's header and sums that fit: zeros have neither, wherever a program ends.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Of a store in memory, or in a place where nobody else may look at its files, nothing is made longer."""
        ((mode,),) = connection.execute("PRAGMA locking_mode")
        paths = [path for _, name, path in connection.execute("PRAGMA database_list") if name == "main"]
        self._path = f"{paths[0]}-wal" if paths[0] and mode == "normal" else None
        self._commits = self._length = 0

    def keep(self) -> None:
        """Make room if the file has grown since the last look; in a transaction, while nobody else writes into it."""
        self._commits += 1
        if self._commits % _COMMITS_A_LOOK == 0:
            self._make(at_once=False)

    def make(self) -> None:
        """Make room now, on the disk when this returns, unless there is some; likewise in a transaction."""
        self._make(at_once=True)

    def _make(self, *, at_once: bool) -> None:
        if self._path is None:
            return
        try:
            # Not `stat`: a file whose times were asked for notes them anew with the next write, in that very journal.
            log = open_descriptor(self._path, os.O_WRONLY | os.O_APPEND)
        except OSError:
            return
        try:
            length = os.lseek(log, 0, os.SEEK_END)
            if length > self._length:
                written = os.write(log, bytes(_ROOM_BYTES))
                if written < _ROOM_BYTES:  # the last of a disk is for whoever needs it
                    os.ftruncate(log, length)
                else:
                    length += written
                    if at_once:
                        os.fsync(log)
            self._length = length
        except OSError:
            pass  # a full disk: whether there is room for what is told, its commit will say
        finally:
            os.close(log)


def as_trouble(error: sqlite3.Error | UnicodeDecodeError) -> ReplicaError | None:
    """Return what an error says about the file or its disk; None where it is about a statement, which is our bug."""
    # SQLite's words for damage have no class of their own, and Python has no code for a text that is none any more.
    # Where those words quote what is damaged, Python cannot even read them.
    if (
        isinstance(error, UnicodeDecodeError)
        or type(error).__name__ == "DatabaseError"
        or str(error).startswith("Could not decode")
    ):
        return StoreCorrupt(
            f"expected a whole store, SQLite says: {error}. What is read from elsewhere in it still stands; "
            "`samemind verify` says what is lost"
        )
    code = getattr(error, "sqlite_errorcode", 0)
    if code & SQLITE_CODE == sqlite3.SQLITE_FULL or code in _WRITING:
        return StoreFailed(f"the store could not be written ({error}); make room on its disk, then try again")
    if is_of_the_disk(error):
        return StoreFailed(
            f"the store could not be read ({error}); see that its disk is there, then try again"
        )
    return None


def insert_many(
    connection: sqlite3.Connection,
    into: str,
    row: str,
    rows: Sequence[Sequence[Any]],
    *,
    at_once: int = ROWS_AT_ONCE,
) -> None:
    """Insert rows, `at_once` in one statement: SQLite takes a hundred in the time of sixty single ones.

    `into` ends in `VALUES`, and `row` is what stands there for each of them. Where there are many, bytes are given as
    `bytearray` and booleans as numbers: of all else Python asks who adapts it, which takes five times as long as to
    bind it.
    """
    whole = len(rows) - len(rows) % at_once
    if whole:
        connection.executemany(
            f"{into} {', '.join([row] * at_once)}",
            ([*chain.from_iterable(rows[start : start + at_once])] for start in range(0, whole, at_once)),
        )
    if rest := rows[whole:]:
        connection.executemany(f"{into} {row}", rest)


def select_named(
    connection: sqlite3.Connection, sql: str, names: Sequence[bytes] | Sequence[int], *before: Any
) -> Iterator[Any]:
    """Run a query that ends in `IN` over many names, in as few statements as their number allows."""
    for start in range(0, len(names), _PARAMETERS_MAX):
        chunk = names[start : start + _PARAMETERS_MAX]
        yield from connection.execute(f"{sql} ({','.join('?' * len(chunk))})", (*before, *chunk))
