"""Compute what a set of ops means, from the definitions alone, by true pasts.

This is what `replica.state.fold` must come to, in whatever order ops arrive, across crashes, forks, snapshots and
compaction. It shares no code with the fold: no vectors, no cells, no order, one comprehension a rule. Only the text of
an edited memory comes from a Yjs document, which is told the edits in another order than any device heard them.

Everything is named as all devices name it (a `OpRef`, an `Origin`), so one value can be compared with any device's.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from replica import ops
from replica.ids import OpRef, Origin
from replica.state.memories import HeldTrigger
from replica.state.text import EditedText, base_name
from simulations.observer import Bits, Written, bits

Heads = dict[OpRef, tuple[int, Any]]
Claimed = tuple[bytes, OpRef]
Said = tuple[Claimed, Claimed, int]
"""Of which two claims, each by its memory and op, judges of which rank say something."""


@dataclass(slots=True)
class MemoryMeaning:
    """What ops say about one memory."""

    adds: dict[OpRef, tuple[int, str, dict[str, Any]]] = field(default_factory=dict)
    fields: dict[str, Heads] = field(default_factory=dict)
    edits: dict[bytes, str] = field(default_factory=dict)
    edited_hlc: int = 0
    accesses: dict[Origin, tuple[int, int]] = field(default_factory=dict)
    claims: dict[OpRef, ops.Claim] = field(default_factory=dict)
    verdicts: dict[OpRef, Heads] = field(default_factory=dict)
    triggers: dict[bytes, HeldTrigger] = field(default_factory=dict)
    labels: dict[str, Heads] = field(default_factory=dict)
    untagged: dict[OpRef, tuple[str, ...]] = field(default_factory=dict)


@dataclass(slots=True)
class Meaning:
    """What a set of ops means."""

    memories: dict[bytes, MemoryMeaning] = field(default_factory=dict)
    edges: dict[tuple[str, str, str], Heads] = field(default_factory=dict)
    settings: dict[str, Heads] = field(default_factory=dict)
    proposals: dict[OpRef, tuple[bytes, ...]] = field(default_factory=dict)
    links: dict[OpRef, tuple[tuple[bytes, bytes], int]] = field(default_factory=dict)
    judgments: dict[Said, Heads] = field(default_factory=dict)
    receipts: dict[bytes, set[bytes]] = field(default_factory=dict)
    lessons: dict[OpRef, Any] = field(default_factory=dict)
    tombstones: set[bytes] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Shown:
    """What a person sees of one memory."""

    text: str
    fields: dict[str, Any]
    created: int
    updated: int
    accesses: int
    last_access: int


def meaning_of(held: list[Written], proofs: frozenset[bytes] = frozenset()) -> Meaning:
    """Return what these ops mean together; `proofs` are memories erased by a proof whose op may not be held."""
    said = [each for each in held if each.body is not None]
    reading = _Reading(said, proofs)
    for each in said:
        reading.note(each)
    reading.withdraw(said)
    return reading.decided()


class _Reading:
    """Ops on their way to a meaning: what was written where, before it is decided what stands."""

    def __init__(self, said: list[Written], proofs: frozenset[bytes]) -> None:
        """Find the memories that live, which everything else acts on."""
        self.meaning = meaning = Meaning(tombstones=set(proofs))
        adds: dict[bytes, list[Written]] = defaultdict(list)
        self.index: dict[OpRef, int] = {}
        for each in said:
            if isinstance(each.body, ops.Forget | ops.Erase):
                meaning.tombstones.update(each.body.rids)
        for each in said:
            if isinstance(each.body, ops.Remember) and each.op.rid not in meaning.tombstones:
                assert each.op.rid is not None
                adds[each.op.rid].append(each)
                memory = meaning.memories.setdefault(each.op.rid, MemoryMeaning())
                memory.adds[each.op.place] = (each.op.hlc, each.body.text, dict(each.body.fields))
                self.index[each.op.place] = each.index
        self.known = {rid: bits(writers) for rid, writers in adds.items()}
        self.starts: dict[tuple[bytes, bytes], Bits] = defaultdict(int)
        for added, memory in meaning.memories.items():
            for place, (_, text, _) in memory.adds.items():
                self.starts[added, base_name(added, text)] |= 1 << self.index[place]
        self.registers: dict[Any, list[tuple[Written, Any]]] = defaultdict(list)
        self.edits: dict[tuple[bytes, bytes], list[Written]] = defaultdict(list)
        self.resolutions: list[tuple[Written, ops.ClaimVerdict]] = []
        self.triggers: dict[tuple[bytes, bytes], list[Written]] = defaultdict(list)
        self.untags: dict[bytes, list[Written]] = defaultdict(list)

    def acts(self, each: Written, rid: bytes | None, base: bytes | None = None) -> bool:
        """Whether the writer had seen an add of the memory that is among these ops, and what it acts on in that add.

        An edit acts on a text, which it names by `base`: where that text is in an add of a later version, it waits.
        """
        if rid is None:
            return False
        return bool(each.past & (self.known.get(rid, 0) if base is None else self.starts.get((rid, base), 0)))

    def note(self, each: Written) -> None:
        """Note what one op wrote."""
        meaning, registers, rid = self.meaning, self.registers, each.op.rid
        match each.body:
            case ops.Set(name, value) if rid is None:
                registers["setting", name].append((each, value))
            case ops.Set(name, value) if self.acts(each, rid):
                registers["field", rid, name].append((each, value))
                self.index[each.op.place] = each.index
            case ops.Tag(labels) | ops.Untag(labels) if self.acts(each, rid):
                assert rid is not None
                is_on = isinstance(each.body, ops.Tag)
                for label in labels:
                    registers["label", rid, label].append((each, is_on))
                if not is_on:
                    self.untags[rid].append(each)
            case ops.Relate(source, relation, target, weight):
                registers["edge", source, relation, target].append((each, weight))
            case ops.Edit(base) if self.acts(each, rid, base):
                assert rid is not None
                self.edits[rid, base].append(each)
                memory = meaning.memories[rid]
                memory.edited_hlc = max(memory.edited_hlc, each.op.hlc)
            case ops.Access(totals):
                for named, count, last in totals:
                    if self.acts(each, named):
                        accesses = meaning.memories[named].accesses
                        before = accesses.get(each.op.origin, (0, 0))
                        accesses[each.op.origin] = (max(before[0], count), max(before[1], last))
            case ops.Claim() if self.acts(each, rid):
                assert rid is not None
                meaning.memories[rid].claims[each.op.place] = each.body
            case ops.Resolve(verdicts):
                self.resolutions += [(each, verdict) for verdict in verdicts]
            case ops.Receipt(rids):
                for named in rids:
                    meaning.receipts.setdefault(named, set()).add(each.op.origin.device)
            case ops.Propose(rids):
                meaning.proposals[each.op.place] = rids
            case ops.SaysSame(pair, sureness):
                meaning.links[each.op.place] = (pair, sureness)
            case ops.SameSlot((one, other), (claim, against), same, by, sureness):
                said = (one, claim), (other, against), by
                registers["judgment", said].append((each, [same, sureness]))
            case ops.Trigger(trigger) if self.acts(each, rid):
                assert rid is not None
                self.triggers[rid, trigger].append(each)
            case ops.Feedback(named, amounts):
                meaning.lessons[each.op.place] = (named, amounts)
            case _:
                pass

    def withdraw(self, said: list[Written]) -> None:
        """Take back the proposals and links that somebody withdrew."""
        for each in said:
            if isinstance(each.body, ops.Withdraw):
                for proposal in each.body.proposals:
                    self.meaning.proposals.pop(proposal, None)
            if isinstance(each.body, ops.Unlink):
                for link in each.body.links:
                    self.meaning.links.pop(link, None)

    def decided(self) -> Meaning:
        """Decide what stands of what was written."""
        meaning = self.meaning
        for each, verdict in self.resolutions:
            told = meaning.memories.get(verdict.rid)
            if told is not None and verdict.claim in told.claims:
                self.registers["verdict", verdict.rid, verdict.claim].append((each, verdict.keep))
        for key, writes in self.registers.items():
            _place_heads(meaning, key, _unseen(writes))
        for labelled, writers in self.untags.items():
            _take_off(meaning.memories[labelled], writers, self.index)
        for (rid, trigger), writers in self.triggers.items():
            meaning.memories[rid].triggers[trigger] = _raised(writers)
        for (rid, base), writers in sorted(self.edits.items(), key=lambda item: item[0]):
            meaning.memories[rid].edits[base] = _edited(meaning.memories[rid], rid, base, writers)
        return meaning


def claims_of(meaning: Meaning) -> Iterator[OpRef]:
    """Return every claim, shown or not."""
    return (place for memory in meaning.memories.values() for place in memory.claims)


def shown_of(rid: bytes, memory: MemoryMeaning) -> Shown:
    """Return what a person sees of a memory."""
    candidates = [
        (base_name(rid, text) not in memory.edits, text, hlc, place.id8, fields)
        for place, (hlc, text, fields) in memory.adds.items()
    ]
    _, text, created, _, fields = min(candidates, key=lambda item: item[:4])
    updated = created
    edited = memory.edits.get(base_name(rid, text))
    if edited is not None:
        text, updated = edited, max(updated, memory.edited_hlc)
    shown = dict(fields)
    for name, heads in memory.fields.items():
        hlc, _, value = winner(heads)
        updated = max(updated, hlc)
        shown.pop(name, None)
        if value is not None:
            shown[name] = value
    updated = max([updated, *(winner(heads)[0] for heads in memory.labels.values())])
    _show_labels(memory, shown)
    _show_entries(memory, shown)
    totals = list(memory.accesses.values())
    last = max((last for _, last in totals), default=0)
    return Shown(text, shown, created, updated, sum(count for count, _ in totals), last)


def listed_of(memory: MemoryMeaning) -> dict[OpRef, tuple[int, Any]]:
    """Return what adds and whole writes of the labels list, each with its stamp."""
    adds = {place: (hlc, fields.get("tags")) for place, (hlc, _, fields) in memory.adds.items()}
    return {place: held for place, held in (adds | memory.fields.get("tags", {})).items() if held[1]}


def _take_off(memory: MemoryMeaning, untags: list[Written], index: dict[OpRef, int]) -> None:
    """Say which labels were taken off of what listed them."""
    for place, (_, listed) in listed_of(memory).items():
        off = tuple(
            label
            for label in listed
            if any(
                isinstance(each.body, ops.Untag)
                and label in each.body.labels
                and each.past >> index[place] & 1
                for each in untags
            )
        )
        if off:
            memory.untagged[place] = off


def _show_labels(memory: MemoryMeaning, shown: dict[str, Any]) -> None:
    whole = memory.fields.get("tags", {})
    if not memory.labels and len(whole or memory.adds) == 1:
        return
    listed = listed_of(memory)
    labels = {label for label, heads in memory.labels.items() if any(on for _, on in heads.values())}
    for place in listed.keys() & (whole or memory.adds).keys():
        labels |= set(listed[place][1]) - set(memory.untagged.get(place, ()))
    shown.pop("tags", None)
    if labels:
        shown["tags"] = sorted(labels)


def _show_entries(memory: MemoryMeaning, shown: dict[str, Any]) -> None:
    own = {name: winner(heads)[2] for name, heads in memory.fields.items() if name.startswith("meta.")}
    maps = memory.fields.get("meta") or {
        place: (hlc, fields.get("meta")) for place, (hlc, _, fields) in memory.adds.items()
    }
    if not own and len(maps) == 1:
        return
    entries: dict[str, Any] = {}
    for place in sorted(maps, key=lambda place: (maps[place][0], place.id8)):
        entries |= maps[place][1] or {}
    for name, value in own.items():
        shown.pop(name, None)
        entries[name.removeprefix("meta.")] = value
        if value is None:
            del entries[name.removeprefix("meta.")]
    shown.pop("meta", None)
    if entries:
        shown["meta"] = entries


def winner(heads: Heads) -> tuple[int, bytes, Any]:
    """Return the stamp, short id and value of the write that shows."""
    return max(((hlc, place.id8, value) for place, (hlc, value) in heads.items()), key=lambda each: each[:2])


def _unseen(writes: list[tuple[Written, Any]]) -> Heads:
    """Return the writes that no other write to the same thing has seen."""
    seen = 0
    for each, _ in writes:
        seen |= each.past
    return {each.op.place: (each.op.hlc, value) for each, value in writes if not seen >> each.index & 1}


def _raised(writers: list[Written]) -> HeldTrigger:
    """Return what a trigger's ops come to."""
    said = [(each.op, each.body) for each in writers if isinstance(each.body, ops.Trigger)]
    deliveries = [(op.hlc, bytes(op.origin.device)) for op, body in said if body.status == ops.DELIVERED]
    return HeldTrigger(
        max(body.status for _, body in said),
        min((op.hlc, body.kind, body.about) for op, body in said),
        min(deliveries, default=None),
    )


def _place_heads(meaning: Meaning, key: Any, heads: Heads) -> None:
    match key:
        case ("setting", name):
            meaning.settings[name] = heads
        case ("field", rid, name):
            meaning.memories[rid].fields[name] = heads
        case ("label", rid, label):
            meaning.memories[rid].labels[label] = heads
        case ("edge", source, relation, target):
            meaning.edges[source, relation, target] = heads
        case ("verdict", rid, claim):
            meaning.memories[rid].verdicts[claim] = heads
        case ("judgment", said):
            meaning.judgments[said] = heads


def _edited(memory: MemoryMeaning, rid: bytes, base: bytes, writers: list[Written]) -> str:
    """Return how a document reads."""
    text = next(text for _, text, _ in memory.adds.values() if base_name(rid, text) == base)
    document = EditedText.from_base(rid, text)
    for each in sorted(writers, key=lambda each: each.op.id):
        assert isinstance(each.body, ops.Edit)
        document.apply(each.body.update)
    return document.show()
