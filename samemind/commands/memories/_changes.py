"""Change fields of a memory.

Each change reads, decides and commits in one call on the store's thread, so that nothing slips in between.
"""

import sqlite3
from dataclasses import replace
from typing import Any

from cognition.reminding.repeating import REPEATS
from cognition.tellings import tellings_with
from cognition.triggers.told_once import told_with
from replica import Core, MemoryId, Write, memories_called, show_memory_id
from samemind.commands.memories._pins import check_pins
from samemind.device import Device
from samemind.formats.fields import META_ENTRIES
from samemind.formats.ids import find_memory
from samemind.formats.memory_view import MemoryView
from samemind.formats.views import memory_view
from samemind.held_back import change_kept_back, settings_of

Asked = dict[str, Any]


async def set_fields(device: Device, text: str, asked: Asked) -> MemoryView:
    def write(core: Core, connection: sqlite3.Connection) -> MemoryView:
        rid = find_memory(connection, text)
        if asked.get("pinned"):
            check_pins(connection, rid)
        held = change_kept_back(device, connection, rid, fields=asked)
        if held is None:
            core.commit(
                [*settings_of(connection, rid, asked), *_moved_with(connection, rid, asked)], device.now_ms()
            )
        return seen_with(connection, rid, held)

    return await device.replica.run(write)


def _moved_with(connection: sqlite3.Connection, rid: MemoryId, asked: Asked) -> list[Write]:
    """Return the writes that move the other tellings of a reminder, which would come up at the old time alone."""
    moved: Asked = {name: asked[name] for name in ("event_start", "event_end") if name in asked}
    if REPEATS in asked.get(META_ENTRIES, {}):
        moved[META_ENTRIES] = {REPEATS: asked[META_ENTRIES][REPEATS]}
    if not moved:
        return []
    told = [
        it
        for it in memories_called(connection, tellings_with(connection, rid))
        if it.memory.fields.get("type") == "prospective"
    ]
    return [
        write
        for it in told_with(connection, told, rid)
        if it.rid != rid
        for write in settings_of(connection, it.rid, moved)
    ]


def seen_with(connection: sqlite3.Connection, rid: MemoryId, held: MemoryId | None) -> MemoryView:
    """Return a memory as it stands, with the id under which its change is held back, if it is."""
    view = memory_view(connection, rid)
    return view if held is None else replace(view, held=show_memory_id(held))
