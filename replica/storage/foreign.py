"""Hold a store that came from elsewhere to the schema that this program makes.

A schema is a program of its own: SQLite runs a trigger at each write, a view at each read, and whatever a column
computes or checks at both. Whoever could change a backup could keep what was erased, undo each revocation, or let the
next write compute for ever. The rows are held to signatures; what runs beside them is held to this.

An older version had other triggers, indexes and full text of its own, all for tables that are made anew where they are
of another version: so what is not ours is taken out, and only what computes inside a table is refused.
"""

import re
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from typing import Final, NamedTuple

from replica.errors import StoreCorrupt
from replica.storage.schema import MIGRATIONS, check
from replica.storage.sql import transaction

# Words by which a column or a table computes something at each write.
_COMPUTES: Final = re.compile(r"\bCHECK\s*\(|\bREFERENCES\b|\bAS\s*\(|\bDEFAULT\s*\(", re.IGNORECASE)
_QUOTED: Final = re.compile(r"'(?:[^']|'')*'|--[^\n]*|/\*.*?\*/", re.DOTALL)
_VIRTUAL: Final = re.compile(r"\s*CREATE\s+VIRTUAL\s", re.IGNORECASE)
_VIRTUALLY: Final = "virtual "


class _Named(NamedTuple):
    """What SQLite tells things by: a trigger may have the name of a table."""

    kind: str
    name: str


_Schema = Mapping[_Named, str]


def hold_to(connection: sqlite3.Connection, ours: sqlite3.Connection) -> int:
    """Take out of a store what runs by itself and is not of this program; return how many there were.

    `ours` is a new store, with all that is derived. `StoreCorrupt`: a table computes something when it is written.
    """
    version, current = check(connection), check(ours)
    if version < 1:
        raise StoreCorrupt(f"expected a store, which has a version from 1 on, got version {version}")
    of_replica = _of_replica(version)
    known = {**_schema(ours), **of_replica}
    found = _schema(connection)
    for each, sql in found.items():
        if each.kind == "table" and _COMPUTES.search(_QUOTED.sub("''", sql)):
            raise StoreCorrupt(
                f"expected the tables of a store, but {each.name[:60]!r} computes something whenever it is written"
            )
    foreign = [each for each, sql in found.items() if each.kind != "table" and known.get(each) != sql]
    # What an older version derived otherwise is made anew when it is opened, with all that follows it.
    right = known if version == current else of_replica
    with transaction(connection):
        for each in foreign:
            quoted = each.name.replace('"', '""')
            connection.execute(f'DROP {each.kind.removeprefix(_VIRTUALLY)} IF EXISTS "{quoted}"')
        for each in foreign:
            if each in right:
                connection.execute(right[each])
    return len(foreign)


def _of_replica(version: int) -> _Schema:
    """Return the replica's own schema as it was at a version."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        for step in MIGRATIONS[:version]:
            step(connection)
        return _schema(connection)


def _schema(connection: sqlite3.Connection) -> _Schema:
    rows = connection.execute("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL")
    return {_Named(_VIRTUALLY * bool(_VIRTUAL.match(sql)) + kind, name): sql for kind, name, sql in rows}
