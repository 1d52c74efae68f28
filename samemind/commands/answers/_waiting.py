"""Find what waits for the person who is talked with: what is to be brought up, and what they have to decide."""

import sqlite3
from collections.abc import Sequence
from typing import Final

from cognition.contradictions.relations import Attention
from cognition.contradictions.tables import judged_of
from cognition.contradictions.values import folded
from cognition.triggers.kinds import Thresholds
from cognition.triggers.lattice import TriggerStatus
from cognition.triggers.raised import Described, described, read_live
from replica import MemoryId, memories_called, show_memory_id
from samemind.commands.answers._parts import MergedText, PendingQuestion
from samemind.commands.keeping._parts import TriggerView
from samemind.commands.keeping._triggers import views_of
from samemind.views import variants_among

# An agent reads them before everything that it says; more would be an agenda.
TRIGGERS_MAX: Final = 5
QUESTIONS_MAX: Final = 3


def pending_triggers(
    connection: sqlite3.Connection, now_ms: int, thresholds: Thresholds, workspaces: tuple[str, ...]
) -> list[TriggerView]:
    """Return what nobody has shown yet, the most urgent first; of some workspaces only, where they are named."""
    live = read_live(connection, now_ms, thresholds)
    pending = [one for one in live if one.status(now_ms, thresholds.lifetime_ms) is TriggerStatus.PENDING]
    waiting = [
        one
        for one in described(connection, now_ms, thresholds, among=pending)
        if one.reason is not None and (not workspaces or _within(connection, one, workspaces))
    ]
    return views_of(connection, waiting[:TRIGGERS_MAX], thresholds).triggers


def pending_questions(connection: sqlite3.Connection, workspaces: tuple[str, ...]) -> list[PendingQuestion]:
    """Return the open contradictions that are asked about, the oldest first."""
    rows = connection.execute(
        """SELECT slot, workspace, entity, relation FROM contradiction
           WHERE status = 'open' AND attention = ? ORDER BY raised, slot""",
        (Attention.ASK.value,),
    ).fetchall()
    allowed = {folded(each) for each in workspaces}
    found = []
    for slot, workspace, entity, relation in rows:
        if allowed and folded(workspace or "") not in allowed:
            continue
        values = [side[0].told.value for side in judged_of(connection, slot).sides]
        found.append(PendingQuestion(id=slot.hex(), entity=entity, relation=relation, values=values))
        if len(found) == QUESTIONS_MAX:
            break
    return found


def merged_texts(connection: sqlite3.Connection, rids: Sequence[MemoryId]) -> list[MergedText]:
    """Return those of these memories whose text perhaps nobody wrote, in this order."""
    found = variants_among(connection, rids)
    return [MergedText(rid=show_memory_id(rid), variants=found[rid]) for rid in rids if rid in found]


def _within(connection: sqlite3.Connection, one: Described, workspaces: tuple[str, ...]) -> bool:
    """Say whether every memory that a trigger is about is of these workspaces: its reason quotes them."""
    allowed = {folded(each) for each in workspaces}
    shown = memories_called(connection, one.raised.memories)
    return all(folded(it.memory.fields.get("workspace", "")) in allowed for it in shown)
