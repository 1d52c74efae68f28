"""Hold back what looks secret, show it covered, and release or drop it."""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cognition import read_text, take_in
from cognition.contradictions.telling import Teller
from cognition.extraction.secrets import masked
from cognition.holding import Held, drop, find_held, held_here, hold, secret_kinds, texts_of
from cognition.memories import read_memories
from cognition.taking import own_zone, stated
from replica import (
    Core,
    MemoryId,
    Op,
    Value,
    Write,
    content_number,
    derived_memory_id,
    is_known,
    new_memory_id,
    op_uuid,
    show_memory_id,
)
from samemind.device import Device
from samemind.errors import Ambiguous, NotFound
from samemind.fields import LABELS_OFF, changes_of
from samemind.results.taking import Dropped, HeldList, HeldView, Released
from samemind.surface.taking import DropHeld, ListHeld, ReleaseHeld
from samemind.times import at_ms
from samemind.verbs.correcting import rewrite, text_unless_changed
from samemind.verbs.ids import CANDIDATES_MAX, id_range
from samemind.verbs.views import memory_view


def kept_back(
    connection: sqlite3.Connection, rid: MemoryId, text: str, fields: Mapping[str, Value], now_ms: int
) -> MemoryId | None:
    """Hold a memory to be that looks secret, and return the id it is held under; None: it may be written.

    What a memory says already was released before: to hold it again would help nobody.
    """
    if not secret_kinds(text, fields):  # nearly always: no need to look for memories
        return None
    same = connection.execute(
        "SELECT id FROM memory WHERE content = ? AND text = ?", (content_number(text), text)
    )
    told = [shown.memory for shown in read_memories(connection, [number for (number,) in same])]
    kinds = secret_kinds(
        text, fields, known=[each for one in told for each in (one.text, *texts_of(one.fields))]
    )
    if not kinds:
        return None
    return hold(connection, Held(rid, kinds, text, fields, now_ms))


def edge_said(source: str, relation: str, target: str) -> str:
    """Return an edge or a claim in words."""
    return f"{source} {relation.replace('_', ' ')}: {target}"


def line_kept_back(
    connection: sqlite3.Connection, said: str, now_ms: int, *, known: Callable[[], Sequence[str]] = tuple
) -> bool:
    """Hold what an import would write beside memories (an edge, a claim, an entry of the profile) if it looks secret.

    It is held as a memory that says the same: nothing else can be held back, and released it is one. `known` gives the
    texts that hold the secret already, if any do; it is asked only when there is one.
    """
    if not secret_kinds(said, {}) or not secret_kinds(said, {}, known=known()):
        return False
    return kept_back(connection, derived_memory_id("held", said), said, {}, now_ms) is not None


def change_kept_back(
    device: Device,
    connection: sqlite3.Connection,
    about: MemoryId,
    text: str = "",
    fields: Mapping[str, Any] | None = None,
) -> MemoryId | None:
    """Hold a change of a memory that would bring something secret into it, and return the id it is held under.

    What the memory holds already was released before, and None is returned: the change may be written.
    """
    fields = {} if fields is None else fields
    if LABELS_OFF in fields:  # nothing comes in by what is taken off
        return None
    if not secret_kinds(text, fields):  # nearly always: no need to look at the memory
        return None
    (shown,) = read_memories(
        connection,
        [number for (number,) in connection.execute("SELECT id FROM memory WHERE rid = ?", (about,))],
    )
    kinds = secret_kinds(text, fields, known=[shown.memory.text, *texts_of(shown.memory.fields)])
    if not kinds:
        return None
    now_ms = device.now_ms()
    was = shown.memory.text if text else None
    return hold(
        connection, Held(new_memory_id(now_ms, device.random), kinds, text, fields, now_ms, about, was)
    )


def settings_of(connection: sqlite3.Connection, rid: MemoryId, asked: Mapping[str, Any]) -> list[Write]:
    """Return the writes that a change of a memory's fields comes to, as the memory is now."""
    view = memory_view(connection, rid)
    return changes_of(rid, asked, meta=view.meta, tags=view.tags)


async def held_list(device: Device, options: ListHeld) -> HeldList:
    """List what is held, with the secrets covered: a list is looked at, copied and logged."""
    found = await device.replica.read(held_here)
    return HeldList(
        held=[
            HeldView(
                id=show_memory_id(each.rid),
                kinds=list(each.kinds),
                shown="; ".join(masked(one) for one in (each.text, *texts_of(each.fields)) if one)
                if each.about is not None
                else masked(each.text),
                held_at=at_ms(each.held_at),
                about=None if each.about is None else show_memory_id(each.about),
            )
            for each in found
        ]
    )


async def held_release(device: Device, options: ReleaseHeld) -> Released:
    """Write what was held as it was told, with the facts in it, and hold it no more."""
    zone = own_zone()

    def write(core: Core, connection: sqlite3.Connection) -> Released:
        held = _find(connection, options.id)
        if held.about is not None:
            return _changed(device, core, connection, held, held.about)
        if is_known(connection, held.rid):  # a crash came between the two steps below
            drop(connection, held.rid)
            raise NotFound(f"{show_memory_id(held.rid)} was released already")
        now_ms = device.now_ms()
        fields, found = read_text(held.text, held.fields, now_ms=held.held_at, zone=zone)
        taken = take_in(held.rid, held.text, fields, found)
        teller = Teller(core, connection, now_ms)
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
    device: Device, core: Core, connection: sqlite3.Connection, held: Held, about: MemoryId
) -> Released:
    """Write a change that was held back, and hold it no more; a crash in between writes it once more, to no effect."""
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


async def held_drop(device: Device, options: DropHeld) -> Dropped:
    """Throw away what was held."""

    def write(core: Core, connection: sqlite3.Connection) -> Dropped:
        held = _find(connection, options.id)
        drop(connection, held.rid)
        return Dropped(id=show_memory_id(held.rid))

    return await device.replica.run(write)


def _find(connection: sqlite3.Connection, text: str) -> Held:
    found = find_held(connection, *id_range(text, "what is held"))
    if not found:
        raise NotFound(f"nothing is held under {text}", hint="`samemind held` lists what is")
    if len(found) > 1:
        candidates = tuple(show_memory_id(each.rid) for each in found[:CANDIDATES_MAX])
        raise Ambiguous(
            f"{text} is the beginning of several ids: {', '.join(candidates)}",
            hint="type more of the id",
            candidates=candidates,
        )
    return found[0]
