"""The verbs of a mind that keeps itself: triggers, goals, the profile, blocks, sessions, and feedback."""

from dataclasses import dataclass
from typing import Final

from samemind.declaring import Agents, ByHand, Command, CoreTool, Effects, Method, Takes, argument, option
from samemind.results.keeping import (
    Blocks,
    BlockView,
    Calendar,
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
class SnoozeTrigger:
    """Put a trigger off on every device: it comes up again at that time, unless it was acted on by then."""

    id: str = argument("its id", takes=Takes.ID)
    until: str = argument("a time, how long (30m, 2h, 1d), or words: 'tomorrow at 9'", takes=Takes.TIME)


@dataclass(frozen=True, slots=True, kw_only=True)
class MakeCalendar(Moment):
    """Write what you want to be reminded of as a calendar (iCalendar), for programs that show one."""

    output: str | None = option(
        "--output", "the file to write; without it, standard output", takes=Takes.NEW_PATH, short="-o"
    )


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
    place=1,
    effects=Effects.READ,
    agents=Agents.FULL,
    panel=True,
    library=Method("triggers", "List what memory would bring up by itself, the most urgent first."),
    rows="triggers",
    short=True,
)
TRIGGERS_DELIVER: Final = Command(
    "triggers deliver",
    DeliverTrigger,
    TriggerView,
    _TRIGGERS,
    place=2,
    effects=Effects.CHANGE,
    agents=CoreTool(
        place=10,
        name="triggers_deliver",
        title="Raise a trigger",
        description=(
            "Call it right before you tell the user of a trigger; tell them only if the result has `changed`."
        ),
    ),
    panel=True,
    library=Method(
        "deliver",
        (
            "Say that a trigger is shown now. Show it only if the result has `changed`: else some "
            "device did before."
        ),
    ),
    idempotent=True,
)
TRIGGERS_ACT: Final = Command(
    "triggers act",
    ActOnTrigger,
    TriggerView,
    _TRIGGERS,
    place=3,
    effects=Effects.CHANGE,
    agents=CoreTool(
        place=12,
        name="triggers_act",
        title="Settle a trigger",
        description="Say that what a trigger brought up is done or decided.",
    ),
    panel=True,
    library=Method("act", "Say that a trigger was acted on; that holds on every device."),
    idempotent=True,
)
TRIGGERS_DISMISS: Final = Command(
    "triggers dismiss",
    DismissTrigger,
    TriggerView,
    _TRIGGERS,
    place=4,
    effects=Effects.CHANGE,
    agents=CoreTool(
        place=13,
        name="triggers_dismiss",
        title="Dismiss a trigger",
        description="Say that the user does not want to hear of a trigger.",
    ),
    panel=True,
    library=Method("dismiss", "Say that nobody wants to hear of a trigger; that holds on every device."),
    idempotent=True,
)
TRIGGERS_SNOOZE: Final = Command(
    "triggers snooze",
    SnoozeTrigger,
    TriggerView,
    _TRIGGERS,
    place=5,
    effects=Effects.CHANGE,
    agents=CoreTool(
        place=11,
        name="triggers_snooze",
        title="Put a trigger off",
        description="Bring a trigger up again later, as the user asks.",
    ),
    panel=True,
    library=Method(
        "snooze",
        'Put a trigger off: it comes up again at that time, on every device. Words do, too: "2h".',
    ),
    idempotent=True,
)
CALENDAR: Final = Command(
    "calendar",
    MakeCalendar,
    Calendar,
    "samemind.verbs.calendar",
    place=6,
    effects=Effects.READ,
    agents=Agents.NEVER,
    panel="writes a file for other programs",
    library=Method(
        "calendar",
        "Return what you want to be reminded of as a calendar (iCalendar), or write it to a file.",
    ),
)
GOALS: Final = Command(
    "goals list",
    ListGoals,
    Goals,
    _GOALS,
    place=7,
    effects=Effects.READ,
    agents=Agents.FULL,
    panel=True,
    library=Method("goals", "List goals, and how they go; with `all`, those that are done too."),
    rows="goals",
    short=True,
)
GOALS_ADD: Final = Command(
    "goals add",
    AddGoal,
    GoalView,
    _GOALS,
    place=8,
    effects=Effects.ADD,
    agents=Agents.FULL,
    panel=True,
    library=Method("add_goal", "State a goal."),
)
GOALS_DONE: Final = Command(
    "goals done",
    FinishGoal,
    GoalView,
    _GOALS,
    place=9,
    effects=Effects.CHANGE,
    agents=Agents.FULL,
    panel=True,
    library=Method("finish_goal", "Say that a goal is reached."),
    idempotent=True,
)
PROFILE: Final = Command(
    "profile show",
    ShowProfile,
    Profile,
    _PROFILE,
    place=10,
    effects=Effects.READ,
    agents=Agents.FULL,
    panel=True,
    library=Method("profile", "Show the profile of the owner."),
    short=True,
)
PROFILE_SET: Final = Command(
    "profile set",
    SetProfile,
    Profile,
    _PROFILE,
    place=11,
    effects=Effects.DESTROY,
    agents=Agents.FULL,
    panel=True,
    library=ByHand("set_profile"),
    idempotent=True,
)
BLOCKS: Final = Command(
    "blocks list",
    ListBlocks,
    Blocks,
    _PROFILE,
    place=12,
    effects=Effects.READ,
    agents=Agents.FULL,
    panel=True,
    library=Method("blocks", "List the editable blocks, which every prompt gets."),
    rows="blocks",
    short=True,
)
BLOCKS_GET: Final = Command(
    "blocks get",
    GetBlock,
    BlockView,
    _PROFILE,
    place=13,
    effects=Effects.READ,
    agents=Agents.FULL,
    panel=True,
    library=Method("block", "Show one block."),
)
BLOCKS_EDIT: Final = Command(
    "blocks edit",
    EditBlock,
    BlockView,
    _PROFILE,
    place=14,
    effects=Effects.DESTROY,
    agents=Agents.FULL,
    panel=True,
    library=Method(
        "edit_block", "Write a block, or make it; what others change in it at the same time is kept too."
    ),
    idempotent=True,
)
SESSIONS: Final = Command(
    "sessions",
    ListSessions,
    Sessions,
    "samemind.verbs.sessions",
    place=15,
    effects=Effects.READ,
    agents=Agents.FULL,
    panel=True,
    library=Method(
        "sessions", "List the conversations that memories came from, the latest first, each with a summary."
    ),
    rows="sessions",
)
FEEDBACK: Final = Command(
    "feedback",
    GiveFeedback,
    Taught,
    "samemind.verbs.feedback",
    place=16,
    effects=Effects.ADD,
    agents=Agents.FULL,
    panel=True,
    library=ByHand("feedback"),
)
