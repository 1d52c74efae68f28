"""Say who the owner is: entries that they set, blocks that they write, and what follows from what was told.

Entries are registers that all devices share, one each, so setting one never reverts another. A block is a memory whose
id follows from its label: its text is edited as any memory's is, and two devices that write it at the same time keep
both. What follows from memories is computed when it is asked for.
"""

import sqlite3
from typing import Final, NamedTuple

from replica import MemoryId, derived_memory_id, read_settings

# Settings that begin so are entries of the profile.
PREFIX: Final = "profile."
ENTRY_CHARACTERS_MAX: Final = 1_000
# Of what is known by itself: what is pinned, what a model took for lasting, what the owner told of themselves.
FACTS_MAX: Final = 40
_OWNER: Final = "owner"
_FACTS: Final = """
    SELECT m.rid, m.text FROM memory m
    WHERE ifnull(m.archived, 0) = 0 AND m.block IS NULL AND m.goal IS NULL
    AND (m.pinned = 1 OR json_extract(m.meta, '$.category') IS NOT NULL
         OR (m.id IN (SELECT id FROM claim WHERE entity = ?) AND m.id NOT IN (SELECT id FROM claim_retired)))
    ORDER BY ifnull(m.pinned, 0) DESC, ifnull(m.importance, 0.5) DESC, m.updated DESC, m.rid LIMIT ?
"""


class Fact(NamedTuple):
    """Something that memory knows of its owner by itself."""

    rid: MemoryId
    text: str


class Block(NamedTuple):
    """One editable block; `updated` is the stamp of its last change."""

    rid: MemoryId
    label: str
    text: str
    updated: int


def entries(connection: sqlite3.Connection) -> dict[str, str]:
    """Return what was set, by key."""
    return {key: str(value) for key, value in read_settings(connection, PREFIX).items()}


def facts(connection: sqlite3.Connection, limit: int = FACTS_MAX) -> list[Fact]:
    """Return what follows from memories, what is pinned first."""
    return [Fact(MemoryId(rid), text) for rid, text in connection.execute(_FACTS, (_OWNER, limit))]


def blocks(connection: sqlite3.Connection) -> list[Block]:
    """Return the blocks by label."""
    rows = connection.execute(
        """SELECT rid, block, text, updated FROM memory WHERE block IS NOT NULL AND ifnull(archived, 0) = 0
           ORDER BY block, rid"""
    )
    return [Block(MemoryId(rid), label, text, updated) for rid, label, text, updated in rows]


def block_id(label: str) -> MemoryId:
    """Return the id that every device gives to the block of this label."""
    return derived_memory_id("block", label)


def first_text(label: str) -> str:
    """Return the text with which every device makes a block.

    It is the same everywhere, so that two devices which make one block apart edit one document.
    """
    return f"{label}:"
