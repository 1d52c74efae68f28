"""Look up single columns of memories, and which rows or ids they have."""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from replica.fields import Value
from replica.ids import DeviceId, MemoryId
from replica.storage.sql import select_named


def numbers_with_facts(connection: sqlite3.Connection, rid: bytes) -> list[int]:
    """Return the number of a memory's row, and those of the facts that were taken from it."""
    rows = connection.execute("SELECT id FROM memory WHERE rid = ?1 OR parent = ?1", (rid,))
    return [number for (number,) in rows]


def newest_numbers(connection: sqlite3.Connection, limit: int) -> list[int]:
    """Return the rows of at most `limit` tellings that are not put away, the last told or changed first."""
    rows = connection.execute(
        "SELECT id FROM memory WHERE parent IS NULL AND archived IS NOT 1 ORDER BY updated DESC LIMIT ?",
        (limit,),
    )
    return [number for (number,) in rows]


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


def facts_of(connection: sqlite3.Connection, rid: bytes) -> list[MemoryId]:
    """Return the memories of single facts that stand beside one, in the order of their ids."""
    rows = connection.execute("SELECT rid FROM memory WHERE parent = ? ORDER BY rid", (rid,))
    return [MemoryId(fact) for (fact,) in rows]


def orphans_of(connection: sqlite3.Connection, rid: bytes, device: DeviceId) -> list[MemoryId]:
    """Return the memories that a device wrote beside one, where that one does not show any more."""
    rows = connection.execute(
        """SELECT f.rid FROM memory f JOIN feed o ON o.no = f.feed WHERE f.parent = ?1 AND o.device = ?2
           AND NOT EXISTS (SELECT 1 FROM memory WHERE rid = ?1)""",
        (rid, device),
    )
    return [MemoryId(fact) for (fact,) in rows]


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
    return connection.execute("SELECT 1 FROM memory WHERE rid = ?", (rid,)).fetchone() is not None


def is_forgotten(connection: sqlite3.Connection, rid: bytes) -> bool:
    """Say whether a memory had this id, and has it no more."""
    return connection.execute("SELECT 1 FROM tombstone WHERE rid = ?", (rid,)).fetchone() is not None


def text_of(connection: sqlite3.Connection, rid: bytes) -> str | None:
    """Return the text of a memory; None where it does not show."""
    row = connection.execute("SELECT text FROM memory WHERE rid = ?", (rid,)).fetchone()
    return None if row is None else str(row[0])


def texts_called(connection: sqlite3.Connection, rids: Sequence[bytes]) -> dict[bytes, str]:
    """Return the texts of those of these memories that show, by id."""
    return dict(select_named(connection, "SELECT rid, text FROM memory WHERE rid IN", rids))


def parent_of(connection: sqlite3.Connection, rid: bytes) -> MemoryId | None:
    """Return the memory that a fact was taken from; None of what is no fact, or does not show."""
    row = connection.execute("SELECT parent FROM memory WHERE rid = ?", (rid,)).fetchone()
    return None if row is None or row[0] is None else MemoryId(row[0])


def all_facts(connection: sqlite3.Connection) -> Iterator[tuple[MemoryId, MemoryId]]:
    """Return every fact and the memory that it was taken from, in no particular order."""
    rows = connection.execute("SELECT rid, parent FROM memory WHERE parent IS NOT NULL")
    return ((MemoryId(rid), MemoryId(parent)) for rid, parent in rows)


def fact_numbers_of(connection: sqlite3.Connection, rid: bytes) -> list[int]:
    """Return the rows of the facts that stand beside a memory, in their order."""
    rows = connection.execute("SELECT id FROM memory WHERE parent = ? ORDER BY id", (rid,))
    return [number for (number,) in rows]


def numbers_saying(connection: sqlite3.Connection, content: int, text: str) -> list[int]:
    """Return the rows of the memories with exactly this text; `content` is its number."""
    rows = connection.execute("SELECT id FROM memory WHERE content = ? AND text = ?", (content, text))
    return [number for (number,) in rows]


def saying_the_same(connection: sqlite3.Connection, rid: bytes, workspace: str | None) -> set[MemoryId]:
    """Return the memories with exactly the text of one, itself among them; with a workspace, those in it alone."""
    rows = connection.execute(
        "SELECT o.rid FROM memory m JOIN memory o ON o.content = m.content AND o.text = m.text "
        "WHERE m.rid = ? AND (? IS NULL OR casefold(o.workspace) = casefold(?))",
        (rid, workspace, workspace),
    )
    return {MemoryId(same) for (same,) in rows}


def open_goal_saying(connection: sqlite3.Connection, content: int) -> MemoryId | None:
    """Return an open goal of this content; None where there is none."""
    row = connection.execute(
        "SELECT rid FROM memory WHERE content = ? AND goal = 'open'", (content,)
    ).fetchone()
    return None if row is None else MemoryId(row[0])


class ToldIn(NamedTuple):
    """A memory, the incarnation of the device that told it, and the stamp of the telling."""

    rid: MemoryId
    incarnation: bytes
    created: int


def told_by(
    connection: sqlite3.Connection,
    first_hlc: int,
    last_hlc: int,
    *,
    device: DeviceId | None = None,
    source: str | None = None,
    speaker: str | None = None,
) -> list[ToldIn]:
    """Return the memories that a device told, else that have a source, else a speaker, in no particular order.

    Of those with stamps of this range, both ends in it. Case does not matter in a source and a speaker.
    """
    named: DeviceId | str | None
    if device is not None:
        which, named = "f.device = ?", device
    elif source is not None:
        which, named = "casefold(m.source) = casefold(?)", source
    else:
        which, named = "casefold(m.speaker) = casefold(?)", speaker
    rows = connection.execute(
        f"""SELECT m.rid, f.incarnation, m.created FROM memory m JOIN feed f ON f.no = m.feed
            WHERE m.created BETWEEN ? AND ? AND {which}""",
        (first_hlc, last_hlc, named),
    )
    return [ToldIn(MemoryId(rid), incarnation, created) for rid, incarnation, created in rows]


def attribution_of(connection: sqlite3.Connection, rid: bytes) -> dict[str, Value]:
    """Return who said a memory, in which workspace, and when (`told_at`), as far as these fields are set."""
    names = ("speaker", "workspace", "told_at")
    row = connection.execute(
        "SELECT speaker, workspace, told_at FROM memory WHERE rid = ?", (rid,)
    ).fetchone()
    return {name: value for name, value in zip(names, row or (), strict=False) if value is not None}


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


class Kin(NamedTuple):
    """The row of a memory, the content that its duplicates share, and the memory that it was taken from."""

    id: int
    content: int
    parent: bytes | None


def kin_of(connection: sqlite3.Connection, rid: bytes) -> Kin | None:
    """Return what tells a memory's duplicates and facts; None where it does not show."""
    row = connection.execute("SELECT id, content, parent FROM memory WHERE rid = ?", (rid,)).fetchone()
    return None if row is None else Kin(*row)


def parents_of(connection: sqlite3.Connection, numbers: Sequence[int]) -> set[bytes]:
    """Return the memories that those of these rows were taken from that are facts."""
    rows = connection.execute(
        "SELECT parent FROM memory WHERE parent IS NOT NULL AND id IN (SELECT value FROM json_each(?))",
        (json.dumps(numbers),),
    )
    return {parent for (parent,) in rows}


def ids_of(connection: sqlite3.Connection, numbers: Sequence[int], *, limit: int = -1) -> list[MemoryId]:
    """Return the ids of the memories of these rows, the oldest first; at most `limit`, unless that is negative."""
    rows = connection.execute(
        "SELECT rid FROM memory WHERE id IN (SELECT value FROM json_each(?)) ORDER BY created, rid LIMIT ?",
        (json.dumps(numbers), limit),
    )
    return [MemoryId(rid) for (rid,) in rows]


def all_numbers(connection: sqlite3.Connection) -> list[int]:
    """Return the rows of all memories that show, in order."""
    return [number for (number,) in connection.execute("SELECT id FROM memory ORDER BY id")]


def number_ahead(connection: sqlite3.Connection, number: int, ahead: int) -> int | None:
    """Return the row that stands `ahead` rows behind the next one after a row; None where there are fewer."""
    row = connection.execute(
        "SELECT id FROM memory WHERE id > ? ORDER BY id LIMIT 1 OFFSET ?", (number, ahead)
    ).fetchone()
    return None if row is None else int(row[0])


def newest_tellings(
    connection: sqlite3.Connection, workspace: str | None, *, limit: int
) -> list[tuple[int, MemoryId]]:
    """Return row and id of the newest tellings, at most `limit`; with a workspace, of those that are in it."""
    rows = connection.execute(
        """SELECT id, rid FROM memory WHERE parent IS NULL AND (? IS NULL OR workspace = ? COLLATE NOCASE)
           ORDER BY id DESC LIMIT ?""",
        (workspace, workspace, limit),
    )
    return [(number, MemoryId(rid)) for number, rid in rows]


def told_the_same(
    connection: sqlite3.Connection, content: int, text: str, fields: Mapping[str, Any], *, limit: int
) -> list[MemoryId]:
    """Return at most `limit` memories with this text, and with its workspace, speaker and time, the newest first.

    Turns of conversations, goals and blocks are left out. `content` is the number of the text.
    """
    rows = connection.execute(
        """SELECT rid FROM memory WHERE content = ? AND text = ? AND workspace IS ? AND speaker IS ?
           AND event_start IS ? AND event_end IS ? AND turn IS NULL AND position IS NULL
           AND goal IS NULL AND block IS NULL ORDER BY created DESC, rid DESC LIMIT ?""",
        (
            content,
            text,
            *(fields.get(name) for name in ("workspace", "speaker", "event_start", "event_end")),
            limit,
        ),
    )
    return [MemoryId(rid) for (rid,) in rows]


def latest_fields(
    connection: sqlite3.Connection, names: Sequence[str], content: int, text: str, workspace: str | None
) -> dict[str, Any]:
    """Return these columns of the newest memory of a content in a workspace, one of exactly this text before others.

    Those that are not set are left out; nothing where there is no such memory.
    """
    row = connection.execute(
        f"""SELECT {", ".join(f'"{name}"' for name in names)} FROM memory WHERE content = ? AND workspace IS ?
            ORDER BY text = ? DESC, created DESC, rid DESC LIMIT 1""",
        (content, workspace, text),
    ).fetchone()
    return {name: value for name, value in zip(names, row or (), strict=False) if value is not None}


def contents_are_indexed(connection: sqlite3.Connection) -> bool:
    """Say whether memories of one content are found quickly: not while most of a store comes at once."""
    sql = "SELECT 1 FROM sqlite_schema WHERE name = 'memory_by_content'"
    return connection.execute(sql).fetchone() is not None
