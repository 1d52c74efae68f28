"""Forget, once a window closed, what is still there of what was chosen when it opened.

What is chosen is settled when the window opens: with each memory what it is shown with as one, of which somebody could
see how often it was told. What is told again within the window is in no list that was looked at, and stays.
"""

import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING

from replica import MemoryId, parse_memory_id, show_memory_id
from replica.reads.ids import all_ids
from samemind.commands.memories._forgetting import forget_only, told_as

if TYPE_CHECKING:
    from samemind.device import Device


async def shown_with(device: "Device", rids: Sequence[str]) -> list[str]:
    """Return what goes when these memories are forgotten now: they, and what says the same."""

    def read(connection: sqlite3.Connection) -> list[str]:
        found: dict[MemoryId, None] = {}
        for rid in map(parse_memory_id, rids):
            found.update(dict.fromkeys([rid, *sorted(told_as(connection, rid, None))]))
        return [show_memory_id(rid) for rid in found]

    return await device.replica.read(read)


async def forget_what_is_left(device: "Device", rids: Sequence[str]) -> None:
    """Forget them; one that another device forgot meanwhile is none the less forgotten."""
    await forget_only(device, [parse_memory_id(rid) for rid in rids])


async def rids_of_everything(device: "Device") -> list[str]:
    """Return the ids of all memories: what is cleared is what is there now, not what comes meanwhile."""
    return await device.replica.read(lambda connection: [show_memory_id(rid) for rid in all_ids(connection)])
