"""List conversations with their summaries."""

import sqlite3

from cognition.sessions import list_sessions
from samemind.device import Device
from samemind.errors import NotFound, Usage
from samemind.results.keeping import Sessions, SessionView
from samemind.surface.keeping import ListSessions
from samemind.times import at_stamp
from samemind.verbs.moments import read_at

# Each is summed up when it is listed, some hundredths of a second for a long one.
SESSIONS_MAX = 1_000


async def sessions(device: Device, options: ListSessions) -> Sessions:
    """List conversations, the latest first, as they are or as they were."""
    if not 0 <= options.limit <= SESSIONS_MAX:
        raise Usage(f"expected a limit of 0 to {SESSIONS_MAX}, got {options.limit}", code="invalid")

    def read(connection: sqlite3.Connection) -> Sessions:
        found, total = list_sessions(connection, limit=options.limit, name=options.session)
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
            )
            for one in found
        ]
        return Sessions(sessions=views, total=total)

    return await read_at(device, options.as_of, options.seen_by, read)
