"""End a test that hangs, and say where it hung: every wait in every test is bounded by this one.

A test may wait for a process, a socket, a browser or an event that never comes. Most waits have bounds of their own
with better words; this one is for those that nobody thought of. It dumps the stack of each thread and of each trio
task, ends the children that the test started, since they hold our output open, and ends the process: whatever the test
held (a browser, an event loop) is of no use to the next one. Under xdist that is one failed test and a new worker.

Where Python itself is stuck (a lock held inside a C library) no handler runs; `faulthandler_timeout` in
pyproject.toml comes a little later and needs none.
"""

import faulthandler
import os
import signal
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import trio

# Ten times what the slowest test takes on a busy machine, and more than any bound that a test sets itself.
TEST_SECONDS_MAX: Final = 420.0
# After the last test, what is left is to end threads and to write the summary.
END_SECONDS_MAX: Final = 120.0
# How our end is told from others: 128 + SIGALRM, as a shell would show it.
EXIT_CODE: Final = 142

_stderr = 2


def keep_stderr() -> None:
    """Remember where standard error goes at this moment, before a test run captures it."""
    global _stderr
    _stderr = os.dup(2)


@contextmanager
def watching(what: str, seconds_max: float = TEST_SECONDS_MAX) -> Iterator[None]:
    """Let the block take so long at most. Main thread only, as signals are."""
    watch(what, seconds_max)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def watch(what: str, seconds_max: float) -> None:
    """End this process, unless another watch begins or ends before."""

    def bark(number: int, frame: object) -> None:
        _say(
            f"\n{what} hangs: expected an end within {seconds_max:g} s. Every thread, then every trio task:\n"
        )
        faulthandler.dump_traceback(_stderr, all_threads=True)
        _say(_tasks())
        for child in _children(os.getpid()):
            os.kill(child, signal.SIGKILL)
        os._exit(EXIT_CODE)

    signal.signal(signal.SIGALRM, bark)
    signal.setitimer(signal.ITIMER_REAL, seconds_max)


def _tasks() -> str:
    """Draw the trio tasks of this thread, if it runs any, each with where it waits."""
    try:
        root = trio.lowlevel.current_root_task()
    except RuntimeError:
        root = None
    return "no trio tasks\n" if root is None else "".join(_drawn(root, 0))


def _drawn(task: Any, depth: int) -> Iterator[str]:
    yield "  " * depth + f"task {task.name}\n"
    waits = [
        (frame, line) for frame, line in task.iter_await_frames() if "/trio/" not in frame.f_code.co_filename
    ]
    for line in traceback.StackSummary.extract(iter(waits), lookup_lines=True).format():
        yield "".join("  " * depth + part + "\n" for part in line.splitlines())
    for nursery in task.child_nurseries:
        for child in nursery.child_tasks:
            yield from _drawn(child, depth + 1)


def _children(pid: int) -> list[int]:
    """Return the processes that this one started, and those that they did; none where the system does not say."""
    found: list[int] = []
    for listed in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, listed.read_text().split()):
            found += [*_children(child), child]
    return found


def _say(text: str) -> None:
    os.write(_stderr, text.encode(errors="replace"))
