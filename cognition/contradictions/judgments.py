"""Keep what judges said of two claims by the slots that these are in, and find which slots are one.

The replica shows judgments in its table `same_slot`, by claims; here each of which both claims are here is filed by
their slots, in both directions, if these may be one at all. What comes of it is decided by
`cognition.contradictions.joining`. Of what one device says of one memory, or in one slot, the newest counts, up to a
bound: that follows from the judgments alone, so it is the same on every device. What a batch changes reaches the slots
that can be reached from a changed one over links, and no further.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache, partial
from heapq import nlargest
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
from replica import claims_judged

# A slot in which more pairs were set apart than this has them all set against each other again, as if nothing was said.
APART_MAX: Final = 4_096

# What one device said of the claims of one memory, or of those in one slot, beyond the newest of these does not count,
# so that no member can make everybody file and read without end, nor crowd out what others said. Of one telling a
# person settles some tens; to keep it so costs a fifth of a second whenever that telling changes.
JUDGED_PER_DEVICE_MAX: Final = 512
# Other slots beside one of which a device says something that counts: it takes several devices to crowd a slot.
NEIGHBOURS_PER_DEVICE_MAX: Final = 64

# Slots of which what is said is held at once, while many are looked at: one beside all of them is read once.
_SLOTS_HELD_MAX: Final = 128

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
    """Return the judgments that count and name these memories, or were filed for them."""
    found: set[bytes] = set()
    for number in numbers:
        found |= _filed_for(connection, number)
        for (rid,) in connection.execute("SELECT rid FROM shown_memory WHERE id = ?", (number,)):
            counted = counting(connection, rid)
            found |= _naming(connection, rid) if counted is None else counted
    return found


def moved_by(connection: sqlite3.Connection, judgments: Iterable[bytes]) -> set[bytes]:
    """Return what counts no more, or counts again, because these came or went: where much is said of one memory."""
    came = Counter(rid for name in judgments for rid in {rid for rid, _ in claims_judged(name)})
    found: set[bytes] = set()
    for rid, count in came.items():
        if len(_naming(connection, rid, limit=JUDGED_PER_DEVICE_MAX + 1)) + count <= JUDGED_PER_DEVICE_MAX:
            continue
        found |= counting(connection, rid) or frozenset()
        for (number,) in connection.execute("SELECT id FROM shown_memory WHERE rid = ?", (rid,)):
            found |= _filed_for(connection, number)
    return found


def counting(connection: sqlite3.Connection, rid: bytes) -> frozenset[bytes] | None:
    """Return the judgments naming a memory that count: the newest of each device. None where all of them do."""
    if len(_naming(connection, rid, limit=JUDGED_PER_DEVICE_MAX + 1)) <= JUDGED_PER_DEVICE_MAX:
        return None
    said: dict[bytes, list[tuple[int, bytes, bytes]]] = {}
    for side in ("one", "other"):
        feed = -1
        while True:
            ((feed,),) = connection.execute(
                f"SELECT min(feed) FROM shown_same_slot WHERE {side} = ? AND feed > ?", (rid, feed)
            )
            if feed is None:
                break
            ((device,),) = connection.execute("SELECT device FROM known_feed WHERE no = ?", (feed,))
            said.setdefault(device, []).extend(
                connection.execute(
                    f"""SELECT hlc, op, judgment FROM shown_same_slot WHERE {side} = ? AND feed = ?
                        ORDER BY hlc DESC, op DESC LIMIT ?""",
                    (rid, feed, JUDGED_PER_DEVICE_MAX),
                )
            )
    return frozenset(
        name for rows in said.values() for _, _, name in nlargest(JUDGED_PER_DEVICE_MAX, {*rows})
    )


def _naming(connection: sqlite3.Connection, rid: bytes, *, limit: int = -1) -> set[bytes]:
    """Return the judgments that name a memory; with a limit, some where they are more than that."""
    return {
        name
        for side in ("one", "other")
        for (name,) in connection.execute(
            f"SELECT judgment FROM shown_same_slot WHERE {side} = ? LIMIT ?", (rid, limit)
        )
    }


def _filed_for(connection: sqlite3.Connection, number: int) -> set[bytes]:
    rows = connection.execute(
        """SELECT judgment FROM slot_judgment WHERE id = ?1
           UNION SELECT judgment FROM slot_judgment WHERE other = ?1""",
        (number,),
    )
    return {name for (name,) in rows}


def slots_of(connection: sqlite3.Connection, judgments: Iterable[bytes]) -> set[bytes]:
    """Return the slots that these judgments are filed under."""
    return {
        slot
        for name in judgments
        for (slot,) in connection.execute("SELECT slot FROM slot_judgment WHERE judgment = ?", (name,))
    }


def slots_meant(connection: sqlite3.Connection, judgments: Iterable[bytes]) -> set[bytes]:
    """Return the slots that the claims of these judgments are in."""
    return {
        own
        for name in judgments
        for (own,) in connection.execute(
            """SELECT s.own FROM shown_same_slot j JOIN shown_memory m ON m.rid = j.one
               JOIN claim_slot s ON s.id = m.id AND s.claim = j.claim WHERE j.judgment = ?1
               UNION SELECT s.own FROM shown_same_slot j JOIN shown_memory m ON m.rid = j.other
               JOIN claim_slot s ON s.id = m.id AND s.claim = j.against WHERE j.judgment = ?1""",
            (name,),
        )
    }


def neighbours(connection: sqlite3.Connection, slot: bytes) -> set[bytes]:
    """Return the other slots of which something is filed beside a slot, whether or not it counts."""
    rows = connection.execute("SELECT DISTINCT against FROM slot_judgment WHERE slot = ?", (slot,))
    return {against for (against,) in rows}


def file(connection: sqlite3.Connection, judgments: Iterable[bytes], selves: Selves) -> None:
    """File judgments anew, by the slots that their claims are in now; those that do not count are filed nowhere."""
    counted: dict[bytes, frozenset[bytes] | None] = {}
    for name in judgments:
        connection.execute("DELETE FROM slot_judgment WHERE judgment = ?", (name,))
        if all(_counts(connection, name, rid, counted) for rid, _ in claims_judged(name)):
            _file_one(connection, name, selves)


def _counts(
    connection: sqlite3.Connection, name: bytes, rid: bytes, counted: dict[bytes, frozenset[bytes] | None]
) -> bool:
    if rid not in counted:
        counted[rid] = counting(connection, rid)
    names = counted[rid]
    return names is None or name in names


def _file_one(connection: sqlite3.Connection, name: bytes, selves: Selves) -> None:
    for mine, mine_claim, theirs, their_claim in _SIDES:
        row = connection.execute(
            f"""SELECT x.own, m.id, m.workspace, c.entity, c.relation,
                y.own, n.id, n.workspace, d.entity, d.relation,
                j.by, j.hlc, j.op, j.same, j.sureness, f.device FROM shown_same_slot j
                JOIN known_feed f ON f.no = j.feed
                JOIN shown_memory m ON m.rid = j.{mine}
                JOIN shown_claim c ON c.id = m.id AND c.claim = j.{mine_claim}
                JOIN claim_slot x ON x.id = m.id AND x.claim = c.claim
                JOIN shown_memory n ON n.rid = j.{theirs}
                JOIN shown_claim d ON d.id = n.id AND d.claim = j.{their_claim}
                JOIN claim_slot y ON y.id = n.id AND y.claim = d.claim WHERE j.judgment = ?""",
            (name,),
        ).fetchone()
        if row is None:
            return
        slot, number, *named, other_slot, other, workspace, entity, relation, by, hlc, op, same, sure, who = (
            row
        )
        one = SlotNames(named[0], selves.named(named[1]), named[2])
        if not may_be_one(one, SlotNames(workspace, selves.named(entity), relation)):
            return
        connection.execute(
            "INSERT OR REPLACE INTO slot_judgment VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (slot, other_slot, name, number, other, by, hlc, op, same, sure, who),
        )


class Reached(NamedTuple):
    """The slots that can be reached from one over links, it among them, and what stands between any two of them."""

    slots: frozenset[bytes]
    said: dict[Pair, SlotVerdict]

    @property
    def is_too_much(self) -> bool:
        """Whether there are more than are ever joined; then these are not all."""
        return len(self.slots) > REACHED_MAX


def reached(beside: "Neighbourhood", slot: bytes) -> Reached:
    """Return what can be reached from a slot; no more is read than it takes to know that it is too much."""
    found, fringe = {slot}, [slot]
    said: dict[Pair, SlotVerdict] = {}
    while fringe and len(found) <= REACHED_MAX:
        at = fringe.pop()
        for other, stands in beside.of(at).items():
            if other not in found and stands.same:
                found.add(other)
                fringe.append(other)
            said[min(at, other), max(at, other)] = stands
    held = {pair: stands for pair, stands in said.items() if found.issuperset(pair)}
    return Reached(frozenset(found), held)


def joined(connection: sqlite3.Connection, slots: Iterable[bytes]) -> dict[bytes, bytes]:
    """Return for each slot that can be reached from one of these the slot that stands for its group."""
    beside = Neighbourhood(connection)
    heads: dict[bytes, bytes] = {}
    for slot in slots:
        if slot in heads:
            continue
        near = reached(beside, slot)
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
        stands: dict[tuple[int, int], _FiledJudgment] = {}
        for said in _said_in(connection, own).values():
            if said.against == own and said.id != said.other:
                pair = min(said.id, said.other), max(said.id, said.other)
                stands[pair] = max(said, stands.get(pair, said), key=_FiledJudgment.rank)
        for (number, other), said in stands.items() if len(stands) <= APART_MAX else ():
            if not said.stands.same:
                found.setdefault(number, []).append(Apart(other, said.stands.hlc))
                found.setdefault(other, []).append(Apart(number, said.stands.hlc))
    return {number: tuple(sorted(those, key=lambda each: each.id)) for number, those in found.items()}


class _FiledJudgment(NamedTuple):
    """One judgment, as it is filed under a slot."""

    against: bytes
    id: int
    other: int
    stands: SlotVerdict

    def rank(self) -> tuple[int, int, bytes]:
        """Of two that were said of the same, the greater counts."""
        return _rank(self.stands)


def _said_in(connection: sqlite3.Connection, slot: bytes) -> dict[bytes, _FiledJudgment]:
    """Return the judgments of a slot that count there, by their names: the newest of each device.

    Of the other slots beside it, too, each device names a bounded number, so that nobody crowds out what others say.
    """
    found: dict[bytes, _FiledJudgment] = {}
    device: bytes | None = b""
    while True:
        ((device,),) = connection.execute(
            "SELECT min(device) FROM slot_judgment WHERE slot = ? AND device > ?", (slot, device)
        )
        if device is None:
            return found
        slots = {slot}
        for name, against, number, other, by, hlc, op, same, sureness in connection.execute(
            """SELECT judgment, against, id, other, by, hlc, op, same, sureness FROM slot_judgment
               WHERE slot = ? AND device = ? ORDER BY hlc DESC, op DESC LIMIT ?""",
            (slot, device, JUDGED_PER_DEVICE_MAX),
        ):
            if against in slots or len(slots) <= NEIGHBOURS_PER_DEVICE_MAX:
                slots.add(against)
                stands = SlotVerdict(by, hlc, op, bool(same), sureness)
                found[name] = _FiledJudgment(against, number, other, stands)


class Neighbourhood:
    """Tells what stands between a slot and each other one; nothing where that is said of too many.

    A judgment counts where it counts at both of its slots, from whichever it is looked at. What was read is held, so
    this is good only until a judgment is filed.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._counting = lru_cache(_SLOTS_HELD_MAX)(partial(_counting_in, connection))
        self._stands = lru_cache(_SLOTS_HELD_MAX)(self._look)

    def of(self, slot: bytes) -> dict[bytes, SlotVerdict]:
        """Return what stands, by the other slot."""
        return self._stands(slot)

    def _look(self, slot: bytes) -> dict[bytes, SlotVerdict]:
        stands: dict[bytes, SlotVerdict] = {}
        for name, said in self._counting(slot).items():
            if said.against != slot and name in self._counting(said.against):
                stands[said.against] = max(said.stands, stands.get(said.against, said.stands), key=_rank)
        return stands


def _counting_in(connection: sqlite3.Connection, slot: bytes) -> dict[bytes, _FiledJudgment]:
    """Return the judgments of a slot that count there, by their names; none where it is crowded."""
    said = _said_in(connection, slot)
    return {} if len({each.against for each in said.values()} - {slot}) > NEIGHBOURS_MAX else said


def _rank(stands: SlotVerdict) -> tuple[int, int, bytes]:
    return stands[:3]


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
