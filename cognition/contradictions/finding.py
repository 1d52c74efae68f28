"""Find slots, and what is in dispute in them, by the memories and the names that claims are about."""

import json
import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from replica import MemoryId


class NamedSlot(NamedTuple):
    """A slot, and the entity and the relation that a claim in it names."""

    slot: bytes
    entity: str
    relation: str


def open_slots_of(connection: sqlite3.Connection, rid: MemoryId) -> set[bytes]:
    """Return the slots with an open contradiction, quiet ones too, in which a memory states something."""
    rows = connection.execute(
        """SELECT c.slot FROM contradiction c JOIN claim_slot s ON s.slot = c.slot JOIN shown_memory m ON m.id = s.id
           WHERE m.rid = ? AND c.status = 'open'""",
        (rid,),
    )
    return {slot for (slot,) in rows}


def slots_with_facts(connection: sqlite3.Connection, rid: MemoryId) -> list[bytes]:
    """Return the slots in which a memory, or a fact of it, states something, in their order."""
    rows = connection.execute(
        """SELECT DISTINCT s.slot FROM claim_slot s JOIN shown_memory m ON m.id = s.id
           WHERE m.rid = ?1 OR m.parent = ?1 ORDER BY s.slot""",
        (rid,),
    )
    return [slot for (slot,) in rows]


def slots_about(connection: sqlite3.Connection, entity: str, *, limit: int) -> list[tuple[bytes, str]]:
    """Return at most `limit` slots about an entity of any case, each with its relation, in the order of these."""
    rows = connection.execute(
        """SELECT DISTINCT s.slot, c.relation FROM shown_claim c
           JOIN claim_slot s ON s.id = c.id AND s.claim = c.claim
           WHERE casefold(c.entity) = casefold(?) ORDER BY c.relation, s.slot LIMIT ?""",
        (entity, limit),
    )
    return rows.fetchall()


def slots_stated(connection: sqlite3.Connection, numbers: Sequence[int]) -> list[NamedSlot]:
    """Return the slots in which the memories of these rows state something, in the order of their claims."""
    rows = connection.execute(
        f"""SELECT DISTINCT s.slot, c.entity, c.relation FROM claim_slot s
            JOIN shown_claim c ON c.id = s.id AND c.claim = s.claim
            WHERE s.id IN ({",".join("?" * len(numbers))}) ORDER BY c.hlc""",
        numbers,
    )
    return list(map(NamedSlot._make, rows))


def no_longer_stated(connection: sqlite3.Connection, numbers: Sequence[int]) -> set[tuple[str, str, str]]:
    """Return what the memories of these rows state and nobody holds any more: entity, relation and value, casefolded.

    It was replaced by what somebody said since, or decided against. Only slots in which that can be so are judged.
    """
    from cognition.contradictions.slots import ClaimStatus, judge  # here: recall needs no judging
    from cognition.contradictions.tables import told_of

    rows = connection.execute(
        """SELECT DISTINCT s.slot, c.entity, c.relation FROM claim_slot s
            JOIN shown_claim c ON c.id = s.id AND c.claim = s.claim
            WHERE s.id IN (SELECT value FROM json_each(?)) AND EXISTS (
                SELECT 1 FROM claim_slot o JOIN shown_claim x ON x.id = o.id AND x.claim = o.claim
                WHERE o.slot = s.slot AND (x.replaces != x'' OR x.verdicts != x''))""",
        (json.dumps([*numbers]),),
    )
    held: set[tuple[str, str, str]] = set()
    gone: set[tuple[str, str, str]] = set()
    for slot, entity, relation in rows.fetchall():
        for belief in judge(relation, told_of(connection, slot)).beliefs:
            stated = held if belief.standing is ClaimStatus.HELD else gone
            stated.add((entity.casefold(), relation, belief.told.value.casefold()))
    return gone - held


def disputed_among(connection: sqlite3.Connection, numbers: Sequence[int]) -> set[int]:
    """Return those of the memories of these rows that state, or a fact of which states, what is in open dispute."""
    marks = ",".join("?" * len(numbers))
    rows = connection.execute(
        f"""SELECT s.id FROM claim_slot s JOIN contradiction c ON c.slot = s.slot
            WHERE c.status = 'open' AND c.attention != 'quiet' AND s.id IN ({marks})
            UNION SELECT p.id FROM shown_memory f JOIN shown_memory p ON p.rid = f.parent
            JOIN claim_slot s ON s.id = f.id JOIN contradiction c ON c.slot = s.slot
            WHERE c.status = 'open' AND c.attention != 'quiet' AND p.id IN ({marks})""",
        (*numbers, *numbers),
    )
    return {number for (number,) in rows}
