"""Mark what is in dispute among the memories that were recalled, and bring the other side along.

Who is told one of two things that cannot both be true should be told that, and see the other: so a hit whose claim is
in an open contradiction carries its id, and a side that the question did not find stands next to the one that it did,
in place of the least of the other hits. The first of all hits stays whatever is in dispute behind it: it may be the
very memory that was asked for in its own words.

And who is told what was replaced since should be told that: such a hit says what holds instead, and stands behind the
one that says so.
"""

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from cognition.contradictions.slots import Belief, ClaimStatus, taken_back
from cognition.contradictions.tables import judged_of
from cognition.filters import Filters
from cognition.memories import Shown, read_memories
from cognition.recall.known import REPLACED, Answer, told_in
from cognition.recall.stages import CandidateReason, RankedMemory
from cognition.search.passes import allowed
from replica import MemoryId
from replica.reads.facts import parents_of

# The channel by which a hit came that only the other side of a contradiction brought along.
CHANNEL: Final = "contradiction"
# A page of hits is looked at; nobody reads beyond.
MARKED_MAX: Final = 500

_DISPUTED: Final = """
SELECT m.rid, c.slot, s.id FROM shown_memory m JOIN claim_slot s ON s.id = m.id JOIN contradiction c ON c.slot = s.slot
WHERE c.status = 'open' AND c.attention != 'quiet' AND m.rid IN ({marks})
UNION
SELECT m.rid, c.slot, s.id FROM shown_memory m JOIN shown_memory f ON f.parent = m.rid JOIN claim_slot s ON s.id = f.id
JOIN contradiction c ON c.slot = s.slot
WHERE c.status = 'open' AND c.attention != 'quiet' AND m.rid IN ({marks})
"""
_ANY: Final = "SELECT 1 FROM contradiction WHERE status = 'open' AND attention != 'quiet' LIMIT 1"
_ANY_SLOT: Final = "SELECT 1 FROM contradiction LIMIT 1"

_SETTLED: Final = """
SELECT DISTINCT m.rid, c.slot, c.entity, c.relation FROM shown_memory m JOIN claim_slot s ON s.id = m.id
JOIN contradiction c ON c.slot = s.slot WHERE c.status = 'settled' AND m.rid IN ({marks}) ORDER BY m.rid, c.slot
"""


def with_replaced(
    connection: sqlite3.Connection, hits: Sequence[RankedMemory], *, of_past: bool = False
) -> list[RankedMemory]:
    """Return the hits, those that were replaced marked, and behind what stands in their place.

    Where the past was asked for they stay where they are.
    """
    looked_at = [hit.rid for hit in hits[:MARKED_MAX] if hit.claim is None and not hit.sources]
    if not looked_at or not connection.execute(_ANY_SLOT).fetchone():
        return list(hits)
    marks = ",".join("?" * len(looked_at))
    slots: dict[MemoryId, list[tuple[bytes, str, str]]] = {}
    for rid, *slot in connection.execute(_SETTLED.format(marks=marks), looked_at).fetchall():
        slots.setdefault(MemoryId(rid), []).append((slot[0], slot[1], slot[2]))
    ordered = list(hits)
    for hit in hits:
        answer = _replaced(connection, hit.rid, slots.get(hit.rid, ()))
        if answer is None:
            continue
        at = next(i for i, each in enumerate(ordered) if each.rid == hit.rid)
        ordered[at] = marked = replace(hit, claim=answer)
        if of_past:
            continue
        now = {value.rid for value in answer.now}
        behind = next((i for i, each in enumerate(ordered) if i > at and now & {each.rid, *each.same}), None)
        if behind is not None:
            ordered.insert(behind + 1, replace(marked, score=min(hit.score, ordered[behind].score)))
            ordered.pop(at)
    return ordered


def _replaced(
    connection: sqlite3.Connection, rid: MemoryId, slots: Sequence[tuple[bytes, str, str]]
) -> Answer | None:
    """Return of what in these slots a memory says nothing but what was replaced; None where there is none."""
    for slot, entity, relation in slots:
        answers = [
            answer
            for _, answer in told_in(slot, entity, relation, judged_of(connection, slot))
            if answer.value.rid == rid
        ]
        if answers and all(answer.standing == REPLACED for answer in answers):
            return answers[-1]
    return None


def with_both_sides(
    connection: sqlite3.Connection, hits: Sequence[RankedMemory], filters: Filters, k: int
) -> list[RankedMemory]:
    """Return the hits, at most `k`, each side of what is in dispute among them marked and there."""
    if not hits or not connection.execute(_ANY).fetchone():
        return list(hits)
    disputed = _disputed(connection, [hit.rid for hit in hits[:MARKED_MAX]])
    if not disputed:
        return list(hits)
    here: set[bytes] = {hit.rid for hit in hits}
    marked: list[RankedMemory] = []
    seen: set[bytes] = set()
    for hit in hits:
        slot = disputed.get(hit.rid)
        marked.append(hit if slot is None else replace(hit, contradiction=slot))
        # Of a memory that answers where somebody lives, another thing that it says and is in dispute was not asked.
        is_asked = hit.claim is None or hit.claim.slot == slot
        if slot is not None and slot not in seen and is_asked:
            seen.add(slot)
            missing = _missing(connection, slot, here, filters)
            here |= {shown.rid for shown in missing}
            marked += [_beside(hit, shown, slot) for shown in missing]
    while len(marked) > k:
        spare = [i for i, hit in enumerate(marked) if i and hit.contradiction is None]
        marked.pop(spare[-1] if spare else -1)
    return marked


def _disputed(connection: sqlite3.Connection, rids: Sequence[bytes]) -> dict[bytes, bytes]:
    """Return by memory the first open contradiction of which its words, or those of a fact in it, still tell."""
    marks = ",".join("?" * len(rids))
    found: dict[bytes, bytes] = {}
    silent: dict[bytes, frozenset[int]] = {}
    for rid, slot, number in sorted(connection.execute(_DISPUTED.format(marks=marks), (*rids, *rids))):
        if rid in found:
            continue  # a memory may tell of hundreds, and to judge one takes the longer the more tell of it
        if slot not in silent:
            silent[slot] = taken_back(judged_of(connection, slot).beliefs)
        if number not in silent[slot]:
            found[rid] = slot
    return found


def _missing(connection: sqlite3.Connection, slot: bytes, here: set[bytes], filters: Filters) -> list[Shown]:
    """Return a memory for each side that none of those here tells, as far as the filters let it through."""
    numbers = []
    for side in judged_of(connection, slot).sides:
        if not _tells(connection, side, here):
            held = [belief for belief in side if belief.standing is ClaimStatus.HELD]
            numbers += [belief.told.id for belief in held[-1:]]
    permitted = allowed(connection, numbers, filters)
    shown = {it.id: it for it in read_memories(connection, [each for each in numbers if each in permitted])}
    return [shown[number] for number in numbers if number in shown]


def _tells(connection: sqlite3.Connection, side: Sequence[Belief], here: set[bytes]) -> bool:
    if any(belief.told.rid in here for belief in side):
        return True
    return not here.isdisjoint(parents_of(connection, [belief.told.id for belief in side]))


def _beside(hit: RankedMemory, shown: Shown, slot: bytes) -> RankedMemory:
    """Return the other side of what a hit says: it speaks of the same thing, and so is as likely to be about it."""
    return RankedMemory(
        shown.rid,
        hit.score,
        (CandidateReason(CHANNEL, 0, 0.0),),
        0.0,
        {},
        shown.memory,
        shown.device,
        contradiction=slot,
        confidence=hit.confidence,
        incarnation=shown.incarnation,
    )
