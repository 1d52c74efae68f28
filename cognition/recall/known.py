"""Look up what is believed of what a question asks for: the live claim of its slot, and what that replaced.

Who asks "where do I work?" asks for one slot of the claims. What holds there is the answer, whatever else shares words
with it; what held before is one step away; and where two things cannot both hold, each is told with the other.
"""

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, tzinfo
from itertools import chain, dropwhile, pairwise
from typing import Final

from cognition.contradictions.slots import Belief, ClaimStatus, ContradictionStatus, Judged, taken_back
from cognition.contradictions.tables import judged_of, selves_of
from cognition.contradictions.values import ENDED, folded
from cognition.filters import Filters
from cognition.ranking.asked_words import BEFORE, IS, PAST, UNCLEAR_PAST, WAS
from cognition.ranking.asking import RecallQuery, asked_for
from cognition.search.passes import allowed
from cognition.times import Window, windows
from cognition.words import words
from replica import MemoryId
from replica.reads.claims import entities_claimed
from replica.values import dataclass

# A question is about one thing of one person: more slots come of people who share a name, or of many workspaces.
SLOTS_MAX: Final = 8
# Earlier values that are named beside what holds.
EARLIER_MAX: Final = 8
# What was told last comes before what holds beside it, or against it.
BESIDE: Final = 0.5
BELIEVED: Final = "believed"
DISPUTED: Final = "disputed"
REPLACED: Final = "replaced"


@dataclass(frozen=True, slots=True)
class KnownValue:
    """What a memory claims: the value, the memory, since when it held and until when."""

    value: str
    rid: MemoryId
    from_ms: int
    until_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What a memory says of the slot that was asked for.

    `standing` is `believed`, `disputed` (others say otherwise, `against`) or `replaced`. `earlier` is what held before,
    the latest first; of what was replaced, `now` is what holds instead.
    """

    slot: bytes
    entity: str
    relation: str
    value: KnownValue
    standing: str
    earlier: tuple[KnownValue, ...] = ()
    against: tuple[KnownValue, ...] = ()
    now: tuple[KnownValue, ...] = ()


_DID: Final = "did"

Answers = Mapping[int, Answer]
Then = tuple[Window, ...]
"""A time in the past that is asked for; empty where that is any time before now."""


def answers_of(
    connection: sqlite3.Connection, asked: RecallQuery | None, filters: Filters
) -> dict[int, Answer]:
    """Return what memories say of what is asked for, by their numbers, what is believed first and of that the newest.

    Only memories that the filters let through answer; what they replaced is named wherever it is.
    """
    found: dict[int, Answer] = {}
    if asked is None:
        return found
    for slot, entity, relation in _slots(connection, asked):
        found |= told_in(slot, entity, relation, judged_of(connection, slot))
    kept = allowed(connection, list(found), filters)
    ordered = sorted(
        found.items(), key=lambda each: (each[1].standing == REPLACED, -each[1].value.from_ms, each[0])
    )
    return {number: answer for number, answer in ordered if number in kept}


def asked_then(text: str, now_ms: int, zone: tzinfo = UTC) -> Then | None:
    """Return the time in the past that a question is about; None where it asks for what is so now, or will be."""
    spans, asked = windows(text, now_ms, zone), words(text)
    if not spans:
        return () if _asks_before(asked) else None
    past = tuple(span for span in spans if span.end_ms < now_ms)
    # "In February" is the latest or the coming one, but what somebody did was in the latest.
    slot = asked_for(text)
    is_past = len(past) == len(spans) or _DID in asked or _asks_before(asked) or bool(slot and slot.past)
    return past if past and is_past else None


def _asks_before(asked: Sequence[str]) -> bool:
    """Say whether a question is surely for what was so before: "where did I work before Globex?", "früher"."""
    said = PAST.intersection(asked)
    if said - BEFORE - UNCLEAR_PAST or any(
        (word, behind) == ("used", "to") and IS.isdisjoint(asked[max(0, at - 2) : at])
        for at, (word, behind) in enumerate(pairwise(asked))
    ):
        return True
    return bool(said & BEFORE) and (asked[-1] in BEFORE or not WAS.isdisjoint(asked))


def held_then(connection: sqlite3.Connection, numbers: Sequence[int], then: Then) -> frozenset[int]:
    """Return which memories said what held at a time in the past, of what some of these say that was replaced.

    Only slots are looked at in which one of them was replaced: what has always held says nothing of a time.
    """
    slots = connection.execute(
        """SELECT DISTINCT s.slot FROM json_each(?) e CROSS JOIN claim_retired r ON r.id = e.value
           CROSS JOIN claim_slot s ON s.id = r.id LIMIT ?""",
        (json.dumps(numbers), SLOTS_MAX),
    ).fetchall()
    told = chain.from_iterable(told_in(slot, "", "", judged_of(connection, slot)) for (slot,) in slots)
    return frozenset(number for number, answer in told if _held(answer.value, then))


def _held(value: KnownValue, then: Then) -> bool:
    if not then:
        return value.until_ms is not None
    return any(
        value.from_ms <= span.end_ms and (value.until_ms is None or value.until_ms > span.start_ms)
        for span in then
    )


def how_believed(answers: Answers, then: Then | None = None) -> dict[int, float]:
    """Return how far each memory says what is believed: 1 the last, a half what holds beside it, 0 the past.

    Where a time in the past is asked for, what counts is what is believed of that.
    """
    if then:
        held = [number for number, answer in answers.items() if _held(answer.value, then)]
        last = max(held, key=lambda number: answers[number].value.from_ms, default=None)
    else:
        held = [number for number, answer in answers.items() if answer.standing != REPLACED]
        last = held[0] if held else None
    return {number: 1.0 if number == last else BESIDE if number in held else 0.0 for number in answers}


def _slots(connection: sqlite3.Connection, asked: RecallQuery) -> list[tuple[bytes, str, str]]:
    named = entities_claimed(connection, asked.relations)
    found: dict[bytes, tuple[bytes, str, str]] = {}
    selves = selves_of(connection)
    for relation, entity in named:
        if asked.is_entity(selves.named(entity)):
            slots = connection.execute(
                """SELECT DISTINCT s.slot FROM shown_claim c JOIN claim_slot s ON s.id = c.id AND s.claim = c.claim
                   WHERE c.relation = ? AND c.entity = ? ORDER BY s.slot LIMIT ?""",
                (relation, entity, SLOTS_MAX),
            )
            found |= {slot: (slot, entity, relation) for (slot,) in slots}
    return list(found.values())[:SLOTS_MAX]


def told_in(slot: bytes, entity: str, relation: str, judged: Judged) -> Iterable[tuple[int, Answer]]:
    """Return what each memory, by its number, says of a slot: what is believed, or disputed, and what was replaced.

    A memory whose words were changed, and say nothing of it any more, is left out.
    """
    silent = taken_back(judged.beliefs)
    beliefs = [belief for belief in judged.beliefs if belief.told.id not in silent]
    live = [belief for belief in beliefs if belief.standing is ClaimStatus.HELD]
    stated = [belief for belief in live if belief.told.value != ENDED]
    ended = not stated
    live = stated or live
    open_ = judged.status is ContradictionStatus.OPEN
    for belief in beliefs:
        value = _value(belief)
        if belief in live:
            others = [
                side
                for side in judged.sides
                if open_ and not any(each.told.claim == belief.told.claim for each in side)
            ]
            against = tuple(
                _value(held[-1])
                for side in others
                if (held := [each for each in side if each.standing is ClaimStatus.HELD])
            )
            earlier = () if ended and belief.told.value != ENDED else _earlier(beliefs, live)
            standing = DISPUTED if against else BELIEVED
            yield belief.told.id, Answer(slot, entity, relation, value, standing, earlier, against)
    telling = {belief.told.id for belief in live}
    for belief in beliefs:
        if (
            belief.standing is ClaimStatus.REPLACED
            and belief.told.id not in telling
            and belief.told.value != ENDED
        ):
            now = tuple(map(_value, live[-1:]))
            yield belief.told.id, Answer(slot, entity, relation, _value(belief), REPLACED, now=now)


def _earlier(beliefs: Sequence[Belief], live: Sequence[Belief]) -> tuple[KnownValue, ...]:
    """Return what held before.

    Whoever dates a telling anew claims it again, and who tells the same change twice changed nothing by that: what
    holds still is not earlier.
    """
    holds = {(belief.told.id, belief.told.value) for belief in live}
    replaced = [
        _value(belief)
        for belief in beliefs
        if belief.standing is ClaimStatus.REPLACED
        and belief.told.value != ENDED
        and (belief.told.id, belief.told.value) not in holds
    ]
    still = {folded(belief.told.value) for belief in live}
    latest = sorted(replaced, key=lambda each: -each.from_ms)
    return tuple(dropwhile(lambda each: folded(each.value) in still, latest))[:EARLIER_MAX]


def _value(belief: Belief) -> KnownValue:
    told = belief.told
    return KnownValue(told.value, MemoryId(told.rid), told.from_ms, belief.until_ms)
