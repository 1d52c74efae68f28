"""One SQLite store behind trio: one connection that writes, one that reads.

The unit is a whole synchronous function, not a statement: `await driver.run(fn, ...)` runs `fn(connection,
...)` on the writing connection's thread in one call. Crossing from trio and back costs 0.1 ms on a small
machine whatever the call does: many times a statement, a fraction of a batch. It also means that no await
lies inside a transaction: nobody else's statement can slip in, and no cancellation can leave one open.

aiosqlite opens and closes the connections and owns their threads. Calls do not go the way round by its loop,
which would double the crossings: they are put into its queue, and answered into trio.

A thread that runs no trio need not cross it at all: `run_from_thread` and `read_from_thread` have the function run on
that very thread, where nobody uses the connection and nothing waits to. Else it goes to the connection's thread and
back, a seventh of the way by trio; and threads that take turns at one store find it in no cache of their processors,
which costs more than the way.

A function that takes long may give way in between (`Driver.give_way`): then what waits and was asked for with
`in_between` is run before the rest of it.

The function manages its own BEGIN and COMMIT. If it raises, what it left open is rolled back; if it returns
with a transaction open, that is its bug, and it is told so. Writes are done in the order in which they were
asked for. A cancelled `run` waits for the end and returns the result: the write is durable, and its caller
must know.

`read` runs on a second connection that refuses to write. In WAL mode it sees the last commit and waits for
nobody. A cancelled `read` returns at once; the statement it was in is interrupted, and one that had not
begun never begins.

`connect` makes a connection and sets it up (WAL, `isolation_level=None`, pragmas, a cipher's key), so that any thread
may use it. It is called once per connection, on the connection's thread, and must open the same file each time.
"""

import sqlite3
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Final, TypeVar, TypeVarTuple, cast

import aiosqlite
import outcome
import trio

from replica.asyncio_host import AsyncioHost
from replica.storage.interrupts import uninterrupted
from replica.storage.sql import whole

Result = TypeVar("Result")
Arguments = TypeVarTuple("Arguments")

Connect = Callable[[], sqlite3.Connection]

# aiosqlite asks for it; it is the page of its cursors, which are not used here.
ITER_CHUNK_SIZE: Final = 64

# How many steps of SQLite's machine pass between two looks at whether a read is still wanted: about a
# millisecond. Looking takes the interpreter's lock, which a busy thread gives up only every 5 ms: no oftener.
STEPS_PER_CHECK: Final = 50_000


class Driver:
    """The way from trio into the store; made by `open_driver`."""

    def __init__(self, writer: "_Connection", reader: "_Connection") -> None:
        self._writer = writer
        self._reader = reader
        self._closed = False
        # What is put into the queue of a connection that was closed would never be answered. One lock for each, since
        # who reads waits for nobody who writes.
        self._closing, self._closing_reader = threading.Lock(), threading.Lock()

    async def run(
        self,
        fn: Callable[[sqlite3.Connection, *Arguments], Result],
        *args: *Arguments,
        in_between: bool = False,
    ) -> Result:
        """Run `fn(connection, *args)` on the writing connection, to its end; maybe amid one that gives way."""
        self._check_open()
        return await self._writer.call(lambda it: whole(it, lambda: fn(it, *args)), in_between=in_between)

    def run_from_thread(
        self, fn: Callable[[sqlite3.Connection], Result], *, in_between: bool = False
    ) -> Result:
        """Run `fn(connection)` likewise, for a thread that runs no trio and waits for it."""
        return self._from_thread(self._writer, self._closing, fn, in_between=in_between)

    def give_way(self) -> None:
        """Run what waits by now and may come in between; called by a function that `run` runs, in no transaction."""
        self._writer.give_way()

    def read_from_thread(self, fn: Callable[[sqlite3.Connection], Result]) -> Result:
        """Run `fn(connection)` on the reading connection likewise, to its end: nobody can cancel it."""
        return self._from_thread(self._reader, self._closing_reader, fn)

    def _from_thread(
        self,
        connection: "_Connection",
        closing: threading.Lock,
        fn: Callable[[sqlite3.Connection], Result],
        *,
        in_between: bool = False,
    ) -> Result:
        def ask() -> "_ThreadAnswer":
            with closing:
                self._check_open()
                return connection.ask(lambda it: whole(it, lambda: fn(it)), in_between=in_between)

        result: Result = uninterrupted(ask).wait()
        return result

    async def read(self, fn: Callable[[sqlite3.Connection, *Arguments], Result], *args: *Arguments) -> Result:
        """Run `fn(connection, *args)` on the reading connection; a cancelled caller does not wait for it."""
        self._check_open()
        return await self._reader.call(lambda it: whole(it, lambda: fn(it, *args)))

    def _check_open(self) -> None:
        if self._closed:
            raise trio.ClosedResourceError("the store is closed")


@asynccontextmanager
async def open_driver(host: AsyncioHost, connect: Connect) -> AsyncIterator[Driver]:
    """Open both connections; close them at the end of the block, once all that was asked for is done."""
    # The writer is first, since it may have to create the file, and closed last, since that empties the WAL.
    async with (
        _opened(host, _Connection(connect)) as writer,
        _opened(host, _ReadConnection(connect)) as reader,
    ):
        driver = Driver(writer, reader)
        try:
            yield driver
        finally:
            with driver._closing, driver._closing_reader:
                driver._closed = True


@asynccontextmanager
async def _opened(host: AsyncioHost, connection: "_Connection") -> AsyncIterator["_Connection"]:
    await host.run_shielded(connection.open)
    try:
        yield connection
    finally:
        with trio.CancelScope(shield=True):
            await host.run_shielded(connection.close_and_join)


class _Answer:
    """What aiosqlite's thread takes for a future of its loop: it brings an outcome back to a task of trio."""

    def __init__(self) -> None:
        self._task = trio.lowlevel.current_task()
        self._token = trio.lowlevel.current_trio_token()
        self.is_wanted = True
        """Whether the task still waits; changed by trio's thread, looked at by the connection's."""

    def get_loop(self) -> "_Answer":
        """Return what `call_soon_threadsafe` is asked of."""
        return self

    def call_soon_threadsafe(self, set_result: object, future: object, done: outcome.Outcome[Any]) -> None:
        """Wake the task, which gets the outcome as a value."""
        try:
            self._token.run_sync_soon(self._wake, done)
        except trio.RunFinishedError:
            pass  # trio crashed: nobody is left to be told

    def _wake(self, done: outcome.Outcome[Any]) -> None:
        if self.is_wanted:
            trio.lowlevel.reschedule(self._task, outcome.Value(done))


class _ThreadAnswer:
    """Likewise, for a thread that waits for the outcome itself."""

    def __init__(self) -> None:
        self._came = threading.Lock()
        self._came.acquire()
        self._done: outcome.Outcome[Any]

    def get_loop(self) -> "_ThreadAnswer":
        """Return what `call_soon_threadsafe` is asked of."""
        return self

    def call_soon_threadsafe(self, set_result: object, future: object, done: outcome.Outcome[Any]) -> None:
        """Let the thread go on."""
        self._done = done
        self._came.release()

    def wait(self) -> Any:
        """Wait for the outcome, and return or raise it."""
        self._came.acquire()
        return self._done.unwrap()


class _InBetween:
    """What may be run before its turn, where another function gives way; its place in the queue is empty then."""

    def __init__(self, answer: _Answer | _ThreadAnswer, work: Callable[[], object]) -> None:
        self._answer = answer
        self._work = work
        self._came_first = False

    def get_loop(self) -> "_InBetween":
        """Return what `call_soon_threadsafe` is asked of."""
        return self

    def call_soon_threadsafe(self, set_result: object, future: object, done: outcome.Outcome[Any]) -> None:
        """Answer, unless that was done before its turn."""
        if not self._came_first:
            self._answer.call_soon_threadsafe(set_result, future, done)

    def come_first(self) -> None:
        """Run it now, and answer."""
        done = outcome.capture(self._work)
        self._came_first = True
        self._answer.call_soon_threadsafe(None, None, done)

    def in_turn(self, waiting: "deque[_InBetween]") -> object:
        """Run it if that was not done, and keep it from being run again."""
        if self._came_first:
            return None
        waiting.remove(self)
        return self._work()


class _Connection(aiosqlite.Connection):
    """aiosqlite, plus a way to run a whole function on the connection's thread.

    There is no documented one. Its queue is used, so the dependency is pinned to one series.
    """

    def __init__(self, connect: Connect) -> None:
        super().__init__(connect, ITER_CHUNK_SIZE)
        # Held by the thread that uses the connection: its own, or one that found nothing in the queue.
        self._turn = threading.Lock()
        self._counting = threading.Lock()
        self._waiting = 0
        """How much was put into the queue and is not done."""
        self._between: deque[_InBetween] = deque()
        """What of that may come in between, and is not begun. Whoever takes something away has the turn."""

    async def open(self) -> None:
        try:
            await self
        except BaseException:
            # Its thread was told to stop, and says so on a loop that may be closed a moment later.
            self._thread.join()
            raise

    # Protected from Ctrl-C: an interrupt between handing the work over and going to sleep would leave the
    # connection's thread waking a task that does not wait.
    @trio.lowlevel.enable_ki_protection
    async def call(self, work: Callable[[sqlite3.Connection], Result], *, in_between: bool = False) -> Result:
        """Run `work` on the connection's thread, unless the caller is cancelled already; then wait for its end."""
        await trio.lowlevel.checkpoint_if_cancelled()
        answer = _Answer()
        self._put(answer, lambda: self._begin(answer, work), in_between=in_between)
        done: outcome.Outcome[Result] = await trio.lowlevel.wait_task_rescheduled(
            lambda raise_cancel: self._abort(answer)
        )
        try:
            return done.unwrap()
        finally:
            del done  # an exception whose traceback holds itself would wait for the collector

    def ask(self, work: Callable[[sqlite3.Connection], object], *, in_between: bool = False) -> _ThreadAnswer:
        """Run `work` here and now, or have it run when its turn comes; return what to wait for."""
        answer = _ThreadAnswer()
        with self._counting:
            runs_here = not self._waiting and self._turn.acquire(blocking=False)
        if not runs_here:
            self._put(answer, lambda: work(self._conn), in_between=in_between)
            return answer
        try:
            answer.call_soon_threadsafe(None, None, outcome.capture(work, self._conn))
        finally:
            self._turn.release()
        return answer

    def give_way(self) -> None:
        """Run what may come in between: what waits by now, or whoever gives way might never go on."""
        for _ in range(len(self._between)):
            self._between.popleft().come_first()

    def _put(
        self, answer: _Answer | _ThreadAnswer, work: Callable[[], object], *, in_between: bool = False
    ) -> None:
        with self._counting:
            self._waiting += 1
        put: _Answer | _ThreadAnswer | _InBetween = answer
        if in_between:
            put = between = _InBetween(answer, work)
            work = partial(between.in_turn, self._between)
            self._between.append(between)
        # Without arguments, because aiosqlite logs what it executes, and what is written is private. What `work`
        # raises is a value too: aiosqlite would keep it from raising StopIteration.
        self._tx.put_nowait((cast(Any, put), lambda: self._in_turn(work)))

    def _in_turn(self, work: Callable[[], Result]) -> outcome.Outcome[Result]:
        try:
            with self._turn:
                return outcome.capture(work)
        finally:
            with self._counting:
                self._waiting -= 1

    def _begin(self, answer: _Answer, work: Callable[[sqlite3.Connection], Result]) -> Result:
        return work(self._conn)

    def _abort(self, answer: _Answer) -> trio.lowlevel.Abort:
        return trio.lowlevel.Abort.FAILED  # it is woken at the end, and learns what came of it

    async def close_and_join(self) -> None:
        await self.close()
        self._thread.join()  # it has nothing left to do but return


class _ReadConnection(_Connection):
    """A connection that refuses to write and gives up a read that nobody waits for any more."""

    def __init__(self, connect: Connect) -> None:
        super().__init__(connect)
        self._current: _Answer | None = None

    async def open(self) -> None:
        await super().open()
        try:
            await self._execute(self._prepare)  # type: ignore[no-untyped-call]
        except BaseException:
            await self.close_and_join()
            raise

    def _begin(self, answer: _Answer, work: Callable[[sqlite3.Connection], Result]) -> Result:
        if not answer.is_wanted:
            raise sqlite3.OperationalError("interrupted before it began")  # nobody is there to see it
        self._current = answer
        try:
            return work(self._conn)
        finally:
            self._current = None

    def _abort(self, answer: _Answer) -> trio.lowlevel.Abort:
        answer.is_wanted = False
        return trio.lowlevel.Abort.SUCCEEDED

    def _prepare(self) -> None:
        # Not a read-only open: that needs a file's name, and a reader of a WAL may have to build its index.
        self._conn.execute("PRAGMA query_only = ON")
        # Not `interrupt()`: it does nothing to a function that is between two statements, and might hit the
        # next caller's.
        self._conn.set_progress_handler(self._is_abandoned, STEPS_PER_CHECK)

    def _is_abandoned(self) -> bool:
        return self._current is not None and not self._current.is_wanted
