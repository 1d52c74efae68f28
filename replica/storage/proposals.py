"""Show the members of live consolidation proposals in a table, one row a member.

`proposal` is the name of the proposal's cell, which tells the op that made it. Which proposals belong together, and
what comes of them, is not decided here. Of what a proposal names only the first `MEMBERS_SHOWN_MAX` show.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any, Final

from replica.codec import read_place, unpack
from replica.ids import MemoryId, OpRef
from replica.limits import MEMBERS_SHOWN_MAX
from replica.state.cells import Cell, CellKind, Key, Proposal
from replica.storage.sql import select_named

_DELETE: Final = "DELETE FROM proposal_member WHERE proposal = ?"
_INSERT: Final = "INSERT OR IGNORE INTO proposal_member VALUES (?, ?)"


def write_proposals(connection: sqlite3.Connection, cells: Mapping[Key, Cell | None]) -> bool:
    """Follow a batch; say whether it held any proposals."""
    changed = [(key.name, cell) for key, cell in cells.items() if key.part is CellKind.PROPOSAL]
    if not changed:
        return False
    connection.executemany(_DELETE, [(name,) for name, _ in changed])
    connection.executemany(
        _INSERT,
        [(name, rid) for name, cell in changed if isinstance(cell, Proposal) for rid in members(cell)],
    )
    return True


def members(cell: Proposal) -> tuple[MemoryId, ...]:
    """Return the members that show: at most `MEMBERS_SHOWN_MAX`, with the lowest ids, the same on every device."""
    return cell.rids[:MEMBERS_SHOWN_MAX]


def shown_proposals(connection: sqlite3.Connection) -> dict[bytes, set[bytes]]:
    """Return the whole table, to be checked against the cells."""
    held: dict[bytes, set[bytes]] = {}
    for name, rid in connection.execute("SELECT proposal, rid FROM proposal_member"):
        held.setdefault(name, set()).add(rid)
    return held


def proposals_of(connection: sqlite3.Connection, rids: Sequence[MemoryId]) -> list[OpRef]:
    """Return the ops whose proposals, still live, name any of these memories."""
    rows: Any = select_named(connection, "SELECT proposal, rid FROM proposal_member WHERE rid IN", [*rids])
    return [read_place(unpack(name)) for name in sorted({name for name, _ in rows})]
