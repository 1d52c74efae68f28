"""Say what became of a trigger: join what every device wrote, and let it expire when it is read.

The status is the highest that anybody gave it: pending, delivered, dismissed, acted. It only rises, so a trigger
that was dismissed on the phone is dismissed on the laptop, whatever the laptop says meanwhile. That it has expired
is nobody's op: it follows from when it was first raised, and holds only for what was neither dismissed nor acted
on.

A trigger may hang on several memories, where devices that were apart chose different ones; its rows are joined as
cells are.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

from replica import HeldTrigger, MemoryId, ShownTrigger
from replica.hlc import Hlc, runs_ahead


class TriggerStatus(IntEnum):
    """How far a trigger came. The first four are what ops carry."""

    PENDING = 0
    DELIVERED = 1
    DISMISSED = 2
    ACTED = 3
    EXPIRED = 4


@dataclass(frozen=True, slots=True)
class TriggerState:
    """One trigger as all devices together left it. `rid` is the memory to write on, `about` the others."""

    id: bytes
    rid: MemoryId
    about: tuple[MemoryId, ...]
    held: HeldTrigger

    @property
    def kind(self) -> str:
        """Its kind, as the op that raised it carries it."""
        return self.held.raised[1]

    @property
    def raised_ms(self) -> int:
        """When it was first raised, by that device's clock."""
        return self.held.raised[0] >> 16

    def is_ahead(self, now_ms: int) -> bool:
        """Say whether that device's clock was so far ahead that it says nothing of when that was."""
        return runs_ahead(Hlc(self.held.raised[0]), now_ms)

    def status(self, now_ms: int, lifetime_ms: int) -> TriggerStatus:
        """Return how it stands at a time."""
        status = TriggerStatus(self.held.status)
        if (
            status in (TriggerStatus.PENDING, TriggerStatus.DELIVERED)
            and now_ms > self.raised_ms + lifetime_ms
        ):
            return TriggerStatus.EXPIRED
        return status

    @property
    def memories(self) -> tuple[MemoryId, ...]:
        """Every memory that it is about."""
        return (self.rid, *self.about)


def joined(rows: Iterable[ShownTrigger]) -> list[TriggerState]:
    """Return each trigger once, in the order of their ids."""
    held: dict[bytes, HeldTrigger] = {}
    on: dict[bytes, set[MemoryId]] = {}
    about: dict[bytes, set[MemoryId]] = {}
    for row in rows:
        known = held.get(row.trigger)
        held[row.trigger] = row.held if known is None else row.held.joined(known)
        on.setdefault(row.trigger, set()).add(row.rid)
        about.setdefault(row.trigger, set()).update(row.held.raised[2])
    raised = []
    for trigger in sorted(held):
        rid = min(on[trigger])
        others = (on[trigger] | about[trigger]) - {rid}
        raised.append(TriggerState(trigger, rid, tuple(sorted(others)), held[trigger]))
    return raised


MOVES: dict[TriggerStatus, frozenset[TriggerStatus]] = {
    TriggerStatus.DELIVERED: frozenset({TriggerStatus.PENDING}),
    TriggerStatus.DISMISSED: frozenset({TriggerStatus.PENDING, TriggerStatus.DELIVERED}),
    TriggerStatus.ACTED: frozenset({TriggerStatus.PENDING, TriggerStatus.DELIVERED, TriggerStatus.DISMISSED}),
}
"""From where each status can be reached; anything else is refused, or was so already."""
