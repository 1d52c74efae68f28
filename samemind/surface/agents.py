"""The verbs for agents: serving them, connecting them, and telling them how to use memory."""

from dataclasses import dataclass
from typing import Final

from samemind.declaring import Agents, Command, Effects, argument, option
from samemind.results.agents import (
    AgentAdded,
    AgentLog,
    AgentRefused,
    AgentRevoked,
    AgentsListed,
    Connected,
    Served,
    SetUp,
)

# As samemind.agents.programs has them; named again since that is read only where it is needed.
PROGRAM_NAMES: Final = (
    "claude",
    "claude-desktop",
    "cursor",
    "codex",
    "gemini",
    "windsurf",
    "vscode",
    "opencode",
)
PROFILES: Final = ("core", "full", "compat")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeMcp:
    """Serve agents over MCP: on standard input and output, where an agent's host starts this, or over HTTP."""

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
    http: str | None = option(
        "--http",
        "serve remote agents there instead; each comes in with its own token (samemind agents)",
        metavar="HOST:PORT",
    )
    url: str | None = option(
        "--url", "the address that agents know this server by, where a proxy or a tunnel stands before it"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Connect:
    """Connect a program's agent to this memory: its settings, and what it is told. A second run changes nothing."""

    program: str = argument("the program", metavar="PROGRAM", choices=PROGRAM_NAMES)
    profile: str = option("--profile", "which tools it is given", default="core", choices=PROFILES)
    workspace: str | None = option("--workspace", "the space its agent is held to")
    share: tuple[str, ...] = option("--share", "another space that it may read", default=(), metavar="W")
    remove: bool = option("--remove", "take everything out again", default=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """Bring what connected agents are told about using memory up to date; show it, or take everything out again."""

    show: bool = option("--show", "only show it", default=False)
    undo: bool = option("--undo", "take it out of every program, and the servers too", default=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListAgents:
    """List remote agents, what they may do, and who waits to be let in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AddAgent:
    """Let a remote agent in by a token, which is shown once."""

    name: str = argument("what to call it", metavar="NAME")
    profile: str = option("--profile", "which tools it is given", default="core", choices=PROFILES)
    workspace: str | None = option(
        "--workspace", "the space this agent is held to; without one, it sees everything"
    )
    share: tuple[str, ...] = option("--share", "another space that it may read", default=(), metavar="W")
    read_only: bool = option("--read-only", "it may change nothing", default=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApproveAgent:
    """Let in the program that shows this code."""

    code: str = argument("the code that the program's page shows", metavar="CODE")
    name: str | None = option("--name", "what to call it, if not what it calls itself")
    profile: str = option("--profile", "which tools it is given", default="core", choices=PROFILES)
    workspace: str | None = option(
        "--workspace", "the space this agent is held to; without one, it sees everything"
    )
    share: tuple[str, ...] = option("--share", "another space that it may read", default=(), metavar="W")
    read_only: bool = option("--read-only", "it may change nothing", default=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class RefuseAgent:
    """Turn away the program that shows this code."""

    code: str = argument("the code that the program's page shows", metavar="CODE")


@dataclass(frozen=True, slots=True, kw_only=True)
class RevokeAgent:
    """Cut a remote agent off at once; it has to be let in again."""

    name: str = argument("its name, or the beginning of it", metavar="NAME")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowAgentLog:
    """Show what remote agents read and wrote, oldest first."""

    name: str | None = argument("only this agent", metavar="NAME", optional=True)
    limit: int = option("--limit", "how many of the last calls", default=50, metavar="N", short="-n")


_MODULE: Final = "samemind.agents.remote"
AGENTS_LIST: Final = Command(
    "agents list",
    ListAgents,
    AgentsListed,
    _MODULE,
    effects=Effects.READ,
    agents=Agents.NEVER,
    panel=True,
    library=None,
    alone=True,
    rows="agents",
    place=4,
    short=True,
)
AGENTS_ADD: Final = Command(
    "agents add",
    AddAgent,
    AgentAdded,
    _MODULE,
    effects=Effects.ADD,
    agents=Agents.NEVER,
    panel=True,
    library=None,
    alone=True,
    place=5,
)
AGENTS_APPROVE: Final = Command(
    "agents approve",
    ApproveAgent,
    AgentAdded,
    _MODULE,
    effects=Effects.ADD,
    agents=Agents.NEVER,
    panel=True,
    library=None,
    alone=True,
    place=6,
)
AGENTS_REFUSE: Final = Command(
    "agents refuse",
    RefuseAgent,
    AgentRefused,
    _MODULE,
    effects=Effects.DESTROY,
    agents=Agents.NEVER,
    panel=True,
    library=None,
    alone=True,
    place=7,
)
AGENTS_REVOKE: Final = Command(
    "agents revoke",
    RevokeAgent,
    AgentRevoked,
    _MODULE,
    effects=Effects.DESTROY,
    agents=Agents.NEVER,
    panel=True,
    library=None,
    alone=True,
    place=8,
)
AGENTS_LOG: Final = Command(
    "agents log",
    ShowAgentLog,
    AgentLog,
    _MODULE,
    effects=Effects.READ,
    agents=Agents.NEVER,
    panel=True,
    library=None,
    alone=True,
    rows="calls",
    place=9,
)
MCP: Final = Command(
    "mcp",
    ServeMcp,
    Served,
    "samemind.mcp.serving",
    effects=Effects.ADD,
    agents=Agents.NEVER,
    panel="starts or ends a program, or says who this is",
    library=None,
    alone=True,
    place=1,
)
CONNECT: Final = Command(
    "connect",
    Connect,
    Connected,
    "samemind.agents.connecting",
    effects=Effects.ADD,
    agents=Agents.NEVER,
    panel="writes the settings of other programs",
    library=None,
    alone=True,
    place=2,
    daily=True,
)
SETUP: Final = Command(
    "setup",
    Setup,
    SetUp,
    "samemind.agents.connecting",
    effects=Effects.ADD,
    agents=Agents.NEVER,
    panel="writes the settings of other programs",
    library=None,
    alone=True,
    place=3,
)
