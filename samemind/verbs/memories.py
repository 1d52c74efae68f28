"""Store memories and find them again."""

import json
import sqlite3
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import trio

from cognition import (
    FACTS_MAX,
    Extraction,
    read_text,
    take_in,
)
from cognition import Hit as Found
from cognition.contradictions.telling import Teller
from cognition.ingest import Told
from cognition.known import Answer
from cognition.known import Value as Known
from cognition.linking import wait_for_links, with_origin
from cognition.taking import dated, own_zone, stated
from cognition.tracing import Stage
from replica import (
    Core,
    InvalidOp,
    MemoryId,
    Value,
    is_known,
    new_memory_id,
    op_uuid,
    parse_memory_id,
    show_memory_id,
)
from replica.codec import check_text
from replica.fields import check_fields
from replica.limits import COMMIT_OPS_MAX
from samemind.device import Device
from samemind.errors import SamemindError, Usage
from samemind.fields import fields_of, read_record
from samemind.giving_back import MANY, give_back
from samemind.held_back import kept_back
from samemind.ids import check_asked_again
from samemind.moments import at_moment
from samemind.results.memories import ClaimedValue, Hit, HitClaim, Recalled, Remembered, RememberedMany
from samemind.surface.memories import Recall, Remember, RememberMany
from samemind.talk import note_talk
from samemind.times import at_ms, at_stamp, read_time
from samemind.verbs.contradictions import open_among
from samemind.verbs.found import found_in
from samemind.verbs.nominees import nominees_of
from samemind.verbs.pins import check_pins
from samemind.verbs.reminders import with_reminder
from samemind.verbs.standing import kept
from samemind.views import show_origin

Fields = dict[str, Value]


class Wanted(NamedTuple):
    """A line of a batch: what is to be remembered, and the facts that are to stand beside it."""

    text: str
    fields: Fields
    found: Extraction = Extraction()


async def remember(device: Device, options: Remember) -> Remembered:
    """Store a memory, and the facts in it beside it: always a new one, whatever is known already.

    What says the same is linked to it, and shown with it as one. Both are done later, unless they are waited for.
    """
    now_ms = device.now_ms()
    told, reminder = with_reminder(options.text, fields_of(options), now_ms)
    awaited = options.read or options.wait or options.nominees
    found = Extraction()
    if awaited and not options.no_facts:
        asked, found = read_text(options.text, told, now_ms=now_ms, zone=own_zone())
    else:
        asked = dated(options.text, told, now_ms=now_ms, zone=own_zone())

    def write(core: Core, connection: sqlite3.Connection) -> Remembered:
        now_ms = device.now_ms()
        rid = new_memory_id(now_ms, device.random) if options.rid is None else parse_memory_id(options.rid)
        if options.rid is not None and is_known(connection, rid):
            check_asked_again(core, rid, options.text)
            if not awaited:
                return Remembered(rid=show_memory_id(rid), op_id=None)
            device.mind.ingest.read_all(core, connection)
            return found_in(connection, rid, dropped=take_in(rid, options.text, asked, found).dropped)
        if options.pin:
            check_pins(connection)
        fields = with_origin(connection, options.text, asked)
        held = kept_back(connection, rid, options.text, fields, now_ms)
        if held is not None:
            return Remembered(rid=show_memory_id(held), op_id=None, held=True)
        telling = Told(rid, options.text, fields, now_ms)
        ingest = device.mind.ingest
        if not awaited:
            op = ingest.tell(core, connection, telling, facts=not options.no_facts)
            return Remembered(rid=show_memory_id(rid), op_id=str(op_uuid(op.id, op.hlc)), reminder=reminder)
        read = ingest.tell_and_read(core, connection, telling, found)
        return Remembered(
            rid=show_memory_id(rid),
            op_id=str(op_uuid(read.op.id, read.op.hlc)),
            facts=[show_memory_id(fact) for fact in read.facts],
            says_same=[show_memory_id(other) for other in read.says_same],
            contradictions=[slot.hex() for slot in open_among(connection, read.slots)],
            reminder=reminder,
            facts_dropped=read.dropped,
            read=True,
        )

    remembered = await device.replica.run(write)
    if remembered.held:
        return remembered
    if remembered.op_id is not None:
        await note_talk(device, [asked])
    if options.wait:
        await device.mind.settle()
    if not options.nominees:  # embedding it and comparing it cost more than storing it
        return remembered
    return replace(remembered, nominees=await nominees_of(device, parse_memory_id(remembered.rid)))


async def remember_many(device: Device, options: RememberMany) -> RememberedMany:
    """Store many memories in their order.

    Each commit is atomic, and a bad line anywhere in it keeps all of it out.
    """
    lines: Sequence[str] = options.lines
    if options.batch is not None:
        lines = (await trio.Path(options.batch).read_text(encoding="utf-8")).split("\n")
    wanted = list(_read_lines(lines, options.workspace))
    rids: list[str] = []
    held: list[str] = []
    together = COMMIT_OPS_MAX // (1 + FACTS_MAX) if options.facts else COMMIT_OPS_MAX
    for start in range(0, len(wanted), together):
        part = wanted[start : start + together]
        if options.facts:  # in a thread: it takes a millisecond a text
            part = await trio.to_thread.run_sync(_take_apart, part, device.now_ms())
        written, kept = await device.replica.run(partial(_write_many, device, part, options))
        rids, held = rids + written, held + kept
    await note_talk(device, [line.fields for line in wanted])
    if options.wait:
        await device.mind.settle()
    if len(rids) >= MANY:
        await give_back(device.replica)
    return RememberedMany(count=len(rids), rids=rids, held=held)


async def recall(device: Device, options: Recall) -> Recalled:
    """Find memories, as they are or as they were, and say how long that took."""
    began = time.perf_counter()
    filters = kept(options)
    async with at_moment(device, options.as_of, options.seen_by) as mind:
        traces: list[list[Stage]] | None = [] if options.explain else None
        found = await mind.recall(
            options.query,
            k=options.k,
            filters=filters,
            graph=not options.no_graph,
            traces=traces,
            now_ms=None if options.now is None else read_time(options.now, name="now"),
        )
        close = [hit for hit in found if hit.confidence >= options.min_confidence]
        if mind is device.mind:
            device.rehearsals.note(rehearsed(close))
        origins = await mind.read(partial(_origins, close))
    hits = [_show(hit, origins[hit.memory.feed], explain=options.explain) for hit in close]
    took_ms = round((time.perf_counter() - began) * 1_000, 3)
    trace: list[Mapping[str, Any]] = [
        {"question": number, "stage": stage.name, **stage.told}
        for number, stages in enumerate(traces or (), start=1)
        for stage in stages
    ]
    return Recalled(
        query=options.query, took_ms=took_ms, results=hits, unembedded=found.unembedded, trace=trace
    )


def rehearsed(found: Iterable[Found]) -> list[MemoryId]:
    """Return what was recalled: of a summary, all that it says."""
    return [rid for hit in found for rid in (hit.sources or (hit.rid,))]


def _origins(found: Sequence[Found], connection: sqlite3.Connection) -> dict[int, str]:
    feeds = sorted({hit.memory.feed for hit in found})
    rows = connection.execute(
        f"SELECT no, device, incarnation FROM feed WHERE no IN ({','.join('?' * len(feeds))})", feeds
    )
    return {no: show_origin(author, incarnation) for no, author, incarnation in rows}


def _read_lines(lines: Iterable[str], workspace: str | None) -> Iterable[Wanted]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            if isinstance(record, str):
                record = {"text": record}
            if not isinstance(record, dict) or not isinstance(record.get("text"), str):
                raise Usage("expected an object with a text", code="invalid")
            text = record.pop("text")
            fields = read_record(record)
            check_text(text)
            check_fields(fields)
        except (SamemindError, InvalidOp, ValueError) as error:
            raise Usage(f"line {number}: {error}", code="bad_line", hint="nothing was stored") from None
        yield Wanted(text, {"workspace": workspace, **fields} if workspace is not None else fields)


def _take_apart(wanted: list[Wanted], now_ms: int) -> list[Wanted]:
    """Return the lines with the facts in them; days are those of this machine."""
    zone = own_zone()
    return [
        Wanted(line.text, *read_text(line.text, line.fields, now_ms=now_ms, zone=zone)) for line in wanted
    ]


def _write_many(
    device: Device,
    wanted: list[Wanted],
    options: RememberMany,
    core: Core,
    connection: sqlite3.Connection,
) -> tuple[list[str], list[str]]:
    """Commit lines together; return an id for each, and the ids of those that were held back."""
    now_ms = device.now_ms()
    teller = Teller(core, connection, now_ms)
    rids: list[MemoryId] = []
    held: list[MemoryId] = []
    for text, fields, found in wanted:
        rid = new_memory_id(now_ms, device.random)
        kept = kept_back(connection, rid, text, fields, now_ms)
        if kept is not None:
            rid = kept
            held.append(kept)
        else:
            taken = take_in(rid, text, fields, found)
            teller.tell(
                taken.writes, stated(connection, taken, fields, taken.writes, now_ms, newer=device.newer)
            )
        rids.append(rid)
    teller.commit()
    wait_for_links(connection, rids)
    return [show_memory_id(rid) for rid in rids], [show_memory_id(rid) for rid in held]


def _show(found: Found, origin: str, *, explain: bool) -> Hit:
    fields: dict[str, Any] = found.memory.fields
    told_at = fields.get("told_at")
    return Hit(
        rid=show_memory_id(found.rid),
        text=found.memory.text,
        score=round(found.score, 6),
        confidence=round(found.confidence, 4),
        type=fields.get("type"),
        speaker=fields.get("speaker"),
        session=fields.get("conversation"),
        turn=fields.get("turn"),
        created_at=at_stamp(found.memory.created),
        told_at=None if told_at is None else at_ms(told_at),
        device=found.device.hex(),
        origin=origin,
        summary=None if found.summary is None else show_memory_id(found.summary),
        summary_of=[show_memory_id(rid) for rid in found.sources],
        same=[show_memory_id(rid) for rid in found.same],
        tellings=found.tellings,
        contradiction_id=None if found.contradiction is None else found.contradiction.hex(),
        claim=None if found.claim is None else show_claim(found.claim),
        why=_why(found) if explain else None,
    )


def show_claim(answer: Answer) -> HitClaim:
    """Return what a memory says of the thing that was asked for, as it is shown."""
    return HitClaim(
        entity=answer.entity,
        relation=answer.relation,
        value=answer.value.value,
        standing=answer.standing,
        since=at_ms(answer.value.from_ms),
        until=None if answer.value.until_ms is None else at_ms(answer.value.until_ms),
        earlier=[_claimed(value) for value in answer.earlier],
        against=[_claimed(value) for value in answer.against],
        now=[_claimed(value) for value in answer.now],
    )


def _claimed(value: Known) -> ClaimedValue:
    until = None if value.until_ms is None else at_ms(value.until_ms)
    return ClaimedValue(
        value=value.value, rid=show_memory_id(value.rid), since=at_ms(value.from_ms), until=until
    )


def _why(found: Found) -> dict[str, Any]:
    return {
        "found": [{"channel": one.channel, "rank": one.rank, "score": one.score} for one in found.found],
        "fused": found.fused,
        "composite": found.composite,
        "signals": dict(found.signals),
    }
