"""Read what was claimed from memories."""

import json
import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from replica.ids import MemoryId
from replica.reads.memories import EACH
from replica.storage.claims import ShownClaim, read_claims
from replica.storage.sql import select_named


def memories_claiming(connection: sqlite3.Connection) -> dict[int, MemoryId]:
    """Return the memories that claims were taken from, by the numbers of their rows."""
    rows = connection.execute("SELECT id, rid FROM memory WHERE id IN (SELECT id FROM claim)")
    return {number: MemoryId(rid) for number, rid in rows}


def all_claims(connection: sqlite3.Connection) -> list[ShownClaim]:
    """Return every claim, in the order in which they were made."""
    return read_claims(connection, "ORDER BY c.hlc, c.claim")


def claims_of(connection: sqlite3.Connection, number: int) -> list[ShownClaim]:
    """Return the claims that were taken from the memory of a row, in the order in which they were made."""
    return read_claims(connection, "WHERE c.id = ? ORDER BY c.hlc, c.claim", (number,))


class ShownJudgment(NamedTuple):
    """What is said of two claims, each by the short id of its op: by judges of which rank, and how surely."""

    claim: bytes
    against: bytes
    same: bool
    by: int
    sureness: int


def all_judgments(connection: sqlite3.Connection) -> list[ShownJudgment]:
    """Return what is said of two claims that both show, in the order in which it was said."""
    rows = connection.execute(
        """SELECT j.claim, j.against, j.same, j.by, j.sureness FROM same_slot j
           JOIN memory m ON m.rid = j.one JOIN claim c ON c.id = m.id AND c.claim = j.claim
           JOIN memory n ON n.rid = j.other JOIN claim d ON d.id = n.id AND d.claim = j.against
           ORDER BY j.hlc, j.op"""
    )
    return [
        ShownJudgment(claim, against, bool(same), by, sureness) for claim, against, same, by, sureness in rows
    ]


def judgments_stamped(connection: sqlite3.Connection, first_hlc: int, last_hlc: int) -> dict[bytes, int]:
    """Return the stamp of each judgment that was last said in this range, both ends in it, by its name.

    Those on a memory that was forgotten are left out: nothing can come of them.
    """
    rows = connection.execute(
        """SELECT judgment, hlc FROM same_slot WHERE hlc BETWEEN ? AND ?
           AND one NOT IN (SELECT rid FROM tombstone) AND other NOT IN (SELECT rid FROM tombstone)""",
        (first_hlc, last_hlc),
    )
    return dict(rows.fetchall())


class ClaimNames(NamedTuple):
    """What names the slot of a claim: workspace, entity and relation; the claim, and the feed of its op."""

    workspace: str | None
    entity: str
    relation: str
    claim: bytes
    feed: int


def claim_names(connection: sqlite3.Connection, number: int) -> list[ClaimNames]:
    """Return the claims of the memory of a row, in the order in which they were made."""
    rows = connection.execute(
        """SELECT m.workspace, c.entity, c.relation, c.claim, c.feed FROM claim c JOIN memory m ON m.id = c.id
           WHERE c.id = ? ORDER BY c.hlc, c.claim""",
        (number,),
    )
    return list(map(ClaimNames._make, rows))


def numbers_claiming(connection: sqlite3.Connection) -> list[int]:
    """Return the rows of all memories that claims were taken from."""
    return [number for (number,) in connection.execute("SELECT DISTINCT id FROM claim")]


def claiming_between(connection: sqlite3.Connection, first: int, last: int) -> list[int]:
    """Return the rows of this range, both ends in it, that claims were taken from."""
    rows = connection.execute("SELECT DISTINCT id FROM claim WHERE id BETWEEN ? AND ?", (first, last))
    return [number for (number,) in rows]


def claiming_among(connection: sqlite3.Connection, numbers: Sequence[int]) -> list[int]:
    """Return those of these rows that claims were taken from."""
    rows = select_named(connection, "SELECT DISTINCT id FROM claim WHERE id IN", numbers)
    return [number for (number,) in rows]


def entities_claimed(connection: sqlite3.Connection, relations: Sequence[str]) -> list[tuple[str, str]]:
    """Return relation and entity of every claim of these relations, each pair once, in their order."""
    rows = connection.execute(
        f"""SELECT DISTINCT relation, entity FROM claim WHERE relation IN ({",".join("?" * len(relations))})
            ORDER BY relation, entity""",
        relations,
    )
    return rows.fetchall()


def entities_named(connection: sqlite3.Connection) -> list[str]:
    """Return of whom and of what something is claimed, each once, in their order."""
    rows = connection.execute("SELECT DISTINCT entity FROM claim ORDER BY entity")
    return [entity for (entity,) in rows]


def claiming_about(connection: sqlite3.Connection, entities: Sequence[str]) -> list[int]:
    """Return the rows of the memories that claim something of these entities, in their order."""
    rows = connection.execute(
        f"SELECT DISTINCT id FROM claim WHERE entity IN {EACH} ORDER BY id",
        (json.dumps(entities),),
    )
    return [number for (number,) in rows]
