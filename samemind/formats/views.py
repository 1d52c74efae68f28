"""Turn rows of the replica into what the doors show."""

import sqlite3
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Final

from replica import Memory, MemoryId, NameNotFound, ShownMemory, memories_called, show_memory_id
from replica.reads.devices import device_names
from samemind.formats.fields import DOOR_NAMES
from samemind.formats.memory_view import MemoryView, TextVariant
from samemind.formats.times import at_ms, at_stamp

_TIMES: Final = frozenset({"told_at", "event_start", "event_end"})
_SHOWN_OTHERWISE: Final = _TIMES | DOOR_NAMES.keys() | {"parent"}


@lru_cache(maxsize=256)  # of a page, few devices wrote all
def show_origin(device: bytes, incarnation: bytes) -> str:
    """Return an origin as people see it."""
    return f"{device.hex()}/{incarnation.hex()}"


def memory_view(connection: sqlite3.Connection, rid: MemoryId) -> MemoryView:
    """Return one memory."""
    for shown in memories_called(connection, (rid,)):
        return view_of_memory(shown, variants=text_variants(connection, (shown.memory,)).get(rid, []))
    raise NameNotFound(f"no memory has the id {show_memory_id(rid)}")


def view_of_memory(shown: ShownMemory, **beside: Any) -> MemoryView:
    """Return a memory as interfaces show it; `beside` are fields of the view that follow from other tables."""
    memory = shown.memory
    fields: dict[str, Any] = memory.fields
    if otherwise := _SHOWN_OTHERWISE.intersection(fields):
        fields = {**fields}
        for name in otherwise:
            fields[DOOR_NAMES.get(name, name)] = show_field(name, fields.pop(name))
    created_at = at_stamp(memory.created)
    return MemoryView(
        rid=show_memory_id(shown.rid),
        text=memory.text,
        created_at=created_at,
        updated_at=created_at if memory.updated == memory.created else at_stamp(memory.updated),
        device=shown.device.hex(),
        device_name=shown.device_name,
        origin=show_origin(shown.device, shown.incarnation),
        accesses=memory.accesses,
        last_access=at_ms(memory.last_access) if memory.last_access else None,
        **fields,
        **beside,
    )


def text_variants(
    connection: sqlite3.Connection, memories: Iterable[Memory]
) -> dict[MemoryId, list[TextVariant]]:
    """Return what each device wrote, for those of these memories whose text is merged of edits of one place."""
    return variants_among(
        connection, [MemoryId(memory.rid) for memory in memories if memory.updated > memory.created]
    )


def variants_among(
    connection: sqlite3.Connection, changed: Sequence[MemoryId]
) -> dict[MemoryId, list[TextVariant]]:
    """Return the same of memories that may have been changed, by their ids."""
    if not changed:
        return {}
    from replica.variants import variants_of  # few are changed

    found = variants_of(connection, changed)
    if not found:  # as nearly always: then nobody's name is wanted
        return {}
    names = device_names(connection)
    return {
        rid: [
            TextVariant(
                text=variant.text,
                device=variant.origin.device.hex(),
                device_name=names.get(variant.origin.device),
                at=at_stamp(variant.hlc),
            )
            for variant in variants
        ]
        for rid, variants in found.items()
    }


def show_field(name: str, value: Any) -> Any:
    """Return a field's stored value as the doors show it."""
    if value is None:
        return None
    if name in _TIMES:
        return at_ms(value)
    if name == "parent":
        return show_memory_id(value)
    return value
