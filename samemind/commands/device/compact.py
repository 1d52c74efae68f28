"""Compact the log: fold ops that every device has into the base, which drops their history."""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from samemind.declaring import Agents, Command, Effects, Method

if TYPE_CHECKING:
    import sqlite3

    from replica import Core
    from samemind.control.server import Say
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class Compact:
    """Compact the log: fold ops that every device has into the base, which drops their history."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacted:
    """How many ops left the log for the base, and how many it still holds.

    `horizon`: what was stamped up to then is not told in full any more.
    """

    compacted: int
    ops: int
    horizon: datetime | None = None


async def run(device: "Device", options: Compact, say: "Say") -> Compacted:
    """Fold what every device has, saying how far that is.

    Devices that were not heard of for the length of a lease hold nothing back.
    """
    from replica.compaction import outlook
    from replica.reads.counts import count_ops
    from samemind.commands.device._record import shown_horizon
    from samemind.housekeeping import fold_away

    ahead = await device.replica.run(lambda core, _: outlook(core, device.now_ms()))

    async def told(done: int) -> None:
        await say({"progress": {"done": done, "total": max(done, ahead.ops)}})

    compacted = await fold_away(device, before_ms=None, told=told)

    def count(core: "Core", connection: "sqlite3.Connection") -> Compacted:
        left = count_ops(connection)
        return Compacted(compacted=compacted, ops=left, horizon=shown_horizon(core.horizon_ms))

    return await device.replica.run(count)


COMMAND: Final = Command(
    "compact",
    Compact,
    Compacted,
    run=run,
    effects=Effects.DESTROY,
    agents=Agents.NEVER,
    panel="undoes or folds much at once: asked for where its result can be read",
    library=Method("compact"),
    streams=True,
    kept="what left the log so far stays folded; `samemind compact` goes on from there",
    place=8,
)
