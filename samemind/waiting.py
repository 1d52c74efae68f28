"""Have the thread of a mind run what any other thread waits for; or, of what only writes, the thread of the store.

The way by trio's thread and back takes a quarter of a millisecond, a third of what it takes to remember something.
"""

import dataclasses
import functools
import sqlite3
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Concatenate, Final, ParamSpec, TypeVar, cast

import trio

from replica import Core, Replica
from samemind.errors import Unreachable
from samemind.library import Mind
from samemind.performing import Local, at_once

Result = TypeVar("Result")
Options = ParamSpec("Options")


class ThreadedMind:
    """Has a mind that another thread runs, and waits for its answers."""

    def __init__(self, mind: Mind, token: trio.lowlevel.TrioToken) -> None:
        self._mind: Final = mind
        self._token: Final = token

    @functools.cached_property
    def straight(self) -> "StraightMind | None":
        """A way past the thread of the mind; None where another process holds the store, or a model reads talk."""
        reached = self._mind._reached
        if not isinstance(reached, Local) or reached.device.mind.talk is not None:
            return None
        return StraightMind(reached, self._token)

    def _run(self, call: Callable[[], Awaitable[Result]]) -> Result:
        try:
            return trio.from_thread.run(call, trio_token=self._token)
        except trio.RunFinishedError:
            raise Unreachable("this memory is closed", code="closed") from None


class StraightMind:
    """A mind of this process, for a thread that runs no trio: what a verb writes goes straight to the store's thread.

    Only for verbs that await nothing but the store.
    """

    def __init__(self, local: Local, token: trio.lowlevel.TrioToken) -> None:
        straight = _StraightReplica(local.device.replica, token)
        self._mind: Final = Mind(Local(dataclasses.replace(local.device, replica=cast("Replica", straight))))

    def run(self, call: Callable[[Mind], Coroutine[Any, Any, Result]]) -> Result:
        """Run a method on the thread of the caller; `ClosedResourceError` where the store was closed."""
        return at_once(call(self._mind))


class _StraightReplica:
    """What a verb that writes has need of, for a thread that runs no trio."""

    def __init__(self, replica: Replica, token: trio.lowlevel.TrioToken) -> None:
        self._replica = replica
        self._token = token
        self.now_ms = replica.now_ms

    async def run(
        self, function: Callable[[Core, sqlite3.Connection], Result], *, tells: bool = False
    ) -> Result:
        return self._replica.run_from_thread(function, tells=tells)

    async def read(self, function: Callable[[sqlite3.Connection], Result]) -> Result:
        return trio.from_thread.run(self._replica.read, function, trio_token=self._token)


def waiting_for(
    method: Callable[Concatenate[Mind, Options], Awaitable[Result]],
) -> Callable[Concatenate[ThreadedMind, Options], Result]:
    """Return a method that has this one run by the thread of the mind, and waits for its result."""

    @functools.wraps(method)
    def wait(self: ThreadedMind, /, *args: Options.args, **options: Options.kwargs) -> Result:
        return self._run(lambda: method(self._mind, *args, **options))

    return wait
