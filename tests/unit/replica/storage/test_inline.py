"""A store without a thread: what it is asked is done when it is asked, and nothing is left half done."""

import sqlite3
from collections.abc import Callable, Coroutine
from contextlib import closing
from pathlib import Path

import pytest

from replica.storage.inline import InlineDriver, open_inline


def connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, isolation_level=None)


def at_once(path: Path, body: Callable[[InlineDriver], Coroutine[None, None, None]]) -> None:
    """Run a body on a store; it fails if anything in it waits."""

    async def main() -> None:
        async with open_inline(lambda: connect(path)) as driver:
            await body(driver)

    with pytest.raises(StopIteration):
        main().send(None)


def insert(connection: sqlite3.Connection, number: int) -> None:
    connection.execute("INSERT INTO meta VALUES (?, ?)", (f"number {number}", b""))


def count(connection: sqlite3.Connection) -> int:
    ((found,),) = connection.execute("SELECT count(*) FROM meta WHERE key LIKE 'number %'")
    return int(found)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with a table."""
    path = tmp_path / "memory.db"
    connection = connect(path)
    connection.execute("CREATE TABLE meta (key TEXT PRIMARY KEY, value BLOB)")
    connection.close()
    return path


def test_what_it_wrote_is_read_and_stays(path: Path) -> None:
    async def body(driver: InlineDriver) -> None:
        await driver.run(insert, 1)
        assert await driver.read(count) == 1

    at_once(path, body)
    with closing(connect(path)) as connection:
        assert count(connection) == 1


def test_a_read_that_writes_is_refused_and_the_next_write_is_not(path: Path) -> None:
    async def body(driver: InlineDriver) -> None:
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            await driver.read(insert, 1)
        await driver.run(insert, 2)
        assert await driver.read(count) == 1

    at_once(path, body)


def test_a_transaction_that_a_function_leaves_open_is_rolled_back(path: Path) -> None:
    def careless(connection: sqlite3.Connection) -> None:
        connection.execute("BEGIN")
        insert(connection, 1)

    def interrupted(connection: sqlite3.Connection) -> None:
        careless(connection)
        raise KeyboardInterrupt

    async def body(driver: InlineDriver) -> None:
        with pytest.raises(RuntimeError, match="transaction open"):
            await driver.run(careless)
        with pytest.raises(KeyboardInterrupt):
            await driver.run(interrupted)
        assert await driver.read(count) == 0

    at_once(path, body)
