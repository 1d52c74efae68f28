"""Admit a remote agent by a token, which is shown once."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.commands.agents._parts import AgentAdded, AgentRights, added_lines
from samemind.declaring import Agents, Command, Effects, argument
from samemind.errors import Usage

if TYPE_CHECKING:
    from samemind.agents.grants import Agent, Grants
    from samemind.config import Home


@dataclass(frozen=True, slots=True, kw_only=True)
class AddAgent(AgentRights):
    """Admit a remote agent by a token, which is shown once."""

    name: str = argument("what to call it", metavar="NAME")


def run(home: "Home", options: AddAgent) -> AgentAdded:
    """Make a token for an agent."""
    from samemind.agents import grants as granting
    from samemind.agents.ledger import Ledger, random_bytes
    from samemind.commands.agents._work import agent_view, now_ms, rights_of

    if not options.name.strip():
        raise Usage("expected a name for the agent, got none", code="invalid")
    home.create()
    rights = rights_of(options)

    def change(grants: "Grants") -> "tuple[Grants, tuple[Agent, str]]":
        grants, agent = granting.add(
            grants, options.name, rights, client=None, random=random_bytes, now_ms=now_ms()
        )
        grants, token = granting.issue(
            grants, "plain", agent.id, random=random_bytes, now_ms=now_ms(), lifetime_ms=None
        )
        return grants, (agent, token)

    agent, token = Ledger(home).change(change)
    return AgentAdded(agent=agent_view(agent), token=token)


COMMAND: Final = Command(
    "agents add",
    AddAgent,
    AgentAdded,
    run=run,
    render=added_lines,
    effects=Effects.ADD,
    agents=Agents.NEVER,
    panel=True,
    library=None,
    alone=True,
    place=5,
)
