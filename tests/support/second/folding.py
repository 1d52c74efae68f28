"""The second reader: what ops fold to, on top of what bases hold, and the two digests.

A place names an op. What a writer had seen is a set of places, spelt out. What is written is never changed where it
stands: after a base came, the log is folded again from nothing on top of it.
"""

from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Final

from pycrdt import Text

from tests.support.second.frames import Op, Refused, pack, sha256, unpack
from tests.support.second.rules import check_body
from tests.support.second.texts import base_name, document

# The kinds and the version of each that this reader understands: docs/reference/op-kinds.md.
KINDS: Final = dict.fromkeys(range(1, 20), 1)
NEED_A_MEMORY: Final = {1, 2, 8, 12, 17, 18}
HOLD_WORDS: Final = {1, 2, 3, 8, 12, 17, 18}

# (device id, incarnation, seq, first 8 bytes of the op's id)
Place = tuple[bytes, bytes, int, bytes]
# The heads of a register: who wrote it, when, and what.
Heads = dict[Place, tuple[int, Any]]


@dataclass
class Memory:
    """All that was said about one memory."""

    adds: dict[Place, tuple[int, str, dict[str, Any]]] = field(default_factory=dict)
    fields: dict[str, Heads] = field(default_factory=dict)
    edits: dict[bytes, list[bytes]] = field(default_factory=dict)
    edited: int = 0  # the stamp of the last edit
    accesses: dict[tuple[bytes, bytes], tuple[int, int]] = field(default_factory=dict)  # count, and when last
    claims: dict[Place, tuple[int, list[Any]]] = field(default_factory=dict)  # stamp, and what the op says
    verdicts: dict[Place, Heads] = field(default_factory=dict)
    triggers: dict[bytes, "Raised"] = field(default_factory=dict)
    labels: dict[str, Heads] = field(default_factory=dict)  # of each label, whether it is on
    off: dict[Place, set[str]] = field(default_factory=dict)  # taken off of an add or of a write of `tags`

    def listed(self) -> dict[Place, tuple[int, list[str]]]:
        """The labels that adds and writes of `tags` list, each with its stamp."""
        lists = {at: (stamp, fields.get("tags")) for at, (stamp, _, fields) in self.adds.items()}
        lists |= self.fields.get("tags", {})
        return {at: (stamp, labels) for at, (stamp, labels) in lists.items() if labels}

    def prune(self) -> None:
        """Forget what was taken off of a write that is a head no more."""
        self.off = {at: gone for at, gone in self.off.items() if at in self.listed()}


@dataclass
class Raised:
    """A trigger: how far it came, what raised it first, and what delivered it first."""

    status: int
    told: tuple[int, str, list[bytes]]  # stamp, kind, the other memories
    delivered: tuple[int, bytes] | None  # stamp, device

    def joined(self, other: "Raised") -> "Raised":
        """Both together."""
        delivered = [each for each in (self.delivered, other.delivered) if each is not None]
        return Raised(
            max(self.status, other.status), min(self.told, other.told), min(delivered, default=None)
        )


@dataclass
class State:
    """What was folded. `covered` are the places that a base stands for."""

    covered: set[Place] = field(default_factory=set)
    memories: dict[bytes, Memory] = field(default_factory=dict)
    forgotten: set[bytes] = field(default_factory=set)
    edges: dict[bytes, Heads] = field(default_factory=dict)
    settings: dict[bytes, Heads] = field(default_factory=dict)
    proposals: dict[Place, list[bytes]] = field(default_factory=dict)
    links: dict[Place, list[Any]] = field(default_factory=dict)
    judgments: dict[bytes, Heads] = field(default_factory=dict)
    receipts: dict[bytes, set[bytes]] = field(default_factory=dict)
    lessons: dict[Place, list[Any]] = field(default_factory=dict)
    unknown: set[Place] = field(default_factory=set)

    def kill(self, memory: bytes) -> None:
        """Put a tombstone on a memory."""
        self.forgotten.add(memory)
        self.memories.pop(memory, None)

    def living(self, memory: bytes | None, knew: frozenset[Place]) -> Memory | None:
        """The memory, if it lives and the writer had seen one of its adds."""
        found = self.memories.get(memory or b"")
        return found if found is not None and not knew.isdisjoint(found.adds) else None


@dataclass
class Replica:
    """What is held, and what it folds to."""

    ops: dict[bytes, Op] = field(default_factory=dict)
    base: State = field(default_factory=State)
    state: State = field(default_factory=State)
    # Of each place, the one before it in its chain; and what its writer had seen, itself included.
    before: dict[Place, Place | None] = field(default_factory=dict)
    seen: dict[Place, frozenset[Place]] = field(default_factory=dict)
    # Of the chains that a base stands for, where it ends: the id of the last op, and its signature.
    ends: dict[Place, tuple[bytes, bytes]] = field(default_factory=dict)
    proven: set[bytes] = field(default_factory=set)
    # What a base brought of signed deletions below it: each frame, and the memories that it deletes.
    deletions: dict[bytes, set[bytes]] = field(default_factory=dict)

    @property
    def unknown(self) -> set[Place]:
        """The ops that are not understood."""
        return self.state.unknown

    def prove(self, ops: Iterable[Op]) -> None:
        """Take proofs that memories were erased: tombstones, at once."""
        for op in ops:
            assert op.payload is not None
            for memory in unpack(op.payload[16:]):
                self.proven.add(memory)
                self.base.kill(memory)
                self.state.kill(memory)

    def take(self, op: Op) -> None:
        """Take one op, of which everything is held that it needs, and fold it."""
        at = _place(op)
        if at in self.before:  # it is held here, or a base that is held here stands for it
            return
        previous = None
        if op.prev is not None:
            previous = (op.device, op.incarnation, op.seq - 1, op.prev[:8])
            if previous not in self.before:
                raise Refused("its predecessor is missing")
        if op.payload is None and not (op.memory in self.proven and op.kind in HOLD_WORDS):
            raise Refused("a payload is missing without a proof")
        knew = {at}
        if previous is not None:
            knew |= self.seen.get(previous) or self.chains(map(tuple, op.vector or []))
        knew |= self.chains(map(tuple, op.seen))
        self.ops[op.id] = op
        self.before[at], self.seen[at] = previous, frozenset(knew)
        _fold(self.state, op, self.seen[at])

    def merge(self, base: State, spine: "Replica") -> None:
        """Merge a base into that of this replica, and fold the log again on top; `spine` holds its chains.

        A memory that lives here goes under a tombstone only if a signed op is behind it; one whose id was
        not drawn for its add, and that the base does not cover, may have been forgotten before.
        """
        signed = self.proven.union(*self.deletions.values())
        base.forgotten -= {
            rid
            for rid, memory in self.state.memories.items()
            if rid not in signed
            and any(at in base.covered or _is_drawn(rid, add[0]) for at, add in memory.adds.items())
        }
        self.base = _merged(self.base, base)
        self.before = spine.before | self.before
        self.seen = spine.seen | self.seen
        self.ends = spine.ends | self.ends
        for memory in self.proven:
            self.base.kill(memory)
        self.state = deepcopy(self.base)
        for op in self.ops.values():
            if _place(op) not in self.base.covered:
                _fold(self.state, op, self.seen[_place(op)])

    def chains(self, places: Iterable[Any]) -> set[Place]:
        """Each of these places with the chain below it, also below a branch."""
        found: set[Place] = set()
        for place in places:
            at: Place | None = place
            while at is not None:
                if at not in self.before:
                    raise Refused("something that it has seen is missing")
                found.add(at)
                at = self.before[at]
        return found

    # -- digests -----------------------------------------------------------------------------------------------

    def heads(self) -> list[list[Any]]:
        """The frontier: the last place of every chain, sorted."""
        return sorted(map(list, self.before.keys() - set(self.before.values())))

    def frontier_digest(self) -> bytes:
        """What two devices compare first."""
        return sha256(pack(self.heads()))

    def digest(self) -> bytes:
        """The digest of what shows."""
        state = self.state
        elements = [_shown(rid, memory) for rid, memory in state.memories.items()]
        for part, registers in ((1, state.edges), (2, state.settings)):
            values = ((name, _value(heads)) for name, heads in registers.items())
            elements += [[part, name, value] for name, value in values if value is not None]
        elements += [[5, memory, amounts] for memory, amounts in state.lessons.values()]
        return _set_hash(elements)

    def state_digest(self) -> bytes:
        """The digest of what was folded."""
        state = self.state
        cells = [_folded(rid, memory) for rid, memory in state.memories.items()]
        for part, registers in ((1, state.edges), (2, state.settings)):
            cells += [[part, name, _sorted(heads)] for name, heads in registers.items()]
        cells += [[3, pack(place)] for place in state.proposals]
        cells += [[6, pack(place)] for place in state.links]
        cells += [[7, name, _sorted(heads)] for name, heads in state.judgments.items()]
        cells += [[4, rid, sorted(devices)] for rid, devices in state.receipts.items()]
        cells += [[5, pack(place)] for place in state.lessons]
        tombstones = [[0, rid] for rid in state.forgotten]
        return sha256(
            pack(
                [_set_hash(cells), _set_hash(tombstones), _set_hash(map(list, state.unknown)), self.heads()]
            ),
        )


def _is_drawn(memory: bytes, stamp: int) -> bool:
    """Whether the id begins with a moment within two days of the stamp, as those that are drawn for an add do."""
    days = abs(int.from_bytes(memory[:6], "big") - stamp // 65_536) / 86_400_000
    return memory[6] // 16 == 7 and days <= 2


def _place(op: Op) -> Place:
    return op.device, op.incarnation, op.seq, op.id[:8]


# -- folding an op -------------------------------------------------------------------------------------------------


def _fold(state: State, op: Op, knew: frozenset[Place]) -> None:
    if op.version > KINDS.get(op.kind, 0):
        state.unknown.add(_place(op))
        return
    if op.payload is None or (op.memory is None and op.kind in NEED_A_MEMORY):
        return
    try:
        body = unpack(op.payload[16:])
        check_body(op.kind, body)
    except Refused:
        return
    _act(state, op, body, knew)


def _act(state: State, op: Op, body: Any, knew: frozenset[Place]) -> None:
    at, stamp = _place(op), op.stamp
    match op.kind:
        case 1:
            if op.memory is not None and op.memory not in state.forgotten:
                state.memories.setdefault(op.memory, Memory()).adds[at] = (stamp, body[0], body[1])
        case 2:
            assert op.memory is not None
            if memory := state.living(op.memory, knew):
                texts = [text for add, (_, text, _) in memory.adds.items() if add in knew]
                if body[0] in (base_name(op.memory, text) for text in texts):
                    memory.edits.setdefault(body[0], []).append(body[1])
                    memory.edited = max(memory.edited, stamp)
        case 3:
            if op.memory is None:
                _write(state.settings.setdefault(body[0].encode(), {}), at, stamp, body[1], knew)
            elif memory := state.living(op.memory, knew):
                _write(memory.fields.setdefault(body[0], {}), at, stamp, body[1], knew)
                memory.prune()
        case 4 | 5:
            for named in body:
                state.kill(named)
        case 6:
            _write(state.edges.setdefault(pack(body[:3]), {}), at, stamp, body[3], knew)
        case 7:
            for named, *told in body:
                if memory := state.living(named, knew):
                    origin = (op.device, op.incarnation)
                    memory.accesses[origin] = _most(memory.accesses.get(origin, (0, 0)), told)
        case 8:
            if memory := state.living(op.memory, knew):
                memory.claims[at] = (stamp, body)
        case 9:
            for named, claim, keep in body:
                held, place = state.memories.get(named), tuple(claim)
                if held is not None and place in held.claims and place in knew:
                    _write(held.verdicts.setdefault(place, {}), at, stamp, keep, knew)
        case 10:
            state.proposals[at] = body
        case 11:
            for proposal in knew & set(map(tuple, body)):
                state.proposals.pop(proposal, None)
        case 12:
            if memory := state.living(op.memory, knew):
                delivered = (stamp, op.device) if body[1] == 1 else None
                raised = Raised(body[1], (stamp, body[2], body[3]), delivered)
                memory.triggers[body[0]] = memory.triggers.get(body[0], raised).joined(raised)
        case 13:
            for named in body:
                state.receipts.setdefault(named, set()).add(op.device)
        case 14:
            state.lessons[at] = body
        case 15:
            state.links[at] = body
        case 16:
            for link in knew & set(map(tuple, body)):
                state.links.pop(link, None)
        case 19:
            name = pack([*body[:4], body[5]])
            _write(state.judgments.setdefault(name, {}), at, stamp, [body[4], body[6]], knew)
        case 17 | 18:
            if memory := state.living(op.memory, knew):
                _label(memory, at, stamp, set(body), knew, on=op.kind == 17)


def _label(
    memory: Memory, at: Place, stamp: int, named: set[str], knew: frozenset[Place], *, on: bool
) -> None:
    for label in named:
        _write(memory.labels.setdefault(label, {}), at, stamp, on, knew)
    for place, (_, labels) in memory.listed().items():
        if not on and place in knew and (gone := named & set(labels)):
            memory.off[place] = memory.off.get(place, set()) | gone


def _write(heads: Heads, at: Place, stamp: int, value: Any, knew: frozenset[Place]) -> None:
    for head in knew & heads.keys():
        del heads[head]
    heads[at] = (stamp, value)


def _most(one: Iterable[int], other: Iterable[int]) -> tuple[int, int]:
    count, last = map(max, one, other)
    return count, last


# -- merging two bases ---------------------------------------------------------------------------------------------


def _merged(one: State, other: State) -> State:
    """What is on one side only stays, unless the other side covers it and so took it away; tombstones win."""

    def both(mine: dict[Place, Any], theirs: dict[Place, Any]) -> dict[Place, Any]:
        kept = {at: item for at, item in mine.items() if at in theirs or at not in other.covered}
        return kept | {at: item for at, item in theirs.items() if at in mine or at not in one.covered}

    def registers(mine: dict[Any, Heads], theirs: dict[Any, Heads]) -> dict[Any, Heads]:
        return {name: both(mine.get(name, {}), theirs.get(name, {})) for name in mine.keys() | theirs.keys()}

    def memory(mine: Memory, theirs: Memory) -> Memory:
        edits = {
            name: [*mine.edits.get(name, []), *theirs.edits.get(name, [])]
            for name in mine.edits.keys() | theirs.edits.keys()
        }
        origins = mine.accesses.keys() | theirs.accesses.keys()
        merged = Memory(
            adds=both(mine.adds, theirs.adds),
            fields=registers(mine.fields, theirs.fields),
            edits=edits,
            edited=max(mine.edited, theirs.edited),
            accesses={
                each: _most(mine.accesses.get(each, (0, 0)), theirs.accesses.get(each, (0, 0)))
                for each in origins
            },
            claims=both(mine.claims, theirs.claims),
            verdicts=registers(mine.verdicts, theirs.verdicts),
            triggers={
                name: mine.triggers.get(name, raised).joined(theirs.triggers.get(name, raised))
                for name, raised in (mine.triggers | theirs.triggers).items()
            },
            labels=registers(mine.labels, theirs.labels),
            off={at: mine.off.get(at, set()) | theirs.off.get(at, set()) for at in mine.off | theirs.off},
        )  # fmt: skip
        merged.prune()
        return merged

    merged = State(
        covered=one.covered | other.covered,
        memories={
            rid: memory(one.memories.get(rid, Memory()), other.memories.get(rid, Memory()))
            for rid in one.memories.keys() | other.memories.keys()
        },
        edges=registers(one.edges, other.edges),
        settings=registers(one.settings, other.settings),
        proposals=both(one.proposals, other.proposals),
        links=both(one.links, other.links),
        judgments=registers(one.judgments, other.judgments),
        receipts={
            rid: one.receipts.get(rid, set()) | other.receipts.get(rid, set())
            for rid in one.receipts.keys() | other.receipts.keys()
        },
        lessons=both(one.lessons, other.lessons),
    )
    for rid in one.forgotten | other.forgotten:
        merged.kill(rid)
    return merged


# -- elements of the digests ---------------------------------------------------------------------------------------


def _shown(rid: bytes, memory: Memory) -> list[Any]:
    def order(add: tuple[Place, tuple[int, str, dict[str, Any]]]) -> tuple[bool, str, int, bytes]:
        at, (stamp, text, _) = add
        return base_name(rid, text) not in memory.edits, text, stamp, at[3]

    _, (_, text, started) = min(memory.adds.items(), key=order)
    shown = text
    if edits := memory.edits.get(base_name(rid, text)):
        shown = str(document(rid, text, edits).get("text", type=Text))
    fields = dict(started)
    for name, heads in memory.fields.items():
        value = _value(heads)
        if value is None:
            fields.pop(name, None)
        else:
            fields[name] = value
    _put_together(memory, fields)
    element: list[Any] = [0, rid, shown, [[name, fields[name]] for name in sorted(fields)]]
    accesses = sum(count for count, _ in memory.accesses.values())
    if accesses or memory.claims or memory.triggers:
        claims = {(*claim[:3], _hidden(memory.verdicts.get(at))) for at, (_, claim) in memory.claims.items()}
        triggers = [[name, each.status, each.told[1], each.told[2]] for name, each in memory.triggers.items()]
        element += [accesses, sorted(claims), sorted(triggers)]
    return element


def _put_together(memory: Memory, fields: dict[str, Any]) -> None:
    """Labels are those of all that told some; an entry is its latest, or what its own register says."""
    written = memory.fields.get("tags", {})
    if memory.labels or len(written or memory.adds) > 1:
        lists = memory.listed()
        told = [
            (stamp, {label}) for label, heads in memory.labels.items() for stamp, on in heads.values() if on
        ]
        for at in written or memory.adds:
            if at in lists:
                stamp, labels = lists[at]
                told.append((stamp, set(labels) - memory.off.get(at, set())))
        since = {
            label: min(stamp for stamp, labels in told if label in labels)
            for label in set().union(*(labels for _, labels in told))
        }
        fields.pop("tags", None)
        if since:
            fields["tags"] = sorted(sorted(since, key=lambda label: (since[label], label))[:256])
    own = {
        name[5:]: heads
        for name, heads in memory.fields.items()
        if name.startswith("meta.") and not isinstance(_value(heads), list | dict | bytes)
    }
    written = memory.fields.get("meta", {})
    if own or len(written or memory.adds) > 1:
        maps = written or {at: (stamp, said.get("meta")) for at, (stamp, _, said) in memory.adds.items()}
        entries: dict[str, Any] = {}
        for at in sorted(maps, key=lambda at: (maps[at][0], at[3])):
            for key, value in (maps[at][1] or {}).items():
                entries[key] = (maps[at][0], value)
        for key, heads in own.items():
            fields.pop("meta." + key, None)
            entries.pop(key, None)
            if _value(heads) is not None:
                entries[key] = (max(stamp for stamp, _ in heads.values()), _value(heads))
        first = sorted(entries, key=lambda key: (entries[key][0], key))[:1024]
        fields.pop("meta", None)
        if first:
            fields["meta"] = {key: entries[key][1] for key in sorted(first)}


def _folded(rid: bytes, memory: Memory) -> list[Any]:
    cell: list[Any] = [0, rid, _sorted(memory.adds)]
    if memory.fields or memory.claims or memory.labels:
        verdicts = [[list(claim), _sorted(heads)] for claim, heads in memory.verdicts.items()]
        cell += [
            [[name, _sorted(memory.fields[name])] for name in sorted(memory.fields)],
            _sorted(memory.claims),
            sorted(verdicts),
        ]
    if memory.labels:
        cell += [
            [[label, _sorted(memory.labels[label])] for label in sorted(memory.labels)],
            sorted([*at, sorted(gone)] for at, gone in memory.off.items()),
        ]
    return cell


def _value(heads: Heads) -> Any:
    at = max(heads, key=lambda at: (heads[at][0], at[3]))
    return heads[at][1]


def _sorted(places: Iterable[Place]) -> list[list[Any]]:
    return sorted(map(list, places))


def _hidden(verdicts: Heads | None) -> bool:
    return bool(verdicts) and not any(keep for _, keep in (verdicts or {}).values())


def _set_hash(elements: Iterable[Any]) -> bytes:
    return (sum(int.from_bytes(sha256(pack(each))) for each in elements) % 2**256).to_bytes(32)
