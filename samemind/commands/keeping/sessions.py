"""List the conversations that memories came from, latest first, each with a summary."""

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Final

from replica.values import dataclass
from samemind.declaring import Agents, Command, Effects, Method, option
from samemind.errors import NotFound
from samemind.formats.options import MomentOptions
from samemind.formats.printable import one_line
from samemind.formats.rendering import Document, clock, counted

if TYPE_CHECKING:
    import sqlite3

    from samemind.device import Device


# Each is summed up when it is listed, some hundredths of a second for a long one.
SESSIONS_MAX = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ListSessions(MomentOptions):
    """List the conversations that memories came from, latest first, each with a summary."""

    limit: int = option(
        "--limit", "at most this many", default=20, metavar="N", short="-n", least=0, most=SESSIONS_MAX
    )
    offset: int = option("--offset", "skip this many", default=0, metavar="N", least=0)
    session: str | None = option("--session", "only this one")


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionView:
    """One conversation that memories came from, with a summary in its own words; `topic` is its title."""

    session: str
    memories: int
    speakers: list[str]
    started_at: datetime
    ended_at: datetime
    summary: str
    topic: str | None = None

    def __str__(self) -> str:
        return self.summary


@dataclass(frozen=True, slots=True, kw_only=True)
class Sessions:
    """Conversations, the latest first, and how many there are in all. Iterating gives them."""

    sessions: list[SessionView]
    total: int

    def __iter__(self) -> Iterator[SessionView]:
        return iter(self.sessions)

    def __len__(self) -> int:
        return len(self.sessions)


async def run(device: "Device", options: ListSessions) -> Sessions:
    """List conversations, the latest first, as they are or as they were."""
    from cognition.context.sessions import list_sessions
    from samemind.formats.times import at_stamp
    from samemind.moments import read_at

    def read(connection: "sqlite3.Connection") -> Sessions:
        found, total = list_sessions(
            connection, limit=options.limit, offset=options.offset, name=options.session
        )
        if options.session is not None and not total:
            raise NotFound(f"no memory came from the conversation {options.session!r:.60}")
        views = [
            SessionView(
                session=one.name,
                memories=one.memories,
                speakers=list(one.speakers),
                started_at=at_stamp(one.started_ms << 16),
                ended_at=at_stamp(one.ended_ms << 16),
                summary=one.summary,
                topic=one.topic,
            )
            for one in found
        ]
        return Sessions(sessions=views, total=total)

    return await read_at(device, options.as_of, options.seen_by, read)


def render(document: Document) -> list[str]:
    lines = []
    for one in document["sessions"]:
        title = f"{one_line(one['topic'])}  " if one["topic"] else ""
        memories = counted(one["memories"], "memory", "memories")
        lines.append(f"{clock(one['started_at'])}  {title}{one_line(one['session'])}, {memories}")
        lines.append(f"                  {one_line(one['summary'])}")
    return lines or ["no conversations"]


COMMAND: Final = Command(
    "sessions",
    ListSessions,
    Sessions,
    run=run,
    render=render,
    place=15,
    effects=Effects.READ,
    agents=Agents.FULL,
    panel=True,
    library=Method("sessions"),
    rows="sessions",
)
