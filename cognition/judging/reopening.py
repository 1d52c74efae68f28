"""Take the last decision on a question back, as ops: it is open again, with what it was between.

A question is brought back to how it stood when it was last open. For that, what decisions left in the slot (verdicts,
claims that a memory makes a second time, mergers, memories set apart) is taken away from the latest on, until the rest
is open; where it never was, to how it stands without any decision. A verdict that a later one overrode is read in the
log or in the base; where neither has it any more, nothing was decided there, so that more is asked about rather than
less. What was told since then counts as it is. Of a slot that verdicts on two memories made, what one replaces for the
other is decided, too.

To be open again, what was replaced is claimed anew, and each side is kept by a verdict of its own: nobody compared what
is kept apart, so that asks (`cognition.contradictions.slots`). A merger that nobody has changed is forgotten.
"""

import sqlite3
from bisect import bisect, bisect_left
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, NamedTuple

from cognition.contradictions.relations import JUDGED
from cognition.contradictions.resolving import mergers_among
from cognition.contradictions.slots import (
    ClaimStatus,
    ContradictionStatus,
    Judged,
    LiveClaim,
    Opinion,
    judge,
)
from cognition.contradictions.snoozing import snooze, snoozed
from cognition.contradictions.tables import judged_of, told_of
from cognition.contradictions.telling import place_of
from cognition.contradictions.values import ENDED
from cognition.judging.verdicts import EDGES, Verdict, edge_stamps_among
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
    parse_memory_id,
    show_memory_id,
)
from replica.limits import NAMES_MAX
from replica.reads.facts import facts_of, parent_of
from replica.reads.texts import LastEdit, last_edits
from replica.verdicts import PastVerdicts, past_verdicts

# Decisions that are looked behind for one before which the question was open: a person makes a few. Behind more, it is
# brought back to how it stands without any.
DECISIONS_MAX: Final = 64
# Claims that are judged for that, of all these decisions together: 0.6 s of work. All 64 are looked behind where up to
# 512 claims stand in question.
CLAIMS_MAX: Final = 32_768


class DecisionUndone(NamedTuple):
    """What a decision that was taken back left: whether anything was written, and the mergers that were forgotten."""

    changed: bool
    forgotten: tuple[MemoryId, ...] = ()


@dataclass(frozen=True, slots=True)
class Undecided:
    """How a slot stands without everything that was decided from a stamp on; `held` are the claims that hold then."""

    since: int
    judged: Judged
    held: frozenset[bytes]


def reopen(
    core: Core, connection: sqlite3.Connection, slot: bytes, *, entity: str, relation: str, now_ms: int
) -> DecisionUndone | None:
    """Ask a question again, also one put off before; None where no decision settled it. What is open stays as it is."""
    claims = told_of(connection, slot)
    if judge(relation, claims).status is ContradictionStatus.OPEN:
        return DecisionUndone(changed=False)
    edits = last_edits(connection, sorted({told.id for told in claims}))
    mergers = mergers_among(connection, claims, edits)
    made = restated(claims, edits) | {told.claim for told in claims if told.rid in mergers}
    edges = _verdicts_between(connection, claims)
    past = past_verdicts(core, connection, {told.claim: MemoryId(told.rid) for told in claims})
    before = last_open(relation, claims, made, past, edges.values())
    if before is None:
        return None
    older = {told.rid for told in claims if told.hlc < before.since}
    gone = sorted(MemoryId(rid) for rid in mergers - older)
    done = [
        core.commit(writes(), now_ms)
        for writes in (
            partial(_forgetting, connection, gone),
            partial(_claimed_anew, core, connection, slot, before, entity=entity, relation=relation),
            partial(_verdicts_withdrawn, connection, slot, before, edges),
            partial(_kept_apart, core, connection, slot, before),
        )
    ]
    if not any(done):
        return None
    if slot in snoozed(connection, now_ms):
        core.commit([snooze(connection, slot, None)], now_ms)
    return DecisionUndone(changed=True, forgotten=tuple(gone))


def restated(claims: Sequence[LiveClaim], edits: Mapping[int, LastEdit]) -> frozenset[bytes]:
    """Return the claims by which a memory says once more what it says already: a decision does that, and no telling.

    But for what was claimed with the last edit of its memory's words: whoever corrects them back says it again.
    """
    said = {told.claim: (told.rid, told.value) for told in claims}
    return frozenset(
        told.claim
        for told in claims
        if any(said.get(claim) == (told.rid, told.value) for claim in told.replaces)
        and not (told.id in edits and edits[told.id].hlc >> 16 == told.hlc >> 16)
    )


def last_open(
    relation: str,
    claims: Sequence[LiveClaim],
    made: Iterable[bytes],
    past: Iterable[PastVerdicts],
    given: Iterable[int],
) -> Undecided | None:
    """Return how a slot last stood open, or without any decision; None where nobody decided anything.

    `made` are the claims that decisions made; `past` are the verdicts on them that are still known, `given` the
    stamps of those on two memories.
    """
    made = frozenset(made)
    by_verdicts = relation.startswith(f"{JUDGED}:")
    settling = {told.claim for told in claims if by_verdicts and told.replaces} - made
    stamps = {told.hlc for told in claims if told.claim in made or told.claim in settling}
    opinions = _PastOpinions(past)
    stamps |= {*opinions.stamps}
    stamps |= {opinion.hlc for told in claims for opinion in told.opinions}
    stamps |= {each.hlc for told in claims for each in told.apart}
    stamps |= {*given} if stamps else set()
    if not stamps:
        return None
    told_at = [] if by_verdicts else sorted(told.hlc for told in claims if told.claim not in made)

    def standing(since: int) -> Undecided:
        left = [
            _undecided(told, opinions, since, settling)
            for told in claims
            if told.claim not in made or told.hlc < since
        ]
        judged = judge(relation, left)
        held = frozenset(
            belief.told.claim
            for belief in judged.beliefs
            if belief.standing is ClaimStatus.HELD and belief.told.value != ENDED
        )
        return Undecided(since, judged, held)

    looked_at = min(DECISIONS_MAX, max(1, CLAIMS_MAX // len(claims)))
    for since in _decided_at(stamps, told_at, opinions.lost)[:looked_at]:
        before = standing(since)
        if before.judged.status is ContradictionStatus.OPEN:
            return before
    return standing(0)


def _decided_at(stamps: Iterable[int], told_at: Sequence[int], lost: int) -> list[int]:
    """Return the first stamp of each decision, the latest decision first.

    One decision takes several ops, all in one millisecond. Where a clock stands still, or a peer's is ahead of it, more
    than that is stamped with one: then what was told between two ops says that they are two decisions.

    Up to the stamp `lost`, verdicts may have left the log without a trace. What such a one had settled looks open; so
    of the decisions between which nothing was told, only the first counts there.
    """
    first: list[int] = []
    last = None
    for stamp in sorted(stamps):
        is_later = last is not None and last >> 16 != stamp >> 16 and stamp > lost
        if last is None or is_later or bisect(told_at, last) != bisect(told_at, stamp):
            first.append(stamp)
        last = stamp
    return first[::-1]


class _PastOpinions:
    """The verdicts on each claim that none had overridden, as of any time.

    Which of them override which is the same for all claims that the same resolutions name: nearly always one decision
    names all of them, so it is found out once.
    """

    def __init__(self, past: Iterable[PastVerdicts]) -> None:
        self._past = sorted(past, key=lambda said: (said.hlc, said.dot.id8))
        self.stamps = [said.hlc for said in self._past]
        self.lost = max((said.hlc for said in self._past if said.seen is None), default=0)
        naming: dict[bytes, list[int]] = {}
        for number, said in enumerate(self._past):
            for claim in said.keeps:
                naming.setdefault(claim, []).append(number)
        self._naming = {claim: tuple(numbers) for claim, numbers in naming.items()}
        self._heads: dict[tuple[int, ...], list[tuple[int, ...]]] = {}

    def on(self, claim: bytes, since: int) -> tuple[Opinion, ...]:
        """Return the verdicts on a claim of before a stamp."""
        numbers = self._naming.get(claim, ())
        if numbers not in self._heads:
            self._heads[numbers] = self._heads_of(numbers)
        given = bisect_left(numbers, bisect_left(self.stamps, since))
        heads = [self._past[number] for number in self._heads[numbers][given]]
        return tuple(Opinion(head.dot.id8, head.hlc, head.device, head.keeps[claim]) for head in heads)

    def _heads_of(self, numbers: Sequence[int]) -> list[tuple[int, ...]]:
        """Return which none had overridden once the first of these were given: of none, one, two, up to all."""
        found: list[tuple[int, ...]] = [()]
        for number in numbers:
            heads, said = found[-1], self._past[number]
            if not any(self._past[head].overrides(said) for head in heads):
                heads = (*(head for head in heads if not said.overrides(self._past[head])), number)
            found.append(heads)
        return found


def _undecided(told: LiveClaim, past: _PastOpinions, since: int, settling: Set[bytes]) -> LiveClaim:
    """Return a claim with what was decided on it before a stamp; of one of `settling`, what it replaces is decided."""
    opinions = told.opinions
    if any(opinion.hlc >= since for opinion in opinions):
        opinions = past.on(told.claim, since)
    apart = tuple(each for each in told.apart if each.hlc < since)
    replaces = () if told.claim in settling and told.hlc >= since else told.replaces
    return replace(told, opinions=opinions, apart=apart, replaces=replaces)


def _verdicts_between(
    connection: sqlite3.Connection, claims: Sequence[LiveClaim]
) -> dict[tuple[str, str, str], int]:
    """Return the stamps of the verdicts on two memories of a slot, or on those that its facts were taken from."""
    return edge_stamps_among(connection, _with_sources(connection, {MemoryId(told.rid) for told in claims}))


def _with_sources(connection: sqlite3.Connection, rids: Set[MemoryId]) -> set[MemoryId]:
    return {*rids, *(parent for rid in rids if (parent := parent_of(connection, rid)) is not None)}


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
    """Return what claims again, each on its memory, what was in question and is replaced now; not what it says anew."""
    beliefs = judged_of(connection, slot).beliefs
    said = {
        (belief.told.rid, belief.told.value, belief.told.valid_from)
        for belief in beliefs
        if belief.standing is not ClaimStatus.REPLACED
    }
    alike: dict[tuple[bytes, str], list[LiveClaim]] = {}
    for belief in beliefs:
        alike.setdefault((belief.told.rid, belief.told.value), []).append(belief.told)
    writes: dict[tuple[bytes, str, int | None], Write] = {}
    for belief in beliefs:
        told = belief.told
        if told.claim in before.held and (told.rid, told.value, told.valid_from) not in said:
            places = _places(core, alike[told.rid, told.value])
            claim = Claim(entity, relation, told.value, places, told.valid_from)
            writes[told.rid, told.value, told.valid_from] = Write(claim, MemoryId(told.rid))
    return list(writes.values())


def _verdicts_withdrawn(
    connection: sqlite3.Connection,
    slot: bytes,
    before: Undecided,
    edges: Mapping[tuple[str, str, str], int],
) -> list[Write]:
    """Return what withdraws that somebody said since then of two memories that they do not contradict each other."""
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
    named = {show_memory_id(rid) for rid in _with_sources(connection, rids)}
    for (source, relation, target), hlc in edges.items():
        if relation == EDGES[Verdict.DISAGREE] or hlc < before.since or not {source, target} <= named:
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
    of_sides = {
        belief.told.claim: number for number, side in enumerate(before.judged.sides) for belief in side
    }
    # What held, and was of another thing or stood beside the others, holds again: by a verdict on its value.
    sides: dict[tuple[bytes, str], int | str] = {
        (belief.told.rid, belief.told.value): of_sides.get(belief.told.claim, belief.told.value)
        for belief in before.judged.beliefs
        if belief.told.claim in before.held
    }
    kept: dict[int | str, list[ClaimVerdict]] = {}
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
