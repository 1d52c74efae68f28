"""Count memories, edges, ops and devices, and measure the store."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Final

from samemind.config import LOG, beside
from samemind.declaring import Agents, Command, Effects, Method

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowStats:
    """Count memories, edges, ops and devices, and measure the store."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """How much there is. `queue` counts memories that wait for their vector.

    `facts` of the `memories` were read out of others: the panel counts those alone that were told, each group of
    tellings once.

    `compactable`: about how many ops could leave the log now; `held_by`: the device that most others wait for;
    `horizon`: what was stamped up to then is not told in full any more.
    """

    memories: int
    facts: int
    forgotten: int
    edges: int
    ops: int
    devices: int
    queue: int
    queue_failed: int
    store_bytes: int
    log_bytes: int
    compactable: int
    held_by: str | None
    horizon: datetime | None
    by_type: Mapping[str, int]
    by_device: Mapping[str, int]
    by_workspace: Mapping[str, int] = field(default_factory=dict)
    """What belongs to no workspace is under the empty name."""
    by_tier: Mapping[str, int] = field(default_factory=dict)


# How many memories are looked at in one go: some 40 ms of the reading thread.
TIERS_PAGE: Final = 10_000


async def run(device: "Device", options: ShowStats) -> Stats:
    """Count."""
    from replica import outlook
    from replica.history import horizon_ms
    from replica.reads import counts
    from samemind.formats.times import at_stamp

    def read(connection: "sqlite3.Connection") -> Stats:
        return Stats(
            memories=counts.count_memories(connection),
            facts=counts.count_facts(connection),
            forgotten=counts.count_forgotten(connection),
            edges=counts.count_edges(connection),
            ops=counts.count_ops(connection),
            devices=devices,
            queue=queue.pending,
            queue_failed=queue.failed,
            store_bytes=sum(path.stat().st_size for path in store_files(device)),
            log_bytes=counts.payload_bytes(connection),
            compactable=ahead.ops,
            held_by=None if ahead.held_by is None else ahead.held_by.hex(),
            horizon=at_stamp(passed_ms << 16) if (passed_ms := horizon_ms(connection)) else None,
            by_type=counts.count_by_type(connection),
            by_device=counts.count_by_device(connection),
            by_workspace=counts.count_by_workspace(connection),
            by_tier=tiers,
        )

    queue = await device.mind.embedding.state()
    ahead, devices = await device.replica.run(
        lambda core, _: (outlook(core, device.now_ms()), len(core.membership.standing))
    )
    tiers = await _tiers(device)
    return await device.replica.read(read)


async def _tiers(device: "Device") -> dict[str, int]:
    """Count where memories stand, some at a time: recalls come between."""
    from collections import Counter
    from functools import partial

    from cognition.fading.tiers import Tier, count_tiers

    counts, last = Counter[Tier](hot=0, warm=0, cold=0), 0
    count = partial(count_tiers, limit=TIERS_PAGE, now_ms=device.now_ms(), profile=device.profile)
    while True:
        page, end = await device.replica.read(partial(count, after=last))
        counts.update(page)
        if end is None:
            return {**counts}
        last = end


def store_files(device: "Device") -> "list[Path]":
    """Return the files that the store consists of at this moment."""
    store = device.home.store
    return [path for path in (store, beside(store, LOG)) if path.exists()]


COMMAND: Final = Command(
    "stats",
    ShowStats,
    Stats,
    run=run,
    effects=Effects.READ,
    agents=Agents.FULL,
    panel=True,
    library=Method("stats"),
    place=10,
)
