"""Have the thread of a mind run what any other thread waits for; or what waits for nothing but the store, that thread.

The way by trio's thread and back takes a quarter of a millisecond, a third of what it takes to remember something, and
one by the thread that reads half as much again.
"""

import dataclasses
import functools
import sqlite3
import threading
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec, TypeVar, cast

import trio

from replica import Core, Replica
from samemind.errors import Usage
from samemind.library.mind import Mind
from samemind.library.mind_thread import OnThread
from samemind.local import Local
from samemind.performing import at_once

if TYPE_CHECKING:
    from cognition import Cognition
    from cognition.recall.stages import Hits

Result = TypeVar("Result")
Options = ParamSpec("Options")


class ThreadedMind(OnThread):
    """Waits for the answers of a mind that another thread runs."""

    @property
    def straight(self) -> "StraightMind | None":
        """A way past the thread of the mind; None where another process holds the store, or a model reads talk."""
        self._check_process()
        return self._straight

    @functools.cached_property
    def _straight(self) -> "StraightMind | None":
        reached = self._mind._reached
        if not isinstance(reached, Local) or reached.device.mind.talk is not None:
            return None
        return StraightMind(reached)

    def _run(self, call: Callable[[], Awaitable[Result]]) -> Result:
        self._check_process()
        if trio.lowlevel.in_trio_task():
            raise Usage(
                "expected a thread that runs no trio: this call would hold up every task until it is answered",
                hint="use samemind.open, or await trio.to_thread.run_sync(mind.recall, ...)",
            )
        try:
            return trio.from_thread.run(call, trio_token=self._token)
        except BaseException as error:
            told = self._as_closed(error)
            if told is error:
                raise
            raise told from None


class StraightMind:
    """A mind of this process, for a thread that runs no trio: what a verb reads or writes goes straight to the store.

    Only for verbs that await nothing but the store.
    """

    def __init__(self, local: Local) -> None:
        replica = cast("Replica", _StraightReplica(local.device.replica))
        self._cognition: Final = local.device.mind
        self._mind: Final = Mind(Local(dataclasses.replace(local.device, replica=replica)))
        recalling = cast("Cognition", _Recalling(self._cognition))
        self._asked: Final = Mind(
            Local(dataclasses.replace(local.device, replica=replica, opened_mind=recalling))
        )
        self._recalling: Final = threading.Lock()

    def run(self, call: Callable[[Mind], Coroutine[Any, Any, Result]]) -> Result:
        """Run a method that writes on the thread of the caller; `ClosedResourceError` where the store was closed."""
        return at_once(call(self._mind))

    def recall(self, call: Callable[[Mind], Coroutine[Any, Any, Result]]) -> Result | None:
        """Run `recall` of what is now likewise; None where it would wait for another, or for what has to follow."""
        if not self._recalling.acquire(blocking=False):
            return None
        try:
            return at_once(call(self._asked)) if self._cognition.answers_at_once else None
        finally:
            self._recalling.release()


class _Recalling:
    """What `recall` has need of from cognition that has followed everything, for a thread that runs no trio."""

    def __init__(self, mind: "Cognition") -> None:
        self._mind = mind
        self.ingest = self
        self.has_index = True

    async def catch_up(self) -> None:
        """What was told is read: that was looked at before."""

    async def recall(self, query: str, **options: Any) -> "Hits":
        return self._mind.recall_from_thread(query, **options)


class _StraightReplica:
    """What a verb has need of from a replica, for a thread that runs no trio."""

    taking_in: Final = None  # nobody would hear what is waited for

    def __init__(self, replica: Replica) -> None:
        self._replica = replica
        self.now_ms = replica.now_ms

    async def run(
        self, function: Callable[[Core, sqlite3.Connection], Result], *, tells: bool = False
    ) -> Result:
        return self._replica.run_from_thread(function, tells=tells)

    async def read(self, function: Callable[[sqlite3.Connection], Result]) -> Result:
        return self._replica.read_from_thread(function)


def waiting_for(
    method: Callable[Concatenate[Mind, Options], Awaitable[Result]],
) -> Callable[Concatenate[ThreadedMind, Options], Result]:
    """Return a method that has this one run by the thread of the mind, and waits for its result."""

    @functools.wraps(method)
    def wait(self: ThreadedMind, /, *args: Options.args, **options: Options.kwargs) -> Result:
        return self._run(lambda: method(self._mind, *args, **options))

    return wait
