"""Think: run the steps of one cycle in their order, each in calls of its own on the store's thread.

The order is part of the result: contradictions, consolidation, patterns, triggers. Consolidating before looking for
contradictions would merge them away. So a step that has work left is called again before the next one begins.

Each call is one function on the writer, bounded by the step itself; between two calls other writers have their turn,
and the cycle can be cancelled: what was committed stays, and the rest is found again by the next cycle. Steps write
ops through `core.commit` and nothing else that another device would have to agree with.
"""

import sqlite3
import time
from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from replica import Core, Replica
from replica.values import dataclass

# A step that still has more after so many calls leaves it to the next cycle: one that never ends is a bug, and must
# not keep the others from their turn for ever.
CALLS_MAX: Final = 1_000


@dataclass(frozen=True, slots=True)
class StepOutcome:
    """What one call of a step came to: the ids, as shown, of what it raised or changed.

    `more`: there is work left, which the next call takes up.
    """

    ids: tuple[str, ...] = ()
    more: bool = False


class Step(Protocol):
    """One part of thinking."""

    @property
    def name(self) -> str:
        """The key of its outcome in what `think` returns."""
        ...

    def run(self, core: Core, connection: sqlite3.Connection, now_ms: int) -> StepOutcome:
        """Do a bounded piece of work on the store's thread, in proportion to what is new."""
        ...


@dataclass(frozen=True, slots=True)
class Cycle:
    """What one cycle came to: ids by the name of the step, when it began, and how long it took.

    `more`: a step has work left.
    """

    ids: Mapping[str, tuple[str, ...]]
    more: bool
    began_ms: int
    took_ms: float


async def think(replica: Replica, steps: Sequence[Step]) -> Cycle:
    """Run one cycle; cancelled, it ends between two calls."""
    began_ms, began = replica.now_ms(), time.perf_counter()
    ids: dict[str, tuple[str, ...]] = {}
    more = False
    for step in steps:
        found: dict[str, None] = {}
        for _ in range(CALLS_MAX):
            outcome = await _call(replica, step)
            found.update(dict.fromkeys(outcome.ids))
            if not outcome.more:
                break
        else:
            more = True
        ids[step.name] = tuple(found)
    return Cycle(ids, more, began_ms, round((time.perf_counter() - began) * 1_000, 3))


async def _call(replica: Replica, step: Step) -> StepOutcome:
    return await replica.run(lambda core, connection: step.run(core, connection, replica.now_ms()))
