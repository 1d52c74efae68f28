"""Keep what judges said of two claims by the slots that these are in, and find which slots are one.

The replica shows judgments in its table `same_slot`, by claims; here each of which both claims are here is filed by
their slots, in both directions, if these may be one at all. What comes of it is decided by
`cognition.contradictions.joining`. What a batch changes reaches the slots that can be reached from a changed one over
links, and no further.
"""

import sqlite3
from collections.abc import Iterable
from typing import Final, NamedTuple

from cognition.contradictions.joining import (
    NEIGHBOURS_MAX,
    REACHED_MAX,
    Pair,
    SlotNames,
    SlotVerdict,
    groups,
    may_be_one,
)
from cognition.contradictions.selves import Selves
from cognition.contradictions.slots import Apart

# A slot in which more pairs were set apart than this has them all set against each other again, as if nothing was said.
APART_MAX: Final = 4_096

_STANDING: Final = "max(rank), by, hlc, op, same, sureness"
_SIDES: Final = (("one", "claim", "other", "against"), ("other", "against", "one", "claim"))


def due(connection: sqlite3.Connection) -> list[bytes]:
    """Return the judgments that came, or went, since the last look, and forget that they did."""
    found = [name for (name,) in connection.execute("SELECT judgment FROM judgment_due")]
    if found:
        connection.execute("DELETE FROM judgment_due")
    return found


def are_any(connection: sqlite3.Connection) -> bool:
    """Say whether anybody ever judged two claims here."""
    ((found,),) = connection.execute(
        "SELECT EXISTS (SELECT 1 FROM shown_same_slot) OR EXISTS (SELECT 1 FROM slot_judgment)"
    )
    return bool(found)


def about(connection: sqlite3.Connection, numbers: Iterable[int]) -> set[bytes]:
    """Return the judgments that name these memories, or were filed for them."""
    found: set[bytes] = set()
    for number in numbers:
        rows = connection.execute(
            """SELECT judgment FROM slot_judgment WHERE id = ?1
               UNION SELECT judgment FROM slot_judgment WHERE other = ?1
               UNION SELECT j.judgment FROM shown_memory m JOIN shown_same_slot j ON j.one = m.rid WHERE m.id = ?1
               UNION SELECT j.judgment FROM shown_memory m JOIN shown_same_slot j ON j.other = m.rid WHERE m.id = ?1""",
            (number,),
        )
        found |= {name for (name,) in rows}
    return found


def slots_of(connection: sqlite3.Connection, judgments: Iterable[bytes]) -> set[bytes]:
    """Return the slots that these judgments are filed under."""
    return {
        slot
        for name in judgments
        for (slot,) in connection.execute("SELECT slot FROM slot_judgment WHERE judgment = ?", (name,))
    }


def file(connection: sqlite3.Connection, judgments: Iterable[bytes], selves: Selves) -> None:
    """File judgments anew, by the slots that their claims are in now."""
    for name in judgments:
        connection.execute("DELETE FROM slot_judgment WHERE judgment = ?", (name,))
        for side in _SIDES:
            mine, mine_claim, theirs, their_claim = side
            row = connection.execute(
                f"""SELECT x.own, m.id, m.workspace, c.entity, c.relation,
                    y.own, n.id, n.workspace, d.entity, d.relation,
                    j.by, j.hlc, j.op, j.same, j.sureness FROM shown_same_slot j
                    JOIN shown_memory m ON m.rid = j.{mine}
                    JOIN shown_claim c ON c.id = m.id AND c.claim = j.{mine_claim}
                    JOIN claim_slot x ON x.id = m.id AND x.claim = c.claim
                    JOIN shown_memory n ON n.rid = j.{theirs}
                    JOIN shown_claim d ON d.id = n.id AND d.claim = j.{their_claim}
                    JOIN claim_slot y ON y.id = n.id AND y.claim = d.claim WHERE j.judgment = ?""",
                (name,),
            ).fetchone()
            if row is None:
                break
            slot, number, *named, other_slot, other, workspace, entity, relation, by, hlc, op, same, sure = (
                row
            )
            one = SlotNames(named[0], selves.named(named[1]), named[2])
            if not may_be_one(one, SlotNames(workspace, selves.named(entity), relation)):
                break
            rank = by.to_bytes(1) + hlc.to_bytes(8) + op
            connection.execute(
                "INSERT OR REPLACE INTO slot_judgment VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (slot, other_slot, rank, name, number, other, by, hlc, op, same, sure),
            )


class Reached(NamedTuple):
    """The slots that can be reached from one over links, it among them, and what stands between any two of them."""

    slots: frozenset[bytes]
    said: dict[Pair, SlotVerdict]

    @property
    def is_too_much(self) -> bool:
        """Whether there are more than are ever joined; then these are not all."""
        return len(self.slots) > REACHED_MAX


def reached(connection: sqlite3.Connection, slot: bytes) -> Reached:
    """Return what can be reached from a slot; no more is read than it takes to know that it is too much."""
    found, fringe = {slot}, [slot]
    said: dict[Pair, SlotVerdict] = {}
    while fringe and len(found) <= REACHED_MAX:
        at = fringe.pop()
        for other, stands in _beside(connection, at).items():
            if other not in found and stands.same and _beside(connection, other):
                found.add(other)
                fringe.append(other)
            said[min(at, other), max(at, other)] = stands
    held = {pair: stands for pair, stands in said.items() if found.issuperset(pair)}
    return Reached(frozenset(found), held)


def joined(connection: sqlite3.Connection, slots: Iterable[bytes]) -> dict[bytes, bytes]:
    """Return for each slot that can be reached from one of these the slot that stands for its group."""
    heads: dict[bytes, bytes] = {}
    for slot in slots:
        if slot in heads:
            continue
        near = reached(connection, slot)
        if near.is_too_much:
            heads[slot] = slot
            continue
        for group in groups(sorted(near.slots), near.said):
            head = _oldest(connection, group) if len(group) > 1 else min(group)
            heads |= dict.fromkeys(group, head)
    return heads


def apart_in(connection: sqlite3.Connection, slot: bytes) -> dict[int, tuple[Apart, ...]]:
    """Return for each memory with a claim in a slot from which others it was set apart there."""
    owns = connection.execute("SELECT DISTINCT own FROM claim_slot WHERE slot = ?", (slot,)).fetchall()
    found: dict[int, list[Apart]] = {}
    for (own,) in owns:
        rows = connection.execute(
            f"""SELECT id, other, {_STANDING} FROM slot_judgment WHERE slot = ?1 AND against = ?1
                GROUP BY min(id, other), max(id, other) LIMIT ?2""",
            (own, APART_MAX + 1),
        ).fetchall()
        for number, other, _, _, hlc, _, same, _ in rows if len(rows) <= APART_MAX else ():
            if not same and number != other:
                found.setdefault(number, []).append(Apart(other, hlc))
                found.setdefault(other, []).append(Apart(number, hlc))
    return {number: tuple(sorted(those, key=lambda each: each.id)) for number, those in found.items()}


def _beside(connection: sqlite3.Connection, slot: bytes) -> dict[bytes, SlotVerdict]:
    """Return what stands between a slot and each other one; nothing where that is said of too many."""
    rows = connection.execute(
        f"""SELECT against, {_STANDING} FROM slot_judgment WHERE slot = ?1 AND against != ?1
            GROUP BY against LIMIT ?2""",
        (slot, NEIGHBOURS_MAX + 1),
    ).fetchall()
    if len(rows) > NEIGHBOURS_MAX:
        return {}
    return {
        against: SlotVerdict(by, hlc, op, bool(same), sureness)
        for against, _, by, hlc, op, same, sureness in rows
    }


def _oldest(connection: sqlite3.Connection, group: Iterable[bytes]) -> bytes:
    """Return the slot of a group in which something was claimed first: under its id they are known."""
    stamps = {
        slot: connection.execute(
            """SELECT min(c.hlc) FROM claim_slot s JOIN shown_claim c ON c.id = s.id AND c.claim = s.claim
               WHERE s.own = ?""",
            (slot,),
        ).fetchone()[0]
        for slot in group
    }
    return min(stamps, key=lambda slot: (stamps[slot], slot))
