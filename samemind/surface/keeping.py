"""The verbs of a mind that keeps itself: triggers, goals, the profile, blocks, sessions, and feedback."""

from dataclasses import dataclass
from typing import Final

from samemind.declaring import Agents, ByHand, Command, Effects, Method, Takes, argument, option
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
from samemind.surface.memories import Moment


@dataclass(frozen=True, slots=True, kw_only=True)
class ListTriggers(Moment):
    """List what memory would bring up by itself, the most urgent first."""

    all: bool = option("--all", "those that were dismissed, acted on or have expired, too", default=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliverTrigger:
    """Say that a trigger is shown now: no device delivers it again."""

    id: str = argument("its id, or 6 and more characters of it", takes=Takes.ID)


@dataclass(frozen=True, slots=True, kw_only=True)
class ActOnTrigger:
    """Say that a trigger was acted on; that holds on every device."""

    id: str = argument("its id", takes=Takes.ID)


@dataclass(frozen=True, slots=True, kw_only=True)
class DismissTrigger:
    """Say that nobody wants to hear of a trigger; that holds on every device."""

    id: str = argument("its id", takes=Takes.ID)


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

    rid: str = argument("the id of its memory", takes=Takes.RID)


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

    rid: str = argument("the id of the memory", takes=Takes.RID)
    relevant: bool = option("--relevant", "it was what was wanted", default=False)
    irrelevant: bool = option("--irrelevant", "it was not", default=False)
    query: str | None = option("--query", "the question it was an answer to")


_TRIGGERS: Final = "samemind.verbs.triggers"
_GOALS: Final = "samemind.verbs.goals"
_PROFILE: Final = "samemind.verbs.profile"

TRIGGERS: Final = Command(
    "triggers list",
    ListTriggers,
    Triggers,
    _TRIGGERS,
    effects=Effects.READ,
    agents=Agents.FULL,
    panel=True,
    library=Method("triggers", "List what memory would bring up by itself, the most urgent first."),
    rows="triggers",
    place=1,
    short=True,
)
TRIGGERS_DELIVER: Final = Command(
    "triggers deliver",
    DeliverTrigger,
    TriggerView,
    _TRIGGERS,
    effects=Effects.CHANGE,
    agents=Agents.FULL,
    panel=True,
    library=Method(
        "deliver",
        (
            "Say that a trigger is shown now. Show it only if the result has `changed`: else some "
            "device did before."
        ),
    ),
    idempotent=True,
    place=2,
)
TRIGGERS_ACT: Final = Command(
    "triggers act",
    ActOnTrigger,
    TriggerView,
    _TRIGGERS,
    effects=Effects.CHANGE,
    agents=Agents.FULL,
    panel=True,
    library=Method("act", "Say that a trigger was acted on; that holds on every device."),
    idempotent=True,
    place=3,
)
TRIGGERS_DISMISS: Final = Command(
    "triggers dismiss",
    DismissTrigger,
    TriggerView,
    _TRIGGERS,
    effects=Effects.CHANGE,
    agents=Agents.FULL,
    panel=True,
    library=Method("dismiss", "Say that nobody wants to hear of a trigger; that holds on every device."),
    idempotent=True,
    place=4,
)
GOALS: Final = Command(
    "goals list",
    ListGoals,
    Goals,
    _GOALS,
    effects=Effects.READ,
    agents=Agents.FULL,
    panel=True,
    library=Method("goals", "List goals, and how they go; with `all`, those that are done too."),
    rows="goals",
    place=5,
    short=True,
)
GOALS_ADD: Final = Command(
    "goals add",
    AddGoal,
    GoalView,
    _GOALS,
    effects=Effects.ADD,
    agents=Agents.FULL,
    panel=True,
    library=Method("add_goal", "State a goal."),
    place=6,
)
GOALS_DONE: Final = Command(
    "goals done",
    FinishGoal,
    GoalView,
    _GOALS,
    effects=Effects.CHANGE,
    agents=Agents.FULL,
    panel=True,
    library=Method("finish_goal", "Say that a goal is reached."),
    idempotent=True,
    place=7,
)
PROFILE: Final = Command(
    "profile show",
    ShowProfile,
    Profile,
    _PROFILE,
    effects=Effects.READ,
    agents=Agents.FULL,
    panel=True,
    library=Method("profile", "Show the profile of the owner."),
    place=8,
    short=True,
)
PROFILE_SET: Final = Command(
    "profile set",
    SetProfile,
    Profile,
    _PROFILE,
    effects=Effects.DESTROY,
    agents=Agents.FULL,
    panel=True,
    library=ByHand("set_profile"),
    idempotent=True,
    place=9,
)
BLOCKS: Final = Command(
    "blocks list",
    ListBlocks,
    Blocks,
    _PROFILE,
    effects=Effects.READ,
    agents=Agents.FULL,
    panel=True,
    library=Method("blocks", "List the editable blocks, which every prompt gets."),
    rows="blocks",
    place=10,
    short=True,
)
BLOCKS_GET: Final = Command(
    "blocks get",
    GetBlock,
    BlockView,
    _PROFILE,
    effects=Effects.READ,
    agents=Agents.FULL,
    panel=True,
    library=Method("block", "Show one block."),
    place=11,
)
BLOCKS_EDIT: Final = Command(
    "blocks edit",
    EditBlock,
    BlockView,
    _PROFILE,
    effects=Effects.DESTROY,
    agents=Agents.FULL,
    panel=True,
    library=Method(
        "edit_block", "Write a block, or make it; what others change in it at the same time is kept too."
    ),
    idempotent=True,
    place=12,
)
SESSIONS: Final = Command(
    "sessions",
    ListSessions,
    Sessions,
    "samemind.verbs.sessions",
    effects=Effects.READ,
    agents=Agents.FULL,
    panel=True,
    library=Method(
        "sessions", "List the conversations that memories came from, the latest first, each with a summary."
    ),
    rows="sessions",
    place=13,
)
FEEDBACK: Final = Command(
    "feedback",
    GiveFeedback,
    Taught,
    "samemind.verbs.feedback",
    effects=Effects.ADD,
    agents=Agents.FULL,
    panel=True,
    library=ByHand("feedback"),
    place=14,
)
