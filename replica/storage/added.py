"""Keep memories of which nothing was said since they were added: nearly all.

As long as the op that added it is in the log, such a memory has no cell: the op says the same. It gets one with the
next change, or when the op leaves; one that comes within a base has it from the first.
"""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from replica.codec import SALT_BYTES, decode_payload, decode_remembers, pack
from replica.errors import StoreCorrupt
from replica.ids import ID8_BYTES, MemoryId, show_memory_id
from replica.ops import OpKind, Remember
from replica.state.adds import Add
from replica.state.cells import Cell, CellKind, Key, decode_cell, memory_key
from replica.state.memories import BareMemory, MemoryCell
from replica.state.register import Dot
from replica.storage.sql import insert_many

# What was told is read from the log so many at a time; seldom are there as many.
_ADDS_AT_ONCE: Final = 1_000
# The cells of memories that live: each as it is stored, or else the op that added it.
MEMORY_CELLS: Final = """SELECT m.rid, c.state, o.feed, o.seq, o.id, o.hlc, o.payload FROM memory m
    LEFT JOIN cell c ON c.part = 0 AND c.name = m.rid
    LEFT JOIN op o ON c.state IS NULL AND o.rid = m.rid AND o.pos > 0 AND o.kind = 1 AND o.status = 0"""


def memory_cell(row: Sequence[Any]) -> tuple[Key, Cell]:
    """Return a memory's cell from a row of `MEMORY_CELLS`."""
    rid, state, feed, seq, op_id, hlc, payload = row
    if state is not None:
        return memory_key(rid), decode_cell(CellKind.MEMORY, state)
    if payload is None:
        raise StoreCorrupt(
            f"expected a cell of memory {show_memory_id(MemoryId(rid))}, or the op that made it; neither is there"
        )
    added = decode_payload(OpKind.REMEMBER, payload)
    assert isinstance(added, Remember)
    return memory_key(rid), MemoryCell({Dot(feed, seq, op_id[:8]): Add(hlc, added.text, dict(added.fields))})


def added_cell(feed: int, seq: int, op_id: bytes, hlc: int, payload: bytes) -> bytes:
    """Return the cell of a memory of which nothing is known but the op that added it, encoded.

    It ends as the payload does, in the text and the fields: a payload is encoded as a cell is.
    """
    # A list of one list of one add, which has six parts; the body's own list begins behind the salt.
    return b"\x91\x91\x96" + pack((feed, seq, op_id[:ID8_BYTES], hlc))[1:] + payload[SALT_BYTES + 1 :]


def adds_from(connection: sqlite3.Connection, first: int) -> Iterator[list[BareMemory]]:
    """Return the memories that the ops from a position on add, a page at a time; these ops do nothing else."""
    while rows := connection.execute(
        "SELECT pos, feed, seq, hlc, rid, payload, id FROM op WHERE pos >= ? ORDER BY pos LIMIT ?",
        (first, _ADDS_AT_ONCE),
    ).fetchall():
        page = []
        bodies = decode_remembers([payload if isinstance(payload, bytes) else b"" for *_, payload, _ in rows])
        for (pos, feed, seq, hlc, rid, _, op_id), body in zip(rows, bodies, strict=True):
            if body is None:
                raise StoreCorrupt(f"expected the op at position {pos} to add a memory, and it does not")
            page.append(
                BareMemory(rid, Dot(feed, seq, op_id[:ID8_BYTES]), Add(hlc, body.text, dict(body.fields)))
            )
        yield page
        first = rows[-1][0] + 1


def is_told_by_its_op(cell: Cell, logged: Mapping[int, int]) -> bool:
    """Say whether a memory's cell says nothing but what an op does that is in the log: of a feed, from this seq on."""
    if not isinstance(cell, MemoryCell) or not cell.is_only_added():
        return False
    ((feed, seq, _),) = cell.adds
    return feed in logged and logged[feed] <= seq


def packed_cells(added: Sequence[BareMemory]) -> list[bytearray]:
    """Return the cells of memories that were not held here, as `insert_many` takes them."""
    return [bytearray(pack(((dot + add,),))) for _, dot, add in added]


def write_whole_cells(connection: sqlite3.Connection, cells: Sequence[tuple[bytearray, bytearray]]) -> None:
    """Write cells of memories that are new here, which are the state and the base in one."""
    insert_many(connection, "INSERT INTO cell VALUES", f"({CellKind.MEMORY:d}, ?, ?, x'')", cells)
