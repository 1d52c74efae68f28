"""Wrong rules of what ops do to a state, and of what shows of it: what `simulations.bugs` plants.

Each returns what to swap in the product for the length of a run: (owner, name of the attribute, wrong version).
"""

from collections.abc import Sequence
from random import Random
from typing import Any

import replica.core
import replica.refold
import replica.state.digest
import replica.state.fold
import replica.state.memories
import replica.storage.shown
from cognition.consolidation.tables import SummaryTables
from cognition.contradictions.tables import ClaimTables
from replica.folding import Totals, WorkingSet
from replica.ids import OpRef
from replica.oplog import Changes, OriginOf, Store
from replica.ops import Claim, Op, Tag, Untag
from replica.refold import Refolded
from replica.state.cells import Key, State, feedback_key, memory_key
from replica.state.memories import HeldTrigger, MemoryCell
from replica.state.register import Dot, Register, Vector, saw, winner
from replica.state.text import EditedText
from replica.storage.shown import RowChange
from simulations.patching import Swap
from simulations.world import World


def pairwise(world: World) -> Sequence[Swap]:
    def write(register: Register, dot: Dot, hlc: int, value: Any, vector: Vector) -> Register:
        for head, (held, _) in register.items():
            if not saw(vector, head) and (held, head.id8) > (hlc, dot.id8):
                return register
        return {dot: (hlc, value)}

    return [(replica.state.fold, "write", write)]


def tie_feed(world: World) -> Sequence[Swap]:
    def by_feed(register: Register) -> tuple[Dot, int, Any]:
        dot = max(register, key=lambda head: (register[head][0], head.feed, head.seq))
        return dot, *register[dot]

    modules = (replica.state.memories, replica.state.digest, replica.storage.shown)
    return [(module, "winner", by_feed) for module in modules]


def any_add(world: World) -> Sequence[Swap]:
    def known(state: State, keys: Sequence[Key], vector: Vector) -> MemoryCell | None:
        for key in keys:
            cell = state.cells.get(key)
            if isinstance(cell, MemoryCell):
                state.touched[key] = None
                return cell
        return None

    return [(replica.state.fold, "_known", known)]


def claim_drop(world: World) -> Sequence[Swap]:
    """A claim drops those of its slot that hang on the same memory, as a register would."""
    right = replica.state.fold.fold

    def fold(state: State, op: Op, body: Any, *how: Any) -> None:
        cell = state.memory(op.rid) if isinstance(body, Claim) and op.rid is not None else None
        if cell is not None:
            for dot, claim in list(cell.claims.items()):
                if (claim.entity, claim.relation) == (body.entity, body.relation):
                    del cell.claims[dot]
                    cell.verdicts.pop(dot, None)
        right(state, op, body, *how)

    return [(replica.core, "fold", fold)]


def replaces_shown(world: World) -> Sequence[Swap]:
    world.memo.replaces_shown_only = True
    return []


def no_tombstone(world: World) -> Sequence[Swap]:
    def kill(self: State, rid: bytes) -> None:
        self.cells.pop(memory_key(rid), None)
        self.touched[memory_key(rid)] = None

    return [(State, "kill", kill)]


def edits_share_a_client(world: World) -> Sequence[Swap]:
    right = EditedText.edit

    def edit(self: EditedText, text: str, random: Random) -> bytes:
        return right(self, text, Random(7))

    return [(EditedText, "edit", edit)]


def status_falls(world: World) -> Sequence[Swap]:
    """The last word on a trigger counts, instead of the highest status."""
    return [(HeldTrigger, "joined", lambda self, other: self)]


def lesson_lost(world: World) -> Sequence[Swap]:
    """What was taught last on a device takes the place of what was taught there before."""

    def one_key(place: OpRef) -> Key:
        return feedback_key(OpRef(place.origin, 1, bytes(8)))

    return [(replica.state.fold, "feedback_key", one_key)]


def digest_drifts(world: World) -> Sequence[Swap]:
    """A batch that takes something away leaves the digest as it was."""
    right = WorkingSet.settle

    def settle(self: WorkingSet, totals: Totals, origin_of: OriginOf) -> Changes:
        before = totals.visible
        changes = right(self, totals, origin_of)
        if None in changes.cells.values():
            totals.visible = before
        return changes

    return [(WorkingSet, "settle", settle)]


def statuses_stay(world: World) -> Sequence[Swap]:
    """A log that is folded anew after an upgrade still says that it was not understood."""
    right = replica.refold.changes_to

    def changes_to(store: Store, refolded: Refolded, *how: Any) -> Changes:
        changes = right(store, refolded, *how)
        changes.statuses = []
        return changes

    return [(replica.refold, "changes_to", changes_to)]


def edges_stay(world: World) -> Sequence[Swap]:
    """An edge that was taken away still shows to queries."""

    def at_least_something(register: Register) -> tuple[Dot, int, Any]:
        dot, hlc, weight = winner(register)
        return dot, hlc, 0.5 if weight is None else weight

    return [(replica.storage.shown, "winner", at_least_something)]


def record_stays(world: World) -> Sequence[Swap]:
    """The question stays open when what was said on one side is forgotten."""
    right = ClaimTables.changed

    def changed(self: ClaimTables, connection: Any, changes: Sequence[RowChange], now_ms: int) -> None:
        right(self, connection, [each for each in changes if each.after is not None], now_ms)

    return [(ClaimTables, "changed", changed)]


def summary_stays(world: World) -> Sequence[Swap]:
    """A summary does not notice that members of it are forgotten."""
    right = SummaryTables.changed

    def changed(self: SummaryTables, connection: Any, changes: Sequence[RowChange], now_ms: int) -> None:
        right(self, connection, [each for each in changes if each.after is not None], now_ms)

    return [(SummaryTables, "changed", changed)]


def tag_dropped(world: World) -> Sequence[Swap]:
    """Labels are one register: whoever puts some on says which there are."""
    right = replica.state.fold._label

    def label(cell: MemoryCell, *how: Any) -> None:
        cell.labels = {}
        right(cell, *how)

    return [(replica.state.fold, "_label", label)]


def untag_all(world: World) -> Sequence[Swap]:
    """Taking a label off does not ask what its author had seen."""
    right = replica.state.fold._label

    def label(cell: MemoryCell, rid: bytes, body: Tag | Untag, dot: Dot, hlc: int, vector: Vector) -> None:
        held = [head for heads in cell.labels.values() for head in heads]
        right(cell, rid, body, dot, hlc, vector | {head.feed: head.seq for head in sorted(held)})

    return [(replica.state.fold, "_label", label)]
