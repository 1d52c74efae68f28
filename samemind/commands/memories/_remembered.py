"""What is returned of a memory that was told."""

from dataclasses import dataclass, field
from datetime import datetime

from samemind.commands.contradictions._parts import NomineeView


@dataclass(frozen=True, slots=True, kw_only=True)
class ReminderView:
    """When a telling asked to be reminded.

    `repeats` is a rule as in RFC 5545 with its zone (`FREQ=WEEKLY;BYDAY=TU;TZID=Europe/Berlin`), by UTC without one.
    """

    due: datetime
    repeats: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """A memory was stored; `says_same` names the tellings that say the same, and that it is shown with as one.

    `reminder` says when it is due, where it asked to be reminded; `reminder_missing`, that it asked for that and names
    no time that is certain and still to come. `nominees` are at most three older memories that it
    may repeat or contradict.

    `facts` are the memories of single facts beside it; `facts_dropped` counts those that were too uncertain, or too
    many. These, `says_same` and `contradictions` are told where it was `read` before this was returned; else they are
    empty, and it is read a moment later. What looks secret is `held`: it waits on this device, under the id it will
    have, until it is released.
    `told_at`, `event_start` and `event_end` are which times were read where they were given in words ("tomorrow at 9").
    `op_id` is null where it was asked for before under the id that was given: it is stored once.
    `duplicate_of` is always null: a telling is never dropped for being known.
    """

    rid: str
    op_id: str | None
    facts: list[str] = field(default_factory=list)
    duplicate_of: None = None
    says_same: list[str] = field(default_factory=list)
    nominees: list[NomineeView] = field(default_factory=list)
    reminder: ReminderView | None = None
    reminder_missing: bool = False
    contradictions: list[str] = field(default_factory=list)
    facts_dropped: int = 0
    held: bool = False
    read: bool = False
    told_at: datetime | None = None
    event_start: datetime | None = None
    event_end: datetime | None = None

    def __str__(self) -> str:
        return self.rid
