"""End a test that hangs, and say where it hung: every wait in every test is bounded by this one.

A test may wait for a process, a socket, a browser or an event that never comes. Most waits have bounds of their own
with better words; this one is for those that nobody thought of. It dumps the stack of each thread and of each trio
task, ends the children that the test started, since they hold our output open, and ends the process: whatever the test
held (a browser, an event loop) is of no use to the next one. Under xdist that is one failed test and a new worker.

Where Python itself is stuck (a lock held inside a C library) no handler runs; `faulthandler_timeout` in
pyproject.toml comes a little later and needs none. A process that is stopped, or stands between two tests, has neither:
`watch_workers` is for the process that hears of the tests, and ends those that run them when all have gone silent.
"""

import faulthandler
import os
import signal
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import trio

# Ten times what the slowest test takes on a busy machine, and more than any bound that a test sets itself.
TEST_SECONDS_MAX: Final = 420.0
# By then every test that runs has ended or was ended, and has been heard of.
SILENCE_SECONDS_MAX: Final = TEST_SECONDS_MAX + 180
# For writing where each thread stands.
_DYING_SECONDS: Final = 5
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

    _call_after(seconds_max, bark)


def watch_workers(seconds_max: float = SILENCE_SECONDS_MAX) -> None:
    """End the processes that run the tests, unless this is called again before: by what they then are heard of, or not.

    xdist fails the test that each had begun, and gives the others to a new process. Should it hear nothing of that
    either, it is ended itself.
    """

    def bark(number: int, frame: object) -> None:
        _say(f"\nno test was heard of for {seconds_max:g} s. What runs them, and where each thread stands:\n")
        workers = _children(os.getpid(), of_theirs=False)
        below = [child for child in _children(os.getpid()) if child not in workers]
        for worker in workers:
            status = Path(f"/proc/{worker}/status").read_text().splitlines()
            _say(
                f"\n{worker}: {' '.join(line for line in status if line.startswith(('State', 'Threads')))}\n"
            )
            # pytest has each write its stacks when it aborts; one that is stopped does so once it goes on.
            os.kill(worker, signal.SIGABRT)
            os.kill(worker, signal.SIGCONT)
        time.sleep(_DYING_SECONDS)
        for child in (*below, *workers):
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        watch("the test run", seconds_max)

    _call_after(seconds_max, bark)


def _call_after(seconds: float, bark: Callable[[int, object], None]) -> None:
    """Call this on the main thread once so much time has passed, and nothing that was to be called before it."""
    signal.signal(signal.SIGALRM, bark)
    signal.setitimer(signal.ITIMER_REAL, seconds)


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


def _children(pid: int, *, of_theirs: bool = True) -> list[int]:
    """Return the processes that this one started, after those that they did; none where the system does not say."""
    found: list[int] = []
    for listed in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, listed.read_text().split()):
            found += [*(_children(child) if of_theirs else ()), child]
    return found


def _say(text: str) -> None:
    os.write(_stderr, text.encode(errors="replace"))
