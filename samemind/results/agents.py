"""What the verbs for agents return."""

from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """The server ended; what it had to say it said to the agent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedFile:
    """A file of another program; `backup` is what it was before, where it was there and was changed."""

    path: str
    changed: bool
    backup: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Connected:
    """A program's settings: their path, and whether anything had to be changed. `hint` says what to do next."""

    program: str
    path: str
    changed: bool
    files: list[ChangedFile]
    hint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SetUp:
    """What agents are told, and the files where that was written or taken out."""

    text: str
    version: int
    path: str | None
    changed: bool
    files: list[ChangedFile]


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
class WaitingAgent:
    """A program that waits to be let in: the code its page shows, and where its answer goes."""

    code: str
    name: str
    redirect_uri: str
    asked_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentsListed:
    """Remote agents, and who waits."""

    agents: list[AgentView] = field(default_factory=list)
    waiting: list[WaitingAgent] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentAdded:
    """An agent was let in. `token` is shown this once; null where the program fetches its own."""

    agent: AgentView
    token: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentRefused:
    """The program with this code was turned away."""

    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentRevoked:
    """An agent was cut off."""

    id: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentCall:
    """One call of a remote agent: the tool, and the memories that it read or wrote."""

    at: datetime
    agent: str
    name: str
    tool: str
    wrote: bool
    rids: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentLog:
    """What remote agents did."""

    calls: list[AgentCall] = field(default_factory=list)
