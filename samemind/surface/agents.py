"""The verbs for agents: serving them, connecting them, and telling them how to use memory."""

from dataclasses import dataclass
from typing import Final

from samemind.results.agents import Served
from samemind.surface.declare import Verb, option

PROFILES: Final = ("core", "full", "compat")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeMcp:
    """Serve agents over MCP on standard input and output; an agent's host starts this."""

    profile: str = option(
        "--profile",
        "which tools: eight, all, or those of the reference memory server",
        default="core",
        choices=PROFILES,
    )
    workspace: str | None = option(
        "--workspace", "the space this agent is held to; without one, it sees everything"
    )
    share: tuple[str, ...] = option(
        "--share", "another space that it may read; may be given several times", default=(), metavar="W"
    )


MCP: Final = Verb("mcp", ServeMcp, Served, "samemind.mcp.serving", alone=True)
