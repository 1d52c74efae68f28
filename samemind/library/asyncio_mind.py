"""The verbs as methods, for programs that run asyncio: `samemind.library.mind`, run by a thread of its own."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Self, TypeVar

import trio

from samemind.errors import Usage
from samemind.library.mind import Mind
from samemind.library.mind_thread import MindThread, OnThread

if TYPE_CHECKING:
    from samemind.commands.group.pair import Paired
    from samemind.commands.portable._parts import Imported

Result = TypeVar("Result")


class AsyncioMind(OnThread, Mind):
    """One device's memory. Made by `await samemind.open(…)`; open until `aclose`, or the end of an `async with`."""

    def __init__(self, thread: MindThread) -> None:
        OnThread.__init__(self, thread)
        Mind.__init__(self, self._mind._reached)

    @classmethod
    async def open(cls, path: str | os.PathLike[str], *, name: str | None = None) -> Self:
        """Open a home."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            raise Usage(
                "expected to be called under trio or asyncio", hint="use samemind.open_blocking"
            ) from None
        thread = MindThread(path, name)
        thread.start()
        try:
            await asyncio.to_thread(thread.opened)
        except BaseException:  # it goes on opening where this was cancelled
            thread.end()
            raise
        return cls(thread)

    async def aclose(self) -> None:
        """Let go of the store; what other tasks still wait for is cancelled. A second time, it does nothing."""
        thread = self._end()
        if thread is not None:
            await asyncio.to_thread(thread.join)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def import_(self, *files: str | os.PathLike[str], **options: Any) -> Imported:
        """Import memories; what was imported before is skipped."""
        return await self._run(partial(self._mind.import_, *files, **options))

    async def pair(
        self,
        code: str | None = None,
        *,
        tell: Callable[[Mapping[str, Any]], None] | None = None,
        **options: Any,
    ) -> Paired:
        """Join the device that shows a code; without one, show a code through `tell` and wait."""
        loop = asyncio.get_running_loop()

        def say(said: Mapping[str, Any]) -> None:
            if tell is not None:
                loop.call_soon_threadsafe(tell, said)

        return await self._run(partial(self._mind.pair, code, tell=say, **options))

    async def _ask(self, name: str, /, **options: Any) -> Any:
        return await self._run(partial(self._mind._ask, name, **options))

    async def _run(self, call: Callable[[], Awaitable[Result]]) -> Result:
        """Have the thread run it. Where this is cancelled, so is that; a write that has begun is finished."""
        self._check_process()
        answered: Future[Result] = Future()
        answered.set_running_or_notify_cancel()
        scope = trio.CancelScope()

        async def run() -> None:
            try:
                with scope:
                    answered.set_result(await call())
            except BaseException as error:
                answered.set_exception(self._as_closed(error))
                if isinstance(error, trio.Cancelled):
                    raise

        def too_late() -> None:
            answered.set_exception(self._as_closed(trio.RunFinishedError()))

        self._thread.begin(run, too_late)
        try:
            return await asyncio.wrap_future(answered)
        except asyncio.CancelledError:
            with suppress(trio.RunFinishedError):
                self._token.run_sync_soon(scope.cancel)
            raise
