"""The one place where asyncio runs: a side thread and a portal from trio.

The program is trio, but two libraries it stands on speak asyncio: `aiosqlite` fails under plain trio on its
first await, and `zeroconf` runs a loop of its own. One loop in one thread serves both. `AsyncioHost.run`
sends a coroutine function there and brings its outcome back, exception and traceback included; nothing
polls.

A call never outlives its await, so nothing runs behind the back of the nursery that started it. What a
cancelled await does while it waits for the end is the choice between the two ways in: `run` cancels the
asyncio task, `run_shielded` lets it finish and returns its result, because half a transaction is worth
nothing. Both refuse to begin when the caller is already cancelled: either nothing was begun, or it came to
its end.

Calls begin in the order in which they were made. All of them come from the trio thread that opened the
host.
"""

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Self, TypeVar, TypeVarTuple

import outcome
import trio

Result = TypeVar("Result")
Arguments = TypeVarTuple("Arguments")

AnyOutcome = outcome.Value[Any] | outcome.Error


class AsyncioHost:
    """One asyncio loop in one thread; `async with AsyncioHost.open() as host`."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._closed = False
        # From here on: touched by the loop's thread only.
        self._stop = asyncio.Event()
        self._shielded: set[asyncio.Task[Any]] = set()

    @classmethod
    @asynccontextmanager
    async def open(cls) -> AsyncIterator[Self]:
        """Start the loop; at the end let shielded calls finish, cancel the rest and end the thread."""
        host = cls()
        token = trio.lowlevel.current_trio_token()
        ended = trio.Event()
        # A daemon, so that an interpreter that dies in the middle of a block is not held up by it.
        thread = threading.Thread(target=host._serve, args=(token, ended), name="asyncio-host", daemon=True)
        thread.start()
        try:
            yield host
        finally:
            host._closed = True
            host._loop.call_soon_threadsafe(host._stop.set)
            with trio.CancelScope(shield=True):
                await ended.wait()
            thread.join()  # it has nothing left to do but return

    async def run(self, async_fn: Callable[[*Arguments], Awaitable[Result]], *args: *Arguments) -> Result:
        """Run it on the loop. A cancelled caller cancels the asyncio task and waits until it has ended."""
        return await self._call(async_fn, args, shielded=False)

    async def run_shielded(
        self, async_fn: Callable[[*Arguments], Awaitable[Result]], *args: *Arguments
    ) -> Result:
        """Run it on the loop to its end, whatever happens to the caller, who gets the result even so."""
        return await self._call(async_fn, args, shielded=True)

    # Protected from Ctrl-C: an interrupt between handing the work over and going to sleep would leave the
    # loop's thread waking a trio task that does not wait.
    @trio.lowlevel.enable_ki_protection
    async def _call(
        self, async_fn: Callable[..., Awaitable[Result]], args: tuple[Any, ...], *, shielded: bool
    ) -> Result:
        await trio.lowlevel.checkpoint_if_cancelled()
        if self._closed:
            raise trio.ClosedResourceError("the asyncio host is closed")
        token = trio.lowlevel.current_trio_token()
        caller = trio.lowlevel.current_task()
        running: asyncio.Task[AnyOutcome] | None = None
        raise_cancel: Callable[[], Any] | None = None

        def begin() -> None:
            nonlocal running
            running = self._loop.create_task(outcome.acapture(async_fn, *args))
            if shielded:
                self._shielded.add(running)
            running.add_done_callback(finish)

        def finish(done: asyncio.Task[AnyOutcome]) -> None:
            self._shielded.discard(done)
            # A task that is cancelled before its first step never reaches `acapture`.
            result = outcome.Error(asyncio.CancelledError()) if done.cancelled() else done.result()
            try:
                token.run_sync_soon(trio.lowlevel.reschedule, caller, outcome.Value(result))
            except trio.RunFinishedError:
                pass  # trio crashed: nobody is left to be told

        def cancel() -> None:
            assert running is not None  # `begin` was queued before
            running.cancel()

        def abort(raise_in_caller: Callable[[], Any]) -> trio.lowlevel.Abort:
            nonlocal raise_cancel
            if not shielded:
                raise_cancel = raise_in_caller
                self._loop.call_soon_threadsafe(cancel)
            return trio.lowlevel.Abort.FAILED  # not yet: `finish` wakes the caller

        self._loop.call_soon_threadsafe(begin)
        result: AnyOutcome = await trio.lowlevel.wait_task_rescheduled(abort)
        try:
            if isinstance(result, outcome.Error) and isinstance(result.error, asyncio.CancelledError):
                if raise_cancel is not None:
                    raise_cancel()
                if self._closed:
                    raise trio.ClosedResourceError("the asyncio host was closed during the call") from None
            return result.unwrap()  # type: ignore[no-any-return]
        finally:
            del result, raise_cancel  # an exception whose traceback holds itself would wait for the collector

    def _serve(self, token: trio.lowlevel.TrioToken, ended: trio.Event) -> None:
        try:
            # The runner cancels what is left, and closes generators and the loop, on every way out.
            with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
                runner.run(self._until_closed())
        finally:
            try:
                token.run_sync_soon(ended.set)
            except trio.RunFinishedError:
                pass

    async def _until_closed(self) -> None:
        await self._stop.wait()
        while self._shielded:
            await asyncio.wait(self._shielded)
