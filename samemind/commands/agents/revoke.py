"""Revoke the access of a remote agent at once."""

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.declaring import Agents, Command, Effects, argument
from samemind.formats.printable import one_line
from samemind.formats.rendering import Document

if TYPE_CHECKING:
    from samemind.agents.grants import Agent, Grants
    from samemind.config import Home


@dataclass(frozen=True, slots=True, kw_only=True)
class RevokeAgent:
    """Revoke the access of a remote agent at once."""

    name: str = argument("its name, or how it begins", metavar="NAME")


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentRevoked:
    """An agent was cut off. What it told was stored under `source`; null where it told nothing, or long ago."""

    id: str
    name: str
    source: str | None = None


def run(home: "Home", options: RevokeAgent) -> AgentRevoked:
    """Cut an agent off: its next request is refused, and its open streams end within a second."""
    from samemind.agents import grants as granting
    from samemind.agents.calls import CallLog
    from samemind.agents.ledger import Ledger

    def change(grants: "Grants") -> "tuple[Grants, Agent]":
        agent = granting.named(grants, options.name)
        return granting.revoke(grants, agent), agent

    agent = Ledger(home).change(change)
    told = any(
        call.caller.agent == agent.id and call.tool == "remember" for call in CallLog(home.agents_log).noted()
    )
    return AgentRevoked(id=agent.id, name=agent.name, source=agent.source if told else None)


def render(document: Document) -> list[str]:
    lines = [f"{one_line(document['name'])} is cut off"]
    if document["source"] is not None:
        source = shlex.quote(one_line(document["source"]))
        lines.append(f"what it told stays; to take that back: samemind retract --source {source}")
    return lines


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
