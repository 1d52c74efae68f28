"""Read the texts of memories, with what must be known to take them apart: by the numbers of their rows."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from replica.ids import MemoryId
from replica.ops import OpKind
from replica.reads.memories import EACH, fields_of
from replica.state.cells import CellKind, edited_hlc_of
from replica.storage.sql import select_named

# Read at a time.
_ROWS_PER_READ: Final = 1_000


class Wording(NamedTuple):
    """What a memory says, with those of its fields that were asked for; `updated` is the stamp of its last change."""

    id: int
    text: str
    updated: int
    fields: dict[str, Any]


class SpokenText(NamedTuple):
    """A text and who said it."""

    id: int
    text: str
    speaker: str | None


class SaidThen(NamedTuple):
    """A text, who said it, and when that was told, in ms since 1970."""

    id: int
    rid: MemoryId
    speaker: str | None
    text: str
    told_ms: int


def wordings_of(
    connection: sqlite3.Connection, numbers: Iterable[int], names: Sequence[str]
) -> Iterator[Wording]:
    """Return what these memories say, with these of their fields, in no particular order."""
    wanted = list(numbers)
    for start in range(0, len(wanted), _ROWS_PER_READ):
        chunk = json.dumps(wanted[start : start + _ROWS_PER_READ])
        yield from _wordings(connection, f"WHERE id IN {EACH}", (chunk,), names)


def wording_of(connection: sqlite3.Connection, rid: bytes, names: Sequence[str]) -> Wording | None:
    """Return what a memory says, with these of its fields; None where it does not show."""
    return next(_wordings(connection, "WHERE rid = ?", (rid,), names), None)


def wordings_with(connection: sqlite3.Connection, name: str, names: Sequence[str]) -> Iterator[Wording]:
    """Return what every memory says that has a field, with these of its fields, in the order of rows."""
    return _wordings(connection, f'WHERE "{name}" IS NOT NULL ORDER BY id', (), names)


def _wordings(
    connection: sqlite3.Connection, where: str, values: Sequence[Any], names: Sequence[str]
) -> Iterator[Wording]:
    columns = "".join(f', "{name}"' for name in names)
    rows = connection.execute(f"SELECT id, text, updated{columns} FROM memory {where}", values)
    return (
        Wording(number, text, updated, fields_of(names, fields)) for number, text, updated, *fields in rows
    )


def text_at(connection: sqlite3.Connection, number: int) -> str | None:
    """Return the text of the memory of a row; None where there is none."""
    row = connection.execute("SELECT text FROM memory WHERE id = ?", (number,)).fetchone()
    return None if row is None else str(row[0])


def texts_at(connection: sqlite3.Connection, numbers: Iterable[int], characters: int) -> list[str]:
    """Return how the texts of the memories of these rows begin, in no particular order: so many characters at most."""
    rows = select_named(
        connection, f"SELECT substr(text, 1, {characters:d}) FROM memory WHERE id IN", [*numbers]
    )
    return [text for (text,) in rows]


def texts_after(connection: sqlite3.Connection, number: int, *, limit: int) -> list[tuple[int, str]]:
    """Return row and text of the newest memories behind a row, at most `limit`, the newest first."""
    rows = connection.execute(
        "SELECT id, text FROM memory WHERE id > ? ORDER BY id DESC LIMIT ?", (number, limit)
    )
    return rows.fetchall()


def said_after(connection: sqlite3.Connection, number: int, *, limit: int) -> list[SpokenText]:
    """Return the first memories behind a row, at most `limit`, in the order of rows."""
    rows = connection.execute(
        "SELECT id, text, speaker FROM memory WHERE id > ? ORDER BY id LIMIT ?", (number, limit)
    )
    return list(map(SpokenText._make, rows))


def said_at(connection: sqlite3.Connection, numbers: Iterable[int]) -> list[SpokenText]:
    """Return the memories of these rows, in no particular order."""
    rows = connection.execute(
        f"SELECT id, text, speaker FROM memory WHERE id IN {EACH}", (json.dumps([*numbers]),)
    )
    return list(map(SpokenText._make, rows))


def said_then(connection: sqlite3.Connection, numbers: Iterable[int]) -> list[SaidThen]:
    """Return the memories of these rows with when they were told, in the order of rows."""
    rows = connection.execute(
        f"""SELECT id, rid, speaker, text, ifnull(told_at, created >> 16) FROM memory WHERE id IN {EACH}
            ORDER BY id""",
        (json.dumps([*numbers]),),
    )
    return [SaidThen(number, MemoryId(rid), *said) for number, rid, *said in rows]


def updates_of(connection: sqlite3.Connection, numbers: Iterable[int]) -> dict[int, int]:
    """Return the stamp of the last change of each of these memories that shows, by row."""
    rows = connection.execute(f"SELECT id, updated FROM memory WHERE id IN {EACH}", (json.dumps([*numbers]),))
    return dict(rows.fetchall())


class LastEdit(NamedTuple):
    """The last edit of a text: its stamp, and the feed of its op; None of one that the log no longer holds."""

    hlc: int
    feed: int | None


def last_edits(connection: sqlite3.Connection, numbers: Iterable[int]) -> dict[int, LastEdit]:
    """Return the last edit of the text of each of these memories that was edited, by row."""
    # What was never changed has the stamp of its add, and its cell need not be opened. A cross join reads the memories
    # first: SQLite would look for each of them in every cell.
    rows = connection.execute(
        f"""SELECT m.id, m.rid, c.state FROM memory m CROSS JOIN cell c
            ON c.part = {CellKind.MEMORY:d} AND c.name = m.rid WHERE m.id IN {EACH} AND m.updated > m.created""",
        (json.dumps([*numbers]),),
    )
    found = {}
    for number, rid, state in rows.fetchall():
        if hlc := edited_hlc_of(state):
            edit = connection.execute(
                "SELECT feed FROM op WHERE rid = ? AND kind = ? AND hlc = ?", (rid, OpKind.EDIT, hlc)
            ).fetchone()
            found[number] = LastEdit(hlc, None if edit is None else edit[0])
    return found


def edited_in_several_feeds(
    connection: sqlite3.Connection, rids: Sequence[MemoryId], *, edits_max: int
) -> list[MemoryId]:
    """Return those of these memories whose text was edited in more than one feed, as far as the log tells.

    Together they have at most `edits_max` edits; those with the most are left out.
    """
    feeds: dict[bytes, list[int]] = {}
    for rid, feed in select_named(
        connection, "SELECT rid, feed FROM op WHERE kind = ? AND rid IN", rids, OpKind.EDIT
    ):
        feeds.setdefault(rid, []).append(feed)
    found, left = [], edits_max
    for count, rid in sorted((len(each), rid) for rid, each in feeds.items() if len({*each}) > 1):
        left -= count
        if left < 0:
            break
        found.append(MemoryId(rid))
    return found


def text_of(connection: sqlite3.Connection, rid: bytes) -> str | None:
    """Return the text of a memory; None where it does not show."""
    row = connection.execute("SELECT text FROM memory WHERE rid = ?", (rid,)).fetchone()
    return None if row is None else str(row[0])


def texts_called(connection: sqlite3.Connection, rids: Sequence[bytes]) -> dict[bytes, str]:
    """Return the texts of those of these memories that show, by id."""
    return dict(select_named(connection, "SELECT rid, text FROM memory WHERE rid IN", rids))
