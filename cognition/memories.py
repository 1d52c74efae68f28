"""Read memories as they show: rows of the replica's memory table, as values."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from replica import FIELDS, DeviceId, Memory, MemoryId

# SQLite takes 32,766 parameters; one size keeps the statement cached.
IDS_MAX: Final = 1_000
# Numbers as one parameter: a statement of as many marks as there are numbers would be another each time, and to
# compile it costs as much as to run it.
EACH: Final = "SELECT value FROM json_each(?)"

# The source of text that came out of a recall: it says what is known already, and is never taken apart again.
RECALLED: Final = "recall"
_NAMES: Final = tuple(FIELDS)
_FIELD_COLUMNS: Final = ", ".join(f'm."{name}"' for name in _NAMES)
_JSON: Final = frozenset({"tags", "meta"})
_FLAGS: Final = frozenset({"pinned", "archived", "apart"})


class Shown(NamedTuple):
    """A memory, its row's number, the number its duplicates share, and the device that told it."""

    id: int
    content: int
    device: DeviceId
    memory: Memory

    @property
    def rid(self) -> MemoryId:
        """The memory's id."""
        return MemoryId(self.memory.rid)


def fields_of(names: Sequence[str], values: Sequence[Any]) -> dict[str, Any]:
    """Return the fields that are set, with lists, maps and flags as what they are."""
    fields: dict[str, Any] = {}
    for name, value in zip(names, values, strict=True):
        if value is not None:
            if name in _JSON:
                value = json.loads(value)
            elif name in _FLAGS:
                value = bool(value)
            fields[name] = value
    return fields


def read_memories(connection: sqlite3.Connection, ids: Iterable[int]) -> Iterator[Shown]:
    """Return those of the memories that show, in no particular order."""
    wanted = list(ids)
    for start in range(0, len(wanted), IDS_MAX):
        chunk = wanted[start : start + IDS_MAX]
        for row in connection.execute(
            "SELECT m.id, m.content, f.device, m.rid, m.text, m.created, m.updated, m.feed, m.accesses, "
            f"m.last_access, {_FIELD_COLUMNS} FROM memory m JOIN feed f ON f.no = m.feed "
            f"WHERE m.id IN ({','.join('?' * len(chunk))})",
            chunk,
        ):
            number, content, device, rid, text, created, updated, feed, accesses, last_access, *values = row
            fields = fields_of(_NAMES, values)
            memory = Memory(rid, text, fields, created, updated, feed, accesses, last_access)
            yield Shown(number, content, DeviceId(device), memory)
