"""Show what this device is and how it is, and stop its daemon."""

import os
import sqlite3
import time
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Final

from cognition.tiers import Tier, count_tiers
from replica import outlook
from replica.history import horizon_ms
from samemind.config import check_name
from samemind.control.server import Say
from samemind.device import Device
from samemind.errors import Locked, NeedsDecision
from samemind.results.device import (
    DaemonStatus,
    Initialised,
    Stats,
    Stopped,
    ThinkStatus,
    Warmed,
)
from samemind.results.mailbox import MailboxView
from samemind.surface.device import Down, Init, ShowStats, ShowStatus, Up, Warmup
from samemind.times import at_ms, at_stamp
from samemind.verbs.clones import clone_of, divorce, incidents, put_out_by
from samemind.verbs.group import peer_views

# How many memories are looked at in one go: some 40 ms of the reading thread.
TIERS_PAGE: Final = 10_000


async def init(device: Device, options: Init) -> Initialised:
    """Say what this home is; opening it made it a device."""
    if options.divorce:
        return await divorce(device, options.name)
    if options.name is not None and check_name(options.name) != device.name:
        raise NeedsDecision(
            f"{device.home.shown()} is a device already, and it is called {device.name}",
            code="named_already",
            hint="choose another home, or call it what you like on each other device: samemind peers rename",
        )
    return Initialised(device_id=device.device_id.hex(), name=device.name, home=device.home.shown())


async def status(device: Device, options: ShowStatus) -> DaemonStatus:
    """Show how the daemon is; without one, what is known of the peers."""
    return await daemon_status(device)


async def daemon_status(device: Device) -> DaemonStatus:
    """Return what `status` shows, and what the daemon says when it is up."""
    syncer = device.syncer
    return DaemonStatus(
        running=syncer is not None,
        device_id=device.device_id.hex(),
        name=device.name,
        home=device.home.shown(),
        pid=None if syncer is None else os.getpid(),
        address=None if syncer is None or syncer.address is None else str(syncer.address),
        mcp_url=device.mcp_url,
        panel_url=None if device.panels is None or device.panels.panel is None else device.panels.panel.url,
        peers=await peer_views(device),
        mailboxes=await _mailboxes(device),
        incidents=await incidents(device),
        clone=await clone_of(device),
        think=_think_status(device),
        revoked_by=await put_out_by(device),
    )


async def _mailboxes(device: Device) -> list[MailboxView]:
    """Return how it stands with the mailboxes; a device that has none loads nothing of them."""
    if not device.home.mailboxes.exists():
        return []
    from samemind.verbs.mailbox import mailbox_views

    return await mailbox_views(device)


def _think_status(device: Device) -> ThinkStatus | None:
    if device.thinker is None:
        return None
    ahead, last = device.thinker.outlook(), device.mind.last_cycle
    return ThinkStatus(
        thinking=device.mind.is_thinking,
        runner=ahead.runner.hex(),
        next_at=at_ms(device.now_ms() + ahead.next_ms),
        last_at=None if last is None else at_ms(last.began_ms),
        took_ms=None if last is None else last.took_ms,
        found={} if last is None else {name: len(ids) for name, ids in last.ids.items()},
        trouble=device.thinker.trouble,
    )


async def up(device: Device, options: Up, say: Say) -> Stopped:
    """Let a daemon have the store that this program holds only because there was none."""
    if not device.lets_go:
        raise Locked(f"{device.home.shown()} is in use by {device.program}", hint="end that program")
    device.stop.set()
    return Stopped(device_id=device.device_id.hex(), pid=os.getpid())


async def warmup(device: Device, options: Warmup) -> Warmed:
    """Load the model and the vectors, which the first recall would do otherwise."""
    began = time.perf_counter()
    await device.mind.warm_up()
    unembedded = await device.mind.embedding.catch_up()
    return Warmed(took_ms=round((time.perf_counter() - began) * 1_000, 3), unembedded=unembedded)


async def down(device: Device, options: Down) -> Stopped:
    """Ask the daemon to stop; it answers this first."""
    if device.syncer is None:
        raise Locked(
            f"{device.home.shown()} is in use by {device.program}, which is no daemon",
            hint="end that program",
        )
    device.stop.set()
    return Stopped(device_id=device.device_id.hex(), pid=os.getpid())


async def stats(device: Device, options: ShowStats) -> Stats:
    """Count."""

    def read(connection: sqlite3.Connection) -> Stats:
        def one(sql: str) -> int:
            ((found,),) = connection.execute(sql)
            return int(found)

        return Stats(
            memories=one("SELECT count(*) FROM memory"),
            forgotten=one("SELECT count(*) FROM tombstone"),
            edges=one("SELECT count(*) FROM edge"),
            ops=one("SELECT count(*) FROM op"),
            devices=devices,
            queue=queue.pending,
            queue_failed=queue.failed,
            store_bytes=sum(path.stat().st_size for path in store_files(device)),
            log_bytes=one("SELECT ifnull(sum(length(payload)), 0) FROM op"),
            compactable=ahead.ops,
            held_by=None if ahead.held_by is None else ahead.held_by.hex(),
            horizon=at_stamp(passed_ms << 16) if (passed_ms := horizon_ms(connection)) else None,
            by_type=dict(
                connection.execute("SELECT ifnull(type, 'none'), count(*) FROM memory GROUP BY 1 ORDER BY 1")
            ),
            by_device=dict(
                connection.execute(
                    """SELECT ifnull(p.nickname, ifnull(n.name, hex(f.device))), count(*) FROM memory m
                       JOIN feed f ON f.no = m.feed LEFT JOIN member n ON n.device = f.device
                       LEFT JOIN peer p ON p.device = f.device GROUP BY f.device ORDER BY 1"""
                )
            ),
            by_workspace=dict(
                connection.execute("SELECT ifnull(workspace, ''), count(*) FROM memory GROUP BY 1 ORDER BY 1")
            ),
            by_tier=tiers,
        )

    queue = await device.mind.embedding.state()
    ahead, devices = await device.replica.run(
        lambda core, _: (outlook(core, device.now_ms()), len(core.membership.standing))
    )
    tiers = await _tiers(device)
    return await device.replica.read(read)


async def _tiers(device: Device) -> dict[str, int]:
    """Count where memories stand, some at a time: recalls come between."""
    counts, last = Counter[Tier](hot=0, warm=0, cold=0), 0
    count = partial(count_tiers, limit=TIERS_PAGE, now_ms=device.now_ms(), profile=device.profile)
    while True:
        page, end = await device.replica.read(partial(count, after=last))
        counts.update(page)
        if end is None:
            return {**counts}
        last = end


def store_files(device: Device) -> list[Path]:
    """Return the files that the store consists of at this moment."""
    store = device.home.store
    return [path for path in (store, store.with_name(f"{store.name}-wal")) if path.exists()]
