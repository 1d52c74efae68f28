"""Show what judges say of two claims in a table, one row for two claims and a rank of judges.

`judgment` is the name of its cell. Each claim is named by its memory and the short id of the op that made it, as in
the table `claim`; `feed` is the one of the op that says it. What was withdrawn has no row. What it comes to is not
decided here: a row stays also where one of the two claims is gone.
"""

import sqlite3
from collections.abc import Mapping
from typing import Any, Final

from replica.codec import read_place, unpack
from replica.ids import MemoryId, OpRef
from replica.state.cells import Cell, CellKind, Key
from replica.state.register import winner

_COLUMNS: Final = "one, claim, other, against, by, same, sureness, hlc, op, feed"
_DELETE: Final = "DELETE FROM same_slot WHERE judgment = ?"
_INSERT: Final = f"INSERT INTO same_slot (judgment, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


def write_same_slots(connection: sqlite3.Connection, cells: Mapping[Key, Cell | None]) -> bool:
    """Follow a batch; say whether it held any judgments."""
    changed = [(key, cell) for key, cell in cells.items() if key.part is CellKind.SAME_SLOT]
    if not changed:
        return False
    connection.executemany(_DELETE, [(key.name,) for key, _ in changed])
    rows = [(key.name, same_slot_row(key, cell)) for key, cell in changed]
    connection.executemany(_INSERT, [(name, *row) for name, row in rows if row is not None])
    return True


def same_slot_row(key: Key, cell: Cell | None) -> tuple[Any, ...] | None:
    """Return a judgment as columns, without its name; None where nothing of it stands."""
    if not cell:
        return None
    assert isinstance(cell, dict)
    head, hlc, (same, sureness) = winner(cell)
    if same is None:
        return None
    (one, claim), (other, against) = claims_judged(key.name)
    return (
        one,
        claim.id8,
        other,
        against.id8,
        rank_of(key.name),
        int(same),
        sureness,
        hlc,
        head.id8,
        head.feed,
    )


def claims_judged(name: bytes) -> tuple[tuple[MemoryId, OpRef], tuple[MemoryId, OpRef]]:
    """Return of which two claims a judgment is, by its name."""
    one, claim, other, against, _ = unpack(name)
    return (MemoryId(one), read_place(claim)), (MemoryId(other), read_place(against))


def rank_of(name: bytes) -> int:
    """Return of which rank the judges are, by the name of a judgment."""
    rank: int = unpack(name)[-1]
    return rank


def shown_same_slots(connection: sqlite3.Connection) -> dict[bytes, tuple[Any, ...]]:
    """Return the whole table by name, as `same_slot_row` has it, to be checked against the cells."""
    rows = connection.execute(f"SELECT judgment, {_COLUMNS} FROM same_slot")
    return {name: tuple(row) for name, *row in rows}
