"""List remote agents, what each may do, who waits for approval, and which agents asked on this device."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Final

from samemind.commands.agents._parts import AgentView, LocalAgentView, agent_rights, shown_name
from samemind.declaring import Agents, Command, Effects
from samemind.formats.printable import one_line
from samemind.formats.rendering import Document, clock

if TYPE_CHECKING:
    from samemind.config import Home

# A program may call itself something else each time; more than these are read by nobody.
LOCAL_MAX: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class ListAgents:
    """List remote agents, what each may do, who waits for approval, and which agents asked on this device."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingAgent:
    """A program that waits to be let in: the code its page shows, and where its answer goes."""

    code: str
    name: str
    redirect_uri: str
    asked_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentsListed:
    """Remote agents, who waits, and which agents asked on this device, the last first."""

    agents: list[AgentView] = field(default_factory=list)
    waiting: list[WaitingAgent] = field(default_factory=list)
    local: list[LocalAgentView] = field(default_factory=list)


def run(home: "Home", options: ListAgents) -> AgentsListed:
    """List who was let in, oldest first, who waits, and who asked on this device, the last first."""
    from samemind.agents import grants as granting
    from samemind.agents.calls import CallLog
    from samemind.agents.ledger import Ledger
    from samemind.commands.agents._work import agent_view, now_ms
    from samemind.formats.times import at_ms

    grants = Ledger(home).read()
    seen = CallLog(home.agents_log).seen()
    here = CallLog(home.local_agents_log).seen()
    return AgentsListed(
        agents=[
            agent_view(agent, seen.get((agent.id, agent.name)))
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
        local=[
            LocalAgentView(name=name, version=each.version, last_seen=each.last, calls=each.calls)
            for (_, name), each in sorted(here.items(), key=lambda each: each[1].last, reverse=True)[
                :LOCAL_MAX
            ]
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
    for each in document["local"]:
        version = "" if each["version"] is None else f" ({one_line(each['version'])})"
        lines.append(
            f"{shown_name(each['name']):<20} on this device{version}, last seen {clock(each['last_seen'])}"
        )
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
