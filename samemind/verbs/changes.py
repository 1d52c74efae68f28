"""Change memories, and forget them.

Each reads, decides and commits in one call on the store's thread, so that nothing slips in between.
"""

import sqlite3
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any

import replica
from cognition.tellings import tellings_with
from replica import FIELDS, Core, Erase, MemoryId, Write, erasure_status, show_memory_id
from replica.limits import NAMES_MAX
from samemind.device import Device
from samemind.fields import LABELS_OFF, LABELS_ON, META_ENTRIES, read_assignment, read_typed
from samemind.held_back import change_kept_back, settings_of
from samemind.ids import find_memory
from samemind.results.memories import Forgotten, MemoryView
from samemind.surface.memories import Archive, Edit, Forget, Pin, Set, Tag, Unarchive, Unpin
from samemind.verbs.correcting import rewrite, text_unless_changed
from samemind.verbs.pins import check_pins
from samemind.views import memory_view

Asked = dict[str, Any]


async def edit(device: Device, options: Edit) -> MemoryView:
    """Change a memory's words; concurrent changes elsewhere keep theirs."""

    def write(core: Core, connection: sqlite3.Connection) -> MemoryView:
        rid = find_memory(connection, options.rid)
        text = text_unless_changed(connection, rid, was=options.was, wanted=options.text)
        held = None
        if text != options.text:
            held = change_kept_back(device, connection, rid, options.text)
            if held is None:
                rewrite(device, core, connection, rid, options.text)
        return _seen(connection, rid, held)

    return await device.replica.run(write)


async def set_(device: Device, options: Set) -> MemoryView:
    """Write fields, each a register of its own."""
    assignments = [read_assignment(word) for word in options.values]
    asked: Asked = {name: read_typed(name, typed) for name, typed in assignments if name in FIELDS}
    entries = {
        name.removeprefix(META_ENTRIES): typed or None for name, typed in assignments if name not in FIELDS
    }
    if entries:
        asked[META_ENTRIES] = entries
    return await _set(device, options.rid, asked)


async def tag(device: Device, options: Tag) -> MemoryView:
    """Put labels on, or take them off."""
    labels = sorted({each.strip() for each in options.tags})
    return await _set(device, options.rid, {LABELS_OFF if options.remove else LABELS_ON: labels})


async def pin(device: Device, options: Pin) -> MemoryView:
    """Keep it in the core profile; that stays short enough to be read whole."""

    def write(core: Core, connection: sqlite3.Connection) -> MemoryView:
        rid = find_memory(connection, options.rid)
        check_pins(connection, rid)
        core.commit([Write(replica.Set("pinned", True), rid)], device.now_ms())
        return memory_view(connection, rid)

    return await device.replica.run(write)


async def unpin(device: Device, options: Unpin) -> MemoryView:
    """Let it fade again."""
    return await _set(device, options.rid, {"pinned": None})


async def archive(device: Device, options: Archive) -> MemoryView:
    """Put it out of the way."""
    return await _set(device, options.rid, {"archived": True})


async def unarchive(device: Device, options: Unarchive) -> MemoryView:
    """Bring it back."""
    return await _set(device, options.rid, {"archived": None})


async def forget(device: Device, options: Forget) -> Forgotten:
    """Put a tombstone on the memories named, and on those that say the same: forgotten is what they said.

    The facts that were taken from them go with them, as they repeat it; a fact named by itself leaves its parent.

    Erasing also takes their words out of every log and file; what was only forgotten before can still be erased.
    """

    def tell(core: Core, connection: sqlite3.Connection) -> Forgotten:
        rids = sorted(find_memory(connection, text, forgotten=True) for text in options.rids)
        return _forgotten(core, rids)

    def erase(core: Core, connection: sqlite3.Connection) -> tuple[list[MemoryId], set[MemoryId]]:
        named = {find_memory(connection, text, forgotten=True) for text in options.rids}
        said = named.union(*(told_as(connection, rid, options.workspace) for rid in named))
        facts = _facts_of(connection, said)
        rids = sorted(said | facts)
        for start in range(0, len(rids), NAMES_MAX):
            core.commit([Write(Erase(tuple(rids[start : start + NAMES_MAX])))], device.now_ms())
        return rids, facts

    def write(core: Core, connection: sqlite3.Connection) -> Forgotten:
        named = {find_memory(connection, text) for text in options.rids}
        said = named.union(*(told_as(connection, rid, options.workspace) for rid in named))
        return _forget(device, core, connection, said)

    if options.erase and not options.status:
        rids, facts = await device.replica.run(erase)  # its files are clean, and say so, when this returns
        return await device.replica.run(lambda core, _: _forgotten(core, rids, facts))
    return await device.replica.run(tell if options.status else write)


async def forget_only(device: Device, rids: Collection[MemoryId]) -> None:
    """Forget those of these memories that are there still, with their facts, and no other that says the same."""

    def write(core: Core, connection: sqlite3.Connection) -> None:
        find = "SELECT 1 FROM memory WHERE rid = ?"
        _forget(
            device,
            core,
            connection,
            {rid for rid in rids if connection.execute(find, (rid,)).fetchone() is not None},
        )

    await device.replica.run(write)


def _forget(device: Device, core: Core, connection: sqlite3.Connection, said: set[MemoryId]) -> Forgotten:
    facts = _facts_of(connection, said)
    rids = sorted(said | facts)
    parts = [tuple(rids[start : start + NAMES_MAX]) for start in range(0, len(rids), NAMES_MAX)]
    core.commit([Write(replica.Forget(part)) for part in parts], device.now_ms())
    return _forgotten(core, rids, facts)


def _forgotten(core: Core, rids: list[MemoryId], facts: Collection[MemoryId] = ()) -> Forgotten:
    statuses = [erasure_status(core, rid) for rid in rids]
    outstanding = {device for status in statuses for device in status.outstanding}
    confirmed = {device for status in statuses for device in status.confirmed} - outstanding
    return Forgotten(
        rids=[show_memory_id(rid) for rid in rids],
        confirmed_by=[device.hex() for device in sorted(confirmed)],
        outstanding=[device.hex() for device in sorted(outstanding)],
        facts=[show_memory_id(rid) for rid in sorted(facts)],
        tellings=len(rids) - len(facts),
    )


async def _set(device: Device, text: str, asked: Asked) -> MemoryView:
    def write(core: Core, connection: sqlite3.Connection) -> MemoryView:
        rid = find_memory(connection, text)
        if asked.get("pinned"):
            check_pins(connection, rid)
        held = change_kept_back(device, connection, rid, fields=asked)
        if held is None:
            core.commit(settings_of(connection, rid, asked), device.now_ms())
        return _seen(connection, rid, held)

    return await device.replica.run(write)


def _seen(connection: sqlite3.Connection, rid: MemoryId, held: MemoryId | None) -> MemoryView:
    """Return a memory as it stands, with the id under which its change is held back, if it is."""
    view = memory_view(connection, rid)
    return view if held is None else replace(view, held=show_memory_id(held))


def told_as(connection: sqlite3.Connection, rid: MemoryId, workspace: str | None) -> set[MemoryId]:
    """Return what goes with a memory that is forgotten: what holds the same text, and what is shown with it as one."""
    rows = connection.execute(
        "SELECT o.rid FROM memory m JOIN memory o ON o.content = m.content AND o.text = m.text "
        "WHERE m.rid = ? AND (? IS NULL OR casefold(o.workspace) = casefold(?))",
        (rid, workspace, workspace),
    )
    said = {MemoryId(same) for (same,) in rows}
    return said | tellings_with(connection, rid)


def _facts_of(connection: sqlite3.Connection, rids: Iterable[MemoryId]) -> set[MemoryId]:
    """Return the facts that were taken from these memories, other than those named."""
    named = set(rids)
    found: set[MemoryId] = set()
    for rid, parent in connection.execute("SELECT rid, parent FROM memory WHERE parent IS NOT NULL"):
        if parent in named and rid not in named:
            found.add(MemoryId(rid))
    return found
