"""Turn a verdict on two memories into ops.

The edge that holds it takes the place of the others that this device knows on the two. Where they disagree each claims
its value, unless a contradiction between them is open already; what has changed claims that the later one replaces the
other; every other verdict keeps both. Nothing is hidden by a verdict but what has changed, and that stays
in its history.
"""

import sqlite3
from collections.abc import Sequence
from typing import Final, NamedTuple

from cognition.contradictions.relations import JUDGED
from cognition.contradictions.resolving import decide
from cognition.contradictions.slots import Belief, ContradictionStatus, Judged
from cognition.contradictions.tables import judged_of, selves_of
from cognition.contradictions.telling import place_of
from cognition.contradictions.values import ENDED
from cognition.fading.tiers import told_ms
from cognition.judging import same_slots
from cognition.judging.verdicts import EDGES, RANKS, Sides, Verdict, edges_among, sides_of
from replica import (
    Claim,
    Core,
    MemoryId,
    Op,
    OpRef,
    Relate,
    SaysSame,
    Unlink,
    Write,
    links_of,
    memories_called,
    show_memory_id,
)
from replica.limits import NAMES_MAX, SURENESS_MAX

_NO_PLACES: Final[tuple[OpRef, ...]] = ()


class SettledMemory(NamedTuple):
    """One of the two memories: what it says, and where."""

    rid: MemoryId
    text: str
    workspace: str | None


def in_order(
    connection: sqlite3.Connection, rids: tuple[MemoryId, MemoryId]
) -> tuple[SettledMemory, SettledMemory]:
    """Return two memories that show, the one that was told first before the other."""
    rows = [
        (
            told_ms(shown.memory),
            shown.memory.created,
            SettledMemory(shown.rid, shown.memory.text, shown.memory.fields.get("workspace")),
        )
        for shown in memories_called(connection, rids)
    ]
    (_, _, older), (_, _, newer) = sorted(rows, key=lambda row: (row[0], row[1], row[2].rid))
    return older, newer


class _Slot(NamedTuple):
    slot: bytes
    entity: str
    relation: str


def settle(
    core: Core,
    connection: sqlite3.Connection,
    older: SettledMemory,
    newer: SettledMemory,
    verdict: Verdict,
    *,
    weight: float,
    since_ms: int | None,
    now_ms: int,
) -> tuple[Op, list[bytes]]:
    """Write a verdict; return its op, and the slots in which the two stand against each other, or did."""
    made, *_ = core.commit(_edges(connection, older.rid, newer.rid, verdict, weight), now_ms)
    pair = (older.rid, newer.rid)
    sides = sides_of(older.text, newer.text, pair)
    slots = _shared(connection, *pair)
    judge = {"by": RANKS[weight], "sureness": round(weight * SURENESS_MAX)}
    if verdict is Verdict.TWO_THINGS:
        # Also for devices of a version that knows no judgments; where others claim something too, that stays asked.
        for each in slots:
            if _is_between(connection, each, pair):
                _keep_both(core, connection, each, now_ms)
        core.commit(same_slots.different(core, connection, pair, **judge), now_ms)
        return made, [each.slot for each in slots]
    if not _is_open(connection, slots):
        against = verdict in (Verdict.DISAGREE, Verdict.CHANGED)
        core.commit(same_slots.same(core, connection, pair, against=against, **judge), now_ms)
        slots = _shared(connection, *pair)
    match verdict:
        case Verdict.DISAGREE:
            if not _is_open(connection, slots):
                slots = [_disagree(core, connection, older, newer, sides, now_ms)]
        case Verdict.CHANGED:
            for each in slots or [_claimed(core, connection, older, sides, now_ms)]:
                _replace(core, connection, each, newer, sides, since_ms, now_ms)
            slots = _shared(connection, older.rid, newer.rid)
        case _:
            for each in slots:
                _keep_both(core, connection, each, now_ms)
    return made, [each.slot for each in slots]


def _is_open(connection: sqlite3.Connection, slots: Sequence[_Slot]) -> bool:
    return any(judged_of(connection, each.slot).status is ContradictionStatus.OPEN for each in slots)


def _is_between(connection: sqlite3.Connection, slot: _Slot, pair: tuple[MemoryId, MemoryId]) -> bool:
    """Say whether nobody but these two claims anything in a slot."""
    return {belief.told.rid for belief in judged_of(connection, slot.slot).beliefs} <= {*pair}


def _keep_both(core: Core, connection: sqlite3.Connection, slot: _Slot, now_ms: int) -> None:
    """Resolve a contradiction for all that is said in it; what a verdict said had changed holds again."""
    judged = judged_of(connection, slot.slot)
    values = [side[0].told.value for side in judged.sides]
    if judged.status is not ContradictionStatus.OPEN and not slot.relation.startswith(f"{JUDGED}:"):
        return
    decide(core, connection, slot.slot, values, entity=slot.entity, relation=slot.relation, now_ms=now_ms)


def _edges(
    connection: sqlite3.Connection, older: MemoryId, newer: MemoryId, verdict: Verdict, weight: float
) -> list[Write]:
    wanted = (show_memory_id(newer), EDGES[verdict], show_memory_id(older))
    writes = [
        Write(Relate(*edge, None)) for edge in edges_among(connection, (older, newer)) if edge != wanted
    ]
    writes.append(Write(Relate(*wanted, weight)))
    pair = (min(older, newer), max(older, newer))
    if verdict is Verdict.REPEATS:
        return [*writes, Write(SaysSame(pair, round(weight * SURENESS_MAX)))]
    links = set(links_of(connection, [older])) & set(links_of(connection, [newer]))
    return [*writes, Write(Unlink(tuple(sorted(links))))] if links else writes


def _shared(connection: sqlite3.Connection, older: MemoryId, newer: MemoryId) -> list[_Slot]:
    """Return the slots in which both memories claim something, and in which something stands against something."""
    return [
        _Slot(*row)
        for row in connection.execute(
            """SELECT c.slot, c.entity, c.relation FROM contradiction c
               WHERE c.slot IN (SELECT s.slot FROM claim_slot s JOIN shown_memory m ON m.id = s.id WHERE m.rid = ?)
               AND c.slot IN (SELECT s.slot FROM claim_slot s JOIN shown_memory m ON m.id = s.id WHERE m.rid = ?)
               ORDER BY c.slot""",
            (older, newer),
        )
    ]


def _slot(connection: sqlite3.Connection, told: SettledMemory, sides: Sides) -> _Slot:
    slot = selves_of(connection).slot(told.workspace, sides.entity, sides.relation)
    return _Slot(slot, sides.entity, sides.relation)


def _claimed(
    core: Core, connection: sqlite3.Connection, older: SettledMemory, sides: Sides, now_ms: int
) -> _Slot:
    """Claim what the older one says, so that it can be replaced: an op has no name before it is written."""
    claim = Claim(sides.entity, sides.relation, sides.older, _NO_PLACES, None)
    core.commit([Write(claim, older.rid)], now_ms)
    return _slot(connection, older, sides)


def _disagree(
    core: Core,
    connection: sqlite3.Connection,
    older: SettledMemory,
    newer: SettledMemory,
    sides: Sides,
    now_ms: int,
) -> _Slot:
    """Claim both values anew: what was decided on them before, or replaced, is open again."""
    found = _slot(connection, older, sides)
    judged = judged_of(connection, found.slot)
    writes = []
    for told, value in ((older, sides.older), (newer, sides.newer)):
        own = _of(judged, told.rid)
        claim = Claim(sides.entity, sides.relation, value, _places(core, own), None)
        writes.append(Write(claim, told.rid))
    core.commit(writes, now_ms)
    return found


def _replace(
    core: Core,
    connection: sqlite3.Connection,
    slot: _Slot,
    newer: SettledMemory,
    sides: Sides,
    since_ms: int | None,
    now_ms: int,
) -> None:
    """Claim what the newer one says in place of all else that is claimed in a slot."""
    judged = judged_of(connection, slot.slot)
    own = [belief for belief in _of(judged, newer.rid) if belief.told.value != ENDED]
    value = own[-1].told.value if own else sides.newer
    claim = Claim(slot.entity, slot.relation, value, _places(core, judged.beliefs[-NAMES_MAX:]), since_ms)
    core.commit([Write(claim, newer.rid)], now_ms)


def _of(judged: Judged, rid: MemoryId) -> list[Belief]:
    return [belief for belief in judged.beliefs if belief.told.rid == rid]


def _places(core: Core, beliefs: Sequence[Belief]) -> tuple[OpRef, ...]:
    return tuple(sorted(place_of(core, belief.told) for belief in beliefs))
