"""Release a quarantined text: store it as a memory, which then syncs to every device."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from samemind.declaring import Agents, Command, Effects, Method, Takes, argument
from samemind.errors import NotFound
from samemind.formats.rendering import Document

if TYPE_CHECKING:
    import sqlite3

    from cognition.ingest.holding import QuarantinedText
    from replica import Core, MemoryId, Op
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseHeld:
    """Release a quarantined text: store it as a memory, which then syncs to every device."""

    id: str = argument("its id, as `samemind held` lists it", takes=Takes.ID)


@dataclass(frozen=True, slots=True, kw_only=True)
class Released:
    """A memory, or a change of one, that was kept back and is written now; `rid` is the memory."""

    rid: str
    op_id: str
    facts: list[str] = field(default_factory=list)


async def run(device: "Device", options: ReleaseHeld) -> Released:
    """Write what was held as it was told, with the facts in it, and hold it no more."""
    from cognition import read_text, take_in
    from cognition.contradictions.telling import ClaimWriter
    from cognition.ingest.holding import drop
    from cognition.ingest.plan import stated
    from cognition.own_zone import own_zone
    from replica import is_known, op_uuid, show_memory_id
    from samemind.commands.ingest._work import find

    zone = own_zone()

    def write(core: "Core", connection: "sqlite3.Connection") -> Released:
        held = find(connection, options.id)
        if held.about is not None:
            return _changed(device, core, connection, held, held.about)
        if is_known(connection, held.rid):  # a crash came between the two steps below
            drop(connection, held.rid)
            raise NotFound(f"{show_memory_id(held.rid)} was released already")
        now_ms = device.now_ms()
        fields, found = read_text(held.text, held.fields, now_ms=held.held_at, zone=zone)
        taken = take_in(held.rid, held.text, fields, found)
        teller = ClaimWriter(core, connection, now_ms)
        teller.tell(taken.writes, stated(connection, taken, fields, taken.writes, now_ms, newer=device.newer))
        op, *_ = teller.commit()
        drop(connection, held.rid)
        return Released(
            rid=show_memory_id(held.rid),
            op_id=str(op_uuid(op.id, op.hlc)),
            facts=[show_memory_id(rid) for rid in taken.facts],
        )

    return await device.replica.run(write)


def _changed(
    device: "Device",
    core: "Core",
    connection: "sqlite3.Connection",
    held: "QuarantinedText",
    about: "MemoryId",
) -> Released:
    """Write a change that was held back, and hold it no more; a crash in between writes it once more, to no effect."""
    from cognition.ingest.holding import drop
    from replica import op_uuid, show_memory_id
    from samemind.commands.contradictions._correcting import rewrite, text_unless_changed
    from samemind.held_back import settings_of

    ops: list[Op] = []
    facts: list[str] = []
    if held.text:
        text_unless_changed(connection, about, was=held.was, wanted=held.text)
        corrected, ops = rewrite(device, core, connection, about, held.text)
        facts = corrected.facts
    ops += core.commit(settings_of(connection, about, held.fields), device.now_ms())
    drop(connection, held.rid)
    if not ops:
        raise NotFound(f"{show_memory_id(held.rid)} was released already")
    return Released(rid=show_memory_id(about), op_id=str(op_uuid(ops[0].id, ops[0].hlc)), facts=facts)


def render(document: Document) -> list[str]:
    return [f"{document['rid']} is remembered"]


COMMAND: Final = Command(
    "held release",
    ReleaseHeld,
    Released,
    run=run,
    render=render,
    effects=Effects.ADD,
    agents=Agents.NEVER,
    panel=True,
    library=Method("release_held", "Release a quarantined text: store it as a memory."),
    place=5,
)
