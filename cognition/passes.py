"""The two searches that bring candidates, and what is read beside them.

Both look at more than was asked for, because what they find may be archived or changed since it was
embedded. A memory that waits to be embedded again is not judged by its old vector; its words are always
current.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, Final

from cognition.embedding.embedder import Vectors
from cognition.entities import find_triples
from cognition.filters import TIME, Filters
from cognition.index import VectorIndex
from cognition.memories import IDS_MAX, fields_of
from cognition.ranking.pool import NEAR, Row
from cognition.scoring import DAY_MS
from cognition.tables import INDEXED_FIELDS, indexed
from cognition.words import any_of, words

# A filter that keeps at most one row in this many is searched row by row.
_FEW: Final = 4
# Words that more memories hold than this are asked for only where there are no others. In a memory of a few thousand,
# that is never; in one of a hundred thousand it is what keeps a question from ranking a third of them.
_COMMON: Final = 4_000
# ML-42: how far a question follows edges, and how many neighbours of one step it follows.
_HOPS: Final = 2
_CONNECTED_MAX: Final = 50
# Different dates and labels that are remembered as words.
_ABOUT_KEPT: Final = 4_096
_INDEXED: Final = ", ".join(f"m.{name}" for name in INDEXED_FIELDS)
_ROW: Final = (
    "SELECT m.id, m.rid, m.content, m.text, m.conversation, m.position, "
    f"{TIME}, m.importance, m.accesses, m.last_access, {_INDEXED} FROM"
)


def by_words(
    connection: sqlite3.Connection, wanted: Sequence[str], filters: Filters, limit: int
) -> list[tuple[int, float]]:
    """Return up to `limit` memories that hold any of the wanted words, by BM25."""
    if not wanted:
        return []
    return by_match(connection, any_of(_telling(connection, wanted)), filters, limit)


def by_match(
    connection: sqlite3.Connection, query: str, filters: Filters, limit: int
) -> list[tuple[int, float]]:
    """Return up to `limit` memories that match a full text query, by BM25."""
    if not query:
        return []
    condition, values = filters.sql()
    if filters.narrow:
        rows = connection.execute(
            f"""SELECT f.rowid, -f.rank FROM memory_text f JOIN memory m ON m.id = f.rowid
                WHERE f.memory_text MATCH ? AND {condition} ORDER BY f.rank LIMIT ?""",
            (query, *values, limit),
        ).fetchall()
        return [(number, score) for number, score in rows]
    # Joining every match to its row costs more than the ranking: take the best, and look only at those.
    taken = limit
    while True:
        rows = connection.execute(
            "SELECT rowid, -rank FROM memory_text WHERE memory_text MATCH ? ORDER BY rank LIMIT ?",
            (query, taken),
        ).fetchall()
        permitted = allowed(connection, [number for number, _ in rows], filters)
        ranked = [(number, score) for number, score in rows if number in permitted][:limit]
        if len(ranked) == limit or len(rows) < taken:
            return ranked
        taken *= 4


def _telling(connection: sqlite3.Connection, wanted: Sequence[str]) -> Sequence[str]:
    """Leave out words that too many memories hold: ranking all of those costs much and decides little."""
    if len(wanted) == 1:
        return wanted
    rare = [
        word
        for word in wanted
        if connection.execute(
            "SELECT count(*) FROM (SELECT 1 FROM memory_text WHERE memory_text MATCH ? LIMIT ?)",
            (any_of([word]), _COMMON + 1),
        ).fetchone()
        <= (_COMMON,)
    ]
    return rare or wanted


def by_vector(
    connection: sqlite3.Connection, vector: Vectors, index: VectorIndex, filters: Filters, limit: int
) -> list[tuple[int, float]]:
    """Return up to `limit` memories by cosine.

    Vectors of memories that are gone leave the index on the way.
    """
    among: Sequence[int] | None = None
    if filters.narrow:
        # Few rows: search just these. Many: copying them out costs more than looking past the others.
        few = len(index) // _FEW
        condition, values = filters.sql()
        kept = connection.execute(f"SELECT m.id FROM memory m WHERE {condition} LIMIT ?", (*values, few + 1))
        numbers = [number for (number,) in kept]
        if len(numbers) <= few:
            among = numbers
    taken = limit
    while True:
        nearest = index.search(vector, taken, among=among)
        numbers = [number for number, _ in nearest]
        index.remove(_missing(connection, numbers))
        permitted = allowed(connection, numbers, filters, embedded=True)
        ranked = [(number, max(0.0, cosine)) for number, cosine in nearest if number in permitted][:limit]
        if len(ranked) == limit or len(nearest) < taken:
            return ranked
        taken *= 4


def allowed(
    connection: sqlite3.Connection, numbers: Sequence[int], filters: Filters, *, embedded: bool = False
) -> set[int]:
    """Return those of the memories that the filters let through; with `embedded`, only ones with a current vector."""
    condition, values = filters.sql()
    if embedded:
        condition += " AND NOT EXISTS (SELECT 1 FROM embed_queue q WHERE q.id = m.id)"
    return _select(connection, f"SELECT m.id FROM memory m WHERE {condition} AND m.id IN", numbers, values)


def _missing(connection: sqlite3.Connection, numbers: Sequence[int]) -> list[int]:
    present = _select(connection, "SELECT id FROM memory WHERE id IN", numbers, ())
    return [number for number in numbers if number not in present]


def _select(
    connection: sqlite3.Connection, sql: str, numbers: Sequence[int], values: Iterable[str | int]
) -> set[int]:
    selected: set[int] = set()
    for start in range(0, len(numbers), IDS_MAX):
        chunk = numbers[start : start + IDS_MAX]
        rows = connection.execute(f"{sql} ({','.join('?' * len(chunk))})", (*values, *chunk))
        selected.update(number for (number,) in rows)
    return selected


def by_graph(
    connection: sqlite3.Connection, entities: Sequence[str], filters: Filters, limit: int
) -> list[tuple[int, float]]:
    """Return up to `limit` memories that name what is connected to these entities, over at most two edges."""
    known, fringe = set(entities), list(entities)
    connected: dict[str, None] = {}
    for _ in range(_HOPS):
        if not fringe:
            break
        marks = ",".join("?" * len(fringe))
        found = connection.execute(
            f"""SELECT target FROM edge WHERE source IN ({marks})
                UNION SELECT source FROM edge WHERE target IN ({marks}) ORDER BY 1 LIMIT ?""",
            (*fringe, *fringe, _CONNECTED_MAX),
        )
        fringe = [name for (name,) in found if name not in known]
        known.update(fringe)
        connected.update(dict.fromkeys(fringe))
    phrases = [" ".join(words(name)) for name in connected]
    return by_match(connection, any_of(phrase for phrase in phrases if phrase), filters, limit)


def by_triples(
    connection: sqlite3.Connection, wanted: Sequence[str], filters: Filters, limit: int
) -> list[tuple[int, float]]:
    """Return up to `limit` memories that state something of the wanted words: as subject, predicate or object."""
    if not wanted:
        return []
    found = find_triples(connection, any_of(_telling(connection, wanted)), limit=limit)
    permitted = allowed(connection, [number for number, _ in found], filters)
    return [(number, score) for number, score in found if number in permitted]


def read_rows(connection: sqlite3.Connection, numbers: Sequence[int]) -> dict[int, Row]:
    """Return the candidates of these numbers."""
    rows: dict[int, Row] = {}
    for start in range(0, len(numbers), IDS_MAX):
        chunk = numbers[start : start + IDS_MAX]
        for values in connection.execute(
            f"{_ROW} memory m WHERE m.id IN ({','.join('?' * len(chunk))})", chunk
        ):
            row = _row(values)
            rows[row.id] = row
    return rows


def read_near(
    connection: sqlite3.Connection, rows: Iterable[Row], known: Iterable[Row], filters: Filters
) -> list[Row]:
    """Return the turns next to these in their conversations, less known ones, as the filters let them through."""
    here = {(row.conversation, row.position) for row in known}
    wanted = {
        (row.conversation, row.position + step)
        for row in rows
        if row.conversation is not None and row.position is not None
        for step in NEAR
        if row.position + step >= 0
    }
    places = sorted(wanted - here)
    if not places:
        return []
    condition, values = filters.sql()
    # The cross join makes each place one look into the index of turns; left to itself, SQLite scans the table.
    found = connection.execute(
        f"WITH place (conversation, position) AS (VALUES {','.join(['(?, ?)'] * len(places))}) "
        f"{_ROW} place p CROSS JOIN memory m ON m.conversation = p.conversation AND m.position = p.position "
        f"WHERE {condition}",
        (*chain.from_iterable(places), *values),
    )
    return [_row(values) for values in found]


def _row(values: Sequence[Any]) -> Row:
    (
        number,
        rid,
        content,
        text,
        conversation,
        position,
        time_ms,
        importance,
        accesses,
        last_access,
        *labels,
    ) = values
    speaker, told_at, *others = labels
    # Day by day, most rows of a store bear one of few labels.
    about = _about(None if told_at is None else told_at - told_at % DAY_MS, *others)
    return Row(
        number,
        rid,
        content,
        text,
        about,
        speaker,
        conversation,
        position,
        time_ms,
        importance,
        accesses,
        last_access,
    )


@lru_cache(_ABOUT_KEPT)
def _about(*labels: Any) -> str:
    return indexed("", fields_of(INDEXED_FIELDS, (None, *labels))).about
