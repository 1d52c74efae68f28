"""Take the last decision on a question back, as ops: it is open again, with what it was between.

A question is brought back to how it stood when it was last open. For that, what decisions left in the slot (verdicts,
claims that a memory makes a second time, mergers, memories set apart) is taken away from the latest on, until the rest
is open; where it never was, to how it stands without any decision. A verdict that a later one overrode is read in the
log; where the log no longer has it, nothing was decided there, so that more is asked about rather than less. What was
told since then counts as it is.

To be open again, what was replaced is claimed anew, and each side is kept by a verdict of its own: nobody compared what
is kept apart, so that asks (`cognition.contradictions.slots`). A merger that nobody has changed is forgotten.
"""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, NamedTuple

from cognition.contradictions.slots import (
    ClaimStatus,
    ContradictionStatus,
    Judged,
    LiveClaim,
    Opinion,
    judge,
)
from cognition.contradictions.tables import judged_of, told_of
from cognition.contradictions.telling import place_of
from cognition.contradictions.values import ENDED
from cognition.judging.verdicts import EDGES, Verdict, edges_among
from replica import (
    Claim,
    ClaimVerdict,
    Core,
    Forget,
    MemoryId,
    OpRef,
    Relate,
    Resolve,
    SameSlot,
    Unlink,
    Write,
    claims_judged,
    links_of,
    memories_called,
    parse_memory_id,
)
from replica.limits import NAMES_MAX
from replica.reads.facts import facts_of, parent_of
from replica.reads.log import verdicts_on
from replica.reads.texts import last_edits

# Decisions that are looked behind for one after which the question was open: a person makes a few.
DECISIONS_MAX: Final = 64


class DecisionUndone(NamedTuple):
    """What a decision that was taken back left: whether anything was written, and the mergers that were forgotten."""

    changed: bool
    forgotten: tuple[MemoryId, ...] = ()


@dataclass(frozen=True, slots=True)
class Undecided:
    """How a slot stands without everything that was decided from a stamp on."""

    since: int
    judged: Judged

    @property
    def held(self) -> frozenset[bytes]:
        """The claims that hold then."""
        return frozenset(
            belief.told.claim
            for belief in self.judged.beliefs
            if belief.standing is ClaimStatus.HELD and belief.told.value != ENDED
        )


def reopen(
    core: Core, connection: sqlite3.Connection, slot: bytes, *, entity: str, relation: str, now_ms: int
) -> DecisionUndone | None:
    """Ask a question again; None where no decision settled it. One that is open stays as it is."""
    claims = told_of(connection, slot)
    if judge(relation, claims).status is ContradictionStatus.OPEN:
        return DecisionUndone(changed=False)
    mergers = _mergers(connection, claims)
    made = restated(claims) | {told.claim for told in claims if told.rid in mergers}
    logged: dict[bytes, list[Opinion]] = {}
    for said in verdicts_on(connection, {told.claim for told in claims}):
        logged.setdefault(said.claim, []).append(Opinion(said.op, said.hlc, said.device, said.keep))
    before = last_open(relation, claims, made, logged)
    if before is None:
        return None
    older = {told.rid for told in claims if told.hlc < before.since}
    gone = sorted(MemoryId(rid) for rid in mergers - older)
    done = [
        core.commit(writes(), now_ms)
        for writes in (
            partial(_forgetting, connection, gone),
            partial(_claimed_anew, core, connection, slot, before, entity=entity, relation=relation),
            partial(_verdicts_withdrawn, connection, slot, before),
            partial(_kept_apart, core, connection, slot, before),
        )
    ]
    return DecisionUndone(changed=True, forgotten=tuple(gone)) if any(done) else None


def restated(claims: Sequence[LiveClaim]) -> frozenset[bytes]:
    """Return the claims by which a memory says once more what it says already: a decision does that, and no telling."""
    said = {told.claim: (told.rid, told.value) for told in claims}
    return frozenset(
        told.claim
        for told in claims
        if any(said.get(claim) == (told.rid, told.value) for claim in told.replaces)
    )


def last_open(
    relation: str,
    claims: Sequence[LiveClaim],
    made: Iterable[bytes],
    logged: Mapping[bytes, Sequence[Opinion]],
) -> Undecided | None:
    """Return how a slot last stood open, or without any decision; None where nobody decided anything.

    `made` are the claims that decisions made; `logged` are the verdicts of the log on each claim.
    """
    made = frozenset(made)
    before = None
    stamps = {told.hlc for told in claims if told.claim in made}
    stamps |= {opinion.hlc for said in logged.values() for opinion in said}
    stamps |= {opinion.hlc for told in claims for opinion in told.opinions}
    stamps |= {each.hlc for told in claims for each in told.apart}
    # A decision claims something anew first, and then gives its verdicts, all in one millisecond.
    for since in sorted({stamp >> 16 << 16 for stamp in stamps}, reverse=True)[:DECISIONS_MAX]:
        left = [
            _undecided(told, logged.get(told.claim, ()), since)
            for told in claims
            if told.claim not in made or told.hlc < since
        ]
        before = Undecided(since, judge(relation, left))
        if before.judged.status is ContradictionStatus.OPEN:
            break
    return before


def _undecided(told: LiveClaim, logged: Sequence[Opinion], since: int) -> LiveClaim:
    """Return a claim with what was decided on it before a stamp."""
    opinions = tuple(opinion for opinion in told.opinions if opinion.hlc < since)
    if not opinions:
        earlier = [opinion for opinion in logged if opinion.hlc < since]
        opinions = (max(earlier, key=lambda opinion: (opinion.hlc, opinion.op)),) if earlier else ()
    apart = tuple(each for each in told.apart if each.hlc < since)
    return replace(told, opinions=opinions, apart=apart)


def _mergers(connection: sqlite3.Connection, claims: Sequence[LiveClaim]) -> frozenset[bytes]:
    """Return the memories that decisions made. One whose text was edited since is a telling like any other."""
    numbers = {MemoryId(told.rid): told.id for told in claims}
    edited = last_edits(connection, sorted(numbers.values()))
    return frozenset(
        shown.rid
        for shown in memories_called(connection, sorted(numbers))
        if shown.memory.fields.get("source") == "merge" and numbers[shown.rid] not in edited
    )


def _forgetting(connection: sqlite3.Connection, mergers: Sequence[MemoryId]) -> list[Write]:
    gone = sorted({*mergers, *(fact for rid in mergers for fact in facts_of(connection, rid))})
    return [Write(Forget(tuple(gone[start : start + NAMES_MAX]))) for start in range(0, len(gone), NAMES_MAX)]


def _claimed_anew(
    core: Core,
    connection: sqlite3.Connection,
    slot: bytes,
    before: Undecided,
    *,
    entity: str,
    relation: str,
) -> list[Write]:
    """Return what claims again, each on its memory, what was in question and is replaced now."""
    beliefs = judged_of(connection, slot).beliefs
    writes: dict[tuple[bytes, str], Write] = {}
    for belief in beliefs:
        told = belief.told
        if told.claim in before.held and belief.standing is ClaimStatus.REPLACED:
            own = [
                each.told for each in beliefs if (each.told.rid, each.told.value) == (told.rid, told.value)
            ]
            claim = Claim(entity, relation, told.value, _places(core, own), told.valid_from)
            writes[told.rid, told.value] = Write(claim, MemoryId(told.rid))
    return list(writes.values())


def _verdicts_withdrawn(connection: sqlite3.Connection, slot: bytes, before: Undecided) -> list[Write]:
    """Return what withdraws that somebody said of two memories in question that they do not contradict each other."""
    judged = connection.execute(
        """SELECT DISTINCT judgment, by, sureness FROM slot_judgment WHERE NOT same AND hlc >= ?2
           AND slot IN (SELECT own FROM claim_slot WHERE slot = ?1)
           AND against IN (SELECT own FROM claim_slot WHERE slot = ?1)""",
        (slot, before.since),
    )
    writes = [
        Write(SameSlot.of(*claims_judged(name), None, by=by, sureness=sureness))
        for name, by, sureness in judged.fetchall()
    ]
    rids = {MemoryId(belief.told.rid) for belief in before.judged.beliefs if belief.told.claim in before.held}
    sources = {parent for rid in rids if (parent := parent_of(connection, rid)) is not None}
    for source, relation, target in edges_among(connection, sorted(rids | sources)):
        if relation == EDGES[Verdict.DISAGREE]:
            continue
        writes.append(Write(Relate(source, relation, target, None)))
        one, other = parse_memory_id(source), parse_memory_id(target)
        links = {*links_of(connection, [one])} & {*links_of(connection, [other])}
        if links and relation == EDGES[Verdict.REPEATS]:
            writes.append(Write(Unlink(tuple(sorted(links)))))
    return writes


def _kept_apart(core: Core, connection: sqlite3.Connection, slot: bytes, before: Undecided) -> list[Write]:
    """Return the verdicts by which all that was in question holds; none where it does already, and is open."""
    judged = judged_of(connection, slot)
    sides = {
        (belief.told.rid, belief.told.value): number
        for number, side in enumerate(before.judged.sides)
        for belief in side
        if belief.told.claim in before.held
    }
    kept: dict[int, list[ClaimVerdict]] = {}
    hidden: list[ClaimVerdict] = []
    is_so = judged.status is before.judged.status or before.judged.status is not ContradictionStatus.OPEN
    for belief in judged.beliefs:
        told = belief.told
        if belief.standing is ClaimStatus.REPLACED or told.value == ENDED:
            continue
        side = sides.get((told.rid, told.value))
        is_held = belief.standing is ClaimStatus.HELD
        is_so &= is_held == (side is not None)
        if side is not None:
            verdict = ClaimVerdict(MemoryId(told.rid), place_of(core, told), True)
            kept.setdefault(side, []).append(verdict)
        elif is_held:
            hidden.append(ClaimVerdict(MemoryId(told.rid), place_of(core, told), False))
    if is_so:
        return []
    return [
        Write(Resolve(tuple(said[start : start + NAMES_MAX])))
        for said in (*kept.values(), hidden)
        for start in range(0, len(said), NAMES_MAX)
    ]


def _places(core: Core, claims: Iterable[LiveClaim]) -> tuple[OpRef, ...]:
    return tuple(sorted({place_of(core, told) for told in claims}))[-NAMES_MAX:]
