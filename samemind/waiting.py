"""Have the thread of a mind run what any other thread waits for."""

import functools
from collections.abc import Awaitable, Callable
from typing import Concatenate, Final, ParamSpec, TypeVar

import trio

from samemind.errors import Unreachable
from samemind.library import Mind

Result = TypeVar("Result")
Options = ParamSpec("Options")


class ThreadedMind:
    """Has a mind that another thread runs, and waits for its answers."""

    def __init__(self, mind: Mind, token: trio.lowlevel.TrioToken) -> None:
        self._mind: Final = mind
        self._token: Final = token

    def _run(self, call: Callable[[], Awaitable[Result]]) -> Result:
        try:
            return trio.from_thread.run(call, trio_token=self._token)
        except trio.RunFinishedError:
            raise Unreachable("this memory is closed", code="closed") from None


def waiting_for(
    method: Callable[Concatenate[Mind, Options], Awaitable[Result]],
) -> Callable[Concatenate[ThreadedMind, Options], Result]:
    """Return a method that has this one run by the thread of the mind, and waits for its result."""

    @functools.wraps(method)
    def wait(self: ThreadedMind, /, *args: Options.args, **options: Options.kwargs) -> Result:
        return self._run(lambda: method(self._mind, *args, **options))

    return wait
