"""List remote agents, what each may do, and who waits for approval."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Final

from samemind.commands.agents._parts import AgentView, agent_rights
from samemind.declaring import Agents, Command, Effects
from samemind.printable import one_line
from samemind.rendering import Document, clock

if TYPE_CHECKING:
    from samemind.config import Home


@dataclass(frozen=True, slots=True, kw_only=True)
class ListAgents:
    """List remote agents, what each may do, and who waits for approval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingAgent:
    """A program that waits to be let in: the code its page shows, and where its answer goes."""

    code: str
    name: str
    redirect_uri: str
    asked_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentsListed:
    """Remote agents, and who waits."""

    agents: list[AgentView] = field(default_factory=list)
    waiting: list[WaitingAgent] = field(default_factory=list)


def run(home: "Home", options: ListAgents) -> AgentsListed:
    """List who was let in, oldest first, and who waits."""
    from collections import Counter

    from samemind.agents import grants as granting
    from samemind.agents.ledger import Ledger
    from samemind.commands.agents._work import agent_view, now_ms
    from samemind.times import at_ms

    ledger = Ledger(home)
    grants = ledger.read()
    calls: Counter[str] = Counter()
    last: dict[str, datetime] = {}
    for each in ledger.noted():
        calls[each["agent"]] += 1
        last[each["agent"]] = datetime.fromisoformat(each["at"])
    return AgentsListed(
        agents=[
            agent_view(agent, last_seen=last.get(agent.id), calls=calls[agent.id])
            for agent in sorted(grants.agents.values(), key=lambda each: each.added_ms)
        ],
        waiting=[
            WaitingAgent(
                code=granting.shown_code(each.code),
                name=each.name,
                redirect_uri=each.redirect_uri,
                asked_at=at_ms(each.asked_ms),
            )
            for each in granting.waiting(grants, now_ms()).values()
        ],
    )


def render(document: Document) -> list[str]:
    lines = [
        f"{one_line(each['name']):<20} {agent_rights(each)}"
        + (f", last seen {clock(each['last_seen'])}" if each["last_seen"] else ", not seen yet")
        for each in document["agents"]
    ]
    for each in document["waiting"]:
        lines.append(f"{one_line(each['name'])} waits for approval: samemind agents approve {each['code']}")
        lines.append(f"    its answer goes to {one_line(each['redirect_uri'])}")
    return lines or ["no remote agents: samemind agents add NAME"]


COMMAND: Final = Command(
    "agents list",
    ListAgents,
    AgentsListed,
    run=run,
    render=render,
    effects=Effects.READ,
    agents=Agents.NEVER,
    panel=True,
    library=None,
    alone=True,
    rows="agents",
    place=4,
    short=True,
)
