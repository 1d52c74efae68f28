"""Find memories by their words and times, where there is no room for vectors: BM25, with what is typed still open.

What is asked is matched as the person types: the last word is taken for the beginning of one unless something follows
it. A time in the question ("last week") lifts what was told or happened then.
"""

import sqlite3
from collections.abc import Sequence
from datetime import UTC, tzinfo
from typing import Final, NamedTuple

from cognition import words
from cognition.fulltext import NEWEST_MAX, bounded
from cognition.memories import Shown, read_memories
from cognition.tellings import groups_of
from cognition.times import Window, as_meant, windows, with_days_of_utc
from replica import RowChange, derived_transaction, memories_called, newest_numbers, numbers_between
from replica.derived import INDEX_OF_NEWS

# Ranked for each that is shown: a telling and its facts are one hit, and so are tellings of the same.
_RANKED_EACH: Final = 4
# A beginning of fewer letters is that of half the words there are.
_BEGINNING_MIN: Final = 2
# What a time that fits is worth, beside the words that fit best.
_TIME_SHARE: Final = 0.5
# Nothing is merged at a commit until 64 of them left a segment each, where finding would grow slow.
_MERGING: Final = {"automerge": 0, "crisismerge": 64}
# Merged in one go, a millisecond or two of a phone.
_MERGED_PAGES: Final = 16
# Memories of a stretch of time that are looked at, the newest first.
_OF_A_TIME_MAX: Final = 200


class NewsIndex:
    """A `replica.DerivedTables` that is an index: a page shows first what is new, and how much there is.

    Without it each start reads every memory from the browser's disk, a page of 4 KiB at a time.
    """

    def migrate(self, connection: sqlite3.Connection) -> None:
        """Make it where it is not there yet."""
        connection.execute(INDEX_OF_NEWS)

    def changed(self, connection: sqlite3.Connection, changes: Sequence[RowChange], now_ms: int) -> None:
        """Do nothing: SQLite keeps it in step."""

    def purge(self, connection: sqlite3.Connection) -> None:
        """Do nothing: it holds no words."""


class MergedLater:
    """A `replica.DerivedTables` without tables: full text merges when `merge_words` asks, and not as it likes.

    FTS5 by itself merges some within whichever commit comes by, which is a tenth of all that a telling writes.
    """

    def migrate(self, connection: sqlite3.Connection) -> None:
        """Say so in the tables that `CognitionTables` made, where they do not say it yet."""
        held = dict(connection.execute("SELECT k, v FROM memory_text_config"))
        for name, value in _MERGING.items():
            if held.get(name) != value:
                connection.execute("INSERT INTO memory_text (memory_text, rank) VALUES (?, ?)", (name, value))

    def changed(self, connection: sqlite3.Connection, changes: Sequence[RowChange], now_ms: int) -> None:
        """Do nothing."""

    def purge(self, connection: sqlite3.Connection) -> None:
        """Do nothing: `CognitionTables` merges all of it."""


def merge_words(connection: sqlite3.Connection) -> bool:
    """Merge a few pages of what full text holds; say whether there may be more."""
    with derived_transaction(connection):
        before = connection.total_changes
        connection.execute(
            "INSERT INTO memory_text (memory_text, rank) VALUES ('merge', ?)", (_MERGED_PAGES,)
        )
        return connection.total_changes - before > 1  # SQLite counts the command itself


class FoundMemory(NamedTuple):
    """A memory that was found, and how well it fits among those found with it."""

    shown: Shown
    score: float


def find(
    connection: sqlite3.Connection, question: str, limit: int, now_ms: int, zone: tzinfo = UTC
) -> list[FoundMemory]:
    """Return at most `limit` memories that fit a question, the best first; days are those of `zone`."""
    asked = windows(question, now_ms, zone)
    scores = _by_words(connection, question, limit * _RANKED_EACH)
    best = max(scores.values(), default=1.0)
    if asked:
        scores = dict.fromkeys(_of_times(connection, asked, zone), 0.0) | scores
    hits = []
    for shown in read_memories(connection, scores):
        if not shown.memory.fields.get("archived"):
            fits = any(_happened(shown, window, zone) for window in asked)
            hits.append(FoundMemory(shown, scores[shown.id] + (best * _TIME_SHARE if fits else 0.0)))
    hits.sort(key=lambda hit: (-hit.score, -hit.shown.memory.created, hit.shown.rid))
    return _each_once(connection, hits)[:limit]


def find_with(
    connection: sqlite3.Connection,
    question: str,
    rids: Sequence[bytes],
    limit: int,
    now_ms: int,
    zone: tzinfo = UTC,
) -> list[FoundMemory]:
    """Return what another device has found, in its order, and behind it what is found here; at most `limit`.

    Nothing, where it has found nothing that shows here.
    What it names is shown as it reads here, or not at all: where it is not here, was put away, or holds no longer.
    """
    here = {bytes(shown.rid): shown for shown in memories_called(connection, dict.fromkeys(rids))}
    retired = _retired(connection, [shown.id for shown in here.values()])
    named = [
        FoundMemory(here[rid], 0.0)
        for rid in dict.fromkeys(rids)
        if rid in here and here[rid].id not in retired and not here[rid].memory.fields.get("archived")
    ]
    if not named:
        return []
    return _each_once(connection, named + find(connection, question, limit, now_ms, zone))[:limit]


def _retired(connection: sqlite3.Connection, numbers: list[int]) -> set[int]:
    """Return which of these rows hold claims that were replaced."""
    marks = ",".join("?" * len(numbers))
    rows = connection.execute(f"SELECT id FROM claim_retired WHERE id IN ({marks})", numbers)
    return {number for (number,) in rows}


def newest(connection: sqlite3.Connection, limit: int, now_ms: int) -> list[Shown]:
    """Return the memories that were told or changed last, without the facts that were taken from others."""
    numbers = newest_numbers(connection, limit, now_ms)
    shown = {it.id: it for it in read_memories(connection, numbers)}
    return [shown[number] for number in numbers if number in shown]


def _by_words(connection: sqlite3.Connection, question: str, most: int) -> dict[int, float]:
    terms = words.quoted(words.terms(question))
    beginning = _open_word(question)
    if beginning is not None:
        terms.append(f'"{beginning}" *')
    if not terms:
        return {}
    asked = bounded(connection, "memory_text", terms)
    # The plus keeps SQLite from asking full text for one row at a time.
    newest_of = "SELECT rowid FROM memory_text WHERE memory_text MATCH ? ORDER BY rowid DESC LIMIT ?"
    rows = connection.execute(
        f"""SELECT rowid, -bm25(memory_text) AS score FROM memory_text WHERE memory_text MATCH ?
            {"" if asked.among is None else f"AND +rowid IN ({newest_of})"}
            AND +rowid NOT IN (SELECT id FROM claim_retired) ORDER BY score DESC, rowid LIMIT ?""",
        (asked.match, *(() if asked.among is None else (asked.among, NEWEST_MAX)), most),
    )
    return {number: float(score) for number, score in rows}


def _open_word(question: str) -> str | None:
    """Return the word that is being typed; none where something stands behind the last one."""
    if not question or not question[-1].isalnum():
        return None
    said = words.words(question)
    return said[-1] if said and len(said[-1]) >= _BEGINNING_MIN else None


def _of_times(connection: sqlite3.Connection, asked: tuple[Window, ...], zone: tzinfo) -> list[int]:
    found = []
    for window in (with_days_of_utc(each, zone) for each in asked):
        found += numbers_between(connection, window.start_ms, window.end_ms, _OF_A_TIME_MAX)
    return found


def _happened(shown: Shown, window: Window, zone: tzinfo) -> bool:
    fields = shown.memory.fields
    at_ms = fields.get("event_start", fields.get("told_at", shown.memory.created >> 16))
    return window.holds(as_meant(int(at_ms), zone))


def _each_once(connection: sqlite3.Connection, hits: list[FoundMemory]) -> list[FoundMemory]:
    """Leave of a telling, its facts, and other tellings of the same only the one that fits best."""
    groups = groups_of(connection, [hit.shown.id for hit in hits])
    seen: set[object] = set()
    once = []
    for hit in hits:
        marks = {
            hit.shown.memory.fields.get("parent", hit.shown.rid),
            groups.get(hit.shown.id, hit.shown.rid),
        }
        if seen.isdisjoint(marks):
            once.append(hit)
        seen |= marks
    return once
