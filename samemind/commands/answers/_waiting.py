"""Find what waits for the person who is talked with: what is to be brought up, and what they have to decide."""

import hashlib
import sqlite3
from collections.abc import Sequence
from typing import Final

from cognition.contradictions.finding import slots_with_facts
from cognition.contradictions.relations import Attention
from cognition.contradictions.snoozing import snoozed
from cognition.contradictions.tables import judged_of
from cognition.contradictions.values import folded
from cognition.days import DAY_MS
from cognition.triggers.kinds import Thresholds
from cognition.triggers.lattice import TriggerStatus
from cognition.triggers.raised import Described, described, read_live
from replica import MemoryId, memories_called, show_memory_id
from samemind.commands.answers._parts import MergedText, PendingQuestion
from samemind.commands.keeping._parts import TriggerView
from samemind.commands.keeping._triggers import views_of
from samemind.formats.views import variants_among

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


def pending_questions(
    connection: sqlite3.Connection,
    workspaces: tuple[str, ...],
    rids: Sequence[MemoryId] = (),
    *,
    now_ms: int,
) -> list[PendingQuestion]:
    """Return some open contradictions that are asked about, at first those in which these memories state something.

    The memory that stands first counts most. Then come those that came up within a day, the newest first; the others
    take turns, in another order each day, which is the same on every device. So whoever answers none is not asked the
    same three for ever.
    """
    rows = connection.execute(
        """SELECT slot, workspace, entity, relation, raised >> 16 FROM contradiction
           WHERE status = 'open' AND attention = ?""",
        (Attention.ASK.value,),
    ).fetchall()
    allowed = {folded(each) for each in workspaces}
    about: dict[bytes, int] = {}
    for place, rid in enumerate(rids):
        for slot in slots_with_facts(connection, rid):
            about.setdefault(slot, place)

    def turn(row: tuple[bytes, str | None, str, str, int]) -> tuple[int, int, bytes]:
        slot, raised_ms = row[0], row[-1]
        is_new = now_ms - raised_ms < DAY_MS
        today = (now_ms // DAY_MS).to_bytes(8, "big", signed=True)
        return about.get(slot, len(rids)), -raised_ms if is_new else 0, hashlib.sha256(today + slot).digest()

    later = snoozed(connection, now_ms)
    open_here = [
        row for row in rows if row[0] not in later and (not allowed or folded(row[1] or "") in allowed)
    ]
    return [
        PendingQuestion(
            id=slot.hex(),
            entity=entity,
            relation=relation,
            values=[side[0].told.value for side in judged_of(connection, slot).sides],
        )
        for slot, _, entity, relation, _ in sorted(open_here, key=turn)[:QUESTIONS_MAX]
    ]


def merged_texts(connection: sqlite3.Connection, rids: Sequence[MemoryId]) -> list[MergedText]:
    """Return those of these memories whose text perhaps nobody wrote, in this order."""
    found = variants_among(connection, rids)
    return [MergedText(rid=show_memory_id(rid), variants=found[rid]) for rid in rids if rid in found]


def _within(connection: sqlite3.Connection, one: Described, workspaces: tuple[str, ...]) -> bool:
    """Say whether every memory that a trigger is about is of these workspaces: its reason quotes them."""
    allowed = {folded(each) for each in workspaces}
    shown = memories_called(connection, one.raised.memories)
    return all(folded(it.memory.fields.get("workspace", "")) in allowed for it in shown)
