"""What several commands of this family take, return and show."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from samemind.declaring import option
from samemind.formats.printable import one_line
from samemind.formats.rendering import Document

PROFILES: Final = ("core", "full", "compat")


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentRights:
    """What a remote agent may do."""

    profile: str = option("--profile", "which tools it is given", default="core", choices=PROFILES)
    workspace: str | None = option(
        "--workspace", "the space this agent is limited to; without one, it sees everything"
    )
    share: tuple[str, ...] = option("--share", "another space that it may read", default=(), metavar="W")
    read_only: bool = option("--read-only", "it may not change anything", default=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedFile:
    """A file of another program; `backup` is what it was before, where it was there and was changed."""

    path: str
    changed: bool
    backup: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentView:
    """A remote agent that was let in, by `token` or by `oauth`, and what it may do."""

    id: str
    name: str
    by: str
    profile: str
    workspace: str | None
    share: list[str]
    read_only: bool
    added_at: datetime | None
    last_seen: datetime | None = None
    calls: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalAgentView:
    """A program on this device that asked over MCP, under the name that it gives itself; empty where it gives none."""

    name: str
    version: str | None
    last_seen: datetime
    calls: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentAdded:
    """An agent was let in. `token` is shown this once; null where the program fetches its own."""

    agent: AgentView
    token: str | None


def file_lines(document: Document) -> list[str]:
    return [
        f"{'changed' if file['changed'] else 'nothing to change in'} {file['path']}"
        + (f" (before: {file['backup']})" if file["backup"] else "")
        for file in document["files"]
    ]


def shown_name(name: str) -> str:
    return one_line(name) or "(no name)"


def agent_rights(agent: Document) -> str:
    spaces = " and ".join(filter(None, [agent["workspace"], *agent["share"]])) or "everything"
    return f"{'reads' if agent['read_only'] else 'reads and writes'} {spaces}, by {agent['by']}"


def added_lines(document: Document) -> list[str]:
    agent = document["agent"]
    lines = [f"{one_line(agent['name'])} {agent_rights(agent)}"]
    if document["token"] is not None:
        lines += [
            "",
            f"token  {document['token']}",
            "",
            "It is shown this once. The agent sends it as a bearer token,",
            "to the address that `samemind status` shows when `samemind up --mcp-http HOST:PORT` runs.",
        ]
    return lines
