"""Wrong ways to take in and to show what was told before: what `simulations.bugs` plants.

Each returns what to swap in the product for the length of a run: (owner, name of the attribute, wrong version).
"""

import sqlite3
from collections.abc import Sequence
from typing import Any

import cognition.ingest.linking
import cognition.recall.stages
import simulations.checkers.tellings
from cognition.filters import Filters
from cognition.ingest.linking import Again
from cognition.recall.stages import RankedMemory
from replica.ids import MemoryId
from replica.ops import Forget, Write
from simulations.patching import Swap
from simulations.world import World


def skip(world: World) -> Sequence[Swap]:
    """What says the same is not stored: storing it would add nothing."""

    def as_told(writes: Sequence[Write], again: Again, rid: MemoryId) -> list[Write]:
        return [] if again.rids else [*writes]

    return [(cognition.ingest.linking, "as_told", as_told)]


def overwrite(world: World) -> Sequence[Swap]:
    """A telling takes the place of the one that says the same."""

    def as_told(writes: Sequence[Write], again: Again, rid: MemoryId) -> list[Write]:
        return [*writes, *(Write(Forget((known,))) for known in again.rids[:1])]

    return [(cognition.ingest.linking, "as_told", as_told)]


def hide(world: World) -> Sequence[Swap]:
    """Of a group the newest telling is shown, whatever was asked."""

    def newest(
        connection: sqlite3.Connection, asked: str, hits: Sequence[RankedMemory], filters: Filters, k: int
    ) -> list[RankedMemory]:
        return list(hits)

    return [(cognition.recall.stages, "own_words_first", newest)]


def hide_in_lists(world: World) -> Sequence[Swap]:
    """A list leaves out whatever belongs to a group."""

    def alone(condition: str, values: Sequence[Any]) -> tuple[str, list[Any]]:
        return f"{condition} AND m.id NOT IN (SELECT id FROM telling)", [*values]

    return [(simulations.checkers.tellings, "shown_once", alone)]
