"""The verbs for agents: serving them, connecting them, and telling them how to use memory."""

from dataclasses import dataclass
from typing import Final

from samemind.results.agents import Connected, Served, SetUp
from samemind.surface.declare import Verb, argument, option

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


MCP: Final = Verb("mcp", ServeMcp, Served, "samemind.mcp.serving", alone=True)
CONNECT: Final = Verb("connect", Connect, Connected, "samemind.agents.connecting", alone=True)
SETUP: Final = Verb("setup", Setup, SetUp, "samemind.agents.connecting", alone=True)
