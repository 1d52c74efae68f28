"""What several commands of this family do."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from cognition.contradictions.finding import slots_with_facts
from cognition.contradictions.relations import (
    ACTIONS,
    SEVERITIES,
    Attention,
    Severity,
    attention_of,
    relation_of,
)
from cognition.contradictions.resolving import resolutions
from cognition.contradictions.slots import Belief, ClaimStatus, ContradictionStatus, Judged, as_known, judge
from cognition.contradictions.tables import judged_of, told_of
from replica import MemoryId, show_memory_id
from replica.reads.texts import texts_called
from samemind.commands.contradictions._parts import BeliefView, ContradictionView, ResolutionView, Side
from samemind.errors import NotFound
from samemind.formats.ids import CANDIDATES_MAX, ambiguous, id_range
from samemind.formats.printable import one_line
from samemind.formats.times import at_ms, at_stamp, read_end_of

ORDER: Final = (Severity.HIGH, Severity.MEDIUM, Severity.LOW)


NOTICED: Final = (Attention.ASK, Attention.MENTION, Attention.QUIET)


class Record(NamedTuple):
    """A slot that has, or had, several values."""

    slot: bytes
    workspace: str | None
    entity: str
    relation: str


def find_contradiction(connection: sqlite3.Connection, text: str) -> Record:
    low, high = id_range(text, "a contradiction")
    found = [
        Record(*row)
        for row in connection.execute(
            """SELECT slot, workspace, entity, relation FROM contradiction WHERE slot BETWEEN ? AND ?
               ORDER BY slot LIMIT ?""",
            (low, high, CANDIDATES_MAX),
        )
    ]
    if not found:
        raise _not_found(connection, text, low, high)
    if len(found) > 1:
        raise ambiguous("contradictions", text, tuple(record.slot.hex() for record in found))
    return found[0]


def _not_found(connection: sqlite3.Connection, text: str, low: bytes, high: bytes) -> NotFound:
    """Return what says that no contradiction has an id; or that nobody contradicts any more what is left of one."""
    slots = connection.execute(
        "SELECT DISTINCT slot FROM claim_slot WHERE slot BETWEEN ? AND ? LIMIT 2", (low, high)
    ).fetchall()
    sides = judged_of(connection, slots[0][0]).sides if len(slots) == 1 else ()
    if len(sides) == 1:
        return NotFound(
            f"nothing contradicts {one_line(sides[0][0].told.value)!r} any more",
            code="moot",
            hint="what did was forgotten, so nothing is decided; `samemind contradictions` lists what is in question",
        )
    return NotFound(f"no contradiction has the id {text}", hint="`samemind contradictions` lists them")


def end_of(text: str | None, now_ms: int) -> int | None:
    return None if text is None else read_end_of(text, name="as_of", now_ms=now_ms) - 1


def judged_then(connection: sqlite3.Connection, record: Record, until_ms: int | None) -> Judged:
    claims = told_of(connection, record.slot)
    return judge(record.relation, claims if until_ms is None else as_known(claims, until_ms))


def view_of(
    connection: sqlite3.Connection,
    record: Record,
    judged: Judged,
    names: Mapping[bytes, str],
    snoozed: Mapping[bytes, int],
) -> ContradictionView:
    assert judged.status is not None
    kind = relation_of(record.relation).kind
    texts = texts_of(connection, judged)
    first, second, *rest = [_side(side, texts, names) for side in judged.sides]
    return ContradictionView(
        id=record.slot.hex(),
        severity=SEVERITIES[kind].value,
        kind=kind.value,
        relation=record.relation,
        entity=record.entity,
        workspace=record.workspace,
        a=first,
        b=second,
        others=rest,
        status=judged.status.value,
        settled_by=None if judged.settled_by is None else judged.settled_by.value,
        action=ACTIONS[SEVERITIES[kind]].value,
        attention=attention_of(record.relation).value,
        raised_at=at_stamp(judged.raised),
        snoozed_until=at_ms(snoozed[record.slot]) if record.slot in snoozed else None,
        beliefs=[_belief(belief, texts, names) for belief in _told_once(judged.beliefs)],
        resolutions=[
            ResolutionView(
                device=made.device.hex(),
                device_name=names.get(made.device),
                at=at_stamp(made.hlc),
                kept=list(made.kept),
                hidden=list(made.hidden),
            )
            for made in resolutions(judged)
        ],
    )


def _told_once(beliefs: Sequence[Belief]) -> list[Belief]:
    """Return the claims, of those by which a memory said one thing more than once and that are replaced the last.

    Whatever is decided, or undone, may claim it anew: the memory was told once.
    """
    replaced = {
        (belief.told.rid, belief.told.value): belief
        for belief in beliefs
        if belief.standing is ClaimStatus.REPLACED
    }
    return [
        belief
        for belief in beliefs
        if belief.standing is not ClaimStatus.REPLACED
        or replaced[belief.told.rid, belief.told.value] is belief
    ]


def texts_of(connection: sqlite3.Connection, judged: Judged) -> dict[bytes, str]:
    return texts_called(connection, [*{belief.told.rid for belief in judged.beliefs}])


def _side(side: Sequence[Belief], texts: Mapping[bytes, str], names: Mapping[bytes, str]) -> Side:
    said = [belief for belief in side if belief.standing is ClaimStatus.HELD] or side
    last = said[-1].told
    return Side(
        value=last.value,
        rid=show_memory_id(last.rid),
        text=texts[last.rid],
        speaker=last.speaker,
        device=last.told_on.hex(),
        device_name=names.get(last.told_on),
        told_at=at_ms(last.told_ms),
        rids=list(dict.fromkeys(show_memory_id(belief.told.rid) for belief in side)),
    )


def _belief(belief: Belief, texts: Mapping[bytes, str], names: Mapping[bytes, str]) -> BeliefView:
    told = belief.told
    return BeliefView(
        rid=show_memory_id(told.rid),
        value=told.value,
        text=texts[told.rid],
        speaker=told.speaker,
        device=told.told_on.hex(),
        device_name=names.get(told.told_on),
        told_at=at_ms(told.told_ms),
        valid_from=at_ms(told.from_ms),
        valid_until=None if belief.until_ms is None else at_ms(belief.until_ms),
        standing=belief.standing.value,
    )


def open_among(connection: sqlite3.Connection, slots: Iterable[bytes]) -> list[bytes]:
    """Return those of the slots that wait for an answer, but for what is only listed."""
    return [
        slot
        for slot in slots
        if connection.execute(
            "SELECT 1 FROM contradiction WHERE slot = ? AND status = ? AND attention != ?",
            (slot, ContradictionStatus.OPEN.value, Attention.QUIET.value),
        ).fetchone()
    ]


def open_of(connection: sqlite3.Connection, rid: MemoryId) -> list[bytes]:
    """Return the slots that wait for an answer among those in which a memory, or a fact of it, states something."""
    return open_among(connection, slots_with_facts(connection, rid))
