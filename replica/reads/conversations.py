"""Read conversations: what was told turn by turn, without facts and without what is archived."""

import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

_TURNS = "parent IS NULL AND ifnull(archived, 0) = 0"


class Conversation(NamedTuple):
    """A conversation: how many memories it has, and when the first and the last were told, in ms since 1970.

    `topic` is what its turns say that it is about, as the title of a chat; None where they differ.
    """

    name: str
    memories: int
    began_ms: int
    ended_ms: int
    topic: str | None


def count_conversations(connection: sqlite3.Connection, name: str | None = None) -> int:
    """Return how many conversations there are; with a name, of this name."""
    which, values = _named(name)
    ((count,),) = connection.execute(
        f"SELECT count(DISTINCT conversation) FROM memory WHERE {which} AND {_TURNS}", values
    )
    return int(count)


def latest_conversations(
    connection: sqlite3.Connection, name: str | None = None, *, limit: int, offset: int = 0
) -> list[Conversation]:
    """Return at most `limit` conversations, the one that ended last first; with a name, of this name.

    The first `offset` are left out.
    """
    which, values = _named(name)
    rows = connection.execute(
        f"""SELECT conversation, count(*), min(ifnull(told_at, created >> 16)) AS began,
            max(ifnull(told_at, created >> 16)) AS ended, iif(min(topic) = max(topic), min(topic), NULL)
            FROM memory WHERE {which} AND {_TURNS}
            GROUP BY conversation ORDER BY ended DESC, began DESC, conversation DESC LIMIT ? OFFSET ?""",
        (*values, limit, offset),
    )
    return list(map(Conversation._make, rows))


def _named(name: str | None) -> tuple[str, tuple[str, ...]]:
    return ("conversation IS NOT NULL", ()) if name is None else ("conversation = ?", (name,))


def turns_of(connection: sqlite3.Connection, name: str, *, limit: int) -> Iterator[tuple[str, str | None]]:
    """Return the text and the speaker of the first turns of a conversation, at most `limit`, in order."""
    return connection.execute(
        f"""SELECT text, speaker FROM memory WHERE conversation = ? AND {_TURNS}
            ORDER BY position, created, rid LIMIT ?""",
        (name, limit),
    )
