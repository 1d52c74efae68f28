"""Say where the CPU time of a call goes: functions have their time taken, less that of those of them that they call."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any

Stages = Sequence[tuple[str, Sequence[tuple[object, str]]]]
"""What each stage is done by, where its callers look it up."""


class Taken:
    """How long each stage took, in seconds of CPU of its thread."""

    def __init__(self, stages: Stages) -> None:
        self._stages = stages
        self._inner: list[float] = []
        """Of each that is under way, the outermost first: what those that it called took."""
        self.reset()

    def reset(self) -> None:
        """Begin anew, behind what was done to warm up."""
        self.seconds = dict.fromkeys((stage for stage, _ in self._stages), 0.0)

    def shares(self, whole: float) -> Mapping[str, float]:
        """Return the share of each stage in all that was done."""
        return {stage: seconds / whole for stage, seconds in self.seconds.items()}

    @contextmanager
    def taking(self) -> Iterator[None]:
        """Take the time of each stage within a block."""
        before = [(owner, name, getattr(owner, name)) for _, places in self._stages for owner, name in places]
        try:
            for stage, places in self._stages:
                for owner, name in places:
                    setattr(owner, name, self._timed(stage, getattr(owner, name)))
            yield
        finally:
            for owner, name, function in before:
                setattr(owner, name, function)

    def _timed(self, stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def run(*arguments: Any, **named: Any) -> Any:
            self._inner.append(0.0)
            began = time.thread_time()
            try:
                return function(*arguments, **named)
            finally:
                took = time.thread_time() - began
                self.seconds[stage] += took - self._inner.pop()
                if self._inner:
                    self._inner[-1] += took

        return run
