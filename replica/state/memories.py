"""Everything that ops have said about one memory, and what of it shows.

A memory is an add-wins set of adds under one random rid (an importer's derived rid may be added on two devices), a
register for each field set since, documents for edited text, running access totals for each origin, claims taken
from it with the verdicts on them, and trigger statuses. It all hangs on the rid and goes with it under a tombstone.
"""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from replica.ids import MemoryId, OpRef
from replica.state.adds import Add, AddIndex
from replica.state.labels import (
    ENTRY,
    META,
    TAGS,
    Labels,
    Untagged,
    is_entry,
    shown_entries,
    shown_labels,
)
from replica.state.register import Dot, Register, winner
from replica.state.text import EditedText, base_name

_memory = tuple.__new__  # by name it takes three times as long, and every memory that changes is shown


class HeldClaim(NamedTuple):
    """One claim: its stamp, slot and value, the claims it says it replaces, and when it began to hold."""

    hlc: int
    entity: str
    relation: str
    value: str
    replaces: tuple[OpRef, ...]
    valid_from: int | None


class HeldTrigger(NamedTuple):
    """One trigger: the highest status it reached, its first raise (stamp, kind, other memories), its first delivery.

    A delivery is its stamp and the device that delivered. Every part is a maximum or a minimum, so they join in any
    order; the stamps are there to tell people and to let a trigger expire, and are no part of what shows.
    """

    status: int
    raised: tuple[int, str, tuple[MemoryId, ...]]
    delivered: tuple[int, bytes] | None

    def joined(self, other: "HeldTrigger") -> "HeldTrigger":
        """Return what both say together."""
        deliveries = [each for each in (self.delivered, other.delivered) if each is not None]
        return HeldTrigger(
            max(self.status, other.status),
            min(self.raised, other.raised),
            min(deliveries, default=None),
        )


@dataclass(slots=True)
class MemoryCell:
    """The folded state of one memory."""

    adds: dict[Dot, Add] = field(default_factory=dict)
    fields: dict[str, Register] = field(default_factory=dict)
    edits: dict[bytes, EditedText] = field(default_factory=dict)
    edited_hlc: int = 0
    accesses: dict[int, tuple[int, int]] = field(default_factory=dict)
    claims: dict[Dot, HeldClaim] = field(default_factory=dict)
    verdicts: dict[Dot, Register] = field(default_factory=dict)
    triggers: dict[bytes, HeldTrigger] = field(default_factory=dict)
    labels: Labels = field(default_factory=dict)
    untagged: Untagged = field(default_factory=dict)
    _index: AddIndex | None = field(default=None, init=False, repr=False, compare=False)

    @classmethod
    def added(cls, dot: Dot, add: Add) -> "MemoryCell":
        """Return the cell of a memory of which nothing is known but one add; nearly all begin so, and most stay so."""
        return cls({dot: add}, {}, {}, 0, {}, {}, {}, {}, {}, {})

    def is_only_added(self) -> bool:
        """Say whether nothing is known of the memory but one add, as of nearly all."""
        return len(self.adds) == 1 and not self.has_more()

    def has_more(self) -> bool:
        """Say whether anything but adds is known of the memory."""
        return bool(self.fields or self.edits or self.accesses or self.claims or self.triggers or self.labels)

    def tell(self, dot: Dot, add: Add) -> None:
        """Take in one more add."""
        self.adds[dot] = add
        if self._index is not None:
            self._index.tell(dot, add)

    def index(self, rid: bytes) -> AddIndex:
        """Return what the adds are looked up by; `rid` is this memory's."""
        if self._index is None:
            self._index = AddIndex(rid, self.adds, self.untagged)
        return self._index

    def told_labels(self) -> dict[Dot, tuple[int, list[str]]]:
        """Return the labels that came with each add, and with each whole write of them that no other has seen."""
        told = {dot: (add.hlc, add.fields.get(TAGS)) for dot, add in self.adds.items()}
        told |= self.fields.get(TAGS, {})
        return {dot: (hlc, labels) for dot, (hlc, labels) in told.items() if isinstance(labels, list)}


class BareMemory(NamedTuple):
    """A memory of which nothing is known but one add, as of nearly all that a base holds.

    By the hundred thousand these are handled as they are, and a cell is made only where there is more to say.
    """

    rid: bytes
    dot: Dot
    add: Add

    def cell(self) -> MemoryCell:
        """Return its cell."""
        return MemoryCell.added(self.dot, self.add)


class Memory(NamedTuple):
    """What shows of a memory: one row of the memory table.

    `created` and `updated` are HLC stamps; `feed` is the local number of the feed whose add shows; `accesses` is the
    sum over all origins and `last_access` the latest, in ms (0: never).
    """

    rid: bytes
    text: str
    fields: dict[str, Any]
    created: int
    updated: int
    feed: int
    accesses: int
    last_access: int


def show(rid: bytes, cell: MemoryCell) -> Memory:
    """Return what shows of a memory; a function of what was folded, in whatever order it came."""
    memory = show_registers(rid, cell)
    if not (cell.fields or cell.labels or len(cell.adds) > 1):
        return memory
    _put_together(cell, memory.fields)
    labelled = max((winner(heads)[1] for heads in cell.labels.values()), default=0)
    return memory if labelled <= memory.updated else memory._replace(updated=labelled)


def show_registers(rid: bytes, cell: MemoryCell) -> Memory:
    """Return what showed of a memory in version 0.1.0, to which labels and entries were one register each."""
    dot, add = _shown_add(rid, cell)
    text, updated = add.text, add.hlc
    if cell.edits:
        edited = cell.edits.get(base_name(rid, text))
        if edited is not None:
            text, updated = edited.show(), max(updated, cell.edited_hlc)
    fields = dict(add.fields)
    if cell.fields:
        for name, register in cell.fields.items():
            _, hlc, value = winner(register)
            updated = max(updated, hlc)
            if value is None:
                fields.pop(name, None)
            else:
                fields[name] = value
    accesses = last_access = 0
    if cell.accesses:
        for count, last in cell.accesses.values():
            accesses += count
            last_access = max(last_access, last)
    return _memory(Memory, (rid, text, fields, add.hlc, updated, dot.feed, accesses, last_access))


def _put_together(cell: MemoryCell, fields: dict[str, Any]) -> None:
    """Show the labels and entries of all that told some; one write alone says what shows already."""
    whole = cell.fields.get(TAGS, {})
    if cell.labels or len(whole or cell.adds) > 1:
        told = cell.told_labels()
        off = cell.untagged
        labels = shown_labels(
            cell.labels,
            [
                (hlc, [label for label in held if label not in off.get(dot, ())])
                for dot, (hlc, held) in told.items()
                if not whole or dot in whole
            ],
        )
        _put(fields, TAGS, labels)
    own = {
        name.removeprefix(ENTRY): cell.fields[name]
        for name in cell.fields
        if name.startswith(ENTRY) and is_entry(name, winner(cell.fields[name])[2])
    }
    heads = cell.fields.get(META, {})
    if own or len(heads or cell.adds) > 1:
        entries = heads or {dot: (add.hlc, add.fields.get(META)) for dot, add in cell.adds.items()}
        maps = [(hlc, dot.id8, held) for dot, (hlc, held) in entries.items() if isinstance(held, dict)]
        for key in own:
            fields.pop(f"{ENTRY}{key}", None)
        _put(fields, META, shown_entries(maps, own))


def _put(fields: dict[str, Any], name: str, value: Any) -> None:
    if value:
        fields[name] = value
    else:
        fields.pop(name, None)


def show_added(added: BareMemory) -> Memory:
    """Return what `show` returns of its cell."""
    rid, dot, (hlc, text, fields) = added
    return _memory(Memory, (rid, text, dict(fields), hlc, hlc, dot[0], 0, 0))


def document_of(rid: bytes, cell: MemoryCell) -> tuple[bytes, EditedText]:
    """Return the name of the document behind the text that shows, and the document."""
    _, add = _shown_add(rid, cell)
    base = base_name(rid, add.text)
    return base, cell.edits.get(base) or EditedText.from_base(rid, add.text)


def unedited(rid: bytes, cell: MemoryCell) -> EditedText:
    """Return the document behind the text that shows as it was before any edit."""
    return EditedText.from_base(rid, _shown_add(rid, cell)[1].text)


def _shown_add(rid: bytes, cell: MemoryCell) -> tuple[Dot, Add]:
    if len(cell.adds) == 1:
        ((dot, add),) = cell.adds.items()
        return dot, add
    # Two devices imported one item with different words. A text that someone edited since comes first, so that no edit
    # is ever hidden by an import; then the smaller text, which every device finds alike.
    return min(
        cell.adds.items(),
        key=lambda item: (
            base_name(rid, item[1].text) not in cell.edits,
            item[1].text,
            item[1].hlc,
            item[0].id8,
        ),
    )
