"""Say what a prompt gets beside what was recalled: who asks, what is due, and what the conversations were about.

A profile and the blocks need no search (ML-11), and a reminder that is due comes up whatever was asked, until some
device has delivered it (ML-86); saying so is for whoever shows it, never for a recall. An agent that is held to a
workspace gets only reminders of that workspace: the profile is its owner's, and not every agent's.
"""

import sqlite3
from collections.abc import Iterable, Sequence, Set
from typing import Final

from cognition.context import Around, line_of, plain
from cognition.filters import Filters
from cognition.memories import read_memories
from cognition.profile import blocks, entries, facts
from cognition.ranking.query import SELF_WORDS
from cognition.recall import Hit
from cognition.sessions import list_sessions
from cognition.triggers.kinds import REMINDER, trigger_id
from cognition.words import words
from replica import MemoryId

# Facts beyond these are for recall to find.
_FACTS_MAX: Final = 10
_REMINDERS_MAX: Final = 10
_SESSIONS_MAX: Final = 2


def read_around(
    connection: sqlite3.Connection,
    query: str,
    hits: Sequence[Hit],
    *,
    filters: Filters,
    now_ms: int,
    sessions: bool,
) -> Around:
    """Return the lines, none of which repeats a hit.

    What follows from memories about the owner is told only where the question is about them. Summaries of the
    conversations that the best hits are from come only where `sessions` are wanted.
    """
    known = {hit.rid for hit in hits}
    personal = not SELF_WORDS.isdisjoint(words(query))
    return Around(
        profile=()
        if filters.workspace
        else tuple(_profile(connection, known, personal=personal, now_ms=now_ms)),
        reminders=tuple(_reminders(connection, known, filters, now_ms)),
        sessions=tuple(_sessions(connection, hits)) if sessions else (),
    )


def _profile(
    connection: sqlite3.Connection, known: Set[MemoryId], *, personal: bool, now_ms: int
) -> Iterable[str]:
    yield from (f"- {plain(key)}: {plain(value)}" for key, value in entries(connection).items())
    yield from (f"- {plain(block.label)}: {plain(block.text)}" for block in blocks(connection))
    if personal:
        told = facts(connection, now_ms=now_ms, limit=_FACTS_MAX)
        yield from (f"- {plain(fact.text)}" for fact in told if fact.rid not in known)


def _reminders(
    connection: sqlite3.Connection, known: Set[MemoryId], filters: Filters, now_ms: int
) -> Iterable[str]:
    """Return what is due and was not delivered yet, whether it was raised or not, the latest first."""
    allowed, values = filters.sql()
    rows = connection.execute(
        f"""SELECT m.id, m.rid, m.event_start FROM memory m WHERE m.type = 'prospective' AND m.event_start <= ?
            AND {allowed} ORDER BY m.event_start DESC, m.rid LIMIT ?""",
        (now_ms, *values, _REMINDERS_MAX),
    ).fetchall()
    waiting = []
    for number, rid, due in rows:
        ((status,),) = connection.execute(
            "SELECT ifnull(max(status), 0) FROM raised_trigger WHERE trigger_id = ?",
            (trigger_id(REMINDER.name, rid, due),),
        )
        if status == 0 and rid not in known:
            waiting.append(number)
    return [line_of(it.memory) for it in read_memories(connection, waiting)]


def _sessions(connection: sqlite3.Connection, hits: Sequence[Hit]) -> Iterable[str]:
    named = dict.fromkeys(hit.memory.fields.get("conversation") for hit in hits)
    for name in [name for name in named if name][:_SESSIONS_MAX]:
        for session in list_sessions(connection, limit=1, name=name)[0]:
            if session.memories > 1:
                yield f"- {plain(session.name)}: {plain(session.summary)}"
