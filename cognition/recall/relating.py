"""Say which memories a memory relates to: the three most alike in meaning, where they are alike enough.

Edges of this kind follow from vectors, and vectors differ in their last bits between devices: so they are never
written, only computed when somebody looks. They are as new as the index, and forgetting needs no care for them.

Between memories five relations have a meaning of their own; others may be told under a name with a colon.
"""

import sqlite3
from typing import Final

import numpy as np

from cognition.embedding.embedder import Vectors
from cognition.embedding.index import VectorIndex
from cognition.errors import InvalidQuery
from cognition.memories import read_memories
from replica import MemoryId
from replica.reads.facts import kin_of

# ML-41.
RELATED_MAX: Final = 3
COSINE_ABOVE: Final = 0.5
# ML-40.
RELATES_TO: Final = "relates_to"
# ML-34: from what was taken out of a telling to that telling, computed likewise.
FACT_OF: Final = "samemind:fact_of"
RELATIONS: Final = (RELATES_TO, "contradicts", "updates", "causes", "temporal_sequence")
# Looked at, since the nearest of all are often its own facts and its duplicates.
_LOOKED_AT: Final = 32


def vector_of(connection: sqlite3.Connection, rid: MemoryId, space: int) -> Vectors | None:
    """Return a memory's vector in a space; None where it waits to be embedded."""
    row = connection.execute(
        """SELECT v.data FROM shown_memory m JOIN vector v ON v.id = m.id
           WHERE m.rid = ? AND v.space = ? AND NOT EXISTS (SELECT 1 FROM embed_queue q WHERE q.id = m.id)""",
        (rid, space),
    ).fetchone()
    return None if row is None else np.frombuffer(row[0], np.float16).astype(np.float32)


def related(
    connection: sqlite3.Connection, index: VectorIndex, rid: MemoryId, vector: Vectors
) -> list[tuple[MemoryId, float]]:
    """Return the memories that one relates to by its vector, with their cosines, the nearest first.

    Its own facts, what it is a fact of, and what says the same are no news, and what is archived is out of the way.
    """
    kin = kin_of(connection, rid)
    if kin is None:
        return []
    cosines = dict(index.search(vector, _LOOKED_AT))
    shown = {it.id: it for it in read_memories(connection, [near for near in cosines if near != kin.id])}
    found: list[tuple[MemoryId, float]] = []
    said = {kin.content}
    for near, cosine in cosines.items():
        it = shown.get(near)
        if it is None or cosine <= COSINE_ABOVE or it.content in said:
            continue
        fields = it.memory.fields
        if fields.get("archived") or fields.get("parent") == rid or it.rid == kin.parent:
            continue
        said.add(it.content)
        found.append((it.rid, cosine))
    return found[:RELATED_MAX]


def check_relation(relation: str) -> None:
    """Refuse a relation between two memories that is neither one of the five nor has a name of its own."""
    if relation not in RELATIONS and ":" not in relation:
        raise InvalidQuery(
            f"expected one of {', '.join(RELATIONS)} between memories, or a relation of your own with a colon in it "
            f"(mine:blocks); got {relation!r:.60}"
        )
