"""Look up memories that show: their ids, and the numbers of their rows."""

import sqlite3
from collections.abc import Sequence
from heapq import nlargest
from typing import Final

from replica.hlc import COUNTER_BITS, latest_plausible
from replica.ids import MemoryId
from replica.storage.sql import select_named

# SQLite takes sixteen times as many parameters; a longer statement is no quicker.
_ASKED_AT_ONCE: Final = 2_000
# By when memories were stored, given the latest stamp that can be right. What a clock stamped that was days or years
# ahead would come first for as long: it comes where it was told, if anybody says when, and else last.
STORED: Final = f"iif(m.created <= ?, m.created, ifnull(m.told_at, 0) << {COUNTER_BITS})"


def newest_numbers(connection: sqlite3.Connection, limit: int, now_ms: int) -> list[int]:
    """Return the rows of at most `limit` tellings that are not put away, the last told or changed first.

    What was changed by a clock that was days or years ahead counts as stored when it was (`STORED`).
    """
    latest = latest_plausible(now_ms)
    shown = "FROM memory m WHERE parent IS NULL AND archived IS NOT 1 AND updated"
    right = connection.execute(
        f"SELECT updated, updated, id {shown} <= ? ORDER BY updated DESC LIMIT ?", (latest, limit)
    )
    ahead = connection.execute(
        f"SELECT {STORED}, updated, id {shown} > ? ORDER BY 1 DESC, updated DESC LIMIT ?",
        (latest, latest, limit),
    )
    return [number for *_, number in nlargest(limit, (*right, *ahead))]


def numbers_between(connection: sqlite3.Connection, start_ms: int, end_ms: int, limit: int) -> list[int]:
    """Return the rows of at most `limit` memories of a stretch of time, both ends in it, the newest first.

    A memory is of the time at which it happens, else of that at which it was told. What was put away is left out.
    """
    rows = connection.execute(
        """SELECT id FROM memory WHERE archived IS NOT 1
           AND coalesce(event_start, told_at, created >> 16) BETWEEN ? AND ? ORDER BY created DESC LIMIT ?""",
        (start_ms, end_ms, limit),
    )
    return [number for (number,) in rows]


def is_known(connection: sqlite3.Connection, rid: bytes) -> bool:
    """Say whether a memory has this id, or had it."""
    rows = connection.execute(
        "SELECT 1 FROM memory WHERE rid = ? UNION SELECT 1 FROM tombstone WHERE rid = ?", (rid, rid)
    )
    return rows.fetchone() is not None


def number_of(connection: sqlite3.Connection, rid: bytes) -> int | None:
    """Return the number of a memory's row; None where it does not show."""
    row = connection.execute("SELECT id FROM memory WHERE rid = ?", (rid,)).fetchone()
    return None if row is None else int(row[0])


def numbers_of(connection: sqlite3.Connection, rids: Sequence[bytes]) -> dict[MemoryId, int]:
    """Return the numbers of the rows of those of these memories that show, in no particular order."""
    rows = select_named(connection, "SELECT rid, id FROM memory WHERE rid IN", rids)
    return {MemoryId(rid): number for rid, number in rows}


def shown_among(connection: sqlite3.Connection, rids: Sequence[bytes]) -> set[MemoryId]:
    """Return those of these memories that show."""
    rows = select_named(connection, "SELECT rid FROM memory WHERE rid IN", rids)
    return {MemoryId(rid) for (rid,) in rows}


def known_among(connection: sqlite3.Connection, rids: Sequence[bytes]) -> dict[MemoryId, bool]:
    """Return those of these memories that show or were forgotten, and whether they were."""
    known: dict[MemoryId, bool] = {}
    for start in range(0, len(rids), _ASKED_AT_ONCE):
        asked = [
            *map(bytearray, rids[start : start + _ASKED_AT_ONCE])
        ]  # bound in a fraction of the time of bytes
        rows = connection.execute(
            f"""WITH asked(rid) AS (VALUES {", ".join(["(?)"] * len(asked))})
                SELECT a.rid, t.rid IS NOT NULL FROM asked a
                LEFT JOIN memory m ON m.rid = a.rid LEFT JOIN tombstone t ON t.rid = a.rid
                WHERE m.rid IS NOT NULL OR t.rid IS NOT NULL""",
            asked,
        )
        known.update((MemoryId(rid), bool(gone)) for rid, gone in rows)
    return known


def ids_between(connection: sqlite3.Connection, low: bytes, high: bytes, *, limit: int) -> list[MemoryId]:
    """Return at most `limit` memories that show with ids of this range, both ends in it, in their order."""
    rows = connection.execute(
        "SELECT rid FROM memory WHERE rid BETWEEN ? AND ? ORDER BY rid LIMIT ?", (low, high, limit)
    )
    return [MemoryId(rid) for (rid,) in rows]


def forgotten_between(
    connection: sqlite3.Connection, low: bytes, high: bytes, *, limit: int
) -> list[MemoryId]:
    """Return at most `limit` forgotten memories with ids of this range, both ends in it, in their order."""
    rows = connection.execute(
        "SELECT rid FROM tombstone WHERE rid BETWEEN ? AND ? ORDER BY rid LIMIT ?", (low, high, limit)
    )
    return [MemoryId(rid) for (rid,) in rows]


def all_ids(connection: sqlite3.Connection) -> list[MemoryId]:
    """Return the ids of all memories that show, in the order of their rows."""
    return [MemoryId(rid) for (rid,) in connection.execute("SELECT rid FROM memory ORDER BY id")]


def is_shown(connection: sqlite3.Connection, rid: bytes) -> bool:
    """Say whether a memory shows."""
    return number_of(connection, rid) is not None


def is_forgotten(connection: sqlite3.Connection, rid: bytes) -> bool:
    """Say whether a memory had this id, and has it no more."""
    return connection.execute("SELECT 1 FROM tombstone WHERE rid = ?", (rid,)).fetchone() is not None


def ids_of(connection: sqlite3.Connection, numbers: Sequence[int], *, limit: int = -1) -> list[MemoryId]:
    """Return the ids of the memories of these rows, the oldest first; at most `limit`, unless that is negative."""
    marks = ",".join("?" * len(numbers))
    rows = connection.execute(
        f"SELECT rid FROM memory WHERE id IN ({marks}) ORDER BY created, rid LIMIT ?", (*numbers, limit)
    )
    return [MemoryId(rid) for (rid,) in rows]


def number_ahead(connection: sqlite3.Connection, number: int, ahead: int) -> int | None:
    """Return the row that stands `ahead` rows behind the next one after a row; None where there are fewer."""
    row = connection.execute(
        "SELECT id FROM memory WHERE id > ? ORDER BY id LIMIT 1 OFFSET ?", (number, ahead)
    ).fetchone()
    return None if row is None else int(row[0])


def newest_tellings(
    connection: sqlite3.Connection, workspace: str | None, *, limit: int, read_max: int
) -> list[tuple[int, MemoryId]]:
    """Return row and id of the newest telling of each text in each space, at most `limit`, the newest first.

    Read are the `read_max` newest rows; with a workspace, of those only that are in it.
    """
    rows = connection.execute(
        """SELECT id, rid, content, workspace FROM memory
           WHERE parent IS NULL AND (? IS NULL OR workspace = ? COLLATE NOCASE) ORDER BY id DESC LIMIT ?""",
        (workspace, workspace, read_max),
    )
    found: dict[tuple[int, str | None], tuple[int, MemoryId]] = {}
    for number, rid, content, space in rows:
        found.setdefault((content, space), (number, MemoryId(rid)))
        if len(found) >= limit:
            break
    return list(found.values())


def follow_one_another(numbers: Sequence[int], *, least: int) -> bool:
    """Say whether rows, each once and in any order, are at least so many and have no gap: one range finds them all."""
    return len(numbers) >= least and max(numbers) - min(numbers) + 1 == len(numbers)
