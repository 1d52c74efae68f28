"""What the verbs about taking things in return: what waits, what failed, what is held back."""

from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueEntry:
    """One thing still to be done, or given up: `work` is `embed`, or what a model is to read in a talk."""

    id: str
    work: str
    what: str
    status: str
    attempts: int
    enqueued_at: datetime | None
    last_attempt_at: datetime | None = None
    next_attempt_at: datetime | None = None
    last_error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """How much waits, how much was given up after five attempts, and the entries, oldest first."""

    pending: int
    failed: int
    entries: list[QueueEntry]


@dataclass(frozen=True, slots=True, kw_only=True)
class Requeued:
    """How many entries get another five attempts."""

    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldView:
    """Something that was told and is kept back on this device. `shown` is its text with the secrets covered.

    `about` is the memory that it would change; it is null for what would be a new one.
    """

    id: str
    kinds: list[str]
    shown: str
    held_at: datetime | None
    about: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldList:
    """What is kept back, oldest first."""

    held: list[HeldView]


@dataclass(frozen=True, slots=True, kw_only=True)
class Released:
    """A memory, or a change of one, that was kept back and is written now; `rid` is the memory."""

    rid: str
    op_id: str
    facts: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """What was kept back under this id is gone."""

    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """How many stretches of a chat were put into the queue for the model, and which model that is."""

    queued: int
    model: str
