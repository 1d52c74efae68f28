"""Show the settings that all devices share, and what feedback taught, in tables.

A setting is the winner of its register, packed, since it may be of any kind. A lesson is a row for each signal that
one feedback taught: their sums are the same everywhere, whatever order they came in.
"""

import sqlite3
from collections.abc import Iterator
from typing import Any, Final

from replica.codec import pack, unpack
from replica.fields import Value
from replica.hlc import HLC_MAX, latest_plausible
from replica.state.cells import Cell, CellKind, Key, Lesson
from replica.state.register import winner

_LESSON: Final = "INSERT OR REPLACE INTO lesson (op, signal, amount) VALUES (?, ?, ?)"


def write_setting(connection: sqlite3.Connection, key: Key, cell: Cell | None) -> None:
    """Follow one shared setting."""
    row = setting_row(key, cell)
    if row is None:
        connection.execute("DELETE FROM setting WHERE name = ?", (key.name.decode(),))
    else:
        connection.execute("INSERT OR REPLACE INTO setting (name, value, hlc) VALUES (?, ?, ?)", row)


def write_lesson(connection: sqlite3.Connection, key: Key, cell: Cell | None) -> None:
    """Follow one feedback."""
    if isinstance(cell, Lesson):
        connection.executemany(_LESSON, [(key.name, *amount) for amount in cell.amounts])
    else:
        connection.execute("DELETE FROM lesson WHERE op = ?", (key.name,))


def setting_row(key: Key, cell: Cell | None) -> tuple[str, bytes, int] | None:
    """Return what shows of a setting, if anything does."""
    if not isinstance(cell, dict) or not cell:
        return None
    _, hlc, value = winner(cell)
    return None if value is None else (key.name.decode(), pack(value), hlc)


def read_settings(
    connection: sqlite3.Connection, prefix: str, *, limit: int | None = None, now_ms: int | None = None
) -> dict[str, Value]:
    """Return the settings whose names begin so, by what follows, in order; at most the last `limit` that were set.

    What is stamped further ahead of `now_ms` than can be right counts as set first: nothing could be set after it.
    """
    believed = HLC_MAX if now_ms is None else latest_plausible(now_ms)
    return {
        name[len(prefix) :]: unpack(value)
        for name, value in connection.execute(
            """SELECT name, value FROM setting WHERE name IN (
                   SELECT name FROM setting WHERE substr(name, 1, ?) = ? ORDER BY hlc > ?, hlc DESC, name LIMIT ?
               ) ORDER BY name""",
            (len(prefix), prefix, believed, -1 if limit is None else limit),
        )
    }


def read_lessons(connection: sqlite3.Connection) -> dict[str, int]:
    """Return what all feedback together taught of each signal, in units of 1e-9."""
    if connection.execute("SELECT 1 FROM lesson LIMIT 1").fetchone() is None:
        return {}  # as in most stores; to add nothing up takes SQLite as long as many a search
    return dict(connection.execute("SELECT signal, sum(amount) FROM lesson GROUP BY signal ORDER BY signal"))


def check_settings(connection: sqlite3.Connection, cells: dict[Key, Cell]) -> Iterator[str]:
    """Return where these tables differ from the cells of their parts."""
    settings: dict[Any, Any] = {
        row[0]: row for row in connection.execute("SELECT name, value, hlc FROM setting")
    }
    lessons: dict[Any, set[Any]] = {}
    for op, *amount in connection.execute("SELECT op, signal, amount FROM lesson"):
        lessons.setdefault(op, set()).add(tuple(amount))
    for key, cell in cells.items():
        if key.part is CellKind.SETTING and settings.pop(key.name.decode(), None) != setting_row(key, cell):
            yield f"the setting {key.name.decode()!r} shows something else than was folded"
        if isinstance(cell, Lesson) and lessons.pop(key.name, None) != set(cell.amounts):
            yield "feedback shows something else than was folded"
    yield from (f"the setting {name!r} shows, but was never folded" for name in settings)
    yield from ("feedback shows that was never folded" for _ in lessons)
