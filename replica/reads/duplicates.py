"""Find memories that say the same."""

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from replica.ids import MemoryId
from replica.storage.sql import has_index


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
    """Say whether memories of one content are found quickly: not while most of a store comes."""
    return has_index(connection, "memory_by_content")
