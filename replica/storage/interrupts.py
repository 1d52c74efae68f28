"""Let what has begun go to its end, whatever signal comes meanwhile.

Python runs the handlers of signals between two steps of whatever its main thread does, and most of them raise. In the
middle of a write that would leave what is in memory behind what is on the disk.
"""

import signal
import threading

# What `signal` is made of: with its own functions, which look names up, a write would take a twentieth longer.
from _signal import getsignal  # type: ignore[import-not-found]
from _signal import signal as set_handler
from collections.abc import Callable
from typing import Any, Final, TypeVar

Result = TypeVar("Result")
# By which people and their tools stop a program, or have it look up; each system has some of them.
_SIGNALS: Final = tuple(
    int(getattr(signal, name))
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGALRM", "SIGUSR1", "SIGUSR2", "SIGBREAK")
    if hasattr(signal, name)
)


def uninterrupted(work: Callable[[], Result]) -> Result:
    """Run `work` to its end, and then the handlers of the signals that came meanwhile, in their order.

    On any other thread than the main one no handler ever runs.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    came: list[int] = []
    handlers: dict[int, Callable[[int, Any], object]] = {}

    def note(number: int, frame: object) -> None:
        came.append(number)

    try:
        for number in _SIGNALS:
            if callable(handler := getsignal(number)):
                handlers[number] = handler
                set_handler(number, note)
        return work()
    finally:
        for number, handler in handlers.items():
            set_handler(number, handler)
        for number in came:
            handlers[number](number, None)
