"""What the verbs about memories return."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

Meta = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class NomineeValue:
    """What two tellings both state: the kind (money, clock, date …), as told before and as told now."""

    kind: str
    before: str
    now: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NomineeView:
    """An older memory that a new one may repeat or contradict: whoever understands both can `settle` it.

    `relation` is a guess by their values alone: `differs`, `repeats` or `alike`. `why` says what they share.
    """

    rid: str
    text: str
    speaker: str | None
    told_at: datetime | None
    relation: str
    values: list[NomineeValue] = field(default_factory=list)
    why: str
    weight: float

    def __str__(self) -> str:
        return self.rid


@dataclass(frozen=True, slots=True, kw_only=True)
class ReminderView:
    """When a telling asked to be reminded; `repeats` is a rule as in RFC 5545 (`FREQ=WEEKLY;BYDAY=TU`)."""

    due: datetime
    repeats: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """A memory was stored; `says_same` names the tellings that say the same, and that it is shown with as one.

    `reminder` says when it is due, where it asked to be reminded. `nominees` are at most three older memories that it
    may repeat or contradict.

    `facts` are the memories of single facts beside it; `facts_dropped` counts those that were too uncertain, or too
    many. These, `says_same` and `contradictions` are told where it was `read` before this was returned; else they are
    empty, and it is read a moment later. What looks secret is `held`: it waits on this device, under the id it will
    have, until it is released.
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
    contradictions: list[str] = field(default_factory=list)
    facts_dropped: int = 0
    held: bool = False
    read: bool = False

    def __str__(self) -> str:
        return self.rid


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberedMany:
    """One rid for each line, in their order: each is a memory of its own.

    `held` are those among them that look secret and wait to be released.
    """

    count: int
    rids: list[str]
    held: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryView:
    """One memory as it stands. `session` is the chat it came from; `device` the one that wrote it.

    `same` names the other tellings that say the same, the newest first, as many as anybody reads; `tellings` says how
    often it was told. `summary_of` names the memories that a summary stands for, and is empty for any other memory;
    `summary` is the one under which a memory stands. `tier` is hot, warm or cold, where it was asked for at a time.
    """

    rid: str
    text: str
    type: str | None = None
    importance: float | None = None
    valence: float | None = None
    certainty: float | None = None
    half_life: float | None = None
    domain: str | None = None
    project: str | None = None
    topic: str | None = None
    speaker: str | None = None
    session: str | None = None
    turn: str | None = None
    position: int | None = None
    told_at: datetime | None = None
    event_start: datetime | None = None
    event_end: datetime | None = None
    source: str | None = None
    workspace: str | None = None
    parent: str | None = None
    tags: list[str] = field(default_factory=list)
    meta: Meta = field(default_factory=dict)
    pinned: bool = False
    archived: bool = False
    goal: str | None = None
    block: str | None = None
    apart: bool = False
    created_at: datetime
    updated_at: datetime
    device: str
    device_name: str | None = None
    origin: str
    accesses: int = 0
    last_access: datetime | None = None
    tier: str | None = None
    summary: str | None = None
    summary_of: list[str] = field(default_factory=list)
    same: list[str] = field(default_factory=list)
    tellings: int = 1
    held: str | None = None
    """A change that was asked for looks secret: it waits on this device, under this id, and was not made."""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedValue:
    """A value that a memory (`rid`) claims, since when it held, and until when if it does no longer."""

    value: str
    rid: str
    since: datetime | None
    until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HitClaim:
    """What a memory says of the very thing that was asked for: the `value` of a relation of somebody.

    `standing` is `believed` (it holds now), `disputed` (others say otherwise: `against`), or `replaced` (`now` is what
    holds instead). `earlier` is what held before, the latest first.
    """

    entity: str
    relation: str
    value: str
    standing: str
    since: datetime | None
    until: datetime | None = None
    earlier: list[ClaimedValue] = field(default_factory=list)
    against: list[ClaimedValue] = field(default_factory=list)
    now: list[ClaimedValue] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One answer to a question. `why` is there when an explanation was asked for.

    `summary_of` names the memories that a summary stands for; `summary` is the one under which a cold memory stands.
    `same` names the other tellings that say the same, the newest first; `tellings` says how often it was told.
    `confidence` is how likely it is to be about what was asked, 0 to 1; the score only orders. `claim` is there where
    the question asks for something that there is one of at a time, and this memory says what it is, or was.
    """

    rid: str
    text: str
    score: float
    type: str | None
    speaker: str | None
    session: str | None
    turn: str | None
    created_at: datetime
    told_at: datetime | None
    device: str
    origin: str
    contradiction_id: str | None = None
    summary: str | None = None
    summary_of: list[str] = field(default_factory=list)
    same: list[str] = field(default_factory=list)
    tellings: int = 1
    confidence: float = 1.0
    claim: HitClaim | None = None
    why: Meta | None = None

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """The answers to a question, best first. Iterating gives the hits.

    `unembedded` memories wait to be embedded, or could not be: only their words could find them. `trace` is there when
    an explanation was asked for: what each stage did, for each question that the question holds.
    """

    query: str
    took_ms: float
    results: list[Hit]
    unembedded: int = 0
    trace: list[Meta] = field(default_factory=list)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __getitem__(self, index: int) -> Hit:
        return self.results[index]


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """Some memories, newest first, and how many there are in all. Iterating gives the memories."""

    memories: list[MemoryView]
    total: int

    def __iter__(self) -> Iterator[MemoryView]:
        return iter(self.memories)

    def __len__(self) -> int:
        return len(self.memories)

    def __getitem__(self, index: int) -> MemoryView:
        return self.memories[index]


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What was forgotten: the memories named, those that said the same, and (`facts`) the facts taken from them.

    `tellings` counts the memories without their facts.

    After an erasure: the devices that have confirmed that nothing is left there, and those that have not yet.
    """

    rids: list[str]
    confirmed_by: list[str]
    outstanding: list[str]
    facts: list[str] = field(default_factory=list)
    tellings: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One thing that happened to a memory.

    Which op, when, on which device, and the memory's text after it.
    """

    op_id: str
    at: datetime
    device: str
    device_name: str | None
    kind: str
    text: str | None
    change: Meta = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """Everything that happened to a memory, oldest first; what came before the `horizon`, if there is one, may lack."""

    rid: str
    versions: list[Version]
    horizon: datetime | None = None
