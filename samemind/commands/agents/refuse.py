"""Refuse the program that shows this code."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.declaring import Agents, Command, Effects, argument
from samemind.formats.rendering import Document

if TYPE_CHECKING:
    from samemind.config import Home


@dataclass(frozen=True, slots=True, kw_only=True)
class RefuseAgent:
    """Refuse the program that shows this code."""

    code: str = argument("the code that the program's page shows", metavar="CODE")


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentRefused:
    """The program with this code was turned away."""

    code: str


def run(home: "Home", options: RefuseAgent) -> AgentRefused:
    """Turn away who shows a code."""
    from functools import partial

    from samemind.agents import grants as granting
    from samemind.agents.ledger import Ledger, random_bytes
    from samemind.commands.agents._work import now_ms

    decide = partial(
        granting.decide, code=options.code, rights=None, name=None, random=random_bytes, now_ms=now_ms()
    )
    Ledger(home).change(decide)
    return AgentRefused(code=options.code)


def render(document: Document) -> list[str]:
    return [f"turned away: {document['code']}"]


COMMAND: Final = Command(
    "agents refuse",
    RefuseAgent,
    AgentRefused,
    run=run,
    render=render,
    effects=Effects.DESTROY,
    agents=Agents.NEVER,
    panel=True,
    library=None,
    alone=True,
    place=7,
)
