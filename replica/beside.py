"""Do in a thread what is Python's alone, while SQLite works and lets Python go on."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, Protocol, TypeVar

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
    from concurrent.futures import ThreadPoolExecutor  # here: it is for what comes by the ten thousand

    has_none = False
    with _short_turns(), ThreadPoolExecutor(1, "beside") as thread:

        def begin(function: Callable[[], Result], /) -> Callable[[], Result]:
            nonlocal has_none
            if not has_none:
                try:
                    return thread.submit(function).result
                except RuntimeError:  # no thread can be begun; one that could be later would run this again
                    has_none = True
            return function

        yield begin


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
