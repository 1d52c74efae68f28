"""Show what agents read and wrote, oldest first."""

from dataclasses import dataclass, field
from datetime import datetime
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from samemind.commands.agents._parts import shown_name
from samemind.declaring import Agents, Command, Effects, argument, option
from samemind.errors import NotFound
from samemind.formats.printable import one_line
from samemind.formats.rendering import Document, clock

if TYPE_CHECKING:
    from samemind.config import Home


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowAgentLog:
    """Show what agents read and wrote, oldest first."""

    name: str | None = argument("only this agent", metavar="NAME", optional=True)
    where: str | None = option(
        "--where", "only agents on this device, or only remote ones", choices=("here", "remote")
    )
    limit: int = option("--limit", "this many of the last calls", default=50, metavar="N", short="-n")


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentCall:
    """One call of an agent: the tool, how many memories it read or wrote, and the first of them.

    `agent` is the id of a remote agent, and null on this device, where `name` and `version` are what the program says.
    """

    at: datetime
    agent: str | None
    name: str
    version: str | None
    tool: str
    wrote: bool
    count: int
    rids: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentLog:
    """What agents did."""

    calls: list[AgentCall] = field(default_factory=list)


def run(home: "Home", options: ShowAgentLog) -> AgentLog:
    """Return the last calls."""
    from samemind.agents.calls import CallLog

    logs = {"here": home.local_agents_log, "remote": home.agents_log}
    calls = [
        AgentCall(
            at=each.at,
            agent=each.caller.agent,
            name=each.caller.name,
            version=each.caller.version,
            tool=each.tool,
            wrote=each.wrote,
            count=each.count,
            rids=each.rids,
        )
        for where, path in logs.items()
        if options.where in (None, where)
        for each in CallLog(path).noted()
    ]
    calls.sort(key=attrgetter("at"))
    if options.name is not None:
        calls = _of(options.name, home, options.where, calls)
    return AgentLog(calls=calls[-options.limit :] if options.limit > 0 else [])


def _of(name: str, home: "Home", where: str | None, calls: list[AgentCall]) -> list[AgentCall]:
    """Return the calls of agents of that name; of a remote one also by its id, or by how its name begins."""
    from samemind.agents import grants as granting
    from samemind.agents.ledger import Ledger

    found = [each for each in calls if each.name.casefold() == name.casefold()]
    if found:
        return found
    if where == "here":
        raise NotFound(f"no agent on this device is called {name!r:.60}", hint="samemind agents lists them")
    agent = granting.named(Ledger(home).read(), name)
    return [each for each in calls if each.agent == agent.id]


def render(document: Document) -> list[str]:
    return [_line(each) for each in document["calls"]] or ["no agent called yet"]


def _line(each: Document) -> str:
    more = each["count"] - len(each["rids"])
    return (
        f"{clock(each['at'])}  {'here  ' if each['agent'] is None else 'remote'}  {shown_name(each['name']):<16} "
        f"{'wrote' if each['wrote'] else 'read '}  {one_line(each['tool']):<14} {one_line(' '.join(each['rids']))}"
        f"{f' and {more} more' if more > 0 else ''}"
    ).rstrip()


COMMAND: Final = Command(
    "agents log",
    ShowAgentLog,
    AgentLog,
    run=run,
    render=render,
    effects=Effects.READ,
    agents=Agents.NEVER,
    panel=True,
    library=None,
    alone=True,
    rows="calls",
    place=9,
)
