"""Think by itself, as long as the daemon runs: look every five minutes whether a cycle is due.

When to think is decided in `cognition.thinking.pace`. What a cycle did not get to, the next one goes on with after a
rest. A failure is told and waited out, and an end of the daemon ends a cycle between two calls.
"""

import logging
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Final

import trio

from cognition import CognitionError
from cognition.thinking.cycle import Cycle
from cognition.thinking.pace import BUSY_MS, interval_ms, is_due, rest_ms, runner
from replica import DeviceId, ReplicaError

_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ThinkingOutlook:
    """Who thinks at present, and in how many ms this device will, if nothing new happens until then."""

    runner: DeviceId
    next_ms: int


class ThinkLoop:
    """Calls `think` when it is due.

    `position` grows with every op, `linked` are the devices in touch, `last` is the last cycle, whoever asked for it.
    """

    def __init__(
        self,
        own: DeviceId,
        *,
        think: Callable[[], Awaitable[Cycle]],
        position: Callable[[], int],
        linked: Callable[[], Iterable[DeviceId]],
        last: Callable[[], Cycle | None],
    ) -> None:
        self._own = own
        self._think = think
        self._position = position
        self._linked = linked
        self._last = last
        self._last_ms = _now_ms()
        self._seen = position()
        self.trouble: str | None = None
        """Why the last cycle did not come to its end, if it did not."""

    async def run(self) -> None:
        """Go on until cancelled."""
        while True:
            rest_ms = self._rest_ms()
            await trio.sleep((BUSY_MS if rest_ms is None else rest_ms) / 1_000)
            ops = self._position() - self._seen
            if self._rest_ms() is not None or is_due(_now_ms() - self._last_ms, ops, runs=self._runs()):
                await self._cycle()

    def outlook(self) -> ThinkingOutlook:
        """Return what comes next."""
        wait_ms = self._rest_ms()
        if wait_ms is None:
            since_ms = _now_ms() - self._last_ms
            wait_ms = interval_ms(self._position() - self._seen, runs=self._runs()) - since_ms
        return ThinkingOutlook(runner(self._own, self._linked()), max(0, wait_ms))

    def _rest_ms(self) -> int | None:
        """Return how long to rest before going on with what the last cycle left; None where it left nothing."""
        last = self._last()
        return rest_ms(last.took_ms) if self.trouble is None and last is not None and last.more else None

    def _runs(self) -> bool:
        return runner(self._own, self._linked()) == self._own

    async def _cycle(self) -> None:
        self._last_ms = _now_ms()
        try:
            await self._think()
            self.trouble = None
        except (CognitionError, ReplicaError) as error:
            self.trouble = str(error)
            _log.warning("thinking was given up until the next cycle: %s", error)
        except Exception as error:  # a bug that shows in what somebody told must not end the links
            self.trouble = f"an error of ours ended the cycle: {error!r:.200}"
            _log.exception("thinking was given up until the next cycle, on an error of ours")
        self._seen = self._position()  # what it wrote itself is no news


def _now_ms() -> int:
    return round(trio.current_time() * 1_000)
