"""Show the live links between tellings that say the same, one row a link.

`link` is the name of the link's cell, which tells the op that made it. Which memories are shown as one is not decided
here: a row stays while its op does, also where one of its two memories is gone.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Final

from replica.codec import read_place, unpack
from replica.ids import MemoryId, OpRef
from replica.state.cells import Cell, CellKind, Key, TellingLink
from replica.storage.sql import select_named

Row = tuple[bytes, bytes, int]

_DELETE: Final = "DELETE FROM says_same WHERE link = ?"
_INSERT: Final = "INSERT INTO says_same VALUES (?, ?, ?, ?)"


def write_links(connection: sqlite3.Connection, cells: Mapping[Key, Cell | None]) -> bool:
    """Follow a batch; say whether it held any links."""
    changed = [(key.name, cell) for key, cell in cells.items() if key.part is CellKind.LINK]
    if not changed:
        return False
    connection.executemany(_DELETE, [(name,) for name, _ in changed])
    connection.executemany(
        _INSERT,
        [(name, *cell.rids, cell.sureness) for name, cell in changed if isinstance(cell, TellingLink)],
    )
    return True


def shown_links(connection: sqlite3.Connection) -> dict[bytes, Row]:
    """Return the whole table, to be checked against the cells."""
    rows = connection.execute("SELECT link, one, other, sureness FROM says_same")
    return {name: (one, other, sureness) for name, one, other, sureness in rows}


def links_of(connection: sqlite3.Connection, rids: Sequence[MemoryId]) -> list[OpRef]:
    """Return the ops whose links, still live, name any of these memories."""
    found = chain.from_iterable(
        select_named(connection, f"SELECT link FROM says_same WHERE {end} IN", [*rids])
        for end in ("one", "other")
    )
    return [read_place(unpack(name)) for name in sorted({name for (name,) in found})]
