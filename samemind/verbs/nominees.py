"""Name what a new memory may repeat or contradict, and take the verdict of whoever understands both."""

import sqlite3
from collections.abc import Sequence
from typing import Final

from cognition.contradictions.values import folded
from cognition.judging.nominating import Nominated
from cognition.judging.nominees import explained
from cognition.judging.settling import Told
from cognition.judging.settling import settle as write_verdict
from cognition.judging.verdicts import WEIGHTS, Judge, Standing, Verdict, standing
from replica import Core, MemoryId, Op, op_uuid, show_memory_id
from samemind.device import Device
from samemind.errors import Usage
from samemind.results.contradictions import Review, Settled, Unjudged
from samemind.results.memories import NomineeValue, NomineeView
from samemind.surface.contradictions import ReviewContradictions, Settle
from samemind.times import at_ms, read_since
from samemind.verbs.ids import find_memory

LIST_MAX: Final = 1_000


async def nominees_of(device: Device, rid: MemoryId) -> list[NomineeView]:
    """Return what a memory that was just told is to be compared with."""
    return [nominee_view(each) for each in await device.mind.nominate(rid)]


async def contradictions_review(device: Device, options: ReviewContradictions) -> Review:
    """List the pairs that nobody judged, in order of weight."""
    if not 0 <= options.limit <= LIST_MAX:
        raise Usage(f"expected a limit of 0 to {LIST_MAX}, got {options.limit}", code="invalid")
    pairs = await device.mind.unjudged(options.workspace)
    return Review(
        nominees=[
            Unjudged(
                rid=show_memory_id(told.rid),
                text=told.memory.text,
                told_at=at_ms(_told_ms(told.memory.fields.get("told_at"), told.memory.created)),
                nominee=nominee_view(each),
            )
            for told, each in pairs[: options.limit]
        ],
        total=len(pairs),
    )


async def settle(device: Device, options: Settle) -> Settled:
    """Write what two memories are to each other, unless somebody who ranks higher has said so."""
    verdict, judge = Verdict(options.verdict), Judge(options.by)
    since_ms = (
        None if options.since is None else read_since(options.since, name="since", now_ms=device.now_ms())
    )
    if since_ms is not None and verdict is not Verdict.CHANGED:
        raise Usage(f"expected --since with changed alone, got it with {verdict.value}", code="invalid")

    def write(core: Core, connection: sqlite3.Connection) -> Settled:
        rids = find_memory(connection, options.a), find_memory(connection, options.b)
        if rids[0] == rids[1]:
            raise Usage("expected two memories, got one twice", code="invalid")
        older, newer = _in_order(connection, rids)
        if folded(older.workspace or "") != folded(newer.workspace or ""):
            raise Usage("expected two memories of one workspace", code="invalid")
        held = standing(connection, *rids)
        weight = WEIGHTS[judge]
        if held is not None and (held.weight > weight or (held == (verdict, weight) and since_ms is None)):
            return _settled(rids, held, changed=False)
        op, slots = write_verdict(
            core, connection, older, newer, verdict, weight=weight, since_ms=since_ms, now_ms=device.now_ms()
        )
        return _settled(rids, Standing(verdict, weight), changed=True, op=op, slots=slots)

    return await device.replica.run(write)


def _settled(
    rids: tuple[MemoryId, MemoryId],
    held: Standing,
    *,
    changed: bool,
    op: Op | None = None,
    slots: Sequence[bytes] = (),
) -> Settled:
    judge = min(Judge, key=lambda each: abs(WEIGHTS[each] - held.weight))
    return Settled(
        a=show_memory_id(rids[0]),
        b=show_memory_id(rids[1]),
        verdict=held.verdict.value,
        by=judge.value,
        changed=changed,
        op_id=None if op is None else str(op_uuid(op.id, op.hlc)),
        contradictions=[slot.hex() for slot in slots],
    )


def _in_order(connection: sqlite3.Connection, rids: tuple[MemoryId, MemoryId]) -> tuple[Told, Told]:
    """Return the two memories, the one that was told first before the other."""
    rows = [
        (told_ms, created, Told(rid, text, workspace))
        for rid in rids
        for text, workspace, told_ms, created in connection.execute(
            "SELECT text, workspace, ifnull(told_at, created >> 16), created FROM memory WHERE rid = ?",
            (rid,),
        )
    ]
    (_, _, older), (_, _, newer) = sorted(rows, key=lambda row: (row[0], row[1], row[2].rid))
    return older, newer


def _told_ms(told_at: object, created: int) -> int:
    return told_at if isinstance(told_at, int) else created >> 16


def nominee_view(nominated: Nominated) -> NomineeView:
    """Return a nominee as interfaces show it."""
    nominee, memory = nominated.nominee, nominated.shown.memory
    speaker = memory.fields.get("speaker")
    return NomineeView(
        rid=show_memory_id(nominated.shown.rid),
        text=memory.text,
        speaker=speaker if isinstance(speaker, str) else None,
        told_at=at_ms(_told_ms(memory.fields.get("told_at"), memory.created)),
        relation=nominee.relation,
        values=[
            NomineeValue(kind=kind.partition(" ")[0], before=before, now=now)
            for kind, before, now in nominee.values
        ],
        why=explained(nominee),
        weight=nominee.weight,
    )
