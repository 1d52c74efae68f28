"""Forget, once a window closed, what is still there of what was chosen when it opened."""

import sqlite3
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from replica import parse_memory_id, show_memory_id
from samemind.errors import NotFound, translated
from samemind.surface.memories import Forget
from samemind.verbs.changes import forget

if TYPE_CHECKING:
    from samemind.device import Device


async def forget_what_is_left(device: "Device", rids: Sequence[str]) -> None:
    """Forget them; one that another device forgot meanwhile is none the less forgotten."""
    if left := await device.replica.read(partial(_left, rids)):
        try:
            await forget(device, Forget(rids=tuple(left)))
        except Exception as error:
            if not isinstance(translated(error), NotFound):
                raise
            await forget_what_is_left(device, rids)  # one went between the reading and the writing


async def rids_of_everything(device: "Device") -> list[str]:
    """Return the ids of all memories: what is cleared is what is there now, not what comes meanwhile."""
    return await device.replica.read(
        lambda connection: [
            show_memory_id(rid) for (rid,) in connection.execute("SELECT rid FROM memory ORDER BY id")
        ]
    )


def _left(rids: Sequence[str], connection: sqlite3.Connection) -> list[str]:
    return [
        rid
        for rid in rids
        if connection.execute("SELECT 1 FROM memory WHERE rid = ?", (parse_memory_id(rid),)).fetchone()
    ]
