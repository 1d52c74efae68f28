"""Compare what was remembered at two moments."""

import sqlite3
from collections.abc import Mapping
from typing import Any, Final

from replica import memories_by_age
from samemind.device import Device
from samemind.errors import Usage
from samemind.results.memories import MemoryView
from samemind.results.past import Changed, Difference
from samemind.results.plain import to_json
from samemind.surface.past import Diff
from samemind.times import at_ms, read_time
from samemind.verbs.moments import moment_of, opened_past
from samemind.verbs.views import view_of_memory

# Of a memory that was merely recalled nothing changed.
_NO_CHANGE: Final = frozenset({"accesses", "last_access", "updated_at", "device_name"})


async def diff(device: Device, options: Diff) -> Difference:
    """Make both moments, one after the other, and compare them."""
    if not options.since:
        raise Usage("diff: expected --since TIME, which is missing")
    since_ms = read_time(options.since, name="since")
    until_ms = moment_of(device, options.until, name="until")
    if until_ms < since_ms:
        raise Usage("expected a time that begins before it ends", code="invalid")
    async with opened_past(device, since_ms - 1, options.seen_by) as past:
        before = await past.read(_memories)
    async with opened_past(device, until_ms, options.seen_by) as past:
        after = await past.read(_memories)
    return Difference(
        since=at_ms(since_ms),
        until=at_ms(until_ms),
        added=[view for rid, view in after.items() if rid not in before],
        changed=[
            changed
            for rid, view in after.items()
            if rid in before and (changed := _change(before[rid], view)) is not None
        ],
        forgotten=[view for rid, view in before.items() if rid not in after],
    )


def _memories(connection: sqlite3.Connection) -> Mapping[str, MemoryView]:
    return {view.rid: view for view in map(view_of_memory, memories_by_age(connection))}


def _change(before: MemoryView, after: MemoryView) -> Changed | None:
    old: dict[str, Any] = to_json(before)
    new: dict[str, Any] = to_json(after)
    fields = {
        name: value
        for name, value in new.items()
        if old.get(name) != value and name not in _NO_CHANGE and name != "text"
    }
    if before.text == after.text and not fields:
        return None
    return Changed(rid=after.rid, before=before.text, after=after.text, fields=fields)
