"""List the memories that filters let through: pages of them with their summaries, counts, and columns of the whole."""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from cognition.filters import TIME, Filters
from cognition.memories import EACH
from cognition.tellings import groups_of, shown_once
from replica.hlc import latest_plausible
from replica.reads.facts import numbers_beside
from replica.reads.ids import STORED

# A summary stands in a list only where each of its members would: it says what all of them say.
_WHOLE: Final = """WITH whole (no) AS (
    SELECT s.no FROM summary s WHERE NOT EXISTS (
        SELECT 1 FROM summary_member x JOIN shown_memory m ON m.id = x.id
        WHERE x.summary = s.no AND NOT ifnull(({condition}), 0)))"""
_ALONE: Final = "m.id NOT IN (SELECT x.id FROM summary_member x JOIN whole w ON w.no = x.summary)"


# As `STORED`, of a summary.
_STORED_SUMMARY: Final = "iif(s.created <= ?, s.created, 0)"


# Whether a memory shows its facts is asked for each: none, where it is gone.
_FACETS: Final = f"""SELECT m.id, m.rid, {TIME}, m.created >> 16, lower(hex(f.device)), m.speaker,
    m.type, m.source, m.workspace, m.conversation, m.tags
    FROM shown_memory m JOIN known_feed f ON f.no = m.feed WHERE {{condition}}
    AND (m.parent IS NULL OR NOT EXISTS (SELECT 1 FROM shown_memory p WHERE p.rid = m.parent))"""


class ListEntry(NamedTuple):
    """One entry of a list: the row of a memory, or the number of a summary."""

    number: int | None
    summary: int | None


class ListPage(NamedTuple):
    """Some entries of a list, in order, and how many the whole list has."""

    entries: list[ListEntry]
    total: int


def newest_page(
    connection: sqlite3.Connection, filters: Filters, *, limit: int, offset: int, now_ms: int
) -> ListPage:
    """Return a page of what the filters let through, the newest first: each group of tellings once, with summaries.

    A summary is as old as its oldest member, and stands in place of its members.
    """
    condition, values = filters.sql()
    once, both = shown_once(condition, values)
    if connection.execute("SELECT 1 FROM summary LIMIT 1").fetchone() is None:
        return _newest(connection, once, both, limit=limit, offset=offset, now_ms=now_ms)
    if not filters.include_archived:  # what no summary says of a group is shown by the newest of that
        once, both = shown_once(f"{condition} AND {_ALONE}", values)
    everything = f"""{_WHOLE.format(condition=condition)}, page (stored, rid, id, no) AS (
        SELECT {STORED}, m.rid, m.id, NULL FROM shown_memory m WHERE {once}
        UNION ALL SELECT {_STORED_SUMMARY}, s.rid, NULL, s.no FROM summary s JOIN whole w ON w.no = s.no)"""
    latest = latest_plausible(now_ms)
    twice = (*values, latest, *both, latest)
    ((total,),) = connection.execute(f"{everything} SELECT count(*) FROM page", twice)
    rows = connection.execute(
        f"{everything} SELECT id, no FROM page ORDER BY stored DESC, rid DESC LIMIT ? OFFSET ?",
        (*twice, limit, offset),
    )
    return ListPage(list(map(ListEntry._make, rows)), total)


def newest_tellings(
    connection: sqlite3.Connection, filters: Filters, *, limit: int, offset: int, now_ms: int
) -> ListPage:
    """Return a page of what the filters let through, the newest first: every telling, and no summary."""
    return _newest(connection, *filters.sql(), limit=limit, offset=offset, now_ms=now_ms)


def _newest(
    connection: sqlite3.Connection,
    condition: str,
    values: Sequence[Any],
    *,
    limit: int,
    offset: int,
    now_ms: int,
) -> ListPage:
    rows = connection.execute(
        f"""SELECT m.id, NULL FROM shown_memory m WHERE {condition}
            ORDER BY {STORED} DESC, m.rid DESC LIMIT ? OFFSET ?""",
        (*values, latest_plausible(now_ms), limit, offset),
    )
    return ListPage(list(map(ListEntry._make, rows)), _count(connection, condition, values))


def count_kept(connection: sqlite3.Connection, filters: Filters) -> int:
    """Return how many memories the filters let through."""
    return _count(connection, *filters.sql())


def _count(connection: sqlite3.Connection, condition: str, values: Sequence[Any]) -> int:
    ((total,),) = connection.execute(f"SELECT count(*) FROM shown_memory m WHERE {condition}", values)
    return int(total)


def hidden_by_others(connection: sqlite3.Connection) -> tuple[int, ...]:
    """Return what differs where other memories came to be hidden by what they say no more, or by a later telling."""
    retired = connection.execute("SELECT count(*), ifnull(sum(id), 0) FROM claim_retired").fetchone()
    # Groups have numbers of 64 bits, which no sum holds.
    told = connection.execute(
        "SELECT count(*), ifnull(sum(id), 0), ifnull(sum(grp % 1000003), 0) FROM telling"
    ).fetchone()
    return (*retired, *told)


def facets_after(connection: sqlite3.Connection, last: int, limit: int) -> list[tuple[Any, ...]]:
    """Return what the panel counts memories by, of those behind a row that a list without filters shows, in order.

    Row, id, when it was told and written in ms, device, speaker, type, source, workspace, conversation, and tags as
    JSON. Facts whose memory shows are left out. Plain tuples: of a hundred thousand, names cost a quarter of the time.
    """
    condition, values = shown_once(*Filters().sql())
    return connection.execute(
        f"{_FACETS.format(condition=condition)} AND m.id > ? ORDER BY m.id LIMIT ?", (*values, last, limit)
    ).fetchall()


def facets_of(connection: sqlite3.Connection, numbers: Iterable[int]) -> list[tuple[Any, ...]]:
    """Return the same of those of these rows that such a list shows."""
    condition, values = shown_once(*Filters().sql())
    return connection.execute(
        f"{_FACETS.format(condition=condition)} AND m.id IN ({EACH}) ORDER BY m.id",
        (*values, json.dumps(list(numbers))),
    ).fetchall()


def rows_beside(connection: sqlite3.Connection, rids: Sequence[bytes]) -> set[int]:
    """Return the rows of memories, of what was read out of them, and of what was told again with any of these.

    Each of them may come to be shown, or be hidden, by what happens to one of the memories.
    """
    near = numbers_beside(connection, rids)
    groups = {*groups_of(connection, near).values()}
    told = connection.execute(f"SELECT id FROM telling WHERE grp IN ({EACH})", (json.dumps([*groups]),))
    return near.union(number for (number,) in told)
