"""Decide when to think, and which of the devices that are linked does it. Pure.

Every 5 minutes while much happens, every 30 while nothing does; nothing happening is no reason to stop, since what is
due or fades does so by itself. Of the devices that are linked, the one with the smallest id thinks for all, as its ops
reach the rest. That is advice and no lock: thinking twice changes nothing, so the others still take a turn once an
hour, in case the one is an older program or cannot write.

A cycle ends after some seconds, and what it left, as after a large import, waits for no interval: the next one comes
after as long a rest, on every device, so that thinking has half of one processor and others have the rest.
"""

from collections.abc import Iterable
from typing import Final

from replica.ids import DeviceId

MINUTE_MS: Final = 60_000
BUSY_MS: Final = 5 * MINUTE_MS
IDLE_MS: Final = 30 * MINUTE_MS
STAND_BY_MS: Final = 60 * MINUTE_MS
# So many ops since the last cycle are a busy time.
BUSY_OPS: Final = 20
# A rest is no shorter: a cycle that left work and took no time would otherwise follow itself without a pause.
REST_MS_MIN: Final = 1_000


def runner(own: DeviceId, linked: Iterable[DeviceId]) -> DeviceId:
    """Return the device that thinks for all that are linked."""
    return min((own, *linked))


def interval_ms(ops: int, *, runs: bool) -> int:
    """Return how long to wait from one cycle to the next, after this many ops, whoever wrote them."""
    if not runs:
        return STAND_BY_MS
    share = min(1.0, ops / BUSY_OPS)
    return round(IDLE_MS - share * (IDLE_MS - BUSY_MS))


def is_due(since_ms: int, ops: int, *, runs: bool) -> bool:
    """Say whether to think now, so long after the last cycle."""
    return since_ms >= interval_ms(ops, runs=runs)


def rest_ms(took_ms: float) -> int:
    """Return how long to rest after a cycle that took so long, before the next one goes on with what it left."""
    return max(REST_MS_MIN, round(took_ms))
