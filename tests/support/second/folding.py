"""The second reader: what ops fold to, and the two digests."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from pycrdt import Doc, Text

from tests.support.second.frames import Op, Refused, pack, sha256, unpack
from tests.support.second.rules import check_body

# The kinds and the version of each that this reader understands: docs/reference/op-kinds.md.
KINDS: Final = dict.fromkeys(range(1, 15), 1)
NEED_A_MEMORY: Final = {1, 2, 8, 12}
HOLD_WORDS: Final = {1, 2, 3, 8, 12}

# The heads of a register: the writing op's op_id, and its value.
Heads = dict[bytes, Any]


@dataclass
class Memory:
    """All that ops said about one memory."""

    adds: dict[bytes, tuple[str, dict[str, Any]]] = field(default_factory=dict)
    fields: dict[str, Heads] = field(default_factory=dict)
    edits: dict[bytes, list[bytes]] = field(default_factory=dict)
    accesses: dict[tuple[bytes, bytes], int] = field(default_factory=dict)
    claims: dict[bytes, list[Any]] = field(default_factory=dict)
    verdicts: dict[bytes, Heads] = field(default_factory=dict)
    triggers: dict[bytes, tuple[int, tuple[int, str, list[bytes]]]] = field(default_factory=dict)


@dataclass
class Replica:
    """What is held, and what it folds to."""

    ops: dict[bytes, Op] = field(default_factory=dict)
    seen: dict[bytes, frozenset[bytes]] = field(default_factory=dict)
    proven: set[bytes] = field(default_factory=set)
    memories: dict[bytes, Memory] = field(default_factory=dict)
    forgotten: set[bytes] = field(default_factory=set)
    edges: dict[bytes, Heads] = field(default_factory=dict)
    settings: dict[bytes, Heads] = field(default_factory=dict)
    proposals: set[bytes] = field(default_factory=set)
    receipts: dict[bytes, set[bytes]] = field(default_factory=dict)
    lessons: dict[bytes, list[Any]] = field(default_factory=dict)
    unknown: set[bytes] = field(default_factory=set)

    def prove(self, ops: Iterable[Op]) -> None:
        """Take proofs that memories were erased: tombstones, at once."""
        for op in ops:
            assert op.payload is not None
            for memory in unpack(op.payload[16:]):
                self.proven.add(memory)
                self._kill(memory)

    def take(self, op: Op) -> None:
        """Take one op, of which everything is held that it needs, and fold it."""
        if op.prev is not None and op.prev not in self.ops:
            raise Refused("its predecessor is missing")
        if op.payload is None and not (op.memory in self.proven and op.kind in HOLD_WORDS):
            raise Refused("a payload is missing without a proof")
        knew = {op.id} | (self.seen[op.prev] if op.prev else frozenset())
        for place in op.seen:
            at: Op | None = self._at(place)
            while at is not None:  # the op that is named, and its chain below, also under a branch
                knew.add(at.id)
                at = self.ops[at.prev] if at.prev else None
        self.ops[op.id], self.seen[op.id] = op, frozenset(knew)
        if op.version > KINDS.get(op.kind, 0):
            self.unknown.add(op.id)
            return
        if op.payload is None or (op.memory is None and op.kind in NEED_A_MEMORY):
            return
        try:
            body = unpack(op.payload[16:])
            check_body(op.kind, body)
        except Refused:
            return
        self._fold(op, body, knew)

    def _at(self, place: list[Any]) -> Op:
        for op in self.ops.values():
            if op.place == place:
                return op
        raise Refused("something that it has seen is missing")

    def _claimed(self, place: list[Any]) -> bytes | None:
        return next((op.id for op in self.ops.values() if op.place == place), None)

    def _kill(self, memory: bytes) -> None:
        self.forgotten.add(memory)
        self.memories.pop(memory, None)

    def _known(self, memory: bytes | None, knew: set[bytes]) -> Memory | None:
        """The memory, if it lives and the writer had seen one of its adds."""
        found = self.memories.get(memory or b"")
        return found if found is not None and not knew.isdisjoint(found.adds) else None

    def _fold(self, op: Op, body: Any, knew: set[bytes]) -> None:
        match op.kind:
            case 1:
                if op.memory is not None and op.memory not in self.forgotten:
                    self.memories.setdefault(op.memory, Memory()).adds[op.id] = (body[0], body[1])
            case 2:
                assert op.memory is not None
                if memory := self._known(op.memory, knew):
                    bases = [
                        _base_name(op.memory, text)
                        for op_id, (text, _) in memory.adds.items()
                        if op_id in knew
                    ]
                    if body[0] in bases:
                        memory.edits.setdefault(body[0], []).append(body[1])
            case 3:
                if op.memory is None:
                    _write(self.settings.setdefault(body[0].encode(), {}), op.id, body[1], knew)
                elif memory := self._known(op.memory, knew):
                    _write(memory.fields.setdefault(body[0], {}), op.id, body[1], knew)
            case 4 | 5:
                for named in body:
                    self._kill(named)
            case 6:
                _write(self.edges.setdefault(pack(body[:3]), {}), op.id, body[3], knew)
            case 7:
                for named, count, _ in body:
                    if memory := self._known(named, knew):
                        origin = (op.device, op.incarnation)
                        memory.accesses[origin] = max(memory.accesses.get(origin, 0), count)
            case 8:
                if memory := self._known(op.memory, knew):
                    memory.claims[op.id] = body[:3]
            case 9:
                for named, place, keep in body:
                    claim = self._claimed(place)
                    held = self.memories.get(named)
                    if held is not None and claim in held.claims and claim in knew:
                        _write(held.verdicts.setdefault(claim, {}), op.id, keep, knew)
            case 10:
                self.proposals.add(op.id)
            case 11:
                self.proposals -= {self._claimed(place) for place in body} & knew
            case 12:
                if memory := self._known(op.memory, knew):
                    told = (body[1], (op.stamp, body[2], body[3]))
                    known = memory.triggers.get(body[0], told)
                    memory.triggers[body[0]] = (max(told[0], known[0]), min(told[1], known[1]))
            case 13:
                for named in body:
                    self.receipts.setdefault(named, set()).add(op.device)
            case 14:
                self.lessons[op.id] = body

    # -- digests -----------------------------------------------------------------------------------------------

    def heads(self) -> list[list[Any]]:
        """The frontier: the last place of every chain, sorted."""
        followed = {op.prev for op in self.ops.values()}
        return sorted(op.place for op in self.ops.values() if op.id not in followed)

    def frontier_digest(self) -> bytes:
        """What two devices compare first."""
        return sha256(pack(self.heads()))

    def digest(self) -> bytes:
        """The digest of what shows."""
        elements = [self._shown(rid, memory) for rid, memory in self.memories.items()]
        for part, registers in ((1, self.edges), (2, self.settings)):
            values = ((name, self._value(heads)) for name, heads in registers.items())
            elements += [[part, name, value] for name, value in values if value is not None]
        elements += [[5, memory, amounts] for memory, amounts in self.lessons.values()]
        return _set_hash(elements)

    def state_digest(self) -> bytes:
        """The digest of what was folded."""
        cells = [self._folded(rid, memory) for rid, memory in self.memories.items()]
        for part, registers in ((1, self.edges), (2, self.settings)):
            cells += [[part, name, self._places(heads)] for name, heads in registers.items()]
        cells += [[3, pack(self.ops[op_id].place)] for op_id in self.proposals]
        cells += [[4, rid, sorted(devices)] for rid, devices in self.receipts.items()]
        cells += [[5, pack(self.ops[op_id].place)] for op_id in self.lessons]
        tombstones = [[0, rid] for rid in self.forgotten]
        unknown = [self.ops[op_id].place for op_id in self.unknown]
        return sha256(
            pack([_set_hash(cells), _set_hash(tombstones), _set_hash(unknown), self.heads()]),
        )

    def _shown(self, rid: bytes, memory: Memory) -> list[Any]:
        def order(add: tuple[bytes, tuple[str, dict[str, Any]]]) -> tuple[bool, str, int, bytes]:
            op_id, (text, _) = add
            return _base_name(rid, text) not in memory.edits, text, self.ops[op_id].stamp, op_id[:8]

        _, (text, started) = min(memory.adds.items(), key=order)
        shown = text
        if edits := memory.edits.get(_base_name(rid, text)):
            shown = _edited(rid, text, edits)
        fields = dict(started)
        for name, heads in memory.fields.items():
            value = self._value(heads)
            if value is None:
                fields.pop(name, None)
            else:
                fields[name] = value
        element: list[Any] = [0, rid, shown, [[name, fields[name]] for name in sorted(fields)]]
        accesses = sum(memory.accesses.values())
        if accesses or memory.claims or memory.triggers:
            claims = {
                (*claim, self._hidden(memory.verdicts.get(op_id))) for op_id, claim in memory.claims.items()
            }
            triggers = [
                [op_id, status, kind, about] for op_id, (status, (_, kind, about)) in memory.triggers.items()
            ]
            element += [accesses, sorted(claims), sorted(triggers)]
        return element

    def _folded(self, rid: bytes, memory: Memory) -> list[Any]:
        cell: list[Any] = [0, rid, self._places(memory.adds)]
        if memory.fields or memory.claims:
            verdicts = [
                [self.ops[op_id].place, self._places(heads)] for op_id, heads in memory.verdicts.items()
            ]
            cell += [
                [[name, self._places(memory.fields[name])] for name in sorted(memory.fields)],
                self._places(memory.claims),
                sorted(verdicts),
            ]
        return cell

    def _value(self, heads: Heads) -> Any:
        return heads[max(heads, key=lambda op_id: (self.ops[op_id].stamp, op_id[:8]))]

    def _places(self, ids: Iterable[bytes]) -> list[list[Any]]:
        return sorted(self.ops[op_id].place for op_id in ids)

    @staticmethod
    def _hidden(verdicts: Heads | None) -> bool:
        return bool(verdicts) and not any((verdicts or {}).values())


def _write(heads: Heads, op_id: bytes, value: Any, knew: set[bytes]) -> None:
    for head in [head for head in heads if head in knew]:
        del heads[head]
    heads[op_id] = value


def _set_hash(elements: Iterable[Any]) -> bytes:
    return (sum(int.from_bytes(sha256(pack(each))) for each in elements) % 2**256).to_bytes(32)


def _base_name(rid: bytes, text: str) -> bytes:
    return sha256(b"samemind text\0" + rid + text.encode())[:8]


def _edited(rid: bytes, text: str, edits: Iterable[bytes]) -> str:
    client = int.from_bytes(sha256(b"samemind client\0" + rid + text.encode())[:7]) & (2**53 - 1)
    base: Doc[Text] = Doc(client_id=client)
    base.get("text", type=Text).insert(0, text)
    document: Doc[Text] = Doc()
    document.apply_update(base.get_update())
    for edit in edits:
        document.apply_update(edit)
    return str(document.get("text", type=Text))
