"""Think: run the steps of one cycle in their order, each in calls of its own on the store's thread.

The order is part of the result: contradictions, consolidation, patterns, triggers. Consolidating before looking for
contradictions would merge them away. So a step that has work left is called again before the next one begins.

Each call is bounded by the step itself, and calls that find little to do share one visit to the writer; between two
visits other writers have their turn, and the cycle can be cancelled: what was committed stays, and the rest is found
again by the next cycle. Steps write ops through `core.commit` and nothing else that another device would have to agree
with.
"""

import sqlite3
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol

from replica import Core, Replica
from replica.values import dataclass

# A step that still has more after so many calls leaves it to the next cycle: one that never ends is a bug, and must
# not keep the others from their turn for ever.
CALLS_MAX: Final = 1_000
# After so long a visit begins no other call: to come back takes a third of a millisecond, and others wait meanwhile.
VISIT_S: Final = 0.004


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
    """Run one cycle; cancelled, it ends between two visits to the store."""
    began_ms, began = replica.now_ms(), time.perf_counter()
    ids: dict[str, dict[str, None]] = {step.name: {} for step in steps}
    left = deque((step, CALLS_MAX) for step in steps)
    more = False
    while left:
        more |= await replica.run(
            lambda core, connection: _visit(core, connection, left, ids, replica.now_ms)
        )
    shown = {name: tuple(found) for name, found in ids.items()}
    return Cycle(shown, more, began_ms, round((time.perf_counter() - began) * 1_000, 3))


def _visit(
    core: Core,
    connection: sqlite3.Connection,
    left: deque[tuple[Step, int]],
    ids: Mapping[str, dict[str, None]],
    now_ms: Callable[[], int],
) -> bool:
    """Call what is left, for a while; say whether a step was left with work to do."""
    ends = time.perf_counter() + VISIT_S
    gave_up = False
    while left:
        step, calls = left.popleft()
        outcome = step.run(core, connection, now_ms())
        ids[step.name].update(dict.fromkeys(outcome.ids))
        if outcome.more and calls > 1:
            left.appendleft((step, calls - 1))
        gave_up |= outcome.more and calls == 1
        if time.perf_counter() >= ends:
            break
    return gave_up
