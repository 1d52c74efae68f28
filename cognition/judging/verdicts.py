"""Keep what whoever understands two memories said that they are to each other.

A verdict is an edge between the two, so it travels, is undone and is forgotten as edges are, and every device that
holds the same ops reads the same one. Its weight says who gave it: a person's outranks an agent's, an agent's a
model's. Whoever gives a verdict takes those away that it knew; of two given at once, the one that asks counts first.

What disagrees, or has changed, is also claimed: of each memory its own value, under a relation that is theirs alone. So
the two make a contradiction like any other, which is listed, brought up, resolved and shown beside what is recalled.
"""

import hashlib
import re
import sqlite3
from collections.abc import Iterable
from enum import StrEnum
from typing import Final, NamedTuple

from cognition.contradictions.relations import JUDGED, THIS
from cognition.contradictions.values import compatible
from cognition.judging.nominees import Near, compared, names_of
from replica import MemoryId, parse_memory_id, show_memory_id
from replica.reads.graph import edge_stamps, edges_related


class Verdict(StrEnum):
    """What two memories are to each other."""

    SAME = "same"
    """Both hold, of one thing."""
    CHANGED = "changed"
    """The one that was told later holds now, in place of the other."""
    DISAGREE = "disagree"
    """They cannot both be true."""
    TWO_THINGS = "two_things"
    """They speak of two things: never to be asked again."""
    REPEATS = "repeats"
    """They say one thing, in other words."""


class Judge(StrEnum):
    """Who gave a verdict."""

    PERSON = "person"
    AGENT = "agent"
    MODEL = "model"


WEIGHTS: Final = {Judge.PERSON: 1.0, Judge.AGENT: 0.9, Judge.MODEL: 0.6}
# The rank of who judges claims, by weight (`replica.SameSlot`).
RANKS: Final = {WEIGHTS[Judge.PERSON]: 4, WEIGHTS[Judge.AGENT]: 3, WEIGHTS[Judge.MODEL]: 2}
# In the order in which one of equal weight counts: of what was given on two devices at once, what asks comes first.
EDGES: Final = {
    Verdict.DISAGREE: "contradicts",
    Verdict.CHANGED: "updates",
    Verdict.TWO_THINGS: "samemind:two_things",
    Verdict.REPEATS: "samemind:repeats",
    Verdict.SAME: "samemind:same",
}
_VERDICTS: Final = {edge: verdict for verdict, edge in EDGES.items()}
_ORDER: Final = list(_VERDICTS)
_PAIR_DIGITS: Final = 16
# A value is shown in a line, and an entity by a name.
VALUE_CHARACTERS_MAX: Final = 160
_NAMES_MAX: Final = 2


class StandingVerdict(NamedTuple):
    """The verdict that stands on two memories, and the weight of whoever gave it."""

    verdict: Verdict
    weight: float


class Sides(NamedTuple):
    """What two memories are claimed to say that disagree: of what, under which relation, and each one's value."""

    entity: str
    relation: str
    older: str
    newer: str


def standing(connection: sqlite3.Connection, one: MemoryId, other: MemoryId) -> StandingVerdict | None:
    """Return the verdict that stands on two memories; None where nobody gave one."""
    found = [
        StandingVerdict(_VERDICTS[relation], weight)
        for source, relation, target, weight in edges_related(connection, [show_memory_id(one)], _ORDER)
        if {source, target} == {show_memory_id(one), show_memory_id(other)}
    ]
    return min(found, key=lambda each: (-each.weight, _ORDER.index(EDGES[each.verdict])), default=None)


def edges_among(connection: sqlite3.Connection, rids: Iterable[MemoryId]) -> list[tuple[str, str, str]]:
    """Return the edges that hold verdicts on two of these memories."""
    named = {show_memory_id(rid) for rid in rids}
    return [
        (source, relation, target)
        for source, relation, target, _ in edges_related(connection, sorted(named), _ORDER)
        if {source, target} <= named
    ]


def edge_stamps_among(
    connection: sqlite3.Connection, rids: Iterable[MemoryId]
) -> dict[tuple[str, str, str], int]:
    """Return the stamps of the edges that hold verdicts on two of these memories."""
    named = {show_memory_id(rid) for rid in rids}
    stamps = edge_stamps(connection, sorted(named), _ORDER)
    return {edge: hlc for edge, hlc in stamps.items() if {edge[0], edge[2]} <= named}


def judged_with(connection: sqlite3.Connection, rids: Iterable[MemoryId]) -> frozenset[MemoryId]:
    """Return the memories on which, with any of these, a verdict stands."""
    mine = {show_memory_id(rid) for rid in rids}
    found = {
        end
        for source, _, target, _ in edges_related(connection, sorted(mine), _ORDER)
        for end in (source, target)
    }
    return frozenset(parse_memory_id(each) for each in found - mine)


def sides_of(older: str, newer: str, pair: tuple[MemoryId, MemoryId]) -> Sides:
    """Return how two texts stand against each other: by the values that differ, else by their words.

    The same on every device that holds the two, whoever judges and in whichever order they are named.
    """
    nominee = compared(newer, Near(0, older, 1.0))
    named = hashlib.sha256(b"".join(sorted(pair))).hexdigest()[:_PAIR_DIGITS]
    entity = ", ".join(_spelled(name, older) for name in names_of(nominee)[:_NAMES_MAX]) or THIS
    for value in nominee.values:
        if not compatible(value.before, value.now):
            return Sides(entity, f"{JUDGED}:{named}", value.before, value.now)
    before, now = _short(older), _short(newer)
    if compatible(before, now):  # one says it more fully, or they part behind what is shown
        before, now = f"{before} [1]", f"{now} [2]"
    return Sides(entity, f"{JUDGED}:{named}", before, now)


def _spelled(name: str, text: str) -> str:
    """Return a name as a text spells it."""
    found = re.search(rf"\b{re.escape(name)}\b", text, re.IGNORECASE)
    return name if found is None else found[0]


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= VALUE_CHARACTERS_MAX else f"{plain[: VALUE_CHARACTERS_MAX - 1]}…"
