"""Hold BLAS to one thread: products as small as ours only wait for each other on several.

OpenBLAS shares a product out among its threads from 2^18 multiplications on, and then waits for each of them: where the
cores have anything else to do, 100 vectors by 1,000 took 15 ms of CPU so, and take one on one thread.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import numpy as np


class _Threads:
    """How many threads BLAS may use, while anybody asks for that: one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._libraries: list[Any] | None = None
        self._before: list[int] = []

    def enter(self) -> None:
        with self._lock:
            self._users += 1
            if self._users == 1:
                if self._libraries is None:
                    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]  # looks at all libraries

                    found = ThreadpoolController().lib_controllers
                    self._libraries = [each for each in found if each.user_api == "blas"]
                # Not by its `limit`: that asks each library anew for all that it can tell.
                self._take_over()
                self._before = [each.get_num_threads() for each in self._libraries]
                for each in self._libraries:
                    each.set_num_threads(1)

    def leave(self) -> None:
        with self._lock:
            self._users -= 1
            if not self._users:
                self._take_over()
                for each, threads in zip(self._libraries or (), self._before, strict=True):
                    each.set_num_threads(threads)
                self._take_over()

    def _take_over(self) -> None:
        """Let any thread set how many there are.

        By threadpoolctl 3.8 only the first one that did may, as long as it lives: what others ask for is not done, and
        nobody is told. A product of another thread kept a second core busy for up to a tenth of a second.
        """
        for each in self._libraries or ():
            if (let_go := getattr(each, "clear_controlling_thread", None)) is not None:
                let_go(force=True)


_threads: Final = _Threads()


def _starts_with_one() -> bool:
    """Say whether BLAS has one thread from the start, as the command has it (`samemind.__main__`).

    To hold it to one, all libraries that are loaded are looked at: that takes longer than a question does.
    """
    blas: str = np.show_config(mode="dicts")["Build Dependencies"]["blas"]["name"]
    return "openblas" in blas and os.environ.get("OPENBLAS_NUM_THREADS") == "1"


_has_one: Final = _starts_with_one()


@contextmanager
def one_thread() -> Iterator[None]:
    """Run the block with one thread of BLAS, in whichever thread it runs."""
    if _has_one:
        yield
        return
    _threads.enter()
    try:
        yield
    finally:
        _threads.leave()
