"""Devices that hold the same ops ask the same questions, stand by the same summaries, and agree on every trigger.

None of these is shipped: each device derives its records from what it folded, and keeps them in step with every batch.
So its tables are compared with what they are defined to be, over the ops that it holds, at any moment.
"""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

from cognition.consolidation.extract import SummarySource, summaries_of
from cognition.consolidation.tables import summary_id
from cognition.triggers.lattice import joined
from replica.ids import OpRef
from replica.ops import Claim
from replica.storage.triggers import read_triggers
from simulations.definition import Meaning, shown_of, winner
from simulations.device import Device
from simulations.disk import SqliteDisk
from simulations.household import Checker, Household

MEMBERS_MIN = 3
"""Below this, a summary dissolves."""
TOGETHER = 128
"""Of more members, the oldest are summarised together, and then the next."""

Slot = tuple[str, str]


class _Derived(Checker):
    """Compare a table of one device with its definition, on the way and at the end."""

    def audited(self, world: Household, device: Device) -> None:
        """Look at one device, if it keeps such tables."""
        if isinstance(device.disk, SqliteDisk) and (device.disk.thinks or not self.needs_cognition):
            found, defined = self.compare(device.disk, world.defined_for(device))
            if found != defined:
                world.violate(self.name, f"{device.name} has {found}, defined is {defined}")

    def settled(self, world: Household, groups: Sequence[Sequence[Device]]) -> None:
        """Look at every device: where all hold the same ops, they must all show what is defined for these."""
        for group in groups:
            for device in group:
                self.audited(world, device)

    needs_cognition = True

    @abstractmethod
    def compare(self, disk: SqliteDisk, meaning: Meaning) -> tuple[object, object]:
        """Return what a device has, and what it should."""


class OneRecord(_Derived):
    """A contradiction is one record, whoever found it: what is named or judged alike, with several values that hold."""

    name = "one_record"

    def compare(self, disk: SqliteDisk, meaning: Meaning) -> tuple[object, object]:
        """Compare open records, each by the names that are one in it."""
        names: dict[bytes, set[Slot]] = {}
        for slot, entity, relation in disk.connection.execute(
            """SELECT s.slot, c.entity, c.relation FROM contradiction x JOIN claim_slot s ON s.slot = x.slot
               JOIN claim c ON c.id = s.id AND c.claim = s.claim WHERE x.status = 'open'"""
        ):
            names.setdefault(slot, set()).add((entity, relation))
        defined = {frozenset(record) for record in open_records(meaning)}
        return _told(names.values()), _told(defined)


class OneSummary(_Derived):
    """What proposals join is one summary, also where they were made apart."""

    name = "one_summary"

    def compare(self, disk: SqliteDisk, meaning: Meaning) -> tuple[object, object]:
        """Compare summaries: their ids and their members."""
        found: dict[bytes, set[bytes]] = {}
        for summary, member in disk.connection.execute(
            "SELECT s.rid, m.rid FROM summary_member x JOIN summary s ON s.no = x.summary JOIN memory m ON m.id = x.id"
        ):
            found.setdefault(summary, set()).add(member)
        return found, summaries(meaning)


class TriggerLattice(_Derived):
    """A trigger is one, wherever it was raised, and stands at the highest status that anybody gave it."""

    name = "trigger_lattice"
    needs_cognition = False

    def compare(self, disk: SqliteDisk, meaning: Meaning) -> tuple[object, object]:
        """Compare triggers: their status, and the memories that they hang on."""
        found = {each.id: (each.held.status, each.rid) for each in joined(read_triggers(disk.connection))}
        defined: dict[bytes, tuple[int, bytes]] = {}
        for rid, memory in sorted(meaning.memories.items()):
            for trigger, held in memory.triggers.items():
                status, first = defined.get(trigger, (held.status, rid))
                defined[trigger] = max(status, held.status), first
        return found, defined


def holding(meaning: Meaning) -> dict[OpRef, Claim]:
    """Return the claims that hold.

    A claim no longer holds when a living claim replaces it, or when all verdicts on it hide it. Two claims of one value
    on one memory are one claim made twice, unless one of them replaces the other.
    """
    claims = {
        place: (rid, claim)
        for rid, memory in meaning.memories.items()
        for place, claim in memory.claims.items()
    }
    held: dict[OpRef, Claim] = {}
    for place, (rid, claim) in claims.items():
        alike = {
            other
            for other, (on, told) in claims.items()
            if on == rid
            and (told.entity, told.relation, told.value) == (claim.entity, claim.relation, claim.value)
        }
        anew = {other for other in alike if alike.intersection(claims[other][1].replaces)}
        twins = {place} if place in anew else alike - anew
        if not _is_replaced(twins, claims) and not _is_hidden(twins, meaning.memories[rid].verdicts):
            held[place] = claim
    return held


def open_slots(meaning: Meaning) -> set[Slot]:
    """Return the slots whose claims are on some side of an open record."""
    return {slot for record in open_records(meaning) for slot in record}


def open_records(meaning: Meaning) -> list[frozenset[Slot]]:
    """Return the slots that are one and in which claims of several values hold, but for what was set apart."""
    records = []
    for group in _groups(meaning):
        apart = _set_apart(meaning, group)
        sides: dict[str, set[bytes]] = {}
        for place, claim in holding(meaning).items():
            if (claim.entity, claim.relation) in group:
                sides.setdefault(claim.value, set()).add(_on(meaning, place))
        if any(
            frozenset((one, other)) not in apart
            for value, here in sides.items()
            for against, there in sides.items()
            if value < against
            for one in here
            for other in there
        ):
            records.append(group)
    return records


def _told(names: Iterable[Iterable[Slot]]) -> list[list[Slot]]:
    return sorted(sorted(each) for each in names)


def _on(meaning: Meaning, place: OpRef) -> bytes:
    return next(rid for rid, memory in meaning.memories.items() if place in memory.claims)


def _judged(meaning: Meaning) -> dict[frozenset[tuple[bytes, Slot]], tuple[Any, ...]]:
    """Return what stands of two claims by their memories and slots: (rank, stamp, op, same, sureness), the highest."""
    found: dict[frozenset[tuple[bytes, Slot]], list[tuple[Any, ...]]] = {}
    for (one, other, by), heads in meaning.judgments.items():
        hlc, id8, (same, sureness) = winner(heads)
        ends = []
        for rid, place in (one, other):
            memory = meaning.memories.get(rid)
            claim = None if memory is None else memory.claims.get(place)
            if claim is not None:
                ends.append((rid, (claim.entity, claim.relation)))
        if len(ends) == 2 and same is not None:
            found.setdefault(frozenset(ends), []).append((by, hlc, id8, same, sureness))
    return {ends: max(said) for ends, said in found.items()}


def _set_apart(meaning: Meaning, group: frozenset[Slot]) -> set[frozenset[bytes]]:
    """Return the memories that were said to tell, under one name, of two things."""
    found: dict[tuple[frozenset[bytes], Slot], tuple[Any, ...]] = {}
    for ends, said in _judged(meaning).items():
        rids, slots = frozenset(rid for rid, _ in ends), {slot for _, slot in ends}
        if len(slots) == 1 and len(rids) == 2:
            (slot,) = slots
            found[rids, slot] = max(said, found.get((rids, slot), said))
    return {rids for (rids, slot), said in found.items() if slot in group and not said[3]}


def _groups(meaning: Meaning) -> list[frozenset[Slot]]:
    """Return which slots are one: joined from the surest link on, at most two links long, and nothing kept apart."""
    slots = {
        (claim.entity, claim.relation)
        for memory in meaning.memories.values()
        for claim in memory.claims.values()
    }
    stands: dict[frozenset[Slot], tuple[Any, ...]] = {}
    for ends, said in _judged(meaning).items():
        pair = frozenset(slot for _, slot in ends)
        if len(pair) == 2 and _alike(*pair):
            stands[pair] = max(said, stands.get(pair, said))
    linked = {pair for pair, said in stands.items() if said[3]}
    parted = stands.keys() - linked
    group = {slot: frozenset([slot]) for slot in slots}
    for pair in sorted(linked, key=lambda each: (-stands[each][0], -stands[each][4], *stands[each][1:3])):
        one, other = pair
        both = group[one] | group[other]
        pairs = [frozenset((a, b)) for a in both for b in both if a < b]
        near = all(
            each in linked
            or any({frozenset((end, between)) for end in each} <= linked for between in both - each)
            for each in pairs
        )
        if near and parted.isdisjoint(pairs):
            group |= dict.fromkeys(both, both)
    return sorted(set(group.values()), key=sorted)


def _alike(one: Slot, other: Slot) -> bool:
    return one[1] == other[1] and not {*one[0].split()}.isdisjoint(other[0].split())


def _is_replaced(twins: set[OpRef], claims: dict[OpRef, tuple[bytes, Claim]]) -> bool:
    return any(twins.intersection(claim.replaces) for _, claim in claims.values())


def _is_hidden(twins: set[OpRef], verdicts: dict[OpRef, dict[OpRef, tuple[int, bool]]]) -> bool:
    told = [keep for twin in twins for _, keep in verdicts.get(twin, {}).values()]
    return bool(told) and not any(told)


def summaries(meaning: Meaning) -> dict[bytes, set[bytes]]:
    """Return the connected components of live proposals, by the id that follows from the oldest member.

    What one summary has no room for goes into another. Which texts that leaves, the pure function that makes a
    summary's text says, as it does to devices.
    """
    contested, held = open_slots(meaning), set(holding(meaning))
    counting: dict[bytes, SummarySource] = {}
    for rid, memory in meaning.memories.items():
        shown = shown_of(rid, memory)
        asked = any((claim.entity, claim.relation) in contested for claim in memory.claims.values())
        # Every text of a world is one sentence without a word of change: it says nothing once its claims are gone.
        retired = bool(memory.claims) and held.isdisjoint(memory.claims)
        if (
            not asked
            and not retired
            and not any(shown.fields.get(name) for name in ("archived", "pinned", "apart"))
        ):
            counting[rid] = SummarySource(
                rid, shown.text, shown.created, shown.fields.get("importance"), shown.fields.get("speaker")
            )
    found: dict[bytes, set[bytes]] = {}
    left = set(counting)
    while left:
        component, fringe = set[bytes](), {left.pop()}
        while fringe:
            component |= fringe
            near = {rid for rids in meaning.proposals.values() if fringe.intersection(rids) for rid in rids}
            fringe = near & counting.keys() - component
        left -= component
        ordered = sorted((counting[rid] for rid in component), key=_age)
        for start in range(0, len(ordered), TOGETHER):
            for said in summaries_of(ordered[start : start + TOGETHER], MEMBERS_MIN):
                found[summary_id(min(said.sources, key=_age).rid)] = {source.rid for source in said.sources}
    return found


def _age(source: SummarySource) -> tuple[int, bytes]:
    return source.created, source.rid
