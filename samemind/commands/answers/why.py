"""Show where a memory comes from: who said it, which device wrote it, whether its signature is valid."""

from collections.abc import Iterable
from dataclasses import field
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Final

from replica.values import dataclass
from samemind.declaring import Command, CoreTool, Effects, Method, Takes, Workspace, argument
from samemind.formats.memory_view import MemoryView
from samemind.formats.options import MomentOptions
from samemind.formats.printable import one_line
from samemind.formats.rendering import Document, clock, day_or_clock

if TYPE_CHECKING:
    import sqlite3

    from cognition.consolidation.summaries import Summary
    from replica import Core, LogRow, MemoryId
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainWhy(MomentOptions):
    """Show where a memory comes from: who said it, which device wrote it, whether its signature is valid."""

    rid: str = argument("its id", takes=Takes.RID)


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """One memory on the way back to where something came from: who told it, and which op on which device wrote it.

    `relation` is `itself`, or how the one before it came from this one. What was forgotten has no text, and what lies
    below the base no op.
    """

    rid: str
    relation: str
    text: str | None
    source: str | None = None
    speaker: str | None = None
    session: str | None = None
    turn: str | None = None
    told_at: datetime | None = None
    op_id: str | None = None
    hash: str | None = None
    written_at: datetime | None = None
    device: str | None = None
    device_name: str | None = None
    origin: str | None = None
    seq: int | None = None
    signature_ok: bool | None = None
    vouched_by: str | None = None
    """The device on whose word alone it is known: it came within a snapshot, and not as its author signed it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedClaim:
    """What a memory states of which one thing is true, since when if anybody said so, and who read that in it.

    `reader` is `patterns` where the words say it, as this version reads them; else who told the memory: the agent (as
    its source is called), or `person`.
    """

    entity: str
    relation: str
    value: str
    since: datetime | None
    reader: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """Where a memory comes from, itself first.

    `signature_ok` is null where nothing could be checked: the log was folded into the base, and members vouch for it.
    """

    rid: str
    chain: list[Provenance]
    signature_ok: bool | None
    derived: list[str] = field(default_factory=list)
    """What was taken from it in turn."""
    claims: list[StatedClaim] = field(default_factory=list)
    """What it states, to be compared with other memories."""


# Who read a claim in a memory.
PATTERNS: Final = "patterns"
PERSON: Final = "person"
# Enough to tell devices of one household apart at a glance; the whole id is in --json.
_DEVICE_DIGITS: Final = 12


async def run(device: "Device", options: ExplainWhy) -> Why:
    """Follow a memory back to where it came from; the store's writer waits, so that the log holds still."""
    from samemind.moments import moment_of, opened_past

    if options.as_of is None and options.seen_by is None:
        return await device.replica.run(partial(_why, options.rid))
    moment_ms = moment_of(device, options.as_of)
    async with opened_past(device, moment_ms, options.seen_by, words=False) as past:
        return await device.replica.run(lambda core, _: _why(options.rid, core, past.connection))


def _why(named: str, core: "Core", connection: "sqlite3.Connection") -> Why:
    """Tell where a memory comes from: its words as the connection has them, its ops as the log does."""
    from cognition.consolidation.summaries import summary_named
    from replica import facts_of, show_memory_id
    from samemind.formats.ids import find_memory

    rid = find_memory(connection, named, forgotten=True, summary=True)
    summary = summary_named(connection, rid)
    chain = list(_chain(core, connection, rid) if summary is None else _drawn(core, connection, summary))
    checked = [link.signature_ok for link in chain if link.signature_ok is not None]
    return Why(
        rid=show_memory_id(rid),
        chain=chain,
        signature_ok=all(checked) if checked else None,
        derived=[show_memory_id(fact) for fact in facts_of(connection, rid)],
        claims=list(_stated(connection, rid)),
    )


def _stated(connection: "sqlite3.Connection", rid: "MemoryId") -> Iterable[StatedClaim]:
    from cognition.contradictions.reading import read_statements
    from cognition.contradictions.values import ENDED, folded, value_of
    from cognition.fading.tiers import told_ms
    from replica import memories_called
    from replica.reads.claims import claims_of
    from samemind.agents.grants import source_of
    from samemind.formats.times import at_ms

    for it in memories_called(connection, (rid,)):
        claims = claims_of(connection, it.id)
        if not claims:
            return
        fields = it.memory.fields
        source, speaker = (fields.get(name) for name in ("source", "speaker"))
        by = source if isinstance(source, str) and source.startswith(source_of("")) else PERSON
        read = {
            (each.relation, folded(value_of(each)))
            for each in read_statements(
                it.memory.text,
                told_at_ms=told_ms(it.memory),
                speaker=speaker if isinstance(speaker, str) else None,
            )
        }
        # What a correction took out of the words, it ended: that is stated no more, up to there.
        ended = {
            (claim.entity, claim.relation): place
            for place, claim in enumerate(claims)
            if claim.value == ENDED and (claim.relation, folded(ENDED)) not in read
        }
        for place, claim in enumerate(claims):
            if place <= ended.get((claim.entity, claim.relation), -1):
                continue
            yield StatedClaim(
                entity=claim.entity,
                relation=claim.relation,
                value=claim.value,
                since=None if claim.valid_from is None else at_ms(claim.valid_from),
                reader=PATTERNS if (claim.relation, folded(claim.value)) in read else by,
            )


def _chain(core: "Core", connection: "sqlite3.Connection", rid: "MemoryId") -> Iterable[Provenance]:
    """Give a memory, and what it was taken from, to the end; a circle that somebody made by hand ends it too."""
    from replica import MemoryId, memories_called
    from replica.reads.facts import parent_of
    from samemind.formats.views import view_of_memory

    relation, seen, at = "itself", set[bytes](), bytes(rid)
    while at not in seen:
        seen.add(at)
        views = [view_of_memory(shown) for shown in memories_called(connection, (at,))]
        yield _link(core, MemoryId(at), relation, views[0] if views else None)
        parent = parent_of(connection, at)
        if parent is None:
            return
        relation, at = "taken from", bytes(parent)


def _drawn(core: "Core", connection: "sqlite3.Connection", summary: "Summary") -> Iterable[Provenance]:
    """Give a summary, and every memory that it was drawn from, the oldest first."""
    from replica import show_memory_id
    from samemind.formats.views import memory_view

    yield Provenance(rid=show_memory_id(summary.rid), relation="itself", text=summary.memory.text)
    for member in summary.members:
        yield _link(core, member.rid, "drawn from", memory_view(connection, member.rid))


def _link(core: "Core", rid: "MemoryId", relation: str, view: MemoryView | None) -> Provenance:
    from replica import OpKind, op_uuid, show_memory_id
    from replica.op_verification import is_vouched
    from replica.vouched import voucher_of_memory
    from samemind.formats.times import at_stamp

    row = next((row for row in core.store.memory_rows(rid) if row.kind == OpKind.REMEMBER), None)
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


def _device(core: "Core", row: "LogRow | None", view: MemoryView | None) -> str | None:
    if row is not None:
        return core.feeds[row.feed].origin.device.hex()
    return None if view is None else view.device


def _name(core: "Core", row: "LogRow | None", view: MemoryView | None) -> str | None:
    if view is not None:
        return view.device_name
    if row is None:
        return None
    member = core.membership.members.get(core.feeds[row.feed].origin.device)
    return None if member is None else member.name


def render(document: Document) -> list[str]:
    lines: list[str] = []
    for link in document["chain"]:
        lines.append(f"{link['relation']:<10}  {one_line(link['text'] or 'forgotten')}")
        who = one_line(link["device_name"] or "") or (link["device"] or "")[:_DEVICE_DIGITS]
        signed = {True: "signature holds", False: "SIGNATURE DOES NOT HOLD", None: "vouched for by the group"}
        told = [
            f"told by {link['speaker']}" if link["speaker"] else "",
            f"from {link['source']}" if link["source"] else "",
            _where_from(link),
        ]
        lines.append(f"{'':<10}  {link['rid']}")
        by = f", on the word of {link['vouched_by'][:_DEVICE_DIGITS]} alone" if link["vouched_by"] else ""
        lines.append(f"{'':<10}  written on {who}, {signed[link['signature_ok']]}{by}")
        lines += [f"{'':<10}  {one_line(', '.join(part for part in told if part))}"] * any(told)
    return lines + [_claim_line(claim) for claim in document["claims"]]


def _claim_line(claim: Document) -> str:
    from cognition.contradictions.relations import subject_of

    since = f", since {day_or_clock(claim['since'])}" if claim["since"] else ""
    said = one_line(f"{subject_of(claim['entity'], claim['relation'])}{claim['value']}")
    return f"{'claims':<10}  {said}{since} ({one_line(claim['reader'])})"


def _where_from(link: Document) -> str:
    return " ".join(
        part for part in (link["session"], link["turn"], link["told_at"] and clock(link["told_at"])) if part
    )


COMMAND: Final = Command(
    "why",
    ExplainWhy,
    Why,
    run=run,
    render=render,
    effects=Effects.READ,
    agents=CoreTool(
        place=6,
        name="why",
        title="Why",
        description=(
            "Show where a memory comes from: who told it, which device wrote it, from what it was "
            "taken, and whether its signature holds."
        ),
        seldom=("as_of", "seen_by"),
    ),
    panel=True,
    library=Method(
        "why",
        (
            "Return where a memory comes from: who said it, which device wrote it, whether its signature is valid."
        ),
    ),
    workspace=Workspace.READ_BY_ID,
    place=2,
)
