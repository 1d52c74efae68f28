"""Approve the program that shows this code."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.commands.agents._parts import AgentAdded, AgentRights, added_lines
from samemind.declaring import Agents, Command, Effects, argument, option

if TYPE_CHECKING:
    from samemind.config import Home


@dataclass(frozen=True, slots=True, kw_only=True)
class ApproveAgent(AgentRights):
    """Approve the program that shows this code."""

    code: str = argument("the code that the program's page shows", metavar="CODE")
    name: str | None = option("--name", "what to call it, instead of the name it gives")


def run(home: "Home", options: ApproveAgent) -> AgentAdded:
    """Let in who shows a code."""
    from functools import partial

    from samemind.agents import grants as granting
    from samemind.agents.ledger import Ledger, random_bytes
    from samemind.commands.agents._work import agent_view, now_ms, rights_of

    decide = partial(
        granting.decide,
        code=options.code,
        rights=rights_of(options),
        name=options.name,
        random=random_bytes,
        now_ms=now_ms(),
    )
    agent = Ledger(home).change(decide)
    assert agent is not None
    return AgentAdded(agent=agent_view(agent), token=None)


COMMAND: Final = Command(
    "agents approve",
    ApproveAgent,
    AgentAdded,
    run=run,
    render=added_lines,
    effects=Effects.ADD,
    agents=Agents.NEVER,
    panel=True,
    library=None,
    alone=True,
    place=6,
)
