"""Show memories as they stand: hot, warm or cold, and summaries in place of what they stand for."""

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cognition import Filters as Kept
from cognition.consolidation.summaries import (
    Summary,
    read_summaries,
    standing_under,
    summary_named,
    summary_rids,
)
from cognition.decay import DecayProfile
from cognition.fading.forecast import weakest
from cognition.fading.tiers import tier
from cognition.listing import newest_page, newest_tellings
from cognition.tellings import NAMED_MAX, counted, groups_of, tellings_by_group
from replica import (
    MemoryId,
    NameNotFound,
    ShownMemory,
    memories_called,
    memories_of,
    numbers_with_facts,
    parse_memory_id,
    read_claims,
    show_memory_id,
)
from replica.reads.log import origins_of
from samemind.formats.fields import DOOR_NAMES
from samemind.formats.memory_view import Listed, MemoryView
from samemind.formats.options import FilterOptions
from samemind.formats.times import at_ms, at_stamp
from samemind.formats.views import memory_view, show_field, show_origin, text_variants, view_of_memory

if TYPE_CHECKING:
    from samemind.device import Device


def view_of(
    connection: sqlite3.Connection, rid: MemoryId, *, now_ms: int, profile: DecayProfile
) -> MemoryView:
    """Return one memory, or a summary, as it stands."""
    summary = summary_named(connection, rid)
    if summary is not None:
        return _summary_view(connection, summary, now_ms=now_ms, profile=profile)
    for view in standing_views(
        connection, [*memories_called(connection, (rid,))], now_ms=now_ms, profile=profile
    ):
        return view
    raise NameNotFound(f"no memory has the id {show_memory_id(rid)}")


def with_guess(connection: sqlite3.Connection, view: MemoryView) -> MemoryView:
    """Return a memory with what its words suggest where nobody said it."""
    from cognition.ingest.guessing import guess

    claimed = [
        (claim.entity, claim.relation, claim.value)
        for number in numbers_with_facts(connection, parse_memory_id(view.rid))
        for claim in read_claims(connection, "WHERE c.id = ?", (number,))
    ]
    given = {"type": view.type, "valence": view.valence, "event_start": view.event_start}
    found = guess(view.text, given, claimed)._asdict()
    return replace(
        view,
        guessed={
            name: [*value] if isinstance(value, tuple) else value for name, value in found.items() if value
        },
    )


def list_page(
    connection: sqlite3.Connection,
    filters: Kept,
    *,
    limit: int,
    offset: int,
    now_ms: int,
    profile: DecayProfile,
) -> Listed:
    """Return a page of what the filters let through, the newest first; a summary is as old as its oldest member."""
    found = newest_page(connection, filters, limit=limit, offset=offset, now_ms=now_ms)
    page = _in_order(connection, [each.number for each in found.entries if each.number is not None])
    views = iter(standing_views(connection, page, now_ms=now_ms, profile=profile))
    summaries = {
        summary.no: _summary_view(connection, summary, now_ms=now_ms, profile=profile)
        for summary in read_summaries(
            connection, [each.summary for each in found.entries if each.summary is not None]
        )
    }
    shown = [next(views) if each.summary is None else summaries[each.summary] for each in found.entries]
    return Listed(memories=shown, total=found.total)


async def put_away(device: "Device", options: FilterOptions, filters: Kept) -> int:
    """Return how many memories of a stretch of time are passed over since they hold no more, or were put away.

    Only where a stretch was asked about, in the present: who asks about March wants what held in March.
    """
    if (options.since is None and options.until is None) or options.include_cold:
        return 0
    if options.as_of is not None or options.seen_by is not None:
        return 0
    every = replace(filters, include_archived=True)
    return await device.replica.read(
        lambda connection: newest_page(connection, every, limit=0, offset=0, now_ms=device.now_ms()).total
    )


def each_page(
    connection: sqlite3.Connection,
    filters: Kept,
    *,
    limit: int,
    offset: int,
    now_ms: int,
    profile: DecayProfile,
) -> Listed:
    """Return a page of what the filters let through, the newest first: every telling, and no summary."""
    found = newest_tellings(connection, filters, limit=limit, offset=offset, now_ms=now_ms)
    page = _in_order(connection, [each.number for each in found.entries if each.number is not None])
    return Listed(
        memories=standing_views(connection, page, now_ms=now_ms, profile=profile), total=found.total
    )


def fading_page(
    connection: sqlite3.Connection,
    filters: Kept,
    *,
    limit: int,
    offset: int,
    now_ms: int,
    profile: DecayProfile,
) -> Listed:
    """Return a page of what is about to be forgotten, the faintest first; nothing fades that no filter lets through."""
    found = weakest(connection, filters, now_ms=now_ms)
    wanted = [rid for rid, _ in found[offset : offset + limit]]
    shown = {each.memory.rid: each for each in memories_called(connection, wanted)}
    page = [shown[rid] for rid in wanted]
    return Listed(memories=standing_views(connection, page, now_ms=now_ms, profile=profile), total=len(found))


def _in_order(connection: sqlite3.Connection, ids: Sequence[int]) -> list[ShownMemory]:
    """Return the memories of these rows in this order."""
    shown = {each.id: each for each in memories_of(connection, ids)}
    return [shown[number] for number in ids]


def standing_views(
    connection: sqlite3.Connection, page: Sequence[ShownMemory], *, now_ms: int, profile: DecayProfile
) -> list[MemoryView]:
    """Return memories with the tier of each, the summary under which it stands, and what else says the same."""
    ids = [shown.id for shown in page]
    under = standing_under(connection, ids)
    names = summary_rids(connection, set(under.values()))
    groups = groups_of(connection, ids)
    tellings = tellings_by_group(connection, set(groups.values()))
    often = counted(connection, set(groups.values()))
    variants = text_variants(connection, (shown.memory for shown in page))
    found = []
    for shown in page:
        no, group = under.get(shown.id), groups.get(shown.id)
        others = (
            [] if group is None else [it.rid for it in tellings[group] if it.rid != shown.rid][:NAMED_MAX]
        )
        found.append(
            view_of_memory(
                shown,
                tier=tier(shown.memory, stands_under_summary=no is not None, now_ms=now_ms, profile=profile),
                summary=None if no is None else show_memory_id(names[no]),
                same=[show_memory_id(rid) for rid in others],
                tellings=1 if group is None else often[group],
                variants=variants.get(shown.rid, []),
            )
        )
    return found


def _summary_view(
    connection: sqlite3.Connection, summary: Summary, *, now_ms: int, profile: DecayProfile
) -> MemoryView:
    memory, oldest = summary.memory, summary.members[0].memory
    origin = origins_of(connection, (memory.feed,))[memory.feed]
    fields: dict[str, Any] = {
        DOOR_NAMES.get(name, name): show_field(name, value) for name, value in memory.fields.items()
    }
    return MemoryView(
        rid=show_memory_id(summary.rid),
        text=memory.text,
        created_at=at_stamp(oldest.created),
        updated_at=at_stamp(memory.updated),
        device=summary.device.hex(),
        device_name=memory_view(connection, MemoryId(oldest.rid)).device_name,
        origin=show_origin(*origin),
        accesses=memory.accesses,
        last_access=at_ms(memory.last_access) if memory.last_access else None,
        tier=tier(memory, stands_under_summary=False, now_ms=now_ms, profile=profile),
        summary_of=[show_memory_id(member.rid) for member in summary.members],
        **fields,
    )
