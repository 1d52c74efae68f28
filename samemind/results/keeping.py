"""What the verbs of a mind that keeps itself return."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class TriggerView:
    """Something that memory would bring up, and why.

    `status` is pending, delivered, dismissed, acted, expired, or snoozed: put off until `snoozed_until`. `changed` is
    false where what was asked had been so already: a trigger that another device has delivered is not to be shown
    again.
    """

    id: str
    kind: str
    urgency: float
    status: str
    reason: str
    rids: list[str]
    raised_at: datetime
    expires_at: datetime
    delivered_at: datetime | None = None
    delivered_by: str | None = None
    delivered_by_name: str | None = None
    snoozed_until: datetime | None = None
    changed: bool = False

    def __str__(self) -> str:
        return self.reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Triggers:
    """What memory would bring up, the most urgent first. Iterating gives the triggers."""

    triggers: list[TriggerView]

    def __iter__(self) -> Iterator[TriggerView]:
        return iter(self.triggers)

    def __len__(self) -> int:
        return len(self.triggers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Calendar:
    """A calendar as a text (RFC 5545) with `count` entries, or the `path` of the file that holds it."""

    count: int
    path: str | None = None
    text: str | None = None

    def __str__(self) -> str:
        return self.text or ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalView:
    """One goal: open or done, and the memories about it that came after it.

    `stagnant`: nothing was told of it for two weeks. `last_progress_at` is null where nothing ever was. One that looks
    secret is `held`: it waits on this device, under the id it will have, until it is released.
    """

    rid: str
    text: str
    status: str
    created_at: datetime
    progress: list[str]
    last_progress_at: datetime | None
    stagnant: bool
    held: bool = False

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Goals:
    """Goals, the oldest first. Iterating gives them."""

    goals: list[GoalView]

    def __iter__(self) -> Iterator[GoalView]:
        return iter(self.goals)

    def __len__(self) -> int:
        return len(self.goals)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileFact:
    """What memory knows of its owner by itself: a memory that is pinned, or one that they told of themselves."""

    rid: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """The profile of the owner: entries that were set, and facts that follow from what was told."""

    static: Mapping[str, str]
    dynamic: list[ProfileFact]


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockView:
    """One editable block. It is a memory too: `rid` is its id, by which its history can be read."""

    label: str
    rid: str
    text: str
    updated_at: datetime

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocks:
    """All blocks, by label. Iterating gives them."""

    blocks: list[BlockView]

    def __iter__(self) -> Iterator[BlockView]:
        return iter(self.blocks)

    def __len__(self) -> int:
        return len(self.blocks)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionView:
    """One conversation that memories came from, with a summary in its own words."""

    session: str
    memories: int
    speakers: list[str]
    started_at: datetime
    ended_at: datetime
    summary: str

    def __str__(self) -> str:
        return self.summary


@dataclass(frozen=True, slots=True, kw_only=True)
class Sessions:
    """Conversations, the latest first, and how many there are in all. Iterating gives them."""

    sessions: list[SessionView]
    total: int

    def __iter__(self) -> Iterator[SessionView]:
        return iter(self.sessions)

    def __len__(self) -> int:
        return len(self.sessions)


@dataclass(frozen=True, slots=True, kw_only=True)
class Taught:
    """What feedback came to: the weight of each sort of signal from now on, the same on every device."""

    rid: str
    relevant: bool
    weights: Mapping[str, float]
