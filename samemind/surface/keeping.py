"""The verbs of a mind that keeps itself: triggers, goals, the profile, blocks, sessions, and feedback."""

from dataclasses import dataclass
from typing import Final

from samemind.results.keeping import (
    Blocks,
    BlockView,
    Goals,
    GoalView,
    Profile,
    Sessions,
    Taught,
    Triggers,
    TriggerView,
)
from samemind.surface.declare import Verb, argument, option
from samemind.surface.memories import Moment


@dataclass(frozen=True, slots=True, kw_only=True)
class ListTriggers(Moment):
    """List what memory would bring up by itself, the most urgent first."""

    all: bool = option("--all", "those that were dismissed, acted on or have expired, too", default=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliverTrigger:
    """Say that a trigger is shown now: no device delivers it again."""

    id: str = argument("its id, or 6 and more characters of it", metavar="ID")


@dataclass(frozen=True, slots=True, kw_only=True)
class ActOnTrigger:
    """Say that a trigger was acted on; that holds on every device."""

    id: str = argument("its id", metavar="ID")


@dataclass(frozen=True, slots=True, kw_only=True)
class DismissTrigger:
    """Say that nobody wants to hear of a trigger; that holds on every device."""

    id: str = argument("its id", metavar="ID")


@dataclass(frozen=True, slots=True, kw_only=True)
class ListGoals(Moment):
    """List goals, and how they go, from what was remembered since."""

    all: bool = option("--all", "those that are done, too", default=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class AddGoal:
    """State a goal; it is a memory like any other, and what is told of it is progress."""

    text: str = argument("what is wanted", metavar="TEXT")


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishGoal:
    """Say that a goal is reached."""

    rid: str = argument("the id of its memory", metavar="RID")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowProfile(Moment):
    """Show the profile of the owner: what was set, and what memory knows by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetProfile:
    """Set entries of the profile on every device; an empty value clears one."""

    values: tuple[str, ...] = argument("name=Ann, timezone=Europe/Lisbon, …", metavar="KEY=VALUE", many=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListBlocks(Moment):
    """List the editable blocks, which every prompt gets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GetBlock(Moment):
    """Show one block."""

    label: str = argument("its label", metavar="LABEL")


@dataclass(frozen=True, slots=True, kw_only=True)
class EditBlock:
    """Write a block; what others change in it at the same time is kept too."""

    label: str = argument("its label; a new one makes a block", metavar="LABEL")
    text: str = argument("what it says from now on; - reads it from standard input", metavar="TEXT")


@dataclass(frozen=True, slots=True, kw_only=True)
class ListSessions(Moment):
    """List the conversations that memories came from, the latest first, each with a summary."""

    limit: int = option("--limit", "how many at most", default=20, metavar="N", short="-n")
    session: str | None = option("--session", "only this one")


@dataclass(frozen=True, slots=True, kw_only=True)
class GiveFeedback:
    """Teach the ranking by one memory, on every device alike."""

    rid: str = argument("the id of the memory", metavar="RID")
    relevant: bool = option("--relevant", "it was what was wanted", default=False)
    irrelevant: bool = option("--irrelevant", "it was not", default=False)
    query: str | None = option("--query", "the question it was an answer to")


_TRIGGERS: Final = "samemind.verbs.triggers"
_GOALS: Final = "samemind.verbs.goals"
_PROFILE: Final = "samemind.verbs.profile"

TRIGGERS: Final = Verb("triggers list", ListTriggers, Triggers, _TRIGGERS, rows="triggers")
TRIGGERS_DELIVER: Final = Verb("triggers deliver", DeliverTrigger, TriggerView, _TRIGGERS)
TRIGGERS_ACT: Final = Verb("triggers act", ActOnTrigger, TriggerView, _TRIGGERS)
TRIGGERS_DISMISS: Final = Verb("triggers dismiss", DismissTrigger, TriggerView, _TRIGGERS)
GOALS: Final = Verb("goals list", ListGoals, Goals, _GOALS, rows="goals")
GOALS_ADD: Final = Verb("goals add", AddGoal, GoalView, _GOALS)
GOALS_DONE: Final = Verb("goals done", FinishGoal, GoalView, _GOALS)
PROFILE: Final = Verb("profile show", ShowProfile, Profile, _PROFILE)
PROFILE_SET: Final = Verb("profile set", SetProfile, Profile, _PROFILE)
BLOCKS: Final = Verb("blocks list", ListBlocks, Blocks, _PROFILE, rows="blocks")
BLOCKS_GET: Final = Verb("blocks get", GetBlock, BlockView, _PROFILE)
BLOCKS_EDIT: Final = Verb("blocks edit", EditBlock, BlockView, _PROFILE)
SESSIONS: Final = Verb("sessions", ListSessions, Sessions, "samemind.verbs.sessions", rows="sessions")
FEEDBACK: Final = Verb("feedback", GiveFeedback, Taught, "samemind.verbs.feedback")
