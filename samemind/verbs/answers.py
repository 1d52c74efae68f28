"""Make the block for a prompt, and say why a memory is there or is not."""

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from cognition import TOKENS_DEFAULT, Filters
from cognition.budget import memory_budget
from cognition.composing import Gathered, Source, gather
from cognition.consolidation.summaries import Summary, summary_named
from cognition.models.chat import ChatMessage
from cognition.overview import Part, read_overview, widen
from cognition.prompting import Prompt, prompt
from cognition.ranking.classes import SINGLE_HOP
from replica import Core, Kind, MemoryId, Row, memories_called, op_uuid, show_memory_id
from replica.vouched import voucher_of_memory
from replica.vouching import is_vouched
from samemind.device import Device
from samemind.errors import Usage
from samemind.results.answers import (
    ContextBlock,
    ContextSection,
    PendingQuestion,
    PromptMessage,
    Provenance,
    StageView,
    Why,
    WhyNot,
)
from samemind.results.keeping import TriggerView
from samemind.results.memories import MemoryView
from samemind.surface.answers import ExplainWhy, ExplainWhyNot, MakeContext
from samemind.times import at_stamp, read_time
from samemind.verbs.ids import find_memory
from samemind.verbs.moments import at_moment, moment_of, opened_past
from samemind.verbs.standing import kept
from samemind.verbs.views import memory_view, view_of_memory
from samemind.verbs.waiting import pending_questions, pending_triggers


async def context(device: Device, options: MakeContext) -> ContextBlock:
    """Make the block: for a question what answers it, else (or beside it) an overview."""
    talk = _conversation(options)
    query = options.query
    if query is None and options.conversation:
        query = next((message.content for message in reversed(talk) if message.role == "user"), None)
        if query is None:
            raise Usage(
                "expected a question, or a message with the role user in the conversation, got neither",
                code="invalid",
            )
    max_tokens = _budget(options)
    filters = kept(options)
    async with at_moment(device, options.as_of, options.seen_by) as mind:
        gathered = Gathered(SINGLE_HOP) if query is None else await _gathered(mind, query, filters, options)
        gathered = replace(gathered, flat_characters=device.settings.flat_characters)
        parts: list[Part] = []
        if options.overview or query is None:
            parts = await mind.read(partial(read_overview, filters=filters, now_ms=mind.now_ms))
        made = Prompt((), widen(gathered.within(max_tokens), parts, max_tokens=max_tokens))
        if talk and options.window is not None:
            made = prompt(gathered, talk, window=options.window, at=options.compact_at)
        if mind is device.mind:
            device.rehearsals.note(made.context.rids if query is not None else ())
        total = await mind.read(partial(_total, filters))
        triggers, questions = await mind.read(partial(_waiting, device, mind.now_ms, options.workspace))
    block = made.context
    return ContextBlock(
        text=block.text,
        tokens=block.tokens,
        kind=block.kind if query is not None else "overview",
        sections=[
            ContextSection(title=section.title, lines=list(section.lines)) for section in block.sections
        ],
        rids=[show_memory_id(rid) for rid in block.rids],
        total=total,
        messages=[PromptMessage(role=one.role, content=one.content) for one in made.messages],
        compacted=list(made.compacted),
        unembedded=gathered.unembedded,
        triggers=triggers,
        questions=questions,
    )


def _waiting(
    device: Device, now_ms: int, workspaces: tuple[str, ...], connection: sqlite3.Connection
) -> tuple[list[TriggerView], list[PendingQuestion]]:
    return (
        pending_triggers(connection, now_ms, device.thresholds, workspaces),
        pending_questions(connection, workspaces),
    )


async def _gathered(source: Source, query: str, filters: Filters, options: MakeContext) -> Gathered:
    now_ms = None if options.now is None else read_time(options.now, name="now")
    return await gather(source, query, filters, now_ms=now_ms, confidence_min=options.min_confidence)


def _budget(options: MakeContext) -> int:
    """Return how many tokens the block may take where there is no conversation."""
    if options.max_tokens is not None and options.window is not None:
        raise Usage("expected --max-tokens or --window, got both", code="invalid")
    if options.max_tokens is not None and options.max_tokens < 0:
        raise Usage(f"expected a budget of 0 tokens or more, got {options.max_tokens}", code="invalid")
    if options.window is not None and options.window <= 0:
        raise Usage(f"expected a window of 1 token or more, got {options.window}", code="invalid")
    if options.window is not None:
        return memory_budget(options.window, 0)
    return TOKENS_DEFAULT if options.max_tokens is None else options.max_tokens


def _conversation(options: MakeContext) -> list[ChatMessage]:
    """Return the talk so far; `Usage` names the line that is none of it."""
    if options.conversation and (options.window is None or options.overview):
        raise Usage("expected --window and no --overview with a conversation", code="invalid")
    if not 0 < options.compact_at <= 1:
        raise Usage(f"expected a share above 0 and up to 1, got {options.compact_at}", code="invalid")
    talk = []
    for number, line in enumerate(options.conversation, start=1):
        if not line.strip():
            continue
        try:
            said = json.loads(line)
            talk.append(ChatMessage(_text(said["role"]), _text(said["content"])))
        except (ValueError, LookupError, TypeError):
            raise Usage(
                f"line {number}: expected an object with role and content, both text, got {line!r:.60}",
                code="bad_line",
            ) from None
    return talk


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _total(filters: Filters, connection: sqlite3.Connection) -> int:
    allowed, values = filters.sql()
    ((total,),) = connection.execute(f"SELECT count(*) FROM memory m WHERE {allowed}", values)
    return int(total)


async def why(device: Device, options: ExplainWhy) -> Why:
    """Follow a memory back to where it came from; the store's writer waits, so that the log holds still."""
    if options.as_of is None and options.seen_by is None:
        return await device.replica.run(partial(_why, options.rid))
    async with opened_past(device, moment_of(device, options.as_of), options.seen_by) as past:
        return await device.replica.run(lambda core, _: _why(options.rid, core, past.connection))


def _why(named: str, core: Core, connection: sqlite3.Connection) -> Why:
    """Tell where a memory comes from: its words as the connection has them, its ops as the log does."""
    rid = find_memory(connection, named, forgotten=True, summary=True)
    summary = summary_named(connection, rid)
    chain = list(_chain(core, connection, rid) if summary is None else _drawn(core, connection, summary))
    checked = [link.signature_ok for link in chain if link.signature_ok is not None]
    return Why(
        rid=show_memory_id(rid),
        chain=chain,
        signature_ok=all(checked) if checked else None,
        derived=[
            show_memory_id(fact)
            for (fact,) in connection.execute("SELECT rid FROM memory WHERE parent = ? ORDER BY rid", (rid,))
        ],
    )


async def why_not(device: Device, options: ExplainWhyNot) -> WhyNot:
    """Ask the question again, and watch what becomes of one memory."""
    async with at_moment(device, options.as_of, options.seen_by) as mind:
        rid = await mind.read(
            lambda connection: find_memory(connection, options.rid, forgotten=True, summary=True)
        )
        stages = await mind.why_not(rid, options.query, k=options.k, filters=kept(options))
    return WhyNot(
        rid=show_memory_id(rid),
        query=options.query,
        found=all(stage.passed for stage in stages),
        stages=[StageView(name=stage.name, passed=stage.passed, detail=stage.detail) for stage in stages],
    )


def _chain(core: Core, connection: sqlite3.Connection, rid: MemoryId) -> Iterable[Provenance]:
    """Give a memory, and what it was taken from, to the end; a circle that somebody made by hand ends it too."""
    relation, seen, at = "itself", set[bytes](), bytes(rid)
    while at not in seen:
        seen.add(at)
        views = [view_of_memory(shown) for shown in memories_called(connection, (at,))]
        yield _link(core, MemoryId(at), relation, views[0] if views else None)
        parents = connection.execute("SELECT parent FROM memory WHERE rid = ?", (at,)).fetchone()
        if parents is None or parents[0] is None:
            return
        relation, at = "taken from", bytes(parents[0])


def _drawn(core: Core, connection: sqlite3.Connection, summary: Summary) -> Iterable[Provenance]:
    """Give a summary, and every memory that it was drawn from, the oldest first."""
    yield Provenance(rid=show_memory_id(summary.rid), relation="itself", text=summary.memory.text)
    for member in summary.members:
        yield _link(core, member.rid, "drawn from", memory_view(connection, member.rid))


def _link(core: Core, rid: MemoryId, relation: str, view: MemoryView | None) -> Provenance:
    row = next((row for row in core.store.memory_rows(rid) if row.kind == Kind.REMEMBER), None)
    told = Provenance(rid=show_memory_id(rid), relation=relation, text=None)
    if view is None and row is None:
        return told
    return Provenance(
        rid=told.rid,
        relation=relation,
        text=None if view is None else view.text,
        source=None if view is None else view.source,
        speaker=None if view is None else view.speaker,
        session=None if view is None else view.session,
        turn=None if view is None else view.turn,
        told_at=None if view is None else view.told_at,
        op_id=None if row is None else str(op_uuid(row.id, row.hlc)),
        hash=None if row is None else row.id.hex(),
        written_at=at_stamp(row.hlc) if row is not None else None if view is None else view.created_at,
        device=_device(core, row, view),
        device_name=_name(core, row, view),
        origin=None if view is None else view.origin,
        seq=None if row is None else row.seq,
        signature_ok=None if row is None else is_vouched(core, row),
        vouched_by=None if row is not None or (by := voucher_of_memory(core, rid)) is None else by.hex(),
    )


def _device(core: Core, row: Row | None, view: MemoryView | None) -> str | None:
    if row is not None:
        return core.feeds[row.feed].origin.device.hex()
    return None if view is None else view.device


def _name(core: Core, row: Row | None, view: MemoryView | None) -> str | None:
    if view is not None:
        return view.device_name
    if row is None:
        return None
    member = core.membership.members.get(core.feeds[row.feed].origin.device)
    return None if member is None else member.name
