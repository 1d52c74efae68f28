"""Run trio and a device in a thread of their own, for programs that do not run trio."""

import os
import threading
from collections.abc import Awaitable, Callable
from typing import Final
from warnings import warn

import trio

from samemind.errors import Unreachable
from samemind.library.mind import Mind, open_mind


class MindThread(threading.Thread):
    """The thread for one open store. It knows nothing of whoever asks it, who may be collected."""

    def __init__(self, path: str | os.PathLike[str], name: str | None) -> None:
        super().__init__(
            name="samemind", daemon=True
        )  # an interpreter that ends without closing is not held up
        self.path = path
        self._device_name = name
        self._looked_for = threading.Event()
        self._opened: tuple[Mind, trio.lowlevel.TrioToken] | None = None
        self._ended: Final = trio.Event()
        self._is_wanted = True
        self._failure: BaseException | None = None

    def run(self) -> None:
        try:
            # Signals are the main thread's: a Ctrl-C reaches the caller, who closes us.
            trio.run(self._serve)
        except BaseException as error:
            self._failure = error
        finally:
            self._looked_for.set()

    def opened(self) -> tuple[Mind, trio.lowlevel.TrioToken]:
        """Return what was opened, or raise what kept it from being opened."""
        self._looked_for.wait()
        if self._opened is None:
            assert self._failure is not None
            raise self._failure
        return self._opened

    def begin(self, call: Callable[[], Awaitable[None]], too_late: Callable[[], None]) -> None:
        """Start a task, which is cancelled before the store is closed; where that is done, `too_late` is called."""
        _, token = self.opened()

        def begin() -> None:
            if self._ended.is_set():
                too_late()
            else:
                self._calls.start_soon(call)

        try:
            token.run_sync_soon(begin)
        except trio.RunFinishedError:
            too_late()

    def end(self) -> None:
        """Have the thread end, if it is still opening too. What is still waited for is cancelled."""
        self._is_wanted = False
        if self._opened is not None:
            try:
                self._opened[1].run_sync_soon(self._ended.set)
            except trio.RunFinishedError:
                pass  # it ended by itself; `_failure` says why, and every call since has said so

    async def _serve(self) -> None:
        async with open_mind(self.path, name=self._device_name) as mind, trio.open_nursery() as self._calls:
            self._opened = mind, trio.lowlevel.current_trio_token()
            self._looked_for.set()
            if not self._is_wanted:
                self._ended.set()
            await self._ended.wait()
            self._calls.cancel_scope.cancel()


class OnThread:
    """Has a mind that such a thread runs, until it is closed or collected."""

    def __init__(self, thread: MindThread) -> None:
        self._mind, self._token = thread.opened()
        self._thread: Final = thread
        self._process: Final = os.getpid()
        self.closing = False

    @property
    def _is_forked(self) -> bool:
        return os.getpid() != self._process

    def _check_process(self) -> None:
        """Raise `Unreachable` in a process that was forked since: the threads that answer stayed with the other."""
        if self._is_forked:
            raise Unreachable(
                "this memory was opened before this process was forked",
                code="forked",
                hint="open it again in this process",
            )

    def _end(self) -> threading.Thread | None:
        """Have the thread end, and return it; a process that was forked since has none."""
        if self._is_forked:
            return None
        self.closing = True
        self._thread.end()
        return self._thread

    def _as_closed(self, error: BaseException) -> BaseException:
        """Return what an error is told as: a verb under way is cancelled, at times within a nursery of its own."""
        ended = isinstance(error, trio.RunFinishedError)
        if ended or (self.closing and isinstance(error, _AS_IT_CLOSES)):
            return Unreachable("this memory is closed", code="closed")
        return error

    def __del__(self) -> None:
        # One that did not open has no thread to end; who collects it may be that thread, which cannot be waited for.
        if hasattr(self, "closing") and not self.closing and self._end() is not None:
            warn(f"a memory was not closed: {self!r}", ResourceWarning, stacklevel=2, source=self)

    def __repr__(self) -> str:
        return f"<samemind.{type(self).__name__} {self._thread.path!r}>"


_AS_IT_CLOSES: Final = (trio.ClosedResourceError, trio.Cancelled, BaseExceptionGroup)
