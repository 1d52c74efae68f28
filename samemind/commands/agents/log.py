"""Show what remote agents read and wrote, oldest first."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Final

from samemind.declaring import Agents, Command, Effects, argument, option
from samemind.printable import one_line
from samemind.rendering import Document, clock

if TYPE_CHECKING:
    from samemind.config import Home


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowAgentLog:
    """Show what remote agents read and wrote, oldest first."""

    name: str | None = argument("only this agent", metavar="NAME", optional=True)
    limit: int = option("--limit", "this many of the last calls", default=50, metavar="N", short="-n")


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentCall:
    """One call of a remote agent: the tool, and the memories that it read or wrote."""

    at: datetime
    agent: str
    name: str
    tool: str
    wrote: bool
    rids: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentLog:
    """What remote agents did."""

    calls: list[AgentCall] = field(default_factory=list)


def run(home: "Home", options: ShowAgentLog) -> AgentLog:
    """Return the last calls."""
    from samemind.agents import grants as granting
    from samemind.agents.ledger import Ledger

    ledger = Ledger(home)
    calls = [AgentCall(**{**each, "at": datetime.fromisoformat(each["at"])}) for each in ledger.noted()]
    if options.name is not None:
        known = {each.agent for each in calls if each.name.casefold() == options.name.casefold()}
        wanted = known or {granting.named(ledger.read(), options.name).id}
        calls = [each for each in calls if each.agent in wanted]
    return AgentLog(calls=calls[-options.limit :] if options.limit > 0 else [])


def render(document: Document) -> list[str]:
    return [
        f"{clock(each['at'])}  {one_line(each['name']):<16} {'wrote' if each['wrote'] else 'read '}  "
        f"{each['tool']:<14} {' '.join(each['rids'])}".rstrip()
        for each in document["calls"]
    ] or ["no remote agent called yet"]


COMMAND: Final = Command(
    "agents log",
    ShowAgentLog,
    AgentLog,
    run=run,
    render=render,
    effects=Effects.READ,
    agents=Agents.NEVER,
    panel=True,
    library=None,
    alone=True,
    rows="calls",
    place=9,
)
