"""Keep a world's time, its trace and its findings: one queue of events, nothing that waits."""

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from simulations.options import Options
from simulations.trace import Event, Trace

# The world begins in 2024, so that clocks can be years behind and still be after 1970.
START_MS: Final = 1_704_067_200_000
# A broken world repeats itself; a person needs the first few.
VIOLATIONS_MAX: Final = 40
# What the world itself meets on the way is reported under this name (`simulations.checkers.no_wedge`).
WEDGE: Final = "no_wedge"


class Violation(NamedTuple):
    """Something that must not be, found by one checker."""

    checker: str
    detail: str


@dataclass(slots=True, eq=False)
class Timeline:
    """Simulated time, and what is due when."""

    options: Options
    trace: Trace = field(default_factory=Trace)
    now_ms: int = START_MS
    violations: list[Violation] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    _queue: list[tuple[int, int, Callable[[], None]]] = field(default_factory=list)
    _queued: int = 0

    def pass_time(self, ms: int) -> None:
        """Let time pass, and arrive what is due meanwhile."""
        until = self.now_ms + ms
        while self._queue and self._queue[0][0] <= until:
            self.now_ms, _, action = heapq.heappop(self._queue)
            self.guarded(action)
        self.now_ms = until

    def schedule(self, at_ms: int, action: Callable[[], None]) -> None:
        """Do something at a later time; what is due at one time happens in the order in which it was asked for."""
        self._queued += 1
        heapq.heappush(self._queue, (max(at_ms, self.now_ms), self._queued, action))

    def say(self, device: str, what: str, detail: str, *, other: str = "", ops: int = 0) -> None:
        """Write an event into the trace."""
        self.trace.add(Event(self.now_ms - START_MS, device, what, detail, other, ops))

    def count(self, what: str, by: int = 1) -> None:
        """Count something that a sweep reports in its totals."""
        self.counts[what] = self.counts.get(what, 0) + by

    def violate(self, checker: str, detail: str) -> None:
        """Report something that must not be."""
        if len(self.violations) < VIOLATIONS_MAX:
            self.violations.append(Violation(checker, detail))
            self.say("", "violation", f"{checker}: {detail}")

    def guarded(self, action: Callable[[], None]) -> None:
        """Do something; an exception that nobody expected is a finding, not the end of the world."""
        try:
            action()
        except Exception as error:
            self.violate(WEDGE, f"unexpected {type(error).__name__}: {error}{_where(error)}")


def _where(error: BaseException) -> str:
    place, trace = "", error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        place = f" in {code.co_name}, {code.co_filename.rpartition('/')[2]} line {trace.tb_lineno}"
        trace = trace.tb_next
    return place
