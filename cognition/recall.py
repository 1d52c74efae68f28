"""Find the memories that a query asks for, with the reasons for each.

One pass over the words (BM25) and one over the vectors; what they find is fused by rank, since their scores
have no scale in common: each list gives a memory 1 / (60 + its rank), and the sums decide. A memory that
only one of them finds still surfaces.

Both passes look at more than was asked for, because what they find may be archived, a duplicate, or changed
since it was embedded. A memory that waits to be embedded again is not judged by its old vector; its words
are always current. Duplicates are shown once, under the smallest id among those that the filters let
through, which is the same memory on every device.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from cognition.embedding.embedder import Vectors
from cognition.errors import InvalidQuery
from cognition.filters import Filters
from cognition.index import VectorIndex
from cognition.memories import IDS_MAX, Shown, read_memories
from cognition.words import any_of, terms
from replica import DeviceId, Memory, MemoryId

K_DEFAULT: Final = 10
# Nobody reads more, and each costs a read: a larger wish is granted up to here.
K_MAX: Final = 10_000
# How many each pass brings to the fusion, at least; more than asked for, so that one list can confirm the
# other.
POOL_MIN: Final = 50
POOL_PER_K: Final = 3
# From PM-27: damps the difference between the first ranks. Ranks count from 0.
RRF_K: Final = 60
RRF_FIRST_RANK: Final = 0

_CONTENT_PARAMETERS: Final = 500
# A filter that keeps at most one row in this many is searched row by row.
_FEW: Final = 4


@dataclass(frozen=True, slots=True)
class Found:
    """One reason for a hit: which pass found it, at which rank (from 0), and with what score of its own."""

    channel: str
    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that was recalled, how well it fits, and why it is here."""

    rid: MemoryId
    score: float
    found: tuple[Found, ...]
    memory: Memory
    device: DeviceId


@dataclass(slots=True)
class _Candidate:
    score: float
    found: list[Found]


def recall(
    connection: sqlite3.Connection,
    text: str,
    *,
    vector: Vectors | None,
    index: VectorIndex | None,
    filters: Filters = Filters(),
    k: int = K_DEFAULT,
) -> list[Hit]:
    """Return up to `k` hits, the best first. Without a vector or an index, by words alone."""
    if k < 0:
        raise InvalidQuery(f"expected k of 0 or more, got {k}")
    k = min(k, K_MAX)
    if k == 0:
        return []
    pool = max(POOL_MIN, POOL_PER_K * k)
    lists = {"words": by_words(connection, text, filters, pool)}
    if vector is not None and index is not None and vector.any():
        lists["vectors"] = by_vector(connection, vector, index, filters, pool)
    candidates = fuse(lists)
    best = sorted(candidates.items(), key=lambda item: (-item[1].score, item[0]))
    shown = {it.id: it for it in read_memories(connection, candidates)}
    hits: dict[int, tuple[_Candidate, Shown]] = {}
    for number, candidate in best:
        it = shown.get(number)
        if it is not None and it.content not in hits:
            hits[it.content] = candidate, it
            if len(hits) == k:
                break
    canonical = _canonical(connection, hits, filters)
    return [
        Hit(it.rid, candidate.score, tuple(candidate.found), it.memory, it.device)
        for candidate, it in (
            (candidate, canonical.get(content, it)) for content, (candidate, it) in hits.items()
        )
    ]


def fuse(lists: dict[str, list[tuple[int, float]]]) -> dict[int, _Candidate]:
    """Fuse ranked lists by reciprocal rank; the scores inside a list are only carried along."""
    candidates: dict[int, _Candidate] = {}
    for channel, ranked in lists.items():
        for rank, (number, score) in enumerate(ranked):
            candidate = candidates.setdefault(number, _Candidate(0.0, []))
            candidate.score += reciprocal(rank + RRF_FIRST_RANK)
            candidate.found.append(Found(channel, rank, score))
    return candidates


def reciprocal(rank: int, k: int = RRF_K) -> float:
    """Return what a rank is worth."""
    return 1 / (k + rank)


def by_words(
    connection: sqlite3.Connection, text: str, filters: Filters, limit: int
) -> list[tuple[int, float]]:
    """Return up to `limit` memories that hold any of the query's words, by BM25."""
    wanted = terms(text)
    if not wanted:
        return []
    query = any_of(wanted)
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
        allowed = _allowed(connection, [number for number, _ in rows], filters)
        ranked = [(number, score) for number, score in rows if number in allowed][:limit]
        if len(ranked) == limit or len(rows) < taken:
            return ranked
        taken *= 4


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
        allowed = _allowed(connection, numbers, filters, embedded=True)
        ranked = [(number, max(0.0, cosine)) for number, cosine in nearest if number in allowed][:limit]
        if len(ranked) == limit or len(nearest) < taken:
            return ranked
        taken *= 4


def _allowed(
    connection: sqlite3.Connection, numbers: Sequence[int], filters: Filters, *, embedded: bool = False
) -> set[int]:
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


def _canonical(connection: sqlite3.Connection, contents: Iterable[int], filters: Filters) -> dict[int, Shown]:
    """Return, for each class of duplicates, the member with the smallest id that the filters let through."""
    wanted = list(contents)
    numbers: list[int] = []
    condition, values = filters.sql()
    for start in range(0, len(wanted), _CONTENT_PARAMETERS):
        chunk = wanted[start : start + _CONTENT_PARAMETERS]
        numbers += [
            number
            for _, number, _ in connection.execute(
                f"""SELECT m.content, m.id, min(m.rid) FROM memory m
                    WHERE m.content IN ({",".join("?" * len(chunk))}) AND {condition} GROUP BY m.content
                    HAVING count(*) > 1""",
                (*chunk, *values),
            )
        ]
    return {it.content: it for it in read_memories(connection, numbers)}
