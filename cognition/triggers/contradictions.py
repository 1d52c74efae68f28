"""Bring up contradictions that wait for a decision, the longer they wait the more urgently."""

import sqlite3
from collections.abc import Iterator, Sequence

from cognition.contradictions.relations import SEVERITIES, Attention, relation_of, subject_of
from cognition.contradictions.slots import Judged
from cognition.contradictions.snoozing import snoozed
from cognition.contradictions.tables import judged_of
from cognition.triggers.kinds import (
    ESCALATION,
    Thresholds,
    TriggerCandidate,
    escalation_urgency,
)
from cognition.triggers.kinds import (
    SEVERITIES as FLOORS,
)
from replica import MemoryId

# Open contradictions that one look takes in, the oldest first.
_LOOKED_AT = 100


def candidates(
    connection: sqlite3.Connection, now_ms: int, thresholds: Thresholds
) -> Iterator[TriggerCandidate]:
    """Return a candidate for each open contradiction that is asked about, and is severe enough.

    Who wants to hear of less severe ones is asked about what is else only mentioned, too.

    Its window is the last op in its slot: a question that was settled and is open again is brought up again. One that
    is put off is left out until its time.
    """
    told_more = thresholds.escalation_severity != Thresholds().escalation_severity
    rows = connection.execute(
        """SELECT slot, relation, raised FROM contradiction WHERE status = 'open' AND attention IN (?, ?)
           ORDER BY raised, slot LIMIT ?""",
        (Attention.ASK.value, (Attention.MENTION if told_more else Attention.ASK).value, _LOOKED_AT),
    ).fetchall()
    later = snoozed(connection, now_ms)
    for slot, relation, raised in rows:
        if slot in later:
            continue
        severity = SEVERITIES[relation_of(relation).kind].value
        if FLOORS[severity] < FLOORS[thresholds.escalation_severity]:
            continue
        judged = judged_of(connection, slot)
        rid, *others = sorted({MemoryId(belief.told.rid) for side in judged.sides for belief in side})
        urgency = escalation_urgency(severity, now_ms - (raised >> 16))
        yield TriggerCandidate(ESCALATION, rid, _last(judged), urgency, tuple(others), slot)


def reason(
    connection: sqlite3.Connection, rids: Sequence[MemoryId], now_ms: int, thresholds: Thresholds
) -> tuple[str, float] | None:
    """Return which open question these memories are about, and how urgent it is by now; none where it is settled."""
    rows = connection.execute(
        f"""SELECT DISTINCT k.slot, k.entity, k.relation, k.raised FROM shown_memory m
            JOIN claim_slot s ON s.id = m.id JOIN contradiction k ON k.slot = s.slot
            WHERE m.rid IN ({",".join("?" * len(rids))}) AND k.status = 'open' ORDER BY k.raised, k.slot""",
        rids,
    ).fetchall()
    later = snoozed(connection, now_ms)
    for slot, entity, relation, raised in rows:
        if slot in later:
            continue
        sides = judged_of(connection, slot).sides
        about = {belief.told.rid for side in sides for belief in side}
        if about & set(rids):
            severity = SEVERITIES[relation_of(relation).kind].value
            values = " or ".join(side[0].told.value for side in sides)
            subject = subject_of(entity, relation, in_words=True)
            return f"{subject}{values}?", escalation_urgency(severity, now_ms - (raised >> 16))
    return None


def _last(judged: Judged) -> int:
    stamps = [belief.told.hlc for belief in judged.beliefs]
    stamps += [opinion.hlc for belief in judged.beliefs for opinion in belief.told.opinions]
    return max(stamps)
