"""What several commands of this family take, return and show."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from samemind.formats.printable import one_line
from samemind.formats.rendering import HELD_BACK, Document, clock

# As other listings show unasked.
PROFILE_SHOWN: Final = 50


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
class ComingReminder:
    """A reminder that is yet to be due; `repeats` is a rule as in RFC 5545, with its zone."""

    rid: str
    text: str
    due: datetime
    repeats: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Triggers:
    """What memory would bring up, the most urgent first. Iterating gives the triggers.

    `coming` are the next few reminders, where they were listed.
    """

    triggers: list[TriggerView]
    coming: list[ComingReminder] = field(default_factory=list)

    def __iter__(self) -> Iterator[TriggerView]:
        return iter(self.triggers)

    def __len__(self) -> int:
        return len(self.triggers)


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
class ProfileFact:
    """What memory knows of its owner by itself: a memory that is pinned, or one that they told of themselves."""

    rid: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """The profile of the owner: entries that were set, and facts that follow from what was told.

    `more`: there are other entries, set before these, or other facts, beyond the `limit`.
    """

    static: Mapping[str, str]
    dynamic: list[ProfileFact]
    more: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockView:
    """One editable block. It is a memory too: `rid` is its id, by which its history can be read."""

    label: str
    rid: str
    text: str
    updated_at: datetime

    def __str__(self) -> str:
        return self.text


def trigger_line(trigger: Document) -> str:
    until = f", put off until {clock(trigger['snoozed_until'])}" if trigger["snoozed_until"] else ""
    return (
        f"{trigger['urgency']:.2f}  {trigger['id']}  {trigger['status']:<9}  {trigger['kind']:<19}  "
        f"{one_line(trigger['reason'])}{until}"
    )


def moved_lines(document: Document) -> list[str]:
    if document["changed"]:
        return [trigger_line(document)]
    by = f" by {one_line(document['delivered_by_name'])}" if document["delivered_by_name"] else ""
    return [f"it was {document['status']}{by} already", trigger_line(document)]


def goal_line(goal: Document) -> str:
    if goal["held"]:
        return f"{goal['rid']} {HELD_BACK}"
    if goal["status"] == "done":
        how = "done"
    elif goal["stagnant"]:
        how = "quiet"
    else:
        how = f"{len(goal['progress'])} told" if goal["progress"] else "open"
    return f"{goal['rid']}  {how:<8}  {one_line(goal['text'])}"


def profile_lines(document: Document) -> list[str]:
    lines = [f"{one_line(key)}: {one_line(value)}" for key, value in document["static"].items()]
    lines += [f"- {one_line(fact['text'])}" for fact in document["dynamic"]]
    if document["more"]:
        lines.append("there is more: samemind profile show --limit N")
    return lines or ["nothing is known of you: samemind profile set name=Julia"]
