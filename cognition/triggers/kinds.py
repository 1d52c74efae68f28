"""Say which kinds of trigger there are, by what name every device knows one, and how urgent each is. Pure.

A trigger's id follows from its kind, its subject and a window. The window is taken from the subject's own ops (when
it was last recalled, when it is due, what was told of it last) and never from a clock, so two devices that raise
the same thing while apart have raised one trigger.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Final

from cognition.days import DAY_MS
from replica import MemoryId
from replica.values import dataclass

HOUR_MS: Final = 3_600_000
# The first 16 bytes of a hash: as long as a memory's id, and read the same way at the doors.
TRIGGER_ID_BYTES: Final = 16
LIFETIME_HOURS: Final = 48.0


@dataclass(frozen=True, slots=True)
class TriggerKind:
    """One kind of trigger.

    `cool_down_ms`: the same subject is not brought up again for so long, whatever happens to it. `pending_max`: no more
    than so many of them wait to be shown at a time: an inbox that fills by itself is one that nobody opens.
    """

    name: str
    cool_down_ms: int
    pending_max: int
    a_day_max: int | None = None
    """So many are raised within 24 hours, of whatever subjects; None where that is not counted."""


REVIEW: Final = TriggerKind("decay_review", 14 * DAY_MS, 5)
CONSOLIDATION: Final = TriggerKind("consolidation_ready", 7 * DAY_MS, 3)
ESCALATION: Final = TriggerKind("conflict_escalation", DAY_MS, 3, a_day_max=1)
PATTERN: Final = TriggerKind("pattern", 0, 5)
PROGRESS: Final = TriggerKind("goal_progress", DAY_MS, 5)
STAGNATION: Final = TriggerKind("goal_stagnation", 14 * DAY_MS, 5)
# What somebody asked to be reminded of is never held back.
REMINDER: Final = TriggerKind("reminder", 0, 1_000)
KINDS: Final[Mapping[str, TriggerKind]] = {
    kind.name: kind for kind in (REVIEW, CONSOLIDATION, ESCALATION, PATTERN, PROGRESS, STAGNATION, REMINDER)
}


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What it takes, on this device, for something to be brought up, and how long that lasts."""

    review_strength: float = 0.1
    consolidation_count: int = 20
    escalation_severity: str = "high"
    trigger_hours: float = LIFETIME_HOURS

    @property
    def lifetime_ms(self) -> int:
        """How long a trigger lives after it was first raised."""
        return round(self.trigger_hours * HOUR_MS)


@dataclass(frozen=True, slots=True)
class TriggerCandidate:
    """Something that may be brought up: on which memory it hangs, which others it is about, and how urgent it is.

    `subject` names it for every device; without one it is the memory itself.
    """

    kind: TriggerKind
    rid: MemoryId
    window: int
    urgency: float
    about: tuple[MemoryId, ...] = ()
    subject: bytes = b""
    detail: str = ""
    """What sort of pattern it is; empty for other kinds."""
    follows_up: bool = False
    """It was put off, and is due again."""

    @property
    def id(self) -> bytes:
        """The trigger's id."""
        return trigger_id(self.written_kind, self.subject or self.rid, self.window)

    @property
    def written_kind(self) -> str:
        """The kind as ops carry it."""
        return f"{self.kind.name}:{self.detail}" if self.detail else self.kind.name


def trigger_id(kind: str, subject: bytes, window: int) -> bytes:
    """Return the id that every device gives to this trigger."""
    name = kind.encode()
    parts = len(name).to_bytes(2) + name + len(subject).to_bytes(2) + subject + str(window).encode()
    return hashlib.sha256(b"samemind trigger\0" + parts).digest()[:TRIGGER_ID_BYTES]


def kind_of(written: str) -> TriggerKind:
    """Return the kind that an op names; one that this version does not know lives by the plainest rules."""
    name = written.partition(":")[0]
    return KINDS.get(name, TriggerKind(name, 0, PATTERN.pending_max))


def review_urgency(importance: float, decay_ratio: float) -> float:
    """Return how urgent a review is: the more it matters, and the more of it has faded (YD-60)."""
    return importance * (1 - decay_ratio)


# What an open contradiction counts from the first day on, by severity, and the days in which half of the rest is added.
SEVERITIES: Final[Mapping[str, float]] = {"high": 0.7, "medium": 0.4, "low": 0.1}
ESCALATION_DAYS: Final = 3.0


def escalation_urgency(severity: str, age_ms: int) -> float:
    """Return how urgent an open contradiction is: it rises with age and never reaches 1 (YD-62)."""
    floor = SEVERITIES[severity]
    return floor + (1 - floor) * (1 - 2 ** (-max(0, age_ms) / DAY_MS / ESCALATION_DAYS))


# A reminder that is a day late is as late as it gets.
_REMINDER_FLOOR: Final = 0.8


def reminder_urgency(overdue_ms: int) -> float:
    """Return how urgent a reminder is: high from the minute it is due, and 1 a day later."""
    return _REMINDER_FLOOR + (1 - _REMINDER_FLOOR) * min(1.0, max(0, overdue_ms) / DAY_MS)


def consolidation_urgency(count: int, threshold: int) -> float:
    """Return how urgent it is to tidy a topic: half at the threshold, 1 at twice as many."""
    return min(1.0, count / (2 * threshold))


# Nothing told of a goal for so long is stagnation; twice as long cannot be more urgent.
STAGNATION_MS: Final = 14 * DAY_MS
PROGRESS_URGENCY: Final = 0.4


def stagnation_urgency(silent_ms: int) -> float:
    """Return how urgent it is to ask after a goal: half after two weeks of silence, 1 after four."""
    return min(1.0, silent_ms / (2 * STAGNATION_MS))


# A pattern is an insight, and never more urgent than something that is due.
_PATTERN_MAX: Final = 0.5
_PATTERN_SUPPORT: Final = 10


def pattern_urgency(support: int) -> float:
    """Return how urgent a pattern is, by how many memories show it."""
    return _PATTERN_MAX * min(1.0, support / _PATTERN_SUPPORT)


def most_urgent(candidates: Sequence[TriggerCandidate]) -> list[TriggerCandidate]:
    """Return candidates in the order in which they are raised, alike on every device."""
    return sorted(candidates, key=lambda one: (-one.urgency, one.id))
