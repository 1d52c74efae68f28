"""Do in a thread what is Python's alone, while SQLite works and lets Python go on."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol, TypeVar

Result = TypeVar("Result")


class Begin(Protocol):
    """Begins a function beside the caller, and returns what waits for its result."""

    def __call__(self, function: Callable[[], Result], /) -> Callable[[], Result]:
        """One at a time: the next waits for the one before. Its errors are raised where it is waited for."""
        ...


@contextmanager
def thread_beside() -> Iterator[Begin]:
    """Give what begins functions in a thread; whatever was begun has ended when the block has.

    Where no thread can be begun, as in a browser, a function is run when it is waited for.
    """
    from concurrent.futures import ThreadPoolExecutor  # here: it is for what comes by the ten thousand

    has_none = False
    with ThreadPoolExecutor(1, "beside") as thread:

        def begin(function: Callable[[], Result], /) -> Callable[[], Result]:
            nonlocal has_none
            if not has_none:
                try:
                    return thread.submit(function).result
                except RuntimeError:  # no thread can be begun; one that could be later would run this again
                    has_none = True
            return function

        yield begin
