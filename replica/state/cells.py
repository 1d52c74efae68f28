"""The folded state, cut into cells: the parts that ops name, each loaded, folded and stored on its own.

A cell is one memory, one edge, one shared setting, one consolidation proposal, one link between two tellings, the
receipts for one erased memory, one lesson for the ranking, or what judges of one rank say of two claims. A `State`
holds the cells that a batch of ops touches (or, in a simulation, all of them); what a batch changed is known from
`touched`. Cells become bytes with local feed numbers inside; `renumber` translates them when a snapshot crosses to
another replica.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Final, NamedTuple

from replica.codec import pack, read_place, unpack, wire_place
from replica.ids import MemoryId, OpRef
from replica.ops import SameSlot
from replica.state.adds import Add
from replica.state.memories import HeldClaim, HeldTrigger, MemoryCell
from replica.state.register import Dot, Register
from replica.state.text import EditedText


class CellKind(IntEnum):
    """Which kind of cell a key names."""

    MEMORY = 0
    EDGE = 1
    SETTING = 2
    PROPOSAL = 3
    RECEIPT = 4
    FEEDBACK = 5
    LINK = 6
    SAME_SLOT = 7


class Key(NamedTuple):
    """The name of a cell, alike on every replica."""

    part: CellKind
    name: bytes


class Proposal(NamedTuple):
    """A live consolidation proposal: the op that made it, and its members."""

    dot: Dot
    rids: tuple[MemoryId, ...]


class Receipts(NamedTuple):
    """The devices that confirmed that they hold no payload of an erased memory any more."""

    devices: frozenset[bytes]


class Lesson(NamedTuple):
    """What one feedback taught: by which memory, and how much for each signal."""

    rid: MemoryId
    amounts: tuple[tuple[str, int], ...]


class TellingLink(NamedTuple):
    """A live link between two tellings that say the same: the op that made it, which they are, and how sure it is."""

    dot: Dot
    rids: tuple[MemoryId, MemoryId]
    sureness: int


Cell = MemoryCell | Register | Proposal | Receipts | Lesson | TellingLink

# To look a member up in its enum, and to build a named tuple by name, costs three times what is done with it, and every
# op that is folded names a cell.
_MEMORY: Final = CellKind.MEMORY
_EDGE: Final = CellKind.EDGE
_tuple = tuple.__new__


def memory_key(rid: bytes) -> Key:
    """Return the key of a memory's cell."""
    return _tuple(Key, (_MEMORY, rid))


def edge_key(source: str, relation: str, target: str) -> Key:
    """Return the key of an edge's register."""
    return _tuple(Key, (_EDGE, pack((source, relation, target))))


def setting_key(name: str) -> Key:
    """Return the key of a shared setting's register."""
    return Key(CellKind.SETTING, name.encode())


def receipt_key(rid: bytes) -> Key:
    """Return the key of the receipts for an erased memory."""
    return Key(CellKind.RECEIPT, rid)


def proposal_key(place: OpRef) -> Key:
    """Return the key of the proposal that the op at this place made."""
    return Key(CellKind.PROPOSAL, pack(wire_place(place)))


def feedback_key(place: OpRef) -> Key:
    """Return the key of what the feedback at this place taught."""
    return Key(CellKind.FEEDBACK, pack(wire_place(place)))


def link_key(place: OpRef) -> Key:
    """Return the key of the link that the op at this place made."""
    return Key(CellKind.LINK, pack(wire_place(place)))


def same_slot_key(said: SameSlot) -> Key:
    """Return the key of what judges of one rank say of two claims: a register of [same, sureness]."""
    (one, other), (claim, against) = said.rids, map(wire_place, said.claims)
    return Key(CellKind.SAME_SLOT, pack((one, claim, other, against, said.by)))


def maker_of(key: Key) -> OpRef:
    """Return which op made the proposal, the link or the lesson of this key."""
    return read_place(unpack(key.name))


@dataclass(slots=True)
class State:
    """Cells by key, tombstones by rid, and which cells were changed, in the order in which they first were."""

    cells: dict[Key, Cell] = field(default_factory=dict)
    tombstones: set[bytes] = field(default_factory=set)
    touched: dict[Key, None] = field(default_factory=dict)

    def memory(self, rid: bytes) -> MemoryCell | None:
        """Return a memory's cell, if it lives here."""
        cell = self.cells.get(memory_key(rid))
        assert cell is None or isinstance(cell, MemoryCell)
        return cell

    def register(self, key: Key) -> Register:
        """Return the register of an edge, a setting or a judgment; empty where nobody wrote it."""
        cell = self.cells.get(key, {})
        assert isinstance(cell, dict)
        return cell

    def kill(self, rid: bytes) -> None:
        """Put a tombstone on a memory: everything that hangs on it goes with it, for ever."""
        key = memory_key(rid)
        self.tombstones.add(rid)
        self.cells.pop(key, None)
        self.touched[key] = None


def encode_cell(cell: Cell) -> bytes:
    """Return a cell as bytes, with this replica's feed numbers in its dots."""
    if isinstance(cell, MemoryCell):  # nearly all: no pattern
        return pack(_plain_memory(cell))
    match cell:
        case Proposal():
            return pack([list(cell.dot), list(cell.rids)])
        case Receipts():
            return pack(sorted(cell.devices))
        case Lesson():
            return pack([cell.rid, [list(amount) for amount in cell.amounts]])
        case TellingLink():
            return pack([list(cell.dot), list(cell.rids), cell.sureness])
        case _:
            return pack(_plain_register(cell))


def decode_cell(part: int, data: bytes) -> Cell:
    """Return the cell that `encode_cell` wrote."""
    return read_cell(part, unpack(data))


def read_cell(part: int, plain: Any) -> Cell:
    """Return the cell that these plain values, of the right shape, stand for."""
    if part == CellKind.MEMORY:
        return _read_memory(plain)
    if part == CellKind.PROPOSAL:
        return Proposal(Dot(*plain[0]), tuple(MemoryId(rid) for rid in plain[1]))
    if part == CellKind.RECEIPT:
        return Receipts(frozenset(plain))
    if part == CellKind.FEEDBACK:
        return Lesson(MemoryId(plain[0]), tuple((signal, amount) for signal, amount in plain[1]))
    if part == CellKind.LINK:
        one, other = plain[1]
        return TellingLink(Dot(*plain[0]), (MemoryId(one), MemoryId(other)), plain[2])
    return _read_register(plain)


def renumber(cell: Cell, moved: Callable[[Dot], Dot], origin: Callable[[int], int]) -> Cell:
    """Return a cell with its dots and origin numbers translated to another replica's."""

    def heads(register: Register) -> Register:
        return {moved(dot): held for dot, held in register.items()}

    match cell:
        case MemoryCell():
            return MemoryCell(
                adds={moved(dot): add for dot, add in cell.adds.items()},
                fields={name: heads(register) for name, register in cell.fields.items()},
                edits=dict(cell.edits),
                edited_hlc=cell.edited_hlc,
                accesses={origin(number): total for number, total in cell.accesses.items()},
                claims={moved(dot): claim for dot, claim in cell.claims.items()},
                verdicts={moved(dot): heads(register) for dot, register in cell.verdicts.items()},
                triggers=dict(cell.triggers),
                labels={label: heads(register) for label, register in cell.labels.items()},
                untagged={moved(dot): labels for dot, labels in cell.untagged.items()},
            )
        case Proposal():
            return Proposal(moved(cell.dot), cell.rids)
        case TellingLink():
            return TellingLink(moved(cell.dot), cell.rids, cell.sureness)
        case Receipts() | Lesson():
            return cell
        case _:
            return heads(cell)


def _plain_memory(cell: MemoryCell) -> list[Any]:
    adds = [dot + add for dot, add in cell.adds.items()]
    if not cell.has_more():
        return [adds]  # nearly all of them
    plain = [
        adds,
        {name: _plain_register(register) for name, register in cell.fields.items()},
        {base: text.state() for base, text in cell.edits.items()},
        cell.edited_hlc,
        [[number, *total] for number, total in cell.accesses.items()],
        [
            [
                *dot,
                claim.hlc,
                claim.entity,
                claim.relation,
                claim.value,
                _places(claim.replaces),
                claim.valid_from,
            ]
            for dot, claim in cell.claims.items()
        ],
        [[*dot, _plain_register(register)] for dot, register in cell.verdicts.items()],
        {
            trigger: [held.status, *held.raised[:2], list(held.raised[2]), held.delivered]
            for trigger, held in cell.triggers.items()
        },
    ]
    if cell.labels:
        plain.append(
            [
                {label: _plain_register(register) for label, register in cell.labels.items()},
                [[*dot, list(labels)] for dot, labels in cell.untagged.items()],
            ]
        )
    return plain


def only_add(plain: Any) -> list[Any] | None:
    """Return the add [feed, seq, id8, hlc, text, fields] of a memory's plain cell, if that is all of it."""
    return plain[0][0] if len(plain) == 1 and len(plain[0]) == 1 else None


def edited_hlc_of(data: bytes) -> int:
    """Return the stamp of the last edit of a memory's text from its packed cell; 0 where there is none.

    No document is made of the text: with the first comes the library that holds it.
    """
    plain = unpack(data)
    return int(plain[3]) if len(plain) > 1 and plain[2] else 0


def _read_memory(plain: list[Any]) -> MemoryCell:
    cell = MemoryCell(adds={Dot(*item[:3]): Add(*item[3:]) for item in plain[0]})
    if len(plain) > 1:
        _, fields, edits, edited_hlc, accesses, claims, verdicts, triggers, *labelled = plain
        cell.fields = {name: _read_register(register) for name, register in fields.items()}
        cell.edits = {base: EditedText(state) for base, state in edits.items()}
        cell.edited_hlc = edited_hlc
        cell.accesses = {number: (count, last) for number, count, last in accesses}
        cell.claims = {
            Dot(*dot): HeldClaim(hlc, entity, relation, value, tuple(map(read_place, replaces)), valid_from)
            for *dot, hlc, entity, relation, value, replaces, valid_from in claims
        }
        cell.verdicts = {Dot(*item[:3]): _read_register(item[3]) for item in verdicts}
        cell.triggers = {
            trigger: HeldTrigger(
                status,
                (raised, kind, tuple(map(MemoryId, about))),
                None if delivered is None else (delivered[0], delivered[1]),
            )
            for trigger, (status, raised, kind, about, delivered) in triggers.items()
        }
        if labelled:
            ((registers, untagged),) = labelled
            cell.labels = {label: _read_register(register) for label, register in registers.items()}
            cell.untagged = {Dot(*dot): tuple(labels) for *dot, labels in untagged}
    return cell


def _plain_register(register: Register) -> list[Any]:
    return [[*dot, *held] for dot, held in register.items()]


def _read_register(plain: Iterable[list[Any]]) -> Register:
    return {Dot(*item[:3]): (item[3], item[4]) for item in plain}


def _places(places: tuple[OpRef, ...]) -> list[Any]:
    return [wire_place(place) for place in places]
