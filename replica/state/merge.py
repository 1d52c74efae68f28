"""Merge a base that was handed over into what is held here: it adds what was not held, and takes nothing away.

Whoever made the base may lie. So what is held here (signed ops in the log, and what this device folded of such) stands,
and of the base only what its unheld ops can have done is taken:

* what carries a dot (adds, claims, heads of registers) if the op at that dot is not held here;
* a head here goes only if the base covers it, lacks it, *and* has a head of the same register that is news: an op that
  was overwritten leaves such a head behind for ever, so for honest bases this is exact;
* a memory that is held, in the log above the base too, goes only under a tombstone whose signed op came along or is
  held, and a proposal or a link only if the signed op came along that took it back;
* what was taken off of a label list that is held goes off only if the base has news of that label;
* what carries no dot but was said by somebody (access totals, deliveries, receipts) if there is news of that device;
* the text of a memory that is held changes only by edits that came along as their authors signed them, also where only
  ops above the base added it, if its id was drawn for them.

What is left to belief are trigger statuses, which many ops make together: they are joined, and only grow.
Of an honest maker's base this gives what folding all ops would give; `tests/security/test_lying_makers.py`
searches for histories where it does not, and for liars who get more.
"""

from collections.abc import Callable, Collection, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import TypeVar

from replica.ids import OpRef, is_drawn_for
from replica.state.cells import (
    Cell,
    CellKind,
    Key,
    Lesson,
    Proposal,
    Receipts,
    State,
    TellingLink,
    maker_of,
)
from replica.state.labels import TAGS, Untagged, left_of
from replica.state.memories import HeldTrigger, MemoryCell
from replica.state.register import Dot, Register
from replica.state.text import EditedText, SignedEdit, base_name

Has = Callable[[Dot], bool]
Name = TypeVar("Name")


@dataclass(frozen=True, slots=True)
class News:
    """What a base says that could be news.

    `covers(dot)`: the base has folded the op. `held(dot)`: the op was held here before. `is_new(place)`: the base
    covers the op, and it was not held. `origins` (local numbers) and `devices` wrote ops that were not held; `proven`
    are the memories whose deletion is proven by a signed op.
    """

    covers: Has
    held: Has
    is_new: Callable[[OpRef], bool]
    origins: Set[int]
    devices: Set[bytes]
    proven: Set[bytes]
    edits: Mapping[bytes, Sequence[SignedEdit]] = field(default_factory=dict)
    """Edits that came along as their authors signed them and are not folded here, by memory."""
    added: Set[bytes] = frozenset()
    """Memories that ops which are held and the base does not cover have added."""
    taken_back: Set[OpRef] = frozenset()
    """The ops that made proposals and links which signed ops took back that came along and are not folded here."""


def merge_states(mine: State, theirs: State, news: News) -> State:
    """Return what is known together; `mine` is folded of everything held that the base covers, and of my base."""
    held = news.added | {key.name for key in mine.cells if key.part is CellKind.MEMORY}
    deleted = {rid for rid in theirs.tombstones if rid in news.proven or rid not in held}
    merged = State(tombstones=mine.tombstones | deleted)
    for key in mine.cells | theirs.cells:
        if key.part is CellKind.MEMORY and key.name in merged.tombstones:
            continue
        cell = _merge_cells(key, mine.cells.get(key), theirs.cells.get(key), news)
        if cell is not None:
            merged.cells[key] = cell
    return merged


def _merge_cells(key: Key, mine: Cell | None, theirs: Cell | None, news: News) -> Cell | None:
    match mine, theirs:
        case (Proposal(), Proposal()) | (TellingLink(), TellingLink()):
            return mine
        case Proposal() | TellingLink(), None:
            return None if news.covers(mine.dot) and maker_of(key) in news.taken_back else mine
        case None, Proposal() | TellingLink():
            return None if news.held(theirs.dot) else theirs
        case Receipts() | None, Receipts() | None:
            confirmed = frozenset[bytes]() if mine is None else mine.devices
            said = frozenset[bytes]() if theirs is None else theirs.devices
            devices = confirmed | (said & news.devices)
            return Receipts(devices) if devices else None
        case Lesson(), _:
            return mine
        case None, Lesson():
            return theirs if news.is_new(maker_of(key)) else None
        case (MemoryCell() | None, MemoryCell() | None):
            return _merge_memories(key.name, mine or MemoryCell(), theirs or MemoryCell(), news)
        case (dict() | None, dict() | None):
            return _merge_registers(mine or {}, theirs or {}, news) or None
        case _:
            raise AssertionError("a key names one kind of cell")


def _merge_memories(rid: bytes, mine: MemoryCell, theirs: MemoryCell, news: News) -> MemoryCell | None:
    def registers(a: dict[Name, Register], b: dict[Name, Register]) -> dict[Name, Register]:
        # In their order: a set has another one in every process, and the snapshots of one base would differ by it.
        merged = {name: _merge_registers(a.get(name, {}), b.get(name, {}), news) for name in a | b}
        return {name: heads for name, heads in merged.items() if heads}

    adds = mine.adds | {dot: add for dot, add in theirs.adds.items() if not news.held(dot)}
    if not adds:
        return None
    edits, edited_hlc = _merge_edits(rid, mine, theirs, news)
    accesses = dict(mine.accesses)
    for origin, (count, last) in theirs.accesses.items():
        if origin in news.origins:
            total = accesses.get(origin, (0, 0))
            accesses[origin] = (max(total[0], count), max(total[1], last))
    claims = mine.claims | {dot: claim for dot, claim in theirs.claims.items() if not news.held(dot)}
    triggers = dict(mine.triggers)
    for trigger, told in theirs.triggers.items():
        held = _as_delivered(told, news)
        triggers[trigger] = held.joined(triggers.get(trigger, held))
    verdicts = registers(mine.verdicts, theirs.verdicts)
    cell = MemoryCell(
        adds=adds,
        fields=registers(mine.fields, theirs.fields),
        edits=edits,
        edited_hlc=edited_hlc,
        accesses=accesses,
        claims=claims,
        verdicts={claim: heads for claim, heads in verdicts.items() if claim in claims},
        triggers=triggers,
        labels=registers(mine.labels, theirs.labels),
    )
    cell.untagged = _taken_off(mine, theirs, {**cell.adds, **cell.fields.get(TAGS, {})}, news)
    return cell


def _merge_edits(
    rid: bytes, mine: MemoryCell, theirs: MemoryCell, news: News
) -> tuple[dict[bytes, EditedText], int]:
    """Return the documents, and when one was last edited; of a text that is held, signed edits only count.

    Where only ops above the base have added the memory here, as when two devices imported it before they met, its
    documents are believed: 0.1.0 left no signed edits in its bases, so what one of the two edited would be lost. But
    not under an id that was drawn for an add: nobody else added that memory who had not heard of it.
    """
    is_drawn = rid in news.added or any(is_drawn_for(rid, add.hlc) for add in mine.adds.values())
    if not mine.adds and not is_drawn:
        return theirs.edits, theirs.edited_hlc
    adds = theirs.adds | mine.adds if is_drawn else mine.adds
    held = {base_name(rid, add.text): add.text for add in adds.values()} if theirs.edits else {}
    signed = news.edits.get(rid, ())
    edits, latest = dict(mine.edits), mine.edited_hlc
    for base, told in theirs.edits.items():
        if base not in held:
            if not is_drawn:
                edits[base], latest = told, max(latest, theirs.edited_hlc)
            continue
        # Not every edit that somebody signed is part of the text: its author may not have seen what it starts from.
        joined = [edit for edit in signed if edit.base == base and told.holds(edit.update)]
        if joined:
            known = edits.get(base)
            text = edits[base] = (
                EditedText.from_base(rid, held[base]) if known is None else EditedText(known.state())
            )
            for edit in joined:
                text.apply(edit.update)
            latest = max(latest, *(edit.hlc for edit in joined))
    return edits, latest


def _taken_off(mine: MemoryCell, theirs: MemoryCell, living: Collection[Dot], news: News) -> Untagged:
    """Return what was taken off of adds and whole writes; of those held here, what an op did that is news."""
    found = {dot: {*labels} for dot, labels in mine.untagged.items()}
    for dot, labels in theirs.untagged.items():
        found.setdefault(dot, set()).update(
            label
            for label in labels
            if not news.held(dot) or not all(map(news.held, theirs.labels.get(label, ())))
        )
    return left_of({dot: tuple(sorted(labels)) for dot, labels in found.items() if labels}, living)


def _as_delivered(told: HeldTrigger, news: News) -> HeldTrigger:
    if told.delivered is None or told.delivered[1] in news.devices:
        return told
    return told._replace(delivered=None)


def _merge_registers(mine: Register, theirs: Register, news: News) -> Register:
    fresh = {dot: held for dot, held in theirs.items() if not news.held(dot)}
    return {
        **{dot: held for dot, held in mine.items() if dot in theirs or not fresh or not news.covers(dot)},
        **fresh,
    }
