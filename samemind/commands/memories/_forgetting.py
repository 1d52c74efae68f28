"""Forget memories, with what says the same and the facts that were taken from them."""

import sqlite3
from collections.abc import Collection, Iterable

import replica
from cognition.tellings import tellings_with
from replica import Core, MemoryId, Write, erasure_status, show_memory_id
from replica.limits import NAMES_MAX
from replica.reads.duplicates import saying_the_same
from replica.reads.facts import all_facts
from replica.reads.ids import shown_among
from samemind.commands.memories._forgotten import Forgotten
from samemind.device import Device


async def forget_only(device: Device, rids: Collection[MemoryId]) -> None:
    """Forget those of these memories that are there still, with their facts, and no other that says the same."""

    def write(core: Core, connection: sqlite3.Connection) -> None:
        forget_said(device, core, connection, shown_among(connection, [*rids]))

    await device.replica.run(write)


def forget_said(device: Device, core: Core, connection: sqlite3.Connection, said: set[MemoryId]) -> Forgotten:
    facts = facts_taken_from(connection, said)
    rids = sorted(said | facts)
    parts = [tuple(rids[start : start + NAMES_MAX]) for start in range(0, len(rids), NAMES_MAX)]
    core.commit([Write(replica.Forget(part)) for part in parts], device.now_ms())
    return forgotten_view(core, rids, facts)


def forgotten_view(core: Core, rids: list[MemoryId], facts: Collection[MemoryId] = ()) -> Forgotten:
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


def told_as(connection: sqlite3.Connection, rid: MemoryId, workspace: str | None) -> set[MemoryId]:
    """Return what goes with a memory that is forgotten: what holds the same text, and what is shown with it as one."""
    return saying_the_same(connection, rid, workspace) | tellings_with(connection, rid)


def facts_taken_from(connection: sqlite3.Connection, rids: Iterable[MemoryId]) -> set[MemoryId]:
    """Return the facts that were taken from these memories, other than those named."""
    named = set(rids)
    return {rid for rid, parent in all_facts(connection) if parent in named and rid not in named}
