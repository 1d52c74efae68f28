"""Cut a remote agent off at once; it has to be let in again."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.declaring import Agents, Command, Effects, argument
from samemind.printable import one_line
from samemind.rendering import Document

if TYPE_CHECKING:
    from samemind.agents.grants import Agent, Grants
    from samemind.config import Home


@dataclass(frozen=True, slots=True, kw_only=True)
class RevokeAgent:
    """Cut a remote agent off at once; it has to be let in again."""

    name: str = argument("its name, or the beginning of it", metavar="NAME")


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentRevoked:
    """An agent was cut off."""

    id: str
    name: str


def run(home: "Home", options: RevokeAgent) -> AgentRevoked:
    """Cut an agent off: its next request is refused, and its open streams end within a second."""
    from samemind.agents import grants as granting
    from samemind.agents.ledger import Ledger

    def change(grants: "Grants") -> "tuple[Grants, Agent]":
        agent = granting.named(grants, options.name)
        return granting.revoke(grants, agent), agent

    agent = Ledger(home).change(change)
    return AgentRevoked(id=agent.id, name=agent.name)


def render(document: Document) -> list[str]:
    return [f"{one_line(document['name'])} is cut off"]


COMMAND: Final = Command(
    "agents revoke",
    RevokeAgent,
    AgentRevoked,
    run=run,
    render=render,
    effects=Effects.DESTROY,
    agents=Agents.NEVER,
    panel=True,
    library=None,
    alone=True,
    place=8,
)
