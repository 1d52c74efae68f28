"""Bound how often a device calls places that it never called before, at the word of an announcement.

Anybody on the local network can announce anything: a thousand ports of one host, each new. A household that comes
home announces a dozen devices in one moment, some of them on one machine; all are called at once. Whoever announces
more than that waits for a turn: a host gets so many first calls a minute, and the whole network so many. Pure.
"""

from collections import deque
from collections.abc import Collection, Iterable
from typing import Final, Self

# Several people may share a machine, and containers and virtual machines an address; a real one that comes on top of so
# many waits a minute.
CALLS_EACH_HOST_MAX: Final = 8
# A dozen devices, each of which may move a few times in that minute.
CALLS_MAX: Final = 64
WITHIN_MS: Final = 60_000


class NewPlaces:
    """The latest first calls: when, and to which hosts."""

    def __init__(self, calls: Iterable[tuple[int, frozenset[str]]] = ()) -> None:
        self._calls = deque(calls, maxlen=CALLS_MAX)

    def copy(self) -> Self:
        """Return one that goes on by itself, to try what would be."""
        return type(self)(self._calls)

    def called(self, hosts: Collection[str], *, now_ms: int) -> None:
        """A place at these hosts is called for the first time."""
        self._calls.append((now_ms, frozenset(hosts)))

    def free_ms(self, hosts: Collection[str]) -> int:
        """When a new place at these hosts may be called: 0 where that is at once."""
        free_ms = self._calls[0][0] + WITHIN_MS if len(self._calls) == CALLS_MAX else 0
        for host in hosts:
            times = [at_ms for at_ms, there in self._calls if host in there]
            if len(times) >= CALLS_EACH_HOST_MAX:
                free_ms = max(free_ms, times[-CALLS_EACH_HOST_MAX] + WITHIN_MS)
        return free_ms
