"""Say what a prompt gets beside what was recalled: who asks, what is due, and what the conversations were about.

A profile and the blocks need no search (ML-11), and a reminder that is due comes up whatever was asked, until some
device has delivered it (ML-86); saying so is for whoever shows it, never for a recall. An agent that is held to a
workspace gets only reminders of that workspace: the profile is its owner's, and not every agent's.
"""

import sqlite3
from collections.abc import Collection, Iterable, Sequence
from itertools import chain
from typing import Final

from cognition.context.block import Around, line_of, named
from cognition.context.fences import quoted
from cognition.context.sessions import list_sessions
from cognition.filters import Filters
from cognition.memories import read_memories
from cognition.profile.owner import InferredFact, entries, facts
from cognition.ranking.query import SELF_WORDS
from cognition.ranking.stem import stem
from cognition.recall.stages import RankedMemory
from cognition.triggers.kinds import REMINDER, trigger_id
from cognition.triggers.lattice import TriggerStatus
from cognition.words import STOP_WORDS, words
from replica import MemoryId, ShownMemory, short_memory_ids
from replica.reads.profile import blocks_by_turns
from replica.reads.proposals import trigger_status

# Of each category; facts beyond these are for recall to find.
_FACTS_MAX: Final = 10
_PLACE_WORDS: Final = """
    where place live city town country address home near nearby local around here location
    dónde ciudad país cerca wo stadt land nähe hier где город страна рядом де місто країна поруч
"""
_PLACES: Final = frozenset(_PLACE_WORDS.split())
_REMINDERS_MAX: Final = 10
# Entries of the profile, and blocks: an ordinary prompt has room for fewer. Each is tried whether it fits.
_WRITTEN_MAX: Final = 100
# Of all of them together: ten times what an ordinary prompt takes.
_WRITTEN_CHARACTERS_MAX: Final = 100_000
_SESSIONS_MAX: Final = 2


def read_around(
    connection: sqlite3.Connection,
    query: str,
    hits: Sequence[RankedMemory],
    *,
    filters: Filters,
    now_ms: int,
    sessions: bool,
    about: Collection[MemoryId] | None = None,
    ids: bool = False,
) -> Around:
    """Return the lines; of these only what is due may repeat a hit, since a hit may find no room.

    What the owner wrote of themselves is always told. Of what follows from memories, the work is; a taste where the
    question touches it; and who they are only where it is about them, or about a place (LO-23): what nobody asked
    for is nobody's business. Where it is known what the question is `about`, who they are has to be among that, and the
    work is told beside an answer, or where it is among that: "what is 2 + 2?" brings nothing. Summaries of the
    conversations that the best hits are from come only where `sessions` are wanted. With `ids`, lines that are memories
    end with their names.
    """

    known = {hit.rid for hit in hits}
    follows: dict[str, list[InferredFact]] = {"project": [], "preference": [], "identity": []}
    if not filters.workspace:
        asked = words(query)
        topic = frozenset(stem(word) for word in asked if word not in STOP_WORDS)
        personal = not SELF_WORDS.isdisjoint(asked)
        placed = personal or not _PLACES.isdisjoint(asked)
        for fact in facts(connection, now_ms=now_ms):
            near = about is None or fact.rid in about
            wanted = (
                (fact.category == "project" and (near or bool(hits)))
                or (fact.category == "identity" and placed and near)
                or (fact.category is None and personal and near)
                or (
                    fact.category == "preference"
                    and not topic.isdisjoint(stem(word) for word in words(fact.text))
                )
            )
            chosen = follows[fact.category or "identity"]
            if wanted and fact.rid not in known and len(chosen) < _FACTS_MAX:
                chosen.append(fact)
    due = _reminders(connection, filters, now_ms)
    said = [fact.rid for chosen in follows.values() for fact in chosen] + [it.rid for it in due]
    names = short_memory_ids(connection, said) if ids else {}
    lines = {
        category: tuple(f"- {quoted(fact.text)}{named(names.get(fact.rid))}" for fact in chosen)
        for category, chosen in follows.items()
    }
    return Around(
        profile=() if filters.workspace else tuple(_profile(connection, now_ms)),
        project=lines["project"],
        preference=lines["preference"],
        identity=lines["identity"],
        reminders=tuple(line_of(it.memory, name=names.get(it.rid)) for it in due),
        sessions=tuple(_sessions(connection, hits)) if sessions else (),
    )


def _profile(connection: sqlite3.Connection, now_ms: int) -> Iterable[str]:
    """Return what the owner wrote of themselves, but for what is left out where somebody wrote without end."""
    set_by_key = entries(connection, limit=_WRITTEN_MAX, now_ms=now_ms)
    blocks = ((block.label, block.text) for block in blocks_by_turns(connection, _WRITTEN_MAX))
    left = _WRITTEN_CHARACTERS_MAX
    for title, text in chain(set_by_key.items(), blocks):
        if (characters := len(title) + len(text)) <= left:
            left -= characters
            yield f"- {quoted(text, speaker=title)}"


def _reminders(connection: sqlite3.Connection, filters: Filters, now_ms: int) -> list[ShownMemory]:
    """Return what is due and was not delivered yet, whether it was raised or not, the latest first."""
    allowed, values = filters.sql()
    rows = connection.execute(
        f"""SELECT m.id, m.rid, m.event_start FROM shown_memory m WHERE m.type = 'prospective' AND m.event_start <= ?
            AND {allowed} ORDER BY m.event_start DESC, m.rid LIMIT ?""",
        (now_ms, *values, _REMINDERS_MAX),
    ).fetchall()
    waiting = []
    for number, rid, due in rows:
        if trigger_status(connection, trigger_id(REMINDER.name, rid, due)) == TriggerStatus.PENDING:
            waiting.append(number)
    found = {it.id: it for it in read_memories(connection, waiting)}
    return [found[number] for number in waiting if number in found]


def _sessions(connection: sqlite3.Connection, hits: Sequence[RankedMemory]) -> Iterable[str]:
    named = dict.fromkeys(hit.memory.fields.get("conversation") for hit in hits)
    for name in [name for name in named if name][:_SESSIONS_MAX]:
        for session in list_sessions(connection, limit=1, name=name)[0]:
            if session.memories > 1:
                yield f"- {quoted(session.summary, speaker=session.name)}"
