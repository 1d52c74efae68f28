"""Show what contradicts itself, and settle it.

Contradictions are computed from what was claimed; what a person decides about one is written as verdicts on claims.
Both are read and written here in one call on the store's thread each.
"""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import replica
from cognition.contradictions.relations import (
    ACTIONS,
    SEVERITIES,
    Attention,
    Severity,
    attention_of,
    relation_of,
)
from cognition.contradictions.resolving import (
    changed,
    decided_for,
    merger,
    resolutions,
    restatements,
    verdicts,
)
from cognition.contradictions.slots import Belief, Judged, Standing, Status, as_known, judge
from cognition.contradictions.tables import judged_of, told_of
from cognition.contradictions.values import folded
from replica import Core, MemoryId, Value, Write, new_memory_id, show_memory_id
from replica.codec import check_text
from samemind.device import Device
from samemind.errors import NeedsDecision, NotFound, Usage
from samemind.results.contradictions import (
    BeliefView,
    Contradictions,
    ContradictionView,
    ResolutionView,
    Resolved,
    Side,
)
from samemind.surface.contradictions import ListContradictions, ResolveContradiction, ShowContradiction
from samemind.times import at_ms, at_stamp, read_end, read_since
from samemind.verbs.ids import CANDIDATES_MAX, ambiguous, find_memory, id_range
from samemind.verbs.refusing import refuse_secret

LIST_MAX: Final = 10_000
_ORDER: Final = (Severity.HIGH, Severity.MEDIUM, Severity.LOW)
_NOTICED: Final = (Attention.ASK, Attention.MENTION, Attention.QUIET)


class Record(NamedTuple):
    """A slot that has, or had, several values."""

    slot: bytes
    workspace: str | None
    entity: str
    relation: str


async def contradictions_list(device: Device, options: ListContradictions) -> Contradictions:
    """List them: the open ones first, and of these the worst, and of these the latest."""
    if not 0 <= options.limit <= LIST_MAX:
        raise Usage(f"expected a limit of 0 to {LIST_MAX}, got {options.limit}", code="invalid")
    until_ms = _as_of(options.as_of)

    def read(connection: sqlite3.Connection) -> Contradictions:
        rows = connection.execute("SELECT slot, workspace, entity, relation, status FROM contradiction")
        found = []
        for *named, status in rows.fetchall():
            record = Record(*named)
            if options.attention not in (None, attention_of(record.relation).value):
                continue
            if options.workspace is not None and folded(record.workspace or "") != folded(options.workspace):
                continue
            if until_ms is None and options.status not in (None, status):
                continue
            judged = _judged(connection, record, until_ms)
            if judged.status is not None and options.status in (None, judged.status.value):
                found.append((_rank(record, judged), record, judged))
        found.sort(key=lambda each: each[0])
        names = _names(connection)
        return Contradictions(
            contradictions=[
                _view(connection, record, judged, names) for _, record, judged in found[: options.limit]
            ],
            total=len(found),
        )

    return await device.replica.read(read)


async def contradictions_show(device: Device, options: ShowContradiction) -> ContradictionView:
    """Show one, with everything that was claimed and decided."""
    until_ms = _as_of(options.as_of)

    def read(connection: sqlite3.Connection) -> ContradictionView:
        record = _find(connection, options.id)
        judged = _judged(connection, record, until_ms)
        if judged.status is None:
            raise NotFound(f"nothing contradicted itself there at {options.as_of}")
        return _view(connection, record, judged, _names(connection))

    return await device.replica.read(read)


async def contradictions_resolve(device: Device, options: ResolveContradiction) -> Resolved:
    """Decide one; a decision that stands already changes nothing."""
    decisions = [options.keep_a, options.keep_b, options.keep_both, options.keep is not None]
    if sum(decisions) + (options.merge is not None) > 1:
        raise Usage("expected one of --keep-a, --keep-b, --keep-both, --keep and --merge, got several")
    since_ms = (
        None if options.since is None else read_since(options.since, name="since", now_ms=device.now_ms())
    )
    if since_ms is not None and (options.keep_both or options.merge is not None):
        raise Usage(
            "expected --since with --keep-a, --keep-b or --keep: it says since when one of them holds"
        )

    def write(core: Core, connection: sqlite3.Connection) -> Resolved:
        record = _find(connection, options.id)
        judged = judged_of(connection, record.slot)
        merged = None
        now_ms = device.now_ms()
        if options.merge is not None:
            merged = new_memory_id(now_ms, device.random)
            writes = _merged(core, connection, record, judged, merged, options.merge)
            made = core.commit(writes, now_ms)
            core.commit([decided_for(merged, made)], now_ms)
            done = True
        elif since_ms is not None:
            (value,) = _chosen(connection, judged, options)
            core.commit(
                changed(core, judged, value, since_ms, entity=record.entity, relation=record.relation), now_ms
            )
            done = True
        else:
            values = _chosen(connection, judged, options)
            anew = restatements(core, judged, values, entity=record.entity, relation=record.relation)
            if anew:  # a verdict names claims, so they come first
                core.commit(anew, now_ms)
                judged = judged_of(connection, record.slot)
            decided = verdicts(core, judged, values)
            core.commit(decided, now_ms)
            done = bool(anew or decided)
        view = _view(connection, record, judged_of(connection, record.slot), _names(connection))
        return Resolved(
            contradiction=view, rid=None if merged is None else show_memory_id(merged), changed=done
        )

    return await device.replica.run(write)


def open_among(connection: sqlite3.Connection, slots: Iterable[bytes]) -> list[bytes]:
    """Return those of the slots that wait for an answer, but for what is only listed."""
    return [
        slot
        for slot in slots
        if connection.execute(
            "SELECT 1 FROM contradiction WHERE slot = ? AND status = ? AND attention != ?",
            (slot, Status.OPEN.value, Attention.QUIET.value),
        ).fetchone()
    ]


def open_of(connection: sqlite3.Connection, rid: MemoryId) -> list[bytes]:
    """Return the slots that wait for an answer among those in which a memory, or a fact of it, states something."""
    rows = connection.execute(
        """SELECT DISTINCT s.slot FROM claim_slot s JOIN memory m ON m.id = s.id
           WHERE m.rid = ?1 OR m.parent = ?1 ORDER BY s.slot""",
        (rid,),
    )
    return open_among(connection, [slot for (slot,) in rows.fetchall()])


def _merged(
    core: Core, connection: sqlite3.Connection, record: Record, judged: Judged, rid: MemoryId, text: str
) -> list[Write]:
    """Return the memory that stands for all of them, in their space, and told by whoever told all of them."""
    check_text(text)
    refuse_secret(text, known=_texts(connection, judged).values())
    speakers = {belief.told.speaker for belief in judged.beliefs}
    fields: dict[str, Value] = {"source": "merge"}
    if record.workspace is not None:
        fields["workspace"] = record.workspace
    if len(speakers) == 1 and (speaker := next(iter(speakers))) is not None:
        fields["speaker"] = speaker
    value = " ".join(text.split())
    claimed = merger(core, judged, rid, value, entity=record.entity, relation=record.relation)
    return [Write(replica.Remember(text, fields), rid), *claimed]


def _chosen(connection: sqlite3.Connection, judged: Judged, options: ResolveContradiction) -> list[str]:
    """Return which values are to be kept."""
    values = [side[0].told.value for side in judged.sides]
    if options.keep_both:
        return values
    if options.keep is not None:
        rid = find_memory(connection, options.keep)
        for number, side in enumerate(judged.sides):
            if any(belief.told.rid == rid for belief in side):
                return [values[number]]
        raise NotFound(f"the memory {show_memory_id(rid)} says nothing about this")
    if options.keep_a or options.keep_b:
        return [values[0 if options.keep_a else 1]]
    shown = " or ".join(side[-1].told.value for side in judged.sides)
    raise NeedsDecision(
        f"which of them is true: {shown}?",
        hint="say --keep-a, --keep-b, --keep-both, --keep RID or --merge TEXT",
    )


def _find(connection: sqlite3.Connection, text: str) -> Record:
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
        raise NotFound(f"no contradiction has the id {text}", hint="`samemind contradictions` lists them")
    if len(found) > 1:
        raise ambiguous("contradictions", text, tuple(record.slot.hex() for record in found))
    return found[0]


def _as_of(text: str | None) -> int | None:
    return None if text is None else read_end(text, name="as_of") - 1


def _judged(connection: sqlite3.Connection, record: Record, until_ms: int | None) -> Judged:
    claims = told_of(connection, record.slot)
    return judge(record.relation, claims if until_ms is None else as_known(claims, until_ms))


def _rank(record: Record, judged: Judged) -> tuple[bool, int, int, int, bytes]:
    severity = SEVERITIES[relation_of(record.relation).kind]
    attention = _NOTICED.index(attention_of(record.relation))
    settled = judged.status is not Status.OPEN
    return settled, attention, _ORDER.index(severity), -_raised(judged), record.slot


def _raised(judged: Judged) -> int:
    """Return the stamp of the claim by which it became one."""
    return min(side[0].told.hlc for side in judged.sides[1:])


def _names(connection: sqlite3.Connection) -> dict[bytes, str]:
    return dict(
        connection.execute(
            "SELECT n.device, ifnull(p.nickname, n.name) FROM member n LEFT JOIN peer p ON p.device = n.device"
        ).fetchall()
    )


def _view(
    connection: sqlite3.Connection, record: Record, judged: Judged, names: Mapping[bytes, str]
) -> ContradictionView:
    assert judged.status is not None
    kind = relation_of(record.relation).kind
    texts = _texts(connection, judged)
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
        raised_at=at_stamp(_raised(judged)),
        beliefs=[_belief(belief, texts, names) for belief in judged.beliefs],
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


def _texts(connection: sqlite3.Connection, judged: Judged) -> dict[bytes, str]:
    return {
        rid: text
        for rid in {belief.told.rid for belief in judged.beliefs}
        for (text,) in connection.execute("SELECT text FROM memory WHERE rid = ?", (rid,))
    }


def _side(side: Sequence[Belief], texts: Mapping[bytes, str], names: Mapping[bytes, str]) -> Side:
    said = [belief for belief in side if belief.standing is Standing.HELD] or side
    last = said[-1].told
    return Side(
        value=last.value,
        rid=show_memory_id(last.rid),
        text=texts[last.rid],
        speaker=last.speaker,
        device=last.device.hex(),
        device_name=names.get(last.device),
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
        device=told.device.hex(),
        device_name=names.get(told.device),
        told_at=at_ms(told.told_ms),
        valid_from=at_ms(told.from_ms),
        valid_until=None if belief.until_ms is None else at_ms(belief.until_ms),
        standing=belief.standing.value,
    )
