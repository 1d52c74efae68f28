"""Load the cells that a batch of ops touches, and afterwards say what the batch did to them.

Between the two the ops are folded in memory. So a batch of five thousand ops costs one read of the cells, one
pass of the fold and one write, and the digests move by the difference. Memories of which nothing else is known than
that one op of the batch adds them, nearly all of a sync, need no cell and no fold.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from replica.frontier import Frontier
from replica.meaning import Meaning
from replica.oplog import Changes, MemoryChange, OriginOf, Store
from replica.ops import Remember
from replica.state import digest
from replica.state.cells import CellKind, Key, State
from replica.state.memories import BareMemory, Memory, MemoryCell, show

# A thread takes as long to begin as fifty take to be counted.
COUNTED_BESIDE_MIN: Final = 500

_MEMORY: Final = CellKind.MEMORY
_tuple = tuple.__new__  # by name it takes three times as long, and nearly every op that is taken makes one


@dataclass(slots=True)
class Totals:
    """The set hashes behind the two digests."""

    visible: int = digest.EMPTY
    cells: int = digest.EMPTY
    tombstones: int = digest.EMPTY
    unfolded: int = digest.EMPTY

    def count(self, visible: int, cells: int) -> None:
        """Add what memories and their cells come to."""
        self.visible = digest.reduced(self.visible + visible)
        self.cells = digest.reduced(self.cells + cells)


@dataclass(frozen=True, slots=True)
class Digests:
    """The two digests: what shows, and what was folded (`replica.state.digest`)."""

    visible: bytes
    state: bytes


@dataclass(frozen=True, slots=True)
class _Before:
    visible: int
    state: int
    memory: Memory | None


@dataclass(slots=True)
class WorkingSet:
    """The cells of one batch, as they were and as they are."""

    state: State
    _before: dict[Key, _Before] = field(default_factory=dict)
    _tombstones: set[bytes] = field(default_factory=set)
    bare: list[BareMemory] = field(default_factory=list)
    """What was not folded, since it adds memories that were `unknown`."""

    @classmethod
    def load(cls, store: Store, keys: Iterable[Key], origin_of: OriginOf) -> "WorkingSet":
        """Read these cells, and which of the memories among them are forgotten."""
        if not (wanted := set(keys)):
            return cls(State({}, set()))
        tombstones = store.tombstoned([name for part, name in wanted if part is _MEMORY])
        working = cls(State(store.load(wanted), set(tombstones)), {}, tombstones)
        for key, cell in working.state.cells.items():
            memory = show(key.name, cell) if isinstance(cell, MemoryCell) else None
            working._before[key] = _Before(*digest.elements(key, cell, memory, origin_of), memory)
        return working

    def unknown(self, said: Iterable[Meaning]) -> set[bytes]:
        """Return the memories of which nothing was known, and which one op of a batch adds and no other names.

        What these come to is known without a fold, and they are nearly all of a sync.
        """
        adding: list[bytes] = []
        others: set[bytes] = set()
        for body, keys in said:
            if type(body) is Remember:
                adding.append(keys[0][1])
            else:
                others.update(name for part, name in keys if part is _MEMORY)
        once = set(adding)
        if len(once) < len(adding):
            others.update(rid for rid, times in Counter(adding).items() if times > 1)
        once -= others
        once -= self._tombstones
        once.difference_update(name for part, name in self.state.cells if part is _MEMORY)
        return once

    def settle(self, totals: Totals, origin_of: OriginOf) -> Changes:
        """Move the totals by what changed, and return the changed cells, tombstones and memories for the store."""
        changes = Changes(tombstones=self.state.tombstones - self._tombstones, bare=self.bare)
        visible, cells, tombstones = totals.visible, totals.cells, totals.tombstones
        for rid in changes.tombstones:
            tombstones += digest.tombstone_element(rid)
        memories, changed = changes.memories, changes.cells
        for key in self.state.touched:
            cell = self.state.cells.get(key)
            before = self._before.get(key)
            if cell is None and before is None:
                continue
            memory = old = None
            if before is not None:
                visible -= before.visible
                cells -= before.state
                old = before.memory
            part, name = key
            if part is _MEMORY:
                lives = cell if isinstance(cell, MemoryCell) else None
                memory = None if lives is None else show(name, lives)
                memories.append(_tuple(MemoryChange, (name, old, memory, lives)))
            if cell is not None:
                shown, held = digest.elements(key, cell, memory, origin_of)
                visible += shown
                cells += held
            changed[key] = cell
        totals.visible = digest.reduced(visible)
        totals.cells = digest.reduced(cells)
        totals.tombstones = digest.reduced(tombstones)
        if len(self.bare) < COUNTED_BESIDE_MIN:
            count_added(totals, origin_of, self.bare)
        else:
            changes.count_added = partial(count_added, totals, origin_of)
        return changes


def count_added(totals: Totals, origin_of: OriginOf, added: Iterable[BareMemory]) -> None:
    """Add memories that have no cell to the set hashes."""
    totals.count(*digest.added_elements(added, origin_of))


def digests_of(totals: Totals, frontier: Frontier) -> Digests:
    """Return the digests that these set hashes and this frontier make."""
    parts = [n.to_bytes(32) for n in (totals.cells, totals.tombstones, totals.unfolded)]
    return Digests(totals.visible.to_bytes(32), digest.element([*parts, frontier.plain()]).to_bytes(32))
