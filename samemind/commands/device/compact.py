"""Fold ops that every device has into the base; their history is no longer told afterwards."""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from samemind.declaring import Agents, Command, Effects, Method

if TYPE_CHECKING:
    import sqlite3

    from replica import Core
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class Compact:
    """Fold ops that every device has into the base; their history is no longer told afterwards."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacted:
    """How many ops left the log for the base, and how many it still holds.

    `horizon`: what was stamped up to then is not told in full any more.
    """

    compacted: int
    ops: int
    horizon: datetime | None = None


async def run(device: "Device", options: Compact) -> Compacted:
    """Fold what every device has; those that were not heard of for the length of a lease hold nothing back."""
    from replica.reads.counts import count_ops
    from samemind.commands.device._record import shown_horizon
    from samemind.housekeeping import fold_away

    compacted = await fold_away(device, before_ms=None)

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
    library=Method(
        "compact", "Fold ops that every device has into the base; their history is no longer told afterwards."
    ),
    place=8,
)
