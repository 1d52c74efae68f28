"""List goals, with the progress that memories tell of."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from replica.values import dataclass
from samemind.commands.keeping._parts import GoalView, goal_line
from samemind.declaring import Agents, Command, Effects, Method, option
from samemind.formats.options import MomentOptions
from samemind.formats.rendering import Document

if TYPE_CHECKING:
    import sqlite3

    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class ListGoals(MomentOptions):
    """List goals, with the progress that memories tell of."""

    all: bool = option("--all", "include those that are done", default=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Goals:
    """Goals, the oldest first. Iterating gives them."""

    goals: list[GoalView]

    def __iter__(self) -> Iterator[GoalView]:
        return iter(self.goals)

    def __len__(self) -> int:
        return len(self.goals)


async def run(device: "Device", options: ListGoals) -> Goals:
    """List goals with what was told of each."""
    from cognition.triggers.goals import read_goals
    from samemind.commands.keeping._goals import goal_view
    from samemind.moments import moment_of, read_at

    now_ms = moment_of(device, options.as_of)

    def read(connection: "sqlite3.Connection") -> Goals:
        return Goals(goals=[goal_view(goal, now_ms) for goal in read_goals(connection, done=options.all)])

    return await read_at(device, options.as_of, options.seen_by, read)


def render(document: Document) -> list[str]:
    return [goal_line(goal) for goal in document["goals"]] or ["no goals: samemind goals add TEXT"]


COMMAND: Final = Command(
    "goals list",
    ListGoals,
    Goals,
    run=run,
    render=render,
    place=7,
    effects=Effects.READ,
    agents=Agents.FULL,
    panel=True,
    library=Method("goals", "List goals with their progress; with `all`, include those that are done."),
    rows="goals",
    short=True,
)
