"""Turn rows of the replica into what the doors show."""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any, Final

from replica import FIELDS, MemoryId, NotFound, show_memory_id
from samemind.fields import DOOR_NAMES
from samemind.results.memories import MemoryView
from samemind.times import at_ms, at_stamp

_TIMES: Final = frozenset({"told_at", "event_start", "event_end"})
_COLUMNS: Final = tuple(FIELDS)
_SELECT: Final = (
    "SELECT m.rid, m.text, m.created, m.updated, m.accesses, m.last_access, f.device, f.incarnation, "
    "ifnull(p.nickname, n.name), "
    + ", ".join(f'm."{name}"' for name in _COLUMNS)
    + " FROM memory m JOIN feed f ON f.no = m.feed LEFT JOIN member n ON n.device = f.device"
    " LEFT JOIN peer p ON p.device = f.device"
)


def show_origin(device: bytes, incarnation: bytes) -> str:
    """Return an origin as people see it."""
    return f"{device.hex()}/{incarnation.hex()}"


def select_memories(
    connection: sqlite3.Connection, rest: str, values: Sequence[Any] = ()
) -> Iterator[MemoryView]:
    """Return the memories `m` that a condition, an order and a limit leave."""
    return map(_view, connection.execute(f"{_SELECT} {rest}", values))


def memory_view(connection: sqlite3.Connection, rid: MemoryId) -> MemoryView:
    """Return one memory."""
    for view in select_memories(connection, "WHERE m.rid = ?", (rid,)):
        return view
    raise NotFound(f"no memory has the id {show_memory_id(rid)}")


def show_field(name: str, value: Any) -> Any:
    """Return a field's stored value as the doors show it."""
    if value is None:
        return None
    if name in _TIMES:
        return at_ms(value)
    if name == "parent":
        return show_memory_id(value)
    return value


def _view(row: Sequence[Any]) -> MemoryView:
    rid, text, created, updated, accesses, last_access, device, incarnation, device_name, *values = row
    fields: dict[str, Any] = {}
    for name, value in zip(_COLUMNS, values, strict=True):
        if value is None:
            continue
        if name in ("tags", "meta"):
            value = json.loads(value)
        elif name in ("pinned", "archived", "apart"):
            value = bool(value)
        fields[DOOR_NAMES.get(name, name)] = show_field(name, value)
    return MemoryView(
        rid=show_memory_id(rid),
        text=text,
        created_at=at_stamp(created),
        updated_at=at_stamp(updated),
        device=device.hex(),
        device_name=device_name,
        origin=show_origin(device, incarnation),
        accesses=accesses,
        last_access=at_ms(last_access) if last_access else None,
        **fields,
    )
