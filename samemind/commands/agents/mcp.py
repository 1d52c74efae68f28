"""Serve agents over MCP: on standard input and output, where an agent's host starts this, or over HTTP."""

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Final

from samemind.commands.agents._parts import PROFILES
from samemind.declaring import Agents, Command, Effects, option
from samemind.errors import Usage

if TYPE_CHECKING:
    from samemind.config import Home


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeMcp:
    """Serve agents over MCP: on standard input and output, where an agent's host starts this, or over HTTP."""

    profile: str = option(
        "--profile",
        "which tools: thirteen, all, or those of the reference memory server",
        default="core",
        choices=PROFILES,
    )
    workspace: str | None = option(
        "--workspace", "the space this agent is limited to; without one, it sees everything"
    )
    share: tuple[str, ...] = option(
        "--share", "another space that it may read; may be repeated", default=(), metavar="W"
    )
    http: str | None = option(
        "--http",
        "serve remote agents there instead; each has its own token (samemind agents)",
        metavar="HOST:PORT",
    )
    url: str | None = option("--url", "this server's public address, if it is behind a proxy or a tunnel")


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """The server ended; what it had to say it said to the agent."""


def run(home: "Home", options: ServeMcp) -> Served:
    """Serve until the agent hangs up."""
    if options.http is not None and (options.workspace or options.share or options.profile != "core"):
        raise Usage(
            "expected no --profile, --workspace or --share beside --http: each remote agent has its own",
            hint="samemind agents add NAME --workspace W",
        )
    if options.http is None and options.url is not None:
        raise Usage("expected --http beside --url")
    # By its name, since interfaces know commands, and commands know no interface.
    import_module("samemind.mcp.serving").serve(
        home, options.profile, options.workspace, options.share, http=options.http, url=options.url
    )
    return Served()


COMMAND: Final = Command(
    "mcp",
    ServeMcp,
    Served,
    run=run,
    effects=Effects.ADD,
    agents=Agents.NEVER,
    panel="starts or ends a program, or says who this is",
    library=None,
    alone=True,
    place=1,
)
