"""Change what a memory says, with everything that was taken from its words.

A correction is a change of mind that says so: what the memory claimed before is replaced, by what it claims now or by
nothing, and the facts beside it follow its words. The old words stay in its history.
"""

import sqlite3

import replica
from cognition import read_text, take_in
from cognition.contradictions.finding import open_slots_of
from cognition.contradictions.relations import Attention
from cognition.contradictions.slots import ContradictionStatus
from cognition.contradictions.telling import ClaimWriter, telling_of, withdrawn
from cognition.own_zone import own_zone
from cognition.tellings import words_of_telling
from replica import Core, MemoryId, Op, SaysSame, Write, facts_of, is_known, show_memory_id
from replica.limits import SURENESS_MAX
from replica.reads.attribution import attribution_of
from samemind.commands.contradictions._parts import Corrected
from samemind.device import Device
from samemind.errors import NeedsDecision
from samemind.formats.views import memory_view


def text_unless_changed(
    connection: sqlite3.Connection, rid: MemoryId, *, was: str | None, wanted: str
) -> str:
    """Return what a memory says; `NeedsDecision` if that is neither what it `was`, where that is told, nor `wanted`."""
    text = memory_view(connection, rid).text
    if was is not None and text not in (was, wanted):
        raise NeedsDecision(
            "this memory was changed meanwhile",
            code="changed_meanwhile",
            hint="look at what it says now, then edit that",
        )
    return text


def rewrite(
    device: Device, core: Core, connection: sqlite3.Connection, rid: MemoryId, text: str
) -> tuple[Corrected, list[Op]]:
    """Give a memory other words, in one commit with the claims and the facts that follow from them."""
    now = memory_view(connection, rid)
    if now.text == text and not now.variants:  # who was asked which it is says that it is this
        return Corrected(rid=show_memory_id(rid), text=text), []
    now_ms = device.now_ms()
    edits = core.edits_of(rid, text)
    fields = attribution_of(connection, rid)
    _, found = read_text(text, fields, now_ms=now_ms, zone=own_zone())
    taken = take_in(rid, text, fields, found)
    old = set(facts_of(connection, rid))
    stale = sorted(old - set(taken.facts))
    fresh = [
        write for write in taken.writes[1:] if write.rid is not None and not is_known(connection, write.rid)
    ]
    before = _open_of(connection, [rid, *old])
    writes = [*edits, *fresh, *_still_shown_with(connection, rid)]
    if stale:
        writes.append(Write(replica.Forget(tuple(stale))))
    here = {rid, *(write.rid for write in fresh), *(old - set(stale))}
    told = [
        (telling_of(where if where in here else rid, fields, now_ms, corrects=True), statement)
        for where, statement in taken.statements
    ]
    statements = [statement for _, statement in taken.statements]
    ended = withdrawn(core, connection, telling_of(rid, fields, now_ms, corrects=True), statements)
    teller = ClaimWriter(core, connection, now_ms)
    teller.tell([*writes, *ended], told)
    ops = teller.commit()
    after = _open_of(connection, [rid, *taken.facts])
    corrected = Corrected(
        rid=show_memory_id(rid),
        text=memory_view(connection, rid).text,
        facts=[show_memory_id(write.rid) for write in fresh if write.rid is not None],
        forgotten=[show_memory_id(fact) for fact in stale],
        settled=sorted(slot.hex() for slot in before - after if not _is_open(connection, slot)),
        contradictions=sorted(slot.hex() for slot in after),
    )
    return corrected, ops


def _still_shown_with(connection: sqlite3.Connection, rid: MemoryId) -> list[Write]:
    """Return what keeps a telling with those of its old words: who changes what is shown means all of them."""
    others = [other for other in words_of_telling(connection, rid) if other != rid]
    return [Write(SaysSame((min(rid, others[0]), max(rid, others[0])), SURENESS_MAX))] if others else []


def _open_of(connection: sqlite3.Connection, rids: list[MemoryId]) -> set[bytes]:
    return {slot for rid in rids for slot in open_slots_of(connection, rid)}


def _is_open(connection: sqlite3.Connection, slot: bytes) -> bool:
    rows = connection.execute(
        "SELECT 1 FROM contradiction WHERE slot = ? AND status = ? AND attention != ?",
        (slot, ContradictionStatus.OPEN.value, Attention.QUIET.value),
    )
    return rows.fetchone() is not None
