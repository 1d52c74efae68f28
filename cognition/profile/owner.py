"""Say who the owner is: entries that they set, blocks that they write, and what follows from what was told.

Entries are registers that all devices share, one each, so setting one never reverts another. A block is a memory whose
id follows from its label: its text is edited as any memory's is, and two devices that write it at the same time keep
both. What follows from memories is computed when it is asked for.
"""

import json
import sqlite3
from collections.abc import Mapping
from typing import Final, NamedTuple

from cognition.contradictions.relations import RelationKind, relation_of
from cognition.contradictions.tables import selves_of
from cognition.profile.core import EXPIRES_DAYS, CoreFact, staying
from cognition.tellings import groups_of
from cognition.words import OWNER
from replica import MemoryId, derived_memory_id, read_settings
from replica.reads.claims import entities_named
from replica.reads.profile import block_rows, core_rows

# Settings that begin so are entries of the profile.
PREFIX: Final = "profile."
ENTRY_CHARACTERS_MAX: Final = 1_000
# Of what is known by itself: what is pinned, what a model took for lasting, what the owner told of themselves.
FACTS_MAX: Final = 40
# Of each category, those heard last: many times what a profile holds.
CORE_LOOKED_AT: Final = 1_000
# So many rows are read for each line: what was told again, and a fact that says what its memory does, is one line.
ROWS_A_LINE: Final = 3
_CATEGORIES: Final[Mapping[str | None, str]] = {
    "procedural": "project",
    "prospective": "project",
    "affective": "preference",
    "factual": "identity",
    "social": "identity",
}
_FACTS: Final = """
    SELECT m.id, m.rid, m.text, json_extract(m.meta, '$.category'), m.type,
    (SELECT group_concat(relation, ' ') FROM shown_claim c
     WHERE c.id = m.id AND entity IN (SELECT value FROM json_each(?1))) FROM shown_memory m
    WHERE ifnull(m.archived, 0) = 0 AND m.block IS NULL AND m.goal IS NULL
    AND (m.pinned = 1 OR ifnull(json_extract(m.meta, '$.category'), '') NOT IN (SELECT value FROM json_each(?3))
         OR m.id IN (SELECT value FROM json_each(?4)))
    AND (m.pinned = 1 OR json_extract(m.meta, '$.category') IS NOT NULL
         OR (m.id IN (SELECT id FROM shown_claim WHERE entity IN (SELECT value FROM json_each(?1)))
             AND m.id NOT IN (SELECT id FROM claim_retired)))
    ORDER BY ifnull(m.pinned, 0) DESC, ifnull(m.importance, 0.5) DESC, m.updated DESC, m.rid LIMIT ?2
"""


class InferredFact(NamedTuple):
    """Something that memory knows of its owner by itself; its category, if it has one, is one of the core profile's."""

    rid: MemoryId
    text: str
    category: str | None


class Block(NamedTuple):
    """One editable block; `updated` is the stamp of its last change."""

    rid: MemoryId
    label: str
    text: str
    updated: int


def entries(
    connection: sqlite3.Connection, *, limit: int | None = None, now_ms: int | None = None
) -> dict[str, str]:
    """Return what was set, by key; at most the last `limit` entries, as of `read_settings`."""
    found = read_settings(connection, PREFIX, limit=limit, now_ms=now_ms)
    return {key: str(value) for key, value in found.items()}


def facts(connection: sqlite3.Connection, *, now_ms: int, limit: int = FACTS_MAX) -> list[InferredFact]:
    """Return what follows from memories, what is pinned first; core facts as far as they stay in the core profile."""
    selves = selves_of(connection)
    own = json.dumps([each for each in entities_named(connection) if selves.named(each) == OWNER])
    stay = json.dumps(_staying_numbers(connection, now_ms))
    core = json.dumps([*EXPIRES_DAYS])
    rows = connection.execute(_FACTS, (own, ROWS_A_LINE * limit, core, stay)).fetchall()
    groups = groups_of(connection, [number for number, *_ in rows])
    found: list[InferredFact] = []
    said: set[object] = set()
    for number, rid, text, category, of_type, relations in rows:
        line, group = " ".join(text.casefold().split()).rstrip(".!"), groups.get(number)
        if line in said or (group is not None and group in said):
            continue
        said |= {line} if group is None else {line, group}
        found.append(InferredFact(MemoryId(rid), text, _category(category, of_type, relations or "")))
    return found[:limit]


def _category(told: str | None, of_type: str | None, relations: str) -> str | None:
    """Return what a fact is for the profile: as a model said, or else as its type and what it claims say (D-8)."""
    if told in EXPIRES_DAYS:
        return told
    if any(relation_of(relation).kind is RelationKind.PREFERENCE for relation in relations.split()):
        return "preference"
    return "identity" if relations else _CATEGORIES.get(of_type)


def _staying_numbers(connection: sqlite3.Connection, now_ms: int) -> list[int]:
    """Return the core facts that are in the core profile still, as rows; others are memories as before."""
    held: dict[str | None, list[CoreFact]] = {}
    numbers: dict[bytes, int] = {}
    for category in EXPIRES_DAYS:
        for row in core_rows(connection, category, limit=CORE_LOOKED_AT):
            confidence = 1.0 if row.certainty is None else row.certainty
            fact = CoreFact(row.rid, category, confidence, row.updated >> 16, bool(row.pinned))
            held.setdefault(row.workspace, []).append(fact)  # each workspace has a profile of its own
            numbers[row.rid] = row.number
    return [numbers[fact.rid] for each in held.values() for fact in staying(each, now_ms)]


def blocks(connection: sqlite3.Connection) -> list[Block]:
    """Return the blocks by label."""
    return [Block(*row) for row in block_rows(connection)]


def block_id(label: str) -> MemoryId:
    """Return the id that every device gives to the block of this label."""
    return derived_memory_id("block", label)


def first_text(label: str) -> str:
    """Return the text with which every device makes a block.

    It is the same everywhere, so that two devices which make one block apart edit one document.
    """
    return f"{label}:"
