"""Change fields of a memory.

Each change reads, decides and commits in one call on the store's thread, so that nothing slips in between.
"""

import sqlite3
from dataclasses import replace
from typing import Any

from replica import Core, MemoryId, show_memory_id
from samemind.commands.memories._pins import check_pins
from samemind.device import Device
from samemind.held_back import change_kept_back, settings_of
from samemind.ids import find_memory
from samemind.memory_view import MemoryView
from samemind.views import memory_view

Asked = dict[str, Any]


async def set_fields(device: Device, text: str, asked: Asked) -> MemoryView:
    def write(core: Core, connection: sqlite3.Connection) -> MemoryView:
        rid = find_memory(connection, text)
        if asked.get("pinned"):
            check_pins(connection, rid)
        held = change_kept_back(device, connection, rid, fields=asked)
        if held is None:
            core.commit(settings_of(connection, rid, asked), device.now_ms())
        return seen_with(connection, rid, held)

    return await device.replica.run(write)


def seen_with(connection: sqlite3.Connection, rid: MemoryId, held: MemoryId | None) -> MemoryView:
    """Return a memory as it stands, with the id under which its change is held back, if it is."""
    view = memory_view(connection, rid)
    return view if held is None else replace(view, held=show_memory_id(held))
