"""Say an edge of which only one can hold as a memory too, so that it can be contradicted, asked for and decided about.

Claims stand on memories, and an edge that somebody writes by hand has none: "Ann works_at Google" beside "Ann works_at
Meta" would never be noticed. So such an edge is told as well, once for each value that is not claimed already, and
taken back with the edge. Edges that were read from a memory are claimed by that.
"""

import sqlite3
from typing import Final

from cognition.contradictions.relations import DETAILS, JUDGED, RELATIONS
from cognition.contradictions.telling import NAME_CHARACTERS_MAX, ClaimWriter, telling_of
from cognition.contradictions.values import folded
from cognition.extraction.values import Statement
from cognition.memories import Shown, read_memories
from replica import Core, Forget, MemoryId, Relate, Remember, Value, Write, read_claims

# What a memory has as its source that was told by relating two names.
SOURCE: Final = "relate"


def holds_one(relation: str) -> bool:
    """Say whether there is one thing at a time to which somebody is so related."""
    known = RELATIONS.get(relation)
    return known is not None and known.single and relation != JUDGED and known.kind not in DETAILS


def assert_edge(core: Core, connection: sqlite3.Connection, edge: Relate, rid: MemoryId, now_ms: int) -> None:
    """Write an edge, and tell it as a memory of this id, unless that is claimed already."""
    writes = [Write(edge)]
    names = (edge.source, edge.target)
    if _claiming(connection, edge) or any(len(name) > NAME_CHARACTERS_MAX for name in names):
        core.commit(writes, now_ms)
        return
    fields: dict[str, Value] = {"source": SOURCE}
    text = f"{edge.source} {edge.relation.replace('_', ' ')} {edge.target}"
    teller = ClaimWriter(core, connection, now_ms)
    teller.tell(
        [*writes, Write(Remember(text, fields), rid)],
        [
            (
                telling_of(rid, fields, now_ms),
                Statement(edge.source, edge.relation, edge.target, changes=False),
            )
        ],
    )
    teller.commit()


def take_back(core: Core, connection: sqlite3.Connection, edge: Relate, now_ms: int) -> None:
    """Take an edge away, and with it what was told by relating these two."""
    rids = {it.rid for it in _claiming(connection, edge) if it.memory.fields.get("source") == SOURCE}
    told = [Write(Forget(tuple(sorted(rids))))] if rids else []
    core.commit([Write(edge), *told], now_ms)


def _claiming(connection: sqlite3.Connection, edge: Relate) -> list[Shown]:
    """Return the memories of no workspace that claim what an edge says."""
    claims = read_claims(connection, "WHERE c.relation = ? AND c.entity = ?", (edge.relation, edge.source))
    numbers = {claim.id for claim in claims if folded(claim.value) == folded(edge.target)}
    return [it for it in read_memories(connection, sorted(numbers)) if "workspace" not in it.memory.fields]
