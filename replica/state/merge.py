"""Merge two bases, so that what either side has folded is there and what either side has seen deleted is gone.

Every live item and register head carries the dot of the op that made it. An item on one side only stays, unless its dot
lies within what the other side has folded: then the other side had it and gave it up. Taking the union instead would
bring overwritten values back; replacing one side by the other loses writes (14 % of modelled partitions).

What only grows (adds, claims, documents, totals, trigger statuses, tombstones, feedback) needs no dots: it is joined.
"""

from collections.abc import Callable
from typing import TypeVar

from replica.state.cells import Cell, Lesson, Part, Proposal, Receipts, State
from replica.state.memories import MemoryCell
from replica.state.register import Dot, Register
from replica.state.text import EditedText

Has = Callable[[Dot], bool]
Name = TypeVar("Name")


def merge_states(mine: State, theirs: State, i_have: Has, they_have: Has) -> State:
    """Return the merged state; `x_have(dot)` says whether x has folded the op at `dot`."""
    merged = State(tombstones=mine.tombstones | theirs.tombstones)
    for key in mine.cells | theirs.cells:
        if key.part is Part.MEMORY and key.name in merged.tombstones:
            continue
        cell = _merge_cells(mine.cells.get(key), theirs.cells.get(key), i_have, they_have)
        if cell is not None:
            merged.cells[key] = cell
    return merged


def _merge_cells(mine: Cell | None, theirs: Cell | None, i_have: Has, they_have: Has) -> Cell | None:
    match mine, theirs:
        case Proposal(), Proposal():
            return mine
        case Receipts(), Receipts():
            return Receipts(mine.devices | theirs.devices)
        case (Receipts() | Lesson(), None) | (None, Receipts() | Lesson()) | (Lesson(), Lesson()):
            return mine or theirs
        case Proposal(), None:
            return None if they_have(mine.dot) else mine
        case None, Proposal():
            return None if i_have(theirs.dot) else theirs
        case (MemoryCell() | None, MemoryCell() | None):
            return _merge_memories(mine or MemoryCell(), theirs or MemoryCell(), i_have, they_have)
        case (dict() | None, dict() | None):
            return _merge_registers(mine or {}, theirs or {}, i_have, they_have) or None
        case _:
            raise AssertionError("a key names one kind of cell")


def _merge_memories(mine: MemoryCell, theirs: MemoryCell, i_have: Has, they_have: Has) -> MemoryCell | None:
    def registers(a: dict[Name, Register], b: dict[Name, Register]) -> dict[Name, Register]:
        # In their order: a set has another one in every process, and the snapshots of one base would differ by it.
        merged = {
            name: _merge_registers(a.get(name, {}), b.get(name, {}), i_have, they_have) for name in a | b
        }
        return {name: heads for name, heads in merged.items() if heads}

    edits = dict(mine.edits)
    for base, text in theirs.edits.items():
        if base in edits:
            joined = EditedText(edits[base].state())
            joined.apply(text.state())
            edits[base] = joined
        else:
            edits[base] = text
    accesses = dict(mine.accesses)
    for origin, (count, last) in theirs.accesses.items():
        total = accesses.get(origin, (0, 0))
        accesses[origin] = (max(total[0], count), max(total[1], last))
    triggers = dict(mine.triggers)
    for trigger, held in theirs.triggers.items():
        triggers[trigger] = held.joined(triggers.get(trigger, held))
    cell = MemoryCell(
        adds=mine.adds | theirs.adds,
        fields=registers(mine.fields, theirs.fields),
        edits=edits,
        edited_hlc=max(mine.edited_hlc, theirs.edited_hlc),
        accesses=accesses,
        claims=mine.claims | theirs.claims,
        verdicts=registers(mine.verdicts, theirs.verdicts),
        triggers=triggers,
    )
    return cell if cell.adds else None


def _merge_registers(mine: Register, theirs: Register, i_have: Has, they_have: Has) -> Register:
    return {
        **{dot: held for dot, held in mine.items() if dot in theirs or not they_have(dot)},
        **{dot: held for dot, held in theirs.items() if dot in mine or not i_have(dot)},
    }
