"""List ids by how they begin, and how short each may be typed: for terminals, and for shells that complete."""

import sqlite3
import string
from typing import Final

from replica import devices_beginning, memories_beginning, show_memory_id
from samemind.device import Device
from samemind.errors import Usage
from samemind.results.device import Ids, IdView
from samemind.surface.device import ListIds

_HEX: Final = frozenset(string.hexdigits)
# A screen of ids, each with twenty others that begin like it.
IDS_MAX: Final = 1_000
# So much of a text tells memories apart in a list of completions.
ID_TEXT_CHARACTERS: Final = 60


async def ids(device: Device, options: ListIds) -> Ids:
    """List the ids that begin so, and how short each may be typed."""
    if not 0 <= options.limit <= IDS_MAX or len(options.beginnings) > IDS_MAX:
        raise Usage(
            f"expected a limit of 0 to {IDS_MAX} and at most {IDS_MAX} beginnings, got {options.limit} and "
            f"{len(options.beginnings)}",
            code="invalid",
        )

    def read(connection: sqlite3.Connection) -> Ids:
        found: dict[str, IdView] = {}
        for beginning in options.beginnings or ("",):
            plain = beginning.strip().replace("-", "").lower()
            if set(plain) <= _HEX:
                found |= {view.id: view for view in _beginning(connection, plain, options.limit)}
        return Ids(ids=list(found.values())[:IDS_MAX])

    return await device.replica.read(read)


def _beginning(connection: sqlite3.Connection, plain: str, limit: int) -> list[IdView]:
    """Return the memories, newest first, and then the devices whose ids begin with these digits."""
    memories = memories_beginning(connection, plain, limit=limit, characters=ID_TEXT_CHARACTERS)
    devices = devices_beginning(connection, plain, limit=limit)
    return [
        *(
            IdView(id=show_memory_id(rid), short=short, kind="memory", text=text)
            for rid, short, text in memories
        ),
        *(IdView(id=device.hex(), short=short, kind="device", text=name) for device, short, name in devices),
    ]
