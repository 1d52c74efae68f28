"""Read consolidation proposals, raised triggers and settings: what else ops leave behind beside memories."""

import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from replica.ids import MemoryId
from replica.storage.sql import select_named


def memories_proposed(connection: sqlite3.Connection) -> list[MemoryId]:
    """Return the members of all live consolidation proposals, in no particular order."""
    return [MemoryId(rid) for (rid,) in connection.execute("SELECT DISTINCT rid FROM proposal_member")]


def proposed_among(connection: sqlite3.Connection, rids: Sequence[bytes]) -> set[bytes]:
    """Return those of these memories that are members of a live proposal."""
    rows = select_named(connection, "SELECT DISTINCT rid FROM proposal_member WHERE rid IN", rids)
    return {rid for (rid,) in rows}


def proposals_with(connection: sqlite3.Connection, rids: Sequence[bytes]) -> set[bytes]:
    """Return the names of the live proposals that have any of these memories."""
    rows = select_named(connection, "SELECT DISTINCT proposal FROM proposal_member WHERE rid IN", rids)
    return {proposal for (proposal,) in rows}


def proposed_in(connection: sqlite3.Connection, proposals: Sequence[bytes]) -> set[bytes]:
    """Return the members of these live proposals."""
    rows = select_named(connection, "SELECT DISTINCT rid FROM proposal_member WHERE proposal IN", proposals)
    return {rid for (rid,) in rows}


def triggers_between(connection: sqlite3.Connection, low: bytes, high: bytes, *, limit: int) -> list[bytes]:
    """Return at most `limit` raised triggers with ids of this range, both ends in it."""
    rows = connection.execute(
        "SELECT DISTINCT trigger_id FROM raised_trigger WHERE trigger_id BETWEEN ? AND ? LIMIT ?",
        (low, high, limit),
    )
    return [trigger for (trigger,) in rows]


def trigger_status(connection: sqlite3.Connection, trigger: bytes) -> int:
    """Return the furthest status of the rows of a raised trigger; 0, that of a pending one, where there are none."""
    ((status,),) = connection.execute(
        "SELECT ifnull(max(status), 0) FROM raised_trigger WHERE trigger_id = ?", (trigger,)
    )
    return int(status)


def settings_stamped(connection: sqlite3.Connection, first_hlc: int, last_hlc: int) -> dict[str, int]:
    """Return the stamp of each setting that was last written in this range, both ends in it, by name."""
    return dict(
        connection.execute("SELECT name, hlc FROM setting WHERE hlc BETWEEN ? AND ?", (first_hlc, last_hlc))
    )


class Loose(NamedTuple):
    """A memory that may be put together with others: not archived, not pinned and not set apart."""

    id: int
    rid: bytes
    created: int
    workspace: str | None


def loose_among(connection: sqlite3.Connection, rids: Sequence[bytes]) -> list[Loose]:
    """Return those of these memories that may be put together with others, in no particular order."""
    rows = select_named(
        connection,
        """SELECT m.id, m.rid, m.created, m.workspace FROM memory m WHERE NOT ifnull(m.archived, 0)
           AND NOT ifnull(m.pinned, 0) AND NOT ifnull(m.apart, 0) AND m.rid IN""",
        rids,
    )
    return list(map(Loose._make, rows))
