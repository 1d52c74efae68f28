"""Store memories and find them again."""

import json
import sqlite3
import time
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, Final

import trio

import replica
from cognition import Filters as Kept
from cognition import Hit as Found
from cognition import read_memories
from replica import Core, InvalidOp, MemoryId, Value, Write, new_memory_id, op_uuid, show_memory_id
from replica.codec import check_text
from replica.fields import check_fields
from replica.limits import COMMIT_OPS_MAX
from samemind.device import Device
from samemind.errors import SamemindError, Usage
from samemind.results.memories import Hit, Listed, MemoryView, Recalled, Remembered, RememberedMany
from samemind.surface.memories import Filters, Get, List, Recall, Remember, RememberMany
from samemind.times import at_ms, at_stamp, read_end, read_time
from samemind.verbs.fields import fields_of, read_pairs, read_record
from samemind.verbs.ids import find_memory
from samemind.verbs.views import memory_view, select_memories, show_origin

# Nobody reads more in one go, and each costs a read; `--offset` goes on from there.
LIST_MAX: Final = 100_000
Fields = dict[str, Value]


async def remember(device: Device, options: Remember) -> Remembered:
    """Store a memory, unless one that holds all of it is there already."""
    fields = fields_of(options)

    def write(core: Core, connection: sqlite3.Connection) -> Remembered:
        if not options.no_dedup:
            known = _find_same(connection, options.text, fields)
            if known is not None:
                return Remembered(rid=show_memory_id(known), op_id=None, duplicate_of=show_memory_id(known))
        now_ms = device.now_ms()
        rid = new_memory_id(now_ms, device.random)
        (op,) = core.commit([Write(replica.Remember(options.text, fields), rid)], now_ms)
        return Remembered(rid=show_memory_id(rid), op_id=str(op_uuid(op.id, op.hlc)))

    remembered = await device.replica.run(write)
    if options.wait:
        await device.mind.settle()
    return remembered


async def remember_many(device: Device, options: RememberMany) -> RememberedMany:
    """Store many memories in their order.

    Each commit is atomic, and a bad line anywhere in it keeps all of it out.
    """
    lines: Sequence[str] = options.lines
    if options.batch is not None:
        lines = (await trio.Path(options.batch).read_text(encoding="utf-8")).split("\n")
    wanted = list(_read_lines(lines, options.workspace))
    rids: list[str] = []
    for start in range(0, len(wanted), COMMIT_OPS_MAX):
        part = wanted[start : start + COMMIT_OPS_MAX]
        rids += await device.replica.run(partial(_write_many, device, part, options.no_dedup))
    if options.wait:
        await device.mind.settle()
    return RememberedMany(count=len(rids), rids=rids)


async def recall(device: Device, options: Recall) -> Recalled:
    """Find memories, and say how long that took."""
    began = time.perf_counter()
    found = await device.mind.recall(options.query, k=options.k, filters=kept(options))

    def read_origins(connection: sqlite3.Connection) -> dict[int, str]:
        feeds = sorted({hit.memory.feed for hit in found})
        rows = connection.execute(
            f"SELECT no, device, incarnation FROM feed WHERE no IN ({','.join('?' * len(feeds))})", feeds
        )
        return {no: show_origin(author, incarnation) for no, author, incarnation in rows}

    origins = await device.replica.read(read_origins)
    hits = [_show(hit, origins[hit.memory.feed], explain=options.explain) for hit in found]
    took_ms = round((time.perf_counter() - began) * 1_000, 3)
    return Recalled(query=options.query, took_ms=took_ms, results=hits)


async def get(device: Device, options: Get) -> MemoryView:
    """Show one memory."""
    return await device.replica.read(
        lambda connection: memory_view(connection, find_memory(connection, options.rid))
    )


async def list_(device: Device, options: List) -> Listed:
    """List memories, newest first."""
    if not 0 <= options.limit <= LIST_MAX or options.offset < 0:
        raise Usage(f"expected a limit of 0 to {LIST_MAX} and an offset of 0 or more", code="invalid")
    condition, values = kept(options).sql()

    def read(connection: sqlite3.Connection) -> Listed:
        ((total,),) = connection.execute(f"SELECT count(*) FROM memory m WHERE {condition}", values)
        rest = f"WHERE {condition} ORDER BY m.created DESC, m.rid DESC LIMIT ? OFFSET ?"
        memories = list(select_memories(connection, rest, (*values, options.limit, options.offset)))
        return Listed(memories=memories, total=total)

    return await device.replica.read(read)


def kept(options: Filters) -> Kept:
    """Return the filters that were typed, as cognition takes them."""
    return Kept(
        type=options.type,
        domain=options.domain,
        project=options.project,
        topic=options.topic,
        speaker=options.speaker,
        conversation=options.session,
        workspace=options.workspace,
        tags=options.tag,
        meta=dict(read_pairs(options.meta, name="meta")),
        since_ms=None if options.since is None else read_time(options.since, name="since"),
        until_ms=None if options.until is None else read_end(options.until, name="until"),
        include_archived=options.include_cold,
    )


def _read_lines(lines: Iterable[str], workspace: str | None) -> Iterable[tuple[str, Fields]]:
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
        yield text, {"workspace": workspace, **fields} if workspace is not None else fields


def _write_many(
    device: Device, wanted: list[tuple[str, Fields]], repeat: bool, core: Core, connection: sqlite3.Connection
) -> list[str]:
    now_ms = device.now_ms()
    writes: list[Write] = []
    rids: list[MemoryId] = []
    written: dict[str, MemoryId] = {}
    for text, fields in wanted:
        name = json.dumps([text, fields], sort_keys=True, default=str)
        known = None if repeat else written.get(name) or _find_same(connection, text, fields)
        if known is None:
            known = written[name] = new_memory_id(now_ms, device.random)
            writes.append(Write(replica.Remember(text, fields), known))
        rids.append(known)
    core.commit(writes, now_ms)
    return [show_memory_id(rid) for rid in rids]


def _find_same(connection: sqlite3.Connection, text: str, fields: Fields) -> MemoryId | None:
    """Return the memory that says the same and holds every field that is asked for.

    Storing it again would add nothing.
    """
    numbers = connection.execute(
        "SELECT id FROM memory WHERE content = ? AND workspace IS ? AND ifnull(archived, 0) = 0",
        (replica.content_number(text), fields.get("workspace")),
    )
    same = [
        it.rid
        for it in read_memories(connection, [number for (number,) in numbers])
        if all(it.memory.fields.get(name) == value for name, value in fields.items())
    ]
    return min(same, default=None)


def _show(found: Found, origin: str, *, explain: bool) -> Hit:
    fields: dict[str, Any] = found.memory.fields
    told_at = fields.get("told_at")
    why = {"found": [{"channel": one.channel, "rank": one.rank, "score": one.score} for one in found.found]}
    return Hit(
        rid=show_memory_id(found.rid),
        text=found.memory.text,
        score=round(found.score, 6),
        type=fields.get("type"),
        speaker=fields.get("speaker"),
        session=fields.get("conversation"),
        turn=fields.get("turn"),
        created_at=at_stamp(found.memory.created),
        told_at=None if told_at is None else at_ms(told_at),
        device=found.device.hex(),
        origin=origin,
        why=why if explain else None,
    )
