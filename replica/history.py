"""Tell what happened to one memory, from the ops that name it: each op, what it said, and how the text read after it.

Concurrent edits appear one after the other, in the order in which ops are given. What lies below the base, or was
erased, is no longer told; `horizon_ms` says up to when that may be so.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from replica.ids import DeviceId, MemoryId, Origin
from replica.oplog import LogRow, Store
from replica.ops import UNDERSTOOD, Body, Edit, Remember
from replica.reads.log import read_meta
from replica.rows import body_of, op_of
from replica.state.cells import memory_key
from replica.state.memories import MemoryCell
from replica.state.text import EditedText, base_name

# Whose op it is does not matter for what it says.
_NOBODY = Origin(DeviceId(b""), b"")


class Happened(NamedTuple):
    """One op on a memory. `body` is None where it says nothing; `text` is how the memory reads after a change of it."""

    row: LogRow
    body: Body | None
    text: str | None


def horizon_ms(connection: sqlite3.Connection) -> int:
    """Return up to when ops have left the log, in ms since 1970; 0 while it tells everything."""
    return read_meta(connection).horizon_ms


def texts_told(store: Store, rid: MemoryId) -> set[str]:
    """Return what a memory was told as, before any edit; nothing where it is not here."""
    cells = store.load([memory_key(rid)]).values()
    return {add.text for cell in cells if isinstance(cell, MemoryCell) for add in cell.adds.values()}


def history(rid: MemoryId, rows: Iterable[LogRow]) -> Iterator[Happened]:
    """Return what happened to a memory; `rows` are all ops with its id, none before one that it has seen."""
    documents: dict[bytes, EditedText] = {}
    for row in rows:
        body = body_of(op_of(row, _NOBODY), UNDERSTOOD)
        text: str | None = None
        match body:
            case Remember():
                text = body.text
                documents.setdefault(base_name(rid, text), EditedText.from_base(rid, text))
            case Edit() if (document := documents.get(body.base)) is not None:
                document.apply(body.update)
                text = document.show()
        yield Happened(row, body, text)
