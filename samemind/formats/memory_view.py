"""A memory, and a list of some, as interfaces show them."""

from collections.abc import Iterator, Mapping
from dataclasses import field
from datetime import datetime
from typing import Any

from replica.values import dataclass

Meta = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextVariant:
    """How a memory read to the device that edited it, which did not know of the other edits."""

    text: str
    device: str
    device_name: str | None
    at: datetime


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
    variants: list[TextVariant] = field(default_factory=list)
    """Where devices edited one place of it at once: what each wrote, the latest first. `text` is merged of them."""
    guessed: Meta = field(default_factory=dict)
    """Where that was asked for: what nobody said of it and its words suggest. `set` says what it is."""
    held: str | None = None
    """A change that was asked for looks secret: it waits on this device, under this id, and was not made."""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """Some memories, newest first, and how many there are in all. Iterating gives the memories."""

    memories: list[MemoryView]
    total: int
    begins: datetime | None = None
    """When the memory begins, where the moment that was asked about lies before that."""
    put_away: int = 0
    """Where nothing of a stretch of time was found: how many of it are there that hold no more, or were put away."""
    empty: bool = False
    """Nothing at all is remembered here yet."""

    def __iter__(self) -> Iterator[MemoryView]:
        return iter(self.memories)

    def __len__(self) -> int:
        return len(self.memories)

    def __getitem__(self, index: int) -> MemoryView:
        return self.memories[index]
