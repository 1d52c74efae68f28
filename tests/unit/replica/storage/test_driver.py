"""One call is one transaction, whatever happens to its caller."""

import functools
import logging
import sqlite3
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from replica.asyncio_host import AsyncioHost
from replica.storage.driver import Driver, _Answer, open_driver

GIVE_UP_S = 30  # a failure of the machine, never of the code

# Counts to a number that no machine reaches: only an interrupt ends it.
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


def connector(path: Path) -> Callable[[], sqlite3.Connection]:
    def connect() -> sqlite3.Connection:
        connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE IF NOT EXISTS item (number INTEGER)")
        return connection

    return connect


def run(path: Path, body: Callable[[Driver], Awaitable[None]]) -> None:
    async def main() -> None:
        with trio.fail_after(GIVE_UP_S):
            async with AsyncioHost.open() as host, open_driver(host, connector(path)) as driver:
                await body(driver)

    trio.run(main)


def insert(connection: sqlite3.Connection, *numbers: int) -> int:
    connection.execute("BEGIN IMMEDIATE")
    connection.executemany("INSERT INTO item VALUES (?)", [(number,) for number in numbers])
    connection.execute("COMMIT")
    return len(numbers)


def numbers(connection: sqlite3.Connection) -> list[int]:
    return [number for (number,) in connection.execute("SELECT number FROM item ORDER BY rowid")]


def on_disk(path: Path) -> list[int]:
    connection = sqlite3.connect(path)
    try:
        return numbers(connection)
    finally:
        connection.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


def test_a_function_runs_whole_and_a_read_sees_its_commit(path: Path) -> None:
    async def body(driver: Driver) -> None:
        assert await driver.run(insert, 1, 2, 3) == 3
        assert await driver.read(numbers) == [1, 2, 3]

    run(path, body)
    assert on_disk(path) == [1, 2, 3]


def test_reads_and_writes_have_a_thread_each_and_neither_is_ours(path: Path) -> None:
    async def body(driver: Driver) -> None:
        def thread(connection: sqlite3.Connection) -> int:
            return threading.get_ident()

        writing, reading = await driver.run(thread), await driver.read(thread)
        assert len({writing, reading, threading.get_ident()}) == 3
        assert await driver.run(thread) == writing

    run(path, body)


def test_a_function_that_raises_changes_nothing_and_its_error_arrives(path: Path) -> None:
    def half(connection: sqlite3.Connection) -> None:
        connection.execute("BEGIN")
        connection.execute("INSERT INTO item VALUES (1)")
        raise LookupError("half way")

    async def body(driver: Driver) -> None:
        with pytest.raises(LookupError, match="half way"):
            await driver.run(half)
        await driver.run(insert, 2)

    run(path, body)
    assert on_disk(path) == [2]


@pytest.mark.parametrize("error", [StopIteration, KeyboardInterrupt, SystemExit, GeneratorExit])
def test_no_exception_can_wedge_the_connection(path: Path, error: type[BaseException]) -> None:
    """A future refuses StopIteration: handed over as one, the caller would wait for ever."""

    def fails(connection: sqlite3.Connection) -> None:
        raise error

    async def body(driver: Driver) -> None:
        for way in (driver.run, driver.read):
            # A coroutine may not raise StopIteration, so Python itself turns that one into RuntimeError.
            with pytest.raises(RuntimeError if error is StopIteration else error):
                await way(fails)
        assert await driver.run(insert, 1) == 1

    run(path, body)


def test_a_transaction_left_open_is_rolled_back_and_named_a_bug(path: Path) -> None:
    async def body(driver: Driver) -> None:
        def forgets(connection: sqlite3.Connection) -> None:
            connection.execute("BEGIN")
            connection.execute("INSERT INTO item VALUES (1)")

        with pytest.raises(RuntimeError, match="expected COMMIT"):
            await driver.run(forgets)
        await driver.run(insert, 2)

    run(path, body)
    assert on_disk(path) == [2]


def test_the_reading_connection_refuses_to_write(path: Path) -> None:
    async def body(driver: Driver) -> None:
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            await driver.read(insert, 1)
        assert await driver.read(numbers) == []

    run(path, body)


def test_a_cancelled_write_ends_and_its_caller_learns_that_it_did(path: Path) -> None:
    results: list[int] = []

    async def body(driver: Driver) -> None:
        inside = trio.Event()
        release = threading.Event()
        token = trio.lowlevel.current_trio_token()

        def slow(connection: sqlite3.Connection) -> int:
            token.run_sync_soon(inside.set)
            release.wait(GIVE_UP_S)
            return insert(connection, 1, 2)

        async def writer() -> None:
            results.append(await driver.run(slow))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(writer)
            await inside.wait()
            nursery.cancel_scope.cancel()
            with trio.CancelScope(shield=True):
                await trio.testing.wait_all_tasks_blocked()
                assert results == []  # the await is still there, and so is the transaction
                release.set()

    run(path, body)
    assert results == [2]
    assert on_disk(path) == [1, 2]


def test_a_cancelled_read_is_interrupted_and_the_next_one_is_not(path: Path) -> None:
    async def body(driver: Driver) -> None:
        await driver.run(insert, 1)
        token = trio.lowlevel.current_trio_token()

        def endless(connection: sqlite3.Connection, inside: trio.Event) -> None:
            token.run_sync_soon(inside.set)
            connection.execute(ENDLESS).fetchall()

        for _ in range(20):
            inside = trio.Event()

            async with trio.open_nursery() as nursery:
                nursery.start_soon(driver.read, endless, inside)
                nursery.start_soon(
                    driver.read, endless, inside
                )  # still waiting when it is cancelled: never begins
                await inside.wait()
                nursery.cancel_scope.cancel()
            assert await driver.read(numbers) == [1]

    run(path, body)


def test_a_read_cancelled_while_it_waits_its_turn_never_begins(path: Path) -> None:
    begun: list[str] = []

    async def body(driver: Driver) -> None:
        inside = trio.Event()
        release = threading.Event()
        token = trio.lowlevel.current_trio_token()

        def first(connection: sqlite3.Connection) -> None:
            begun.append("first")
            token.run_sync_soon(inside.set)
            release.wait(GIVE_UP_S)

        def second(connection: sqlite3.Connection) -> None:
            begun.append("second")

        async with trio.open_nursery() as nursery:
            nursery.start_soon(driver.read, first)
            await inside.wait()
            nursery.start_soon(driver.read, second)
            await trio.testing.wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()
        release.set()
        assert await driver.read(numbers) == []

    run(path, body)
    assert begun == ["first"]


def test_a_read_does_not_wait_for_a_write_in_progress(path: Path) -> None:
    async def body(driver: Driver) -> None:
        await driver.run(insert, 1)
        inside = trio.Event()
        release = threading.Event()
        token = trio.lowlevel.current_trio_token()

        def slow(connection: sqlite3.Connection) -> None:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT INTO item VALUES (2)")
            token.run_sync_soon(inside.set)
            release.wait(GIVE_UP_S)
            connection.execute("COMMIT")

        async with trio.open_nursery() as nursery:
            nursery.start_soon(driver.run, slow)
            await inside.wait()
            assert await driver.read(numbers) == [1]
            release.set()
        assert await driver.read(numbers) == [1, 2]

    run(path, body)


def test_64_writes_in_flight_are_done_in_the_order_in_which_they_were_asked_for(path: Path) -> None:
    asked: list[int] = []

    async def body(driver: Driver) -> None:
        async def ask(number: int) -> None:
            asked.append(number)
            await driver.run(insert, number)

        async with trio.open_nursery() as nursery:
            for number in range(64):
                nursery.start_soon(ask, number)

    run(path, body)
    assert on_disk(path) == asked
    assert sorted(asked) == list(range(64))


def test_closing_while_busy_waits_for_what_was_asked_and_leaves_no_thread(path: Path) -> None:
    before = {*threading.enumerate()}

    async def main() -> None:
        with trio.fail_after(GIVE_UP_S):
            async with AsyncioHost.open() as host, trio.open_nursery() as nursery:
                async with open_driver(host, connector(path)) as driver:
                    for number in range(16):
                        nursery.start_soon(driver.run, insert, number)
                    await trio.testing.wait_all_tasks_blocked()
                for way in (driver.run, driver.read):
                    with pytest.raises(trio.ClosedResourceError):
                        await way(numbers)

    trio.run(main)
    assert sorted(on_disk(path)) == list(range(16))
    assert {*threading.enumerate()} <= before


def test_a_cancelled_block_still_closes_both_connections(path: Path) -> None:
    before = {*threading.enumerate()}

    async def main() -> None:
        with trio.CancelScope() as scope:
            async with AsyncioHost.open() as host, open_driver(host, connector(path)) as driver:
                await driver.run(insert, 1)
                scope.cancel()
                await trio.lowlevel.checkpoint()

    trio.run(main)
    assert {*threading.enumerate()} <= before
    assert not path.with_name(path.name + "-wal").exists()  # SQLite removes it when the last one closes well


@pytest.mark.parametrize("healthy", [0, 1])
def test_a_connection_that_cannot_be_made_raises_and_leaves_no_thread(path: Path, healthy: int) -> None:
    before = {*threading.enumerate()}
    tries = 0

    def connect() -> sqlite3.Connection:
        nonlocal tries
        tries += 1
        if tries > healthy:
            raise sqlite3.OperationalError("unable to open")
        return connector(path)()

    async def main() -> None:
        async with AsyncioHost.open() as host:
            with pytest.raises(sqlite3.OperationalError, match="unable to open"):
                async with open_driver(host, connect):
                    pytest.fail("opened")

    trio.run(main)
    assert {*threading.enumerate()} <= before


def test_what_is_written_never_reaches_the_debug_log(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)

    def say(connection: sqlite3.Connection, secret: str) -> str:
        return secret

    async def body(driver: Driver) -> None:
        assert await driver.run(say, "swordfish") == "swordfish"

    run(path, body)
    assert caplog.records
    assert "swordfish" not in caplog.text


def test_a_thread_without_trio_writes_while_trio_is_busy(path: Path) -> None:
    """Its call crosses trio's thread neither on the way there nor on the way back."""

    async def body(driver: Driver) -> None:
        found: list[object] = []

        def write() -> None:
            found.append(driver.run_from_thread(lambda it: insert(it, 1, 2)))
            found.append(driver.run_from_thread(numbers))

        thread = threading.Thread(target=write)
        thread.start()
        thread.join(GIVE_UP_S)  # trio's own thread stands still meanwhile
        assert found == [2, [1, 2]]

    run(path, body)
    assert on_disk(path) == [1, 2]


def test_a_thread_gets_what_its_function_raises_and_nothing_is_left_open(path: Path) -> None:
    async def body(driver: Driver) -> None:
        def fail(connection: sqlite3.Connection) -> None:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT INTO item VALUES (7)")
            raise StopIteration("of its own")

        def write() -> list[int]:
            with pytest.raises(StopIteration, match="of its own"):
                driver.run_from_thread(fail)
            return driver.run_from_thread(numbers)

        assert await trio.to_thread.run_sync(write) == []

    run(path, body)


def test_a_thread_that_comes_too_late_is_told_so(path: Path) -> None:
    left: list[Driver] = []

    async def body(driver: Driver) -> None:
        left.append(driver)

    run(path, body)
    with pytest.raises(trio.ClosedResourceError, match="closed"):
        left[0].run_from_thread(numbers)


def test_a_thread_runs_its_function_itself_where_nobody_else_writes(path: Path) -> None:
    async def body(driver: Driver) -> None:
        def where() -> tuple[int, int]:
            return threading.get_ident(), driver.run_from_thread(lambda _: threading.get_ident())

        here, ran = await trio.to_thread.run_sync(where)
        assert ran == here

    run(path, body)


def test_a_thread_does_not_pass_what_was_asked_for_before(path: Path) -> None:
    """While one function is in the middle of its work and another one waits, a thread comes third."""

    async def body(driver: Driver) -> None:
        begun, go_on = threading.Event(), threading.Event()
        order: list[str] = []

        def first(connection: sqlite3.Connection) -> None:
            connection.execute("BEGIN IMMEDIATE")
            begun.set()
            assert go_on.wait(GIVE_UP_S)
            connection.execute("COMMIT")
            order.append("first")

        def third() -> None:
            driver.run_from_thread(lambda it: order.append(f"third, {it.in_transaction}"))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(driver.run, first)
            await trio.to_thread.run_sync(begun.wait, GIVE_UP_S)
            nursery.start_soon(driver.run, lambda _: order.append("second"))
            await trio.testing.wait_all_tasks_blocked()
            thread = threading.Thread(target=third)
            thread.start()
            go_on.set()
        await trio.to_thread.run_sync(thread.join, GIVE_UP_S)
        assert order == ["first", "second", "third, False"]

    run(path, body)


def test_a_thread_does_not_pass_what_waits_while_the_connection_rests(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two functions nobody uses the connection, and yet the second comes before a thread."""

    async def body(driver: Driver) -> None:
        order: list[str] = []
        resting, go_on = threading.Event(), threading.Event()
        wake = _Answer.call_soon_threadsafe

        def wake_later(answer: _Answer, *told: Any) -> None:
            resting.set()
            assert go_on.wait(GIVE_UP_S)
            wake(answer, *told)

        monkeypatch.setattr(_Answer, "call_soon_threadsafe", wake_later)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(driver.run, lambda _: order.append("first"))
            await trio.to_thread.run_sync(resting.wait, GIVE_UP_S)
            nursery.start_soon(driver.run, lambda _: order.append("second"))
            await trio.testing.wait_all_tasks_blocked()
            third = driver._writer.ask(lambda _: order.append("third"))
            go_on.set()
        await trio.to_thread.run_sync(third.wait)
        assert order == ["first", "second", "third"]

    run(path, body)


def test_what_trio_asks_for_waits_until_a_thread_is_through(path: Path) -> None:
    async def body(driver: Driver) -> None:
        begun, go_on = threading.Event(), threading.Event()

        def slowly(connection: sqlite3.Connection) -> None:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT INTO item VALUES (1)")
            begun.set()
            assert go_on.wait(GIVE_UP_S)
            connection.execute("COMMIT")

        found: list[list[int]] = []

        async def read_on_the_writer() -> None:
            found.append(await driver.run(numbers))

        thread = threading.Thread(target=driver.run_from_thread, args=(slowly,))
        thread.start()
        await trio.to_thread.run_sync(begun.wait, GIVE_UP_S)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(read_on_the_writer)
            await trio.testing.wait_all_tasks_blocked()
            assert not found
            go_on.set()
        thread.join(GIVE_UP_S)
        assert found == [[1]]

    run(path, body)


def test_a_thread_reads_by_itself_while_another_writes(path: Path) -> None:
    """It sees the last commit, may not write, and waits neither for trio nor for who writes."""

    async def body(driver: Driver) -> None:
        begun, go_on = threading.Event(), threading.Event()

        def slowly(connection: sqlite3.Connection) -> None:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT INTO item VALUES (1)")
            begun.set()
            assert go_on.wait(GIVE_UP_S)
            connection.execute("COMMIT")

        found: list[object] = []

        def read() -> None:
            found.append(driver.read_from_thread(lambda _: threading.get_ident()) == threading.get_ident())
            found.append(driver.read_from_thread(numbers))
            with pytest.raises(sqlite3.OperationalError, match="readonly"):
                driver.read_from_thread(lambda it: insert(it, 2))

        writing = threading.Thread(target=driver.run_from_thread, args=(slowly,))
        writing.start()
        assert begun.wait(GIVE_UP_S)
        reading = threading.Thread(target=read)
        reading.start()
        reading.join(GIVE_UP_S)  # trio's own thread stands still meanwhile
        go_on.set()
        writing.join(GIVE_UP_S)
        assert found == [True, []]
        assert await driver.read(numbers) == [1]

    run(path, body)


def test_a_thread_reads_after_what_trio_asked_for_before(path: Path) -> None:
    async def body(driver: Driver) -> None:
        begun, go_on = threading.Event(), threading.Event()
        order: list[str] = []

        def first(connection: sqlite3.Connection) -> None:
            begun.set()
            assert go_on.wait(GIVE_UP_S)
            order.append("first")

        async with trio.open_nursery() as nursery:
            nursery.start_soon(driver.read, first)
            await trio.to_thread.run_sync(begun.wait, GIVE_UP_S)
            thread = threading.Thread(
                target=driver.read_from_thread, args=(lambda _: order.append("second"),)
            )
            thread.start()
            go_on.set()
        await trio.to_thread.run_sync(thread.join, GIVE_UP_S)
        assert order == ["first", "second"]

    run(path, body)


def test_a_thread_that_comes_too_late_to_read_is_told_so(path: Path) -> None:
    left: list[Driver] = []

    async def body(driver: Driver) -> None:
        left.append(driver)

    run(path, body)
    with pytest.raises(trio.ClosedResourceError, match="closed"):
        left[0].read_from_thread(numbers)


def test_what_may_come_in_between_is_run_where_a_function_gives_way(path: Path) -> None:
    """In the order in which it was asked for, once, and nothing else; what fails fails for who asked for it."""

    async def body(driver: Driver) -> None:
        begun, go_on = threading.Event(), threading.Event()
        order: list[str] = []

        def long(connection: sqlite3.Connection) -> None:
            begun.set()
            assert go_on.wait(GIVE_UP_S)
            order.append("half")
            driver.give_way()
            driver.give_way()  # by now nothing waits
            insert(connection, 4)
            order.append("whole")

        def fail(connection: sqlite3.Connection) -> None:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT INTO item VALUES (0)")
            raise OSError("told to fail")

        async def ask(name: str, number: int, *, in_between: bool) -> None:
            assert await driver.run(insert, number, in_between=in_between) == 1
            order.append(name)

        async def ask_to_fail() -> None:
            with pytest.raises(OSError, match="told to fail"):
                await driver.run(fail, in_between=True)

        thread = threading.Thread(
            target=lambda: driver.run_from_thread(lambda it: insert(it, 3), in_between=True)
        )
        async with trio.open_nursery() as nursery:
            nursery.start_soon(driver.run, long)
            await trio.to_thread.run_sync(begun.wait, GIVE_UP_S)
            nursery.start_soon(functools.partial(ask, "waits", 5, in_between=False))
            await trio.testing.wait_all_tasks_blocked()
            for name, number in (("one", 1), ("two", 2)):
                nursery.start_soon(functools.partial(ask, name, number, in_between=True))
                await trio.testing.wait_all_tasks_blocked()
            nursery.start_soon(ask_to_fail)
            await trio.testing.wait_all_tasks_blocked()
            thread.start()
            while len(driver._writer._between) < 4:  # noqa: ASYNC110 -- nobody tells that a thread waits
                await trio.sleep(0.001)
            go_on.set()
        await trio.to_thread.run_sync(thread.join, GIVE_UP_S)
        assert await driver.read(numbers) == [1, 2, 3, 4, 5]
        assert order.index("half") < order.index("whole")
        assert not driver._writer._between
        assert await driver.run(insert, 6, in_between=True) == 1
        assert not driver._writer._between, "what had its turn does not wait"

    run(path, body)


def test_what_is_asked_for_while_a_function_gives_way_waits_until_it_does_so_again(path: Path) -> None:
    """Or who tells one thing after the other would keep it from its end."""

    async def body(driver: Driver) -> None:
        begun, go_on = threading.Event(), threading.Event()
        order: list[str] = []

        def first(connection: sqlite3.Connection) -> None:
            trio.from_thread.run_sync(
                nursery.start_soon,
                functools.partial(driver.run, lambda _: order.append("second"), in_between=True),
                trio_token=token,
            )
            while not driver._writer._between:
                pass
            order.append("first")

        def long(connection: sqlite3.Connection) -> None:
            begun.set()
            assert go_on.wait(GIVE_UP_S)
            driver.give_way()
            order.append("between")
            driver.give_way()

        token = trio.lowlevel.current_trio_token()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(driver.run, long)
            await trio.to_thread.run_sync(begun.wait, GIVE_UP_S)
            nursery.start_soon(functools.partial(driver.run, first, in_between=True))
            await trio.testing.wait_all_tasks_blocked()
            go_on.set()
        assert order == ["first", "between", "second"]

    run(path, body)
