"""Say of what two memories claim that it is of one thing, or of two, when somebody settles them.

Only where it is plain which claims were meant: of each type that both claim, one on each side. What judges of the same
rank said before of the same two slots is said anew, since a judgment takes the place of another on the same claims.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from cognition.contradictions.joining import SlotNames, may_be_one
from cognition.contradictions.tables import selves_of
from cognition.contradictions.values import ENDED, compatible
from replica import Core, MemoryId, OpRef, SameSlot, Write, claims_judged, numbers_with_facts

# Pairs of claims of which one verdict says something. What two memories say of each other is told in a line or two.
PAIRS_MAX: Final = 16


class _Claimed(NamedTuple):
    rid: MemoryId
    place: OpRef
    own: bytes
    names: SlotNames
    value: str

    @property
    def type(self) -> str:
        return self.names.relation.partition(":")[0]


def same(
    core: Core,
    connection: sqlite3.Connection,
    pair: tuple[MemoryId, MemoryId],
    *,
    by: int,
    sureness: int,
    against: bool,
) -> list[Write]:
    """Return what says that two memories claim values of one thing; `against`: only where these cannot both hold."""
    ours, theirs = (_alone(_claims_of(core, connection, rid)) for rid in pair)
    found = [
        (one, other)
        for one in ours
        for other in theirs
        if may_be_one(one.names, other.names)
        and not (against and compatible(one.value, other.value))
        and (one.own != other.own or against)
    ]
    return _say(connection, found, True, by=by, sureness=sureness)


def different(
    core: Core,
    connection: sqlite3.Connection,
    pair: tuple[MemoryId, MemoryId],
    *,
    by: int,
    sureness: int,
) -> list[Write]:
    """Return what says that two memories claim values of two things, whatever may be compared in them."""
    ours, theirs = (_claims_of(core, connection, rid) for rid in pair)
    found = [(one, other) for one in ours for other in theirs if may_be_one(one.names, other.names)]
    return _say(connection, found, False, by=by, sureness=sureness)


def _claims_of(core: Core, connection: sqlite3.Connection, rid: MemoryId) -> list[_Claimed]:
    """Return what a memory, and the facts taken from it, claim: of each slot the last claim."""
    selves = selves_of(connection)
    found: dict[tuple[MemoryId, bytes], _Claimed] = {}
    for number in numbers_with_facts(connection, rid):
        rows = connection.execute(
            """SELECT m.rid, c.feed, c.seq, c.claim, s.own, m.workspace, c.entity, c.relation, c.value
               FROM claim_slot s JOIN shown_claim c ON c.id = s.id AND c.claim = s.claim
               JOIN shown_memory m ON m.id = s.id WHERE s.id = ? ORDER BY c.hlc, c.claim""",
            (number,),
        )
        for on, feed, seq, claim, own, workspace, entity, relation, value in rows:
            place = OpRef(core.feeds.origin_of(feed), seq, claim)
            names = SlotNames(workspace, selves.named(entity), relation)
            if value != ENDED:
                found[on, own] = _Claimed(MemoryId(on), place, own, names, value)
    return list(found.values())


def _alone(claims: Sequence[_Claimed]) -> list[_Claimed]:
    """Return the claims beside which nothing of their type is claimed: of two prices, nobody knows which was meant."""
    count = Counter({(each.type, each.own): 1 for each in claims})
    types = Counter(kind for kind, _ in count)
    return [each for each in claims if types[each.type] == 1]


def _say(
    connection: sqlite3.Connection,
    found: Iterable[tuple[_Claimed, _Claimed]],
    is_same: bool,
    *,
    by: int,
    sureness: int,
) -> list[Write]:
    writes: dict[tuple[object, ...], Write] = {}
    for one, other in list(found)[:PAIRS_MAX]:
        claims = [((one.rid, one.place), (other.rid, other.place))]
        claims += [
            claims_judged(name)
            for (name,) in connection.execute(
                """SELECT judgment FROM slot_judgment WHERE slot = ?1 AND against = ?2 AND by = ?3 AND same != ?4
                   AND (slot != against OR (id IN (?5, ?6) AND other IN (?5, ?6))) LIMIT ?7""",
                (one.own, other.own, by, is_same, *_numbers(connection, one, other), PAIRS_MAX),
            )
        ]
        for pair in claims:
            said = SameSlot.of(*pair, is_same, by=by, sureness=sureness)
            writes[said.rids, said.claims] = Write(said)
    return list(writes.values())


def _numbers(connection: sqlite3.Connection, one: _Claimed, other: _Claimed) -> tuple[int, int]:
    numbers = dict(
        connection.execute("SELECT rid, id FROM shown_memory WHERE rid IN (?, ?)", (one.rid, other.rid))
    )
    return numbers[one.rid], numbers[other.rid]
