"""What was wrong here once: `simulations.bugs` plants it again, and each kept seed must fail under its own.

Each returns what to swap in the product for the length of a run, as in `simulations.mistakes.in_folding`.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import replica.codec
import replica.rows
import replica.snapshot
import replica.state.fold
from replica.chains import Chains
from replica.ids import OpId
from replica.ops import Edit
from replica.state.memories import MemoryCell
from replica.state.register import Vector, saw
from replica.state.text import EditedText, base_name
from simulations.patching import Swap

if TYPE_CHECKING:
    from simulations.world import World


def any_update(world: "World") -> Sequence[Swap]:
    return [(replica.rows, "check_update", lambda update: None)]


def any_count(world: "World") -> Sequence[Swap]:
    beyond = 1 << 64
    return [(replica.codec, "ACCESSES_MAX", beyond), (replica.codec, "MS_MAX", beyond)]


def unsigned_end(world: "World") -> Sequence[Swap]:
    """The signature that a snapshot brings for an op that is held already is dropped."""
    right = replica.snapshot._Absorption._take_vectors

    def take_vectors(self: Any) -> None:
        signatures = [feed.base_signature for feed in self.core.feeds]
        right(self)
        for feed, signature in zip(self.core.feeds, signatures, strict=True):
            feed.base_signature = signature

    return [(replica.snapshot._Absorption, "_take_vectors", take_vectors)]


def short_stem(world: "World") -> Sequence[Swap]:
    """Where a branch leaves a compacted stem, only the spine says which op that was."""
    right = Chains.id_at

    def id_at(self: Chains, no: int, seq: int) -> OpId:
        feed = self[no]
        while seq <= feed.fork:
            assert feed.parent is not None
            feed = self[feed.parent]
        return right(self, feed.no, seq)

    return [(Chains, "id_at", id_at)]


def any_text(world: "World") -> Sequence[Swap]:
    """An edit goes into the document of whatever text its writer had seen, also of one that it does not name."""

    def edit(cell: MemoryCell, rid: bytes, told: Edit, vector: Vector) -> bool:
        for dot, add in cell.adds.items():
            if saw(vector, dot):
                base = base_name(rid, add.text)
                cell.edits.setdefault(base, EditedText.from_base(rid, add.text)).apply(told.update)
                return True
        return False

    return [(replica.state.fold, "_edit", edit)]
