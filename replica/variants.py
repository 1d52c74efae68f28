"""Tell which texts were merged of edits that did not know of each other, in one place, and what each device wrote.

Yjs keeps the words of both, so the text may be one that nobody wrote. Which edits knew of which is told by the log, so
all devices that hold the same ops tell the same; what has left the log is settled. So is what was edited since by
somebody who had seen it all. Edits of different places are merged as they were meant, and nothing is told of them.
Nor is anything of texts with very many edits in the log.
"""

import sqlite3
from collections.abc import Sequence
from itertools import combinations
from typing import Final, NamedTuple

from replica.chains import Chains
from replica.ids import MemoryId, Origin
from replica.oplog import LogRow
from replica.ops import UNDERSTOOD, Edit
from replica.reads.texts import edited_in_several_feeds
from replica.rows import body_of, op_of
from replica.state.cells import memory_key
from replica.state.memories import MemoryCell, document_of, unedited
from replica.state.register import Vector
from replica.state.text import EditedText, changed_in_one_place
from replica.storage.store import SqliteStore

# Nobody chooses among more, and they are compared with each other; the last ones count.
VARIANTS_MAX: Final = 8
# All edits of the texts that are shown are read and merged anew each time, which takes up to 0.3 ms each. A member that
# writes more could hold up every recall; what it hides so, until the log is compacted, it could as well settle by edits
# that have seen all.
EDITS_MAX: Final = 2_000


class Variant(NamedTuple):
    """How a memory read to somebody who edited it, and the stamp and the writer of that edit."""

    text: str
    hlc: int
    origin: Origin


class _Update(NamedTuple):
    """An edit of the document that shows: its row of the log, and what it does."""

    row: LogRow
    update: bytes


def variants_of(connection: sqlite3.Connection, rids: Sequence[MemoryId]) -> dict[MemoryId, list[Variant]]:
    """Return what each device wrote, the latest first, for those of these memories that were so merged."""
    candidates = edited_in_several_feeds(connection, rids, edits_max=EDITS_MAX)
    if not candidates:
        return {}
    store = SqliteStore(connection)
    chains = Chains(store)
    found = {rid: _variants(store, chains, rid) for rid in candidates}
    return {rid: variants for rid, variants in found.items() if variants}


def _variants(store: SqliteStore, chains: Chains, rid: MemoryId) -> list[Variant]:
    key = memory_key(rid)
    cell, base = store.load_shown([key]).get(key), store.load_base([key]).get(key)
    if not isinstance(cell, MemoryCell):
        return []
    name, merged = document_of(rid, cell)
    edits = []
    for row in store.memory_rows(rid):
        body = body_of(op_of(row, chains[row.feed].origin), UNDERSTOOD)
        if isinstance(body, Edit) and body.base == name:
            edits.append(_Update(row, body.update))
    heads = _heads(chains, edits)
    if len(heads) < 2:
        return []
    held = base.edits.get(name) if isinstance(base, MemoryCell) else None
    began = unedited(rid, cell).state() if held is None else held.state()

    def read_by(vectors: Sequence[Vector]) -> str:
        """Return the text with the edits that all of these hold."""
        document = EditedText(began)
        for row, update in edits:
            if all(vector.get(row.feed, 0) >= row.seq for vector in vectors):
                document.apply(update)
        return document.show()

    latest = sorted(heads, key=lambda head: (head[0].hlc, head[0].id), reverse=True)[:VARIANTS_MAX]
    was = read_by([vector for _, vector in latest])
    texts = [read_by([vector]) for _, vector in latest]
    if {*texts} == {merged.show()} or not any(
        changed_in_one_place(was, one, other) for one, other in combinations(texts, 2)
    ):
        return []
    return [
        Variant(text, row.hlc, chains[row.feed].origin) for text, (row, _) in zip(texts, latest, strict=True)
    ]


def _heads(chains: Chains, edits: Sequence[_Update]) -> list[tuple[LogRow, Vector]]:
    """Return the edits that no other has seen, and what the writer of each had; there is one a feed at most."""
    heads: list[tuple[LogRow, Vector]] = []
    for row, _ in reversed(edits):  # nothing stands before what it has seen
        if not any(vector.get(row.feed, 0) >= row.seq for _, vector in heads):
            vector = chains.vector_at(row.feed, row.seq)
            assert vector is not None, "it is in the log"
            heads.append((row, vector))
    return heads
