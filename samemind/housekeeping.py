"""Keep a device that runs for long in order, without being asked.

Once a day the daemon lets ops leave the log that every device has and that are older than the owner wants to look
back: `history_days` among the settings. A device that was not heard of for the length of a lease holds nothing back,
and loses nothing. A clock that is far ahead of what most other devices said lately lets nothing go.
"""

import logging
import sqlite3
from collections.abc import Awaitable, Callable
from typing import Final

import trio

from cognition.days import DAY_MS
from replica import Core, ReplicaError, compact
from replica.compaction import LEASE_MS
from samemind.device import Device

# Days go by in steps of a day.
COMPACT_SECONDS: Final = 86_400.0
# A daemon that starts has better things to do for a while.
FIRST_SECONDS: Final = 60.0

_log: Final = logging.getLogger(__name__)


async def keep_house(device: Device) -> None:
    """Do it for as long as the device runs."""
    await trio.sleep(FIRST_SECONDS)
    while True:
        try:
            if _runs_ahead(device):
                _log.warning("no op left the log today: this clock is a day or more ahead of other devices'")
            else:
                await fold_away(device, before_ms=device.now_ms() - device.settings.history_days * DAY_MS)
        except (
            ReplicaError,
            sqlite3.Error,
        ) as error:  # a full disk, most likely: the device goes on, as it is
            _log.warning("no op left the log today: %s", error)
        await trio.sleep(COMPACT_SECONDS)


def _runs_ahead(device: Device) -> bool:
    """Say whether this clock may be wrong, and call old what is not: what has left the log does not come back.

    As many as not must say so, of those heard of within a lease: one phone with a wrong clock, or one that was lost or
    put out, would keep the log long for ever; what was heard while this clock was ahead says nothing of it now. Of two
    clocks neither is known to be right.
    """
    peers = () if device.syncer is None else device.syncer.peers()
    lately = [
        peer.offset_ms <= -DAY_MS
        for peer in peers
        if peer.offset_ms is not None
        and peer.last_sync_ms is not None
        and peer.state != "revoked"
        and (peer.state == "linked" or 0 <= device.now_ms() - peer.last_sync_ms < LEASE_MS)
    ]
    return 0 < len(lately) <= 2 * sum(lately)


async def fold_away(
    device: Device, *, before_ms: int | None, told: Callable[[int], Awaitable[None]] | None = None
) -> int:
    """Let what may leave the log leave it, some of it at a time; return how many ops that were.

    `told` is called with how many that are so far; what has left stays away, also where this is cancelled.
    """
    total = 0

    def fold(core: Core, _: object) -> int:
        return compact(core, device.now_ms(), before_ms=before_ms)

    while moved := await device.replica.run(fold):
        total += moved
        if told is not None:
            await told(total)
    if total:
        await device.replica.run(lambda core, _: core.store.shrink())
    return total
