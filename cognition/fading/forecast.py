"""Say what is about to be forgotten: memories in the order of what is left of their importance.

What is left is importance x 2^(-time since the last recall / half-life), the weakest first: what to rehearse, or to
let go. Memories of one half-life keep their order for ever, those of different ones overtake each other. So a heap
would have to be made anew for every moment at which it is asked; sorting costs the same, and nothing is kept.
"""

import sqlite3
from typing import Final

from cognition.consolidation.extract import IMPORTANCE_DEFAULT
from cognition.decay import yantrik
from cognition.fading.tiers import life_of
from cognition.filters import Filters
from replica import Memory

_SELECT: Final = """SELECT m.rid, m.created, m.updated, m.last_access, m.type, m.half_life, m.importance, m.told_at
    FROM shown_memory m WHERE {allowed} AND m.parent IS NULL AND NOT ifnull(m.pinned, 0)
    AND NOT EXISTS (SELECT 1 FROM summary_member x WHERE x.id = m.id)"""


def priority(memory: Memory, now_ms: int) -> float:
    """Return what is left of a memory's importance."""
    importance = memory.fields.get("importance")
    left = yantrik(life_of(memory, now_ms), now_ms)
    return (IMPORTANCE_DEFAULT if importance is None else importance) * left


def weakest(connection: sqlite3.Connection, filters: Filters, *, now_ms: int) -> list[tuple[bytes, float]]:
    """Return memories and what is left of each, the weakest first.

    What is pinned never fades, what stands under a summary is kept by that, and a fact goes with its parent.
    """
    allowed, values = filters.sql()
    found = []
    rows = connection.execute(_SELECT.format(allowed=allowed), values)
    for rid, created, updated, last_access, *held in rows:
        fields = dict(zip(("type", "half_life", "importance", "told_at"), held, strict=True))
        left = priority(Memory(rid, "", fields, created, updated, 0, 0, last_access), now_ms)
        found.append((left, rid))
    return [(rid, left) for left, rid in sorted(found)]
