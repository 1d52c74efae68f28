"""Do in a thread what is Python's alone, while SQLite works and lets Python go on."""

import _thread
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

Result = TypeVar("Result")

# A thread that comes back from SQLite waits so long (s) for the interpreter's lock while another computes. Some forty
# statements run for each batch of rows: at Python's own 5 ms, a tenth of the time of a large base was such waiting.
_TURN_S: Final = 0.0005
_counting: Final = threading.Lock()
_turns_before: Final[list[float]] = []
"""How long a turn was before each of the blocks that run now."""


class Begin(Protocol):
    """Begins a function beside the caller, and returns what waits for its result."""

    def __call__(self, function: Callable[[], Result], /) -> Callable[[], Result]:
        """One at a time: the next waits for the one before. Its errors are raised where it is waited for."""
        ...


@contextmanager
def thread_beside() -> Iterator[Begin]:
    """Give what begins functions in a thread; whatever was begun has ended when the block has.

    Where no thread can be begun, as in a browser, a function is run when it is waited for. Meanwhile all threads of the
    program take shorter turns.
    """
    from concurrent.futures import Future  # here: it is for what comes by the thousand

    has_none = False
    last: Future[Any] = Future()
    last.set_result(None)

    def begin(function: Callable[[], Result], /) -> Callable[[], Result]:
        nonlocal has_none, last
        last.exception()  # waits for its end, and raises nothing
        if not has_none:
            future = Future[Result]()
            try:
                # Not a `Thread`, nor a pool of them: these wait until it has begun, and then it has the interpreter.
                _thread.start_new_thread(_come_to, (future, function))
            except RuntimeError:  # no thread can be begun; one that could be later would run this again
                has_none = True
            else:
                last = future
                return future.result
        return function

    with _short_turns():
        try:
            yield begin
        finally:
            last.exception()


def _come_to(future: "Future[Result]", function: Callable[[], Result]) -> None:
    try:
        future.set_result(function())
    except BaseException as error:
        future.set_exception(error)


@contextmanager
def _short_turns() -> Iterator[None]:
    """Let threads take short turns until the last of the blocks that run at a time has ended."""
    with _counting:
        _turns_before.append(sys.getswitchinterval())
        if _turns_before[0] > _TURN_S:
            sys.setswitchinterval(_TURN_S)
    try:
        yield
    finally:
        with _counting:
            before = _turns_before[0]
            _turns_before.pop()
            if not _turns_before and before > _TURN_S:
                sys.setswitchinterval(before)
