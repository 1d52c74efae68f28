"""Think: run the steps of one cycle in their order, each in calls of its own on the store's thread.

The order is part of the result: contradictions, consolidation, patterns, triggers. Consolidating before looking for
contradictions would merge them away. So a step that has work left is called again before the next one begins.

A cycle has a time to keep to, and a round of all steps takes as many cycles as it needs: each goes on with the round
where the last one stopped, so that one long cycle and many short ones make the same calls in the same order.

Each call is bounded by the step itself, and calls that find little to do share one visit to the writer; between two
visits other writers have their turn, and the cycle can be cancelled: what was committed stays, and the rest is found
again by the next cycle. Steps write ops through `core.commit` and nothing else that another device would have to agree
with.
"""

import sqlite3
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Final, Protocol

from replica import Core, Replica
from replica.values import dataclass

# What a cycle may take. Whoever waits for one may have to let one that is under way end before: together, with opening
# a store of a million memories, that is less than the ten seconds that nobody waits gladly for.
CYCLE_S: Final = 3.0
# A step that still has more after so many calls leaves it to the next round: one that never ends is a bug, and must
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

    `more`: something is left, which the next cycle goes on with. `left` counts the memories that wait, by what for.
    """

    ids: Mapping[str, tuple[str, ...]]
    more: bool
    began_ms: int
    took_ms: float
    left: Mapping[str, int] = field(default_factory=dict)


class Deadline:
    """Until when a cycle may go on, by a clock that counts in seconds."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.perf_counter) -> None:
        self._began_s = clock()
        self._seconds = seconds
        self._clock = clock

    @property
    def took_ms(self) -> float:
        """How long it is since this was made."""
        return round((self._clock() - self._began_s) * 1_000, 3)

    @property
    def left_s(self) -> float:
        """How much time is left; 0 when none is."""
        return max(0.0, self._began_s + self._seconds - self._clock())

    @property
    def is_past(self) -> bool:
        """Whether no time is left."""
        return self.left_s <= 0


class Round:
    """All steps once, each until it has nothing left; kept by a mind from one cycle to the next."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps = tuple(steps)
        self._left: deque[tuple[Step, int]] = deque()
        self._gave_up = False

    @property
    def is_under_way(self) -> bool:
        """Whether it was begun, and a step has not had its turn yet."""
        return bool(self._left)

    @property
    def has_more(self) -> bool:
        """Whether a step has work left, or may have."""
        return self._gave_up or self.is_under_way

    def begin(self) -> None:
        """Give every step its turn anew."""
        self._left = deque((step, CALLS_MAX) for step in self.steps)
        self._gave_up = False

    def visit(
        self,
        core: Core,
        connection: sqlite3.Connection,
        ids: Mapping[str, dict[str, None]],
        now_ms: Callable[[], int],
    ) -> None:
        """Call what is left, for a while, and add to `ids` what came of it.

        A step that fails ends the round: the next one begins with the steps before it.
        """
        visit = Deadline(VISIT_S)
        while self._left:
            step, calls = self._left[0]
            try:
                outcome = step.run(core, connection, now_ms())
            except Exception:
                self._left.clear()
                raise
            ids[step.name].update(dict.fromkeys(outcome.ids))
            if outcome.more and calls > 1:
                self._left[0] = (step, calls - 1)
            else:
                self._left.popleft()
                self._gave_up |= outcome.more
            if visit.is_past:
                break


async def think(replica: Replica, round_: Round, deadline: Deadline) -> Cycle:
    """Run one cycle: what is left of the round, and one that begins now, until the time is up.

    At least one visit is made, however little time there is. Cancelled, it ends between two visits to the store.
    """
    began_ms = replica.now_ms()
    ids: dict[str, dict[str, None]] = {step.name: {} for step in round_.steps}
    resumed = round_.is_under_way
    if not resumed:
        round_.begin()
    while True:
        await replica.run(lambda core, connection: round_.visit(core, connection, ids, replica.now_ms))
        if deadline.is_past:
            break
        if not round_.is_under_way:
            if not resumed:
                break
            round_.begin()  # who asked for this cycle asked about what was told since that round began, too
            resumed = False
    shown = {name: tuple(found) for name, found in ids.items()}
    return Cycle(shown, round_.has_more, began_ms, deadline.took_ms)
