"""Show memories as they stand: hot, warm or cold, and summaries in place of what they stand for."""

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from cognition import Filters as Kept
from cognition.consolidation.summaries import Summary, read_summaries, standing_under, summary_named
from cognition.decay import Profile
from cognition.fading import weakest
from cognition.memories import read_memories
from cognition.tellings import NAMED_MAX, counted, groups_of, shown_once, tellings_of
from cognition.tiers import tier
from replica import MemoryId, show_memory_id
from samemind.device import Device
from samemind.errors import Usage
from samemind.fields import DOOR_NAMES, read_pairs
from samemind.results.memories import Listed, MemoryView
from samemind.surface.memories import Filters, Get, List
from samemind.times import at_ms, at_stamp, read_end, read_time
from samemind.verbs.ids import find_memory
from samemind.verbs.moments import moment_of, read_at
from samemind.verbs.views import memory_view, select_memories, show_field, show_origin

# Nobody reads more in one go; `--offset` goes on from there.
LIST_MAX: Final = 100_000
# A summary stands in a list only where each of its members would: it says what all of them say.
_WHOLE: Final = """WITH whole (no) AS (
    SELECT s.no FROM summary s WHERE NOT EXISTS (
        SELECT 1 FROM summary_member x JOIN memory m ON m.id = x.id
        WHERE x.summary = s.no AND NOT ifnull(({condition}), 0)))"""
_ALONE: Final = "m.id NOT IN (SELECT x.id FROM summary_member x JOIN whole w ON w.no = x.summary)"


async def get(device: Device, options: Get) -> MemoryView:
    """Show one memory, or a summary, as it is or as it was."""
    now_ms = moment_of(device, options.as_of)
    return await read_at(
        device,
        options.as_of,
        options.seen_by,
        lambda connection: view_of(
            connection,
            find_memory(connection, options.rid, summary=True),
            now_ms=now_ms,
            profile=device.profile,
        ),
    )


async def list_(device: Device, options: List) -> Listed:
    """List memories, newest first."""
    if not 0 <= options.limit <= LIST_MAX or options.offset < 0:
        raise Usage(f"expected a limit of 0 to {LIST_MAX} and an offset of 0 or more", code="invalid")
    filters, now_ms = kept(options), moment_of(device, options.as_of)
    page = fading_page if options.fading else list_page
    return await read_at(
        device,
        options.as_of,
        options.seen_by,
        lambda connection: page(
            connection,
            filters,
            limit=options.limit,
            offset=options.offset,
            now_ms=now_ms,
            profile=device.profile,
        ),
    )


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


def view_of(connection: sqlite3.Connection, rid: MemoryId, *, now_ms: int, profile: Profile) -> MemoryView:
    """Return one memory, or a summary, as it stands."""
    summary = summary_named(connection, rid)
    if summary is not None:
        return _summary_view(connection, summary, now_ms=now_ms, profile=profile)
    (view,) = _standing(connection, [memory_view(connection, rid)], now_ms=now_ms, profile=profile)
    return view


def list_page(
    connection: sqlite3.Connection,
    filters: Kept,
    *,
    limit: int,
    offset: int,
    now_ms: int,
    profile: Profile,
) -> Listed:
    """Return a page of what the filters let through, the newest first; a summary is as old as its oldest member."""
    condition, values = filters.sql()
    once, both = shown_once(condition, values)
    if connection.execute("SELECT 1 FROM summary LIMIT 1").fetchone() is None:
        ((total,),) = connection.execute(f"SELECT count(*) FROM memory m WHERE {once}", both)
        rest = f"WHERE {once} ORDER BY m.created DESC, m.rid DESC LIMIT ? OFFSET ?"
        views = list(select_memories(connection, rest, (*both, limit, offset)))
        return Listed(memories=_standing(connection, views, now_ms=now_ms, profile=profile), total=total)
    if not filters.include_archived:  # what no summary says of a group is shown by the newest of that
        once, both = shown_once(f"{condition} AND {_ALONE}", values)
    everything = f"""{_WHOLE.format(condition=condition)}, page (created, rid, no) AS (
        SELECT m.created, m.rid, NULL FROM memory m WHERE {once}
        UNION ALL SELECT s.created, s.rid, s.no FROM summary s JOIN whole w ON w.no = s.no)"""
    twice = (*values, *both)
    ((total,),) = connection.execute(f"{everything} SELECT count(*) FROM page", twice)
    page = connection.execute(
        f"{everything} SELECT rid, no FROM page ORDER BY created DESC, rid DESC LIMIT ? OFFSET ?",
        (*twice, limit, offset),
    ).fetchall()
    memories = _standing(
        connection,
        [memory_view(connection, rid) for rid, no in page if no is None],
        now_ms=now_ms,
        profile=profile,
    )
    shown = {view.rid: view for view in memories}
    for summary in read_summaries(connection, [no for _, no in page if no is not None]):
        shown[show_memory_id(summary.rid)] = _summary_view(
            connection, summary, now_ms=now_ms, profile=profile
        )
    return Listed(memories=[shown[show_memory_id(rid)] for rid, _ in page], total=total)


def fading_page(
    connection: sqlite3.Connection,
    filters: Kept,
    *,
    limit: int,
    offset: int,
    now_ms: int,
    profile: Profile,
) -> Listed:
    """Return a page of what is about to be forgotten, the faintest first; nothing fades that no filter lets through."""
    found = weakest(connection, filters, now_ms=now_ms)
    page = [memory_view(connection, MemoryId(rid)) for rid, _ in found[offset : offset + limit]]
    return Listed(memories=_standing(connection, page, now_ms=now_ms, profile=profile), total=len(found))


def _standing(
    connection: sqlite3.Connection, views: Sequence[MemoryView], *, now_ms: int, profile: Profile
) -> list[MemoryView]:
    """Return views with the tier of each, and the summary under which it stands."""
    rids = [MemoryId(bytes.fromhex(view.rid.replace("-", ""))) for view in views]
    numbers: dict[bytes, int] = {}
    for rid in rids:
        numbers.update(connection.execute("SELECT rid, id FROM memory WHERE rid = ?", (rid,)))
    memories = {shown.memory.rid: shown.memory for shown in read_memories(connection, numbers.values())}
    under = standing_under(connection, numbers.values())
    names = {
        no: show_memory_id(rid)
        for no in set(under.values())
        for (rid,) in connection.execute("SELECT rid FROM summary WHERE no = ?", (no,))
    }
    groups = groups_of(connection, numbers.values())
    often = counted(connection, set(groups.values()))
    found = []
    for rid, view in zip(rids, views, strict=True):
        no = under.get(numbers[rid])
        where = tier(memories[rid], stands_under_summary=no is not None, now_ms=now_ms, profile=profile)
        view = replace(view, tier=where, summary=None if no is None else names[no])
        if (group := groups.get(numbers[rid])) is not None:
            others = [it.rid for it in tellings_of(connection, group) if it.rid != rid][:NAMED_MAX]
            view = replace(view, same=[show_memory_id(each) for each in others], tellings=often[group])
        found.append(view)
    return found


def _summary_view(
    connection: sqlite3.Connection, summary: Summary, *, now_ms: int, profile: Profile
) -> MemoryView:
    memory, oldest = summary.memory, summary.members[0].memory
    device, incarnation = connection.execute(
        "SELECT device, incarnation FROM feed WHERE no = ?", (memory.feed,)
    ).fetchone()
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
        origin=show_origin(device, incarnation),
        accesses=memory.accesses,
        last_access=at_ms(memory.last_access) if memory.last_access else None,
        tier=tier(memory, stands_under_summary=False, now_ms=now_ms, profile=profile),
        summary_of=[show_memory_id(member.rid) for member in summary.members],
        **fields,
    )
