"""The two searches that bring candidates, and what is read beside them.

Both look at more than was asked for, because what they find may be archived or changed since it was
embedded. A memory that waits to be embedded again is not judged by its old vector; its words are always
current.
"""

import json
import math
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, tzinfo
from functools import lru_cache
from itertools import chain, islice, product
from typing import Any, Final

from cognition.days import DAY_MS
from cognition.embedding.embedder import Vectors
from cognition.embedding.index import VectorIndex
from cognition.entities import find_triples
from cognition.filters import TIME, Filters
from cognition.fulltext import NEWEST_MAX, FulltextQuery, bounded
from cognition.memories import EACH, fields_of
from cognition.ranking.pool import NEAR, CandidateRow
from cognition.reminding.repeating import REPEATS, RULE_CHARACTERS_MAX, is_on
from cognition.search.postings import Postings, stems_of
from cognition.tables import INDEXED_FIELDS, indexed
from cognition.times import ROUGHLY_MS, Window, with_days_of_utc
from cognition.words import RANKED_CHARACTERS_MAX, phrase, quoted, symbols
from replica.fields import INT_MAX
from replica.reads.graph import neighbours_of

# A filter that keeps at most one row in this many is searched row by row.
_FEW: Final = 4
# Texts that are read for symbols, the newest: some twenty milliseconds.
READ_MAX: Final = 100_000
# ML-42: how far a question follows edges, and how many neighbours of one step it follows.
_HOPS: Final = 2
_CONNECTED_MAX: Final = 50
# Of what was told at a time that was asked for, the newest that are looked at.
TIMED_MAX: Final = 1_000
# Of what happens again by a rule, what began last before that time: some ten microseconds each, or fifty by a zone.
REPEATING_MAX: Final = 256
# Places in conversations are looked up by a multiple of so many.
_PLACES: Final = 64
# A word that more memories hold tells little of which belong together (`by_rare_words`): with 8, 16 or 32 the same are
# found within a point, with 4 two points fewer.
RARE_HELD_MAX: Final = 16
_HOLDERS: Final = "SELECT rowid FROM memory_text WHERE memory_text MATCH ? LIMIT ?"
# Different dates and labels that are remembered as words.
_ABOUT_KEPT: Final = 4_096
# Rows that are kept from one question to the next: half a kilobyte each, and the text; and for how many filters.
ROWS_KEPT: Final = 8_192
FILTERS_KEPT: Final = 2
# Of labels and metadata together anybody may write some megabytes, and all of it was read for each question. They say
# what a memory is about in some words; more than a text's worth of them is left to full text.
_META: Final = f"iif(length(m.meta) <= {RANKED_CHARACTERS_MAX}, m.meta, NULL)"
_TAGS: Final = f"iif(length(m.tags) <= {RANKED_CHARACTERS_MAX}, m.tags, NULL)"
_REPEATS: Final = f"substr(json_extract(m.meta, '$.{REPEATS}'), 1, {RULE_CHARACTERS_MAX})"
_TEXT: Final = f"substr(m.text, 1, {RANKED_CHARACTERS_MAX})"
# In the order of `CandidateRow`, whose `about` is made of what stands there: most rows bear no label. A time stands for
# its day, also before 1970, since day by day most rows of a store bear one of few labels. What is no turn stands for
# itself.
_ROW: Final = (
    f"SELECT m.id, m.rid, iif(m.position IS NULL, -m.id, m.content), {_TEXT}, "
    f"m.speaker, m.conversation, m.position, {TIME}, "
    "m.importance, m.accesses, m.last_access, m.type, m.certainty, m.valence, m.half_life, "
    "m.updated >> 16, iif(m.meta IS NULL, NULL, json_extract(m.meta, '$.mentions')), "
    f"m.event_start, m.event_end, iif(m.event_start IS NULL, NULL, {_REPEATS}), "
    "iif(coalesce(m.told_at, m.topic, m.project, m.tags, m.meta) IS NULL, '', json_array("
    f"m.told_at - (m.told_at % {DAY_MS} + {DAY_MS}) % {DAY_MS}, m.topic, m.project, {_TAGS}, {_META}))"
)
# What every memory has. Of one that has nothing else, as most have where nobody keeps talk, it is all of its row: each
# further column takes as long as a look into the table.
_PLAIN: Final = (
    f"SELECT m.id, m.rid, {_TEXT}, m.created >> 16, m.accesses, m.last_access, m.type, m.updated >> 16"
)
_IS_PLAIN: Final = (
    "coalesce(m.conversation, m.told_at, m.speaker, m.meta, m.tags, m.topic, m.project, m.position, m.importance, "
    "m.certainty, m.valence, m.half_life, m.event_start, m.event_end) IS NULL"
)
# Joined, since SQLite sorts what stands in a list first: a quarter of the time.
_EACH_ROW: Final = "FROM json_each(?) e CROSS JOIN shown_memory m ON m.id = e.value"


class KeptRows:
    """What was read of candidates for earlier questions, until somebody writes; for one thread.

    Half of a recall's candidates came up shortly before, and to read two hundred takes longer than any search. Rows are
    kept for the last few filters: a question about the past, which is filtered otherwise, comes between two others.
    """

    def __init__(self) -> None:
        self._version = 0  # of no store: they count from 1
        self._rows: list[tuple[Filters, dict[int, CandidateRow]]] = []  # the last filters first

    def now(self, connection: sqlite3.Connection, filters: Filters) -> dict[int, CandidateRow]:
        """Return the rows that still hold, for more to be put there.

        As with `Postings`, what is read after this may be newer than the version says. Then that moves with the next
        question.
        """
        ((version,),) = connection.execute("PRAGMA data_version")
        if self._version != version:
            self._version, self._rows = version, []
        rows = next((rows for by, rows in self._rows if by == filters), {})
        others = [each for each in self._rows if each[1] is not rows]
        self._rows = [(filters, rows), *others[: FILTERS_KEPT - 1]]
        excess = sum(len(each) for _, each in self._rows) - ROWS_KEPT
        for _, each in reversed(self._rows):
            for number in [*islice(each, max(0, excess))]:  # those that came first
                del each[number]
                excess -= 1
        return rows


class Candidates:
    """What was read of the memories that the searches bring: each once, with what all of them ask of it."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        filters: Filters,
        postings: Postings | None = None,
        kept: KeptRows | None = None,
    ) -> None:
        self.connection = connection
        self.postings = Postings() if postings is None else postings
        self.filters = filters
        self._rows = {} if kept is None else kept.now(connection, filters)

    def rows(self, numbers: Sequence[int]) -> dict[int, CandidateRow]:
        """Return those of the memories that are there."""
        return {
            number: row for number, row in zip(numbers, self._read(numbers), strict=True) if row is not None
        }

    def permitted(self, found: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
        """Return what was found as far as the filters let it through."""
        rows = self._read([number for number, _ in found])
        return [each for each, row in zip(found, rows, strict=True) if row is not None and row.permitted]

    def current(self, found: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
        """Return what was found by vectors, as far as the filters let it through and its vector holds."""
        permitted = self.permitted(found)
        if not permitted or self.connection.execute("SELECT 1 FROM embed_queue LIMIT 1").fetchone() is None:
            return permitted
        waiting = self.connection.execute(
            f"SELECT id FROM embed_queue WHERE id IN ({EACH})", (json.dumps([number for number, _ in found]),)
        )
        stale = {number for (number,) in waiting}
        return [each for each in permitted if each[0] not in stale]

    def gone(self, found: Sequence[tuple[int, float]]) -> list[int]:
        """Return what was found and looked at, and is not there."""
        known = self._rows
        return [number for number, _ in found if number not in known]

    def _read(self, numbers: Sequence[int]) -> list[CandidateRow | None]:
        """Return the row of each of the memories, None of one that is not there."""
        rows = [*map(self._rows.get, numbers)]
        unread = [number for number, row in zip(numbers, rows, strict=True) if row is None]
        if not unread:
            return rows
        condition, values = self.filters.sql()
        plain = self.connection.execute(
            f"{_PLAIN} {_EACH_ROW} WHERE {_IS_PLAIN} AND {condition}", (json.dumps(unread), *values)
        )
        self._rows |= {values[0]: _plain_row(values) for values in plain}
        others = [number for number in unread if number not in self._rows]
        if others:
            found = self.connection.execute(f"{_ROW}, {condition} {_EACH_ROW}", (*values, json.dumps(others)))
            self._rows |= {values[0]: _row(values) for values in found}
        return [*map(self._rows.get, numbers)]


def by_words(candidates: Candidates, wanted: Sequence[str], limit: int) -> list[tuple[int, float]]:
    """Return up to `limit` memories that hold any of the wanted words, by BM25."""
    stems = {word: stem for word, stem in zip(wanted, stems_of(wanted), strict=True) if stem is not None}
    if candidates.filters.narrow or not stems or len(stems) < len(wanted):
        return by_match(candidates.connection, quoted(wanted), candidates.filters, limit)
    found: dict[int, float] = {}
    for ranking in candidates.postings.ranked(candidates.connection, stems):
        for start in range(0, len(ranking), limit):
            best = candidates.permitted(ranking[start : start + limit])
            if len(best) == limit and not found:
                return best  # as of most questions
            for number, score in best:
                found.setdefault(number, score)
            if len(found) >= limit:
                return list(found.items())[:limit]
    return list(found.items())


def by_rare_words(
    connection: sqlite3.Connection, told: int, wanted: Iterable[str], count: int, limit: int
) -> dict[int, float]:
    """Return up to `limit` memories that are filed under rare words of one that was told, the rarest together first.

    A word is rare that at most `RARE_HELD_MAX` others are filed under, whatever the size of the store, `count`. Each is
    returned with how rare these words are: the sum of their shares' logarithms. No more is read of commoner words: to
    look for them in texts alone would go through all that were told in a month that is named.
    """
    found: dict[int, float] = {}
    for word in quoted(wanted):
        held = connection.execute(_HOLDERS, (word, RARE_HELD_MAX + 2)).fetchall()
        others = [number for (number,) in held if number != told]
        if len(others) <= RARE_HELD_MAX:
            rare = max(math.log((count + 1) / (len(others) + 1)), 0.0)
            found |= {number: found.get(number, 0.0) + rare for number in others}
    best = sorted(found.items(), key=lambda each: (-each[1], -each[0]))
    return dict(best[:limit])


def by_symbols(
    connection: sqlite3.Connection, text: str, filters: Filters, limit: int
) -> list[tuple[int, float]]:
    """Return up to `limit` memories whose texts hold the symbols of a question without words: most of them, newest.

    Full text files no symbols, so the newest texts are read.
    """
    wanted = symbols(text)
    if not wanted:
        return []
    condition, values = filters.sql()
    held = " + ".join(["(instr(m.text, ?) > 0)"] * len(wanted))
    return connection.execute(
        f"""SELECT id, held FROM
            (SELECT m.id, {held} AS held FROM shown_memory m WHERE {condition} ORDER BY m.id DESC LIMIT ?)
            WHERE held > 0 ORDER BY held DESC, id DESC LIMIT ?""",
        (*wanted, *values, READ_MAX, limit),
    ).fetchall()


def by_match(
    connection: sqlite3.Connection, terms: Sequence[str], filters: Filters, limit: int
) -> list[tuple[int, float]]:
    """Return up to `limit` memories that match any of some full text expressions, by BM25."""
    if not terms:
        return []
    asked = bounded(connection, "memory_text", terms)
    best = _best_of_kept if filters.narrow else _best
    found = best(connection, asked, filters, limit)
    if asked.among not in (None, asked.match) and len(found) < limit:
        here = {number for number, _ in found}
        more = best(connection, FulltextQuery(asked.match, asked.match), filters, limit)
        found += [each for each in more if each[0] not in here][: limit - len(found)]
    return found


def _best(
    connection: sqlite3.Connection, asked: FulltextQuery, filters: Filters, limit: int
) -> list[tuple[int, float]]:
    """Rank all that match: joining every match to its row would cost more, so only the best are looked at."""
    condition, values = filters.sql()
    which = ""
    among: tuple[str, ...] = ()
    if asked.among is not None:
        # The plus keeps SQLite from asking full text for one row at a time.
        which, among = "AND +rowid IN (SELECT value FROM json_each(?))", (_newest(connection, asked.among),)
    taken = limit
    while True:
        rows = connection.execute(
            f"""SELECT f.rowid, f.score, {condition} FROM
                (SELECT rowid, -bm25(memory_text) AS score FROM memory_text WHERE memory_text MATCH ? {which}
                 ORDER BY score DESC, rowid LIMIT ?) f
                JOIN shown_memory m ON m.id = f.rowid ORDER BY f.score DESC, f.rowid""",
            (*values, asked.match, *among, taken),
        ).fetchall()
        ranked = [(number, score) for number, score, permitted in rows if permitted][:limit]
        if len(ranked) == limit or len(rows) < taken:
            return ranked
        taken *= 4


def _newest(connection: sqlite3.Connection, match: str) -> str:
    """Return, as JSON, the numbers of the newest memories that match."""
    found = "SELECT rowid FROM memory_text WHERE memory_text MATCH ?"
    numbers = connection.execute(f"{found} LIMIT ?", (match, NEWEST_MAX + 1)).fetchall()
    if len(numbers) > NEWEST_MAX:  # in their order, which costs half as much again
        numbers = connection.execute(f"{found} ORDER BY rowid DESC LIMIT ?", (match, NEWEST_MAX)).fetchall()
    return json.dumps([number for (number,) in numbers])


def _best_of_kept(
    connection: sqlite3.Connection, asked: FulltextQuery, filters: Filters, limit: int
) -> list[tuple[int, float]]:
    """Rank what the filters let through, the newest of it where many match."""
    condition, values = filters.sql()
    return connection.execute(
        f"""SELECT rowid, -bm25(memory_text) AS score FROM memory_text WHERE memory_text MATCH ? AND +rowid IN
            (SELECT f.rowid FROM memory_text f CROSS JOIN shown_memory m ON m.id = f.rowid
             WHERE f.memory_text MATCH ? AND {condition} ORDER BY f.rowid DESC LIMIT ?)
            ORDER BY score DESC, rowid LIMIT ?""",
        (asked.match, asked.among or asked.match, *values, NEWEST_MAX, limit),
    ).fetchall()


def by_vector(
    candidates: Candidates, vector: Vectors, index: VectorIndex, limit: int
) -> list[tuple[int, float]]:
    """Return up to `limit` memories by cosine.

    Vectors of memories that are gone leave the index on the way.
    """
    connection, filters = candidates.connection, candidates.filters
    among: Sequence[int] | None = None
    if filters.narrow:
        # Few rows: search just these. Many: copying them out costs more than looking past the others.
        few = len(index) // _FEW
        condition, values = filters.sql()
        kept = connection.execute(
            f"SELECT m.id FROM shown_memory m WHERE {condition} LIMIT ?", (*values, few + 1)
        )
        numbers = [number for (number,) in kept]
        if len(numbers) <= few:
            among = numbers
    taken = limit
    while True:
        nearest = index.search(vector, taken, among=among)
        ranked = candidates.current(nearest)[:limit]
        index.remove(candidates.gone(nearest))
        if len(ranked) == limit or len(nearest) < taken:
            return ranked
        taken *= 4


def by_time(
    candidates: Candidates,
    spans: Sequence[Window],
    vector: Vectors | None,
    index: VectorIndex | None,
    limit: int,
    zone: tzinfo = UTC,
) -> list[tuple[int, float]]:
    """Return up to `limit` memories that were told, or happen, in any of some stretches of time by a zone's clock.

    The nearest in meaning come first. What happens once counts from when it begins. What was imported has its days by
    UTC, so these are brought, too.
    """
    condition, values = candidates.filters.sql()
    told: dict[int, None] = {}
    spans = [with_days_of_utc(span, zone) for span in spans]
    for span, time in product(spans, (TIME, "m.event_start")):
        rows = candidates.connection.execute(
            f"""SELECT m.id FROM shown_memory m WHERE {time} BETWEEN ? AND ? AND {condition}
                ORDER BY {time} DESC LIMIT ?""",
            (span.start_ms - ROUGHLY_MS, span.end_ms + ROUGHLY_MS, *values, TIMED_MAX),
        )
        told |= dict.fromkeys(number for (number,) in rows)
    told |= dict.fromkeys(chain.from_iterable(_repeated(candidates, span) for span in spans))
    if vector is None or index is None or len(told) <= limit:
        return [(number, 0.0) for number in told][:limit]
    cosines = index.cosines(vector, list(told))
    return sorted(((number, cosines.get(number, 0.0)) for number in told), key=lambda it: (-it[1], it[0]))[
        :limit
    ]


def _repeated(candidates: Candidates, span: Window) -> Iterator[int]:
    """Find what is on again in a stretch of time, by its rule."""
    condition, values = candidates.filters.sql()
    end_ms = span.end_ms + ROUGHLY_MS
    rows = candidates.connection.execute(
        f"""SELECT m.id, m.event_start, ifnull(m.event_end, m.event_start), {_REPEATS} FROM shown_memory m
            WHERE m.event_start <= ? AND json_extract(m.meta, '$.{REPEATS}') IS NOT NULL AND {condition}
            ORDER BY m.event_start DESC LIMIT ?""",
        (end_ms, *values, REPEATING_MAX),
    )
    for number, first_ms, ends_ms, rule in rows:
        if is_on(first_ms, max(0, ends_ms - first_ms), rule, span.start_ms - ROUGHLY_MS, end_ms):
            yield number


def allowed(connection: sqlite3.Connection, numbers: Sequence[int], filters: Filters) -> set[int]:
    """Return those of the memories that the filters let through."""
    if not numbers:
        return set()
    condition, values = filters.sql()
    rows = connection.execute(
        f"SELECT m.id FROM shown_memory m WHERE m.id IN ({EACH}) AND {condition}",
        (json.dumps(numbers), *values),
    )
    return {number for (number,) in rows}


def by_graph(
    connection: sqlite3.Connection, entities: Sequence[str], filters: Filters, limit: int
) -> list[tuple[int, float]]:
    """Return up to `limit` memories that name what is connected to these entities, over at most two edges."""
    known, fringe = set(entities), list(entities)
    connected: dict[str, None] = {}
    for _ in range(_HOPS):
        if not fringe:
            break
        found = neighbours_of(connection, fringe, limit=_CONNECTED_MAX)
        fringe = [name for name in found if name not in known]
        known.update(fringe)
        connected.update(dict.fromkeys(fringe))
    phrases = dict.fromkeys(map(phrase, connected))
    return by_match(connection, quoted(filter(None, phrases)), filters, limit)


def by_triples(
    connection: sqlite3.Connection, wanted: Sequence[str], filters: Filters, limit: int
) -> list[tuple[int, float]]:
    """Return up to `limit` memories that state something of the wanted words: as subject, predicate or object."""
    if not wanted or connection.execute("SELECT 1 FROM triple LIMIT 1").fetchone() is None:
        return []  # as in stores whose texts no model has read: two searches for nothing
    found = find_triples(connection, bounded(connection, "triple_text", quoted(wanted)), limit=limit)
    permitted = allowed(connection, [number for number, _ in found], filters)
    return [(number, score) for number, score in found if number in permitted]


def read_near(
    candidates: Candidates, rows: Iterable[CandidateRow], known: Iterable[CandidateRow]
) -> list[CandidateRow]:
    """Return the turns next to these in their conversations, less known ones, as the filters let them through."""
    here = {(row.conversation, row.position) for row in known}
    wanted = {
        (row.conversation, row.position + step)
        for row in rows
        if row.conversation is not None and row.position is not None
        for step in NEAR
        if 0 <= row.position + step <= INT_MAX
    }
    places: list[tuple[str | None, int | None]] = [*sorted(wanted - here)]
    if not places:
        return []
    # In whole blocks, for the same reason as `EACH`: who stands nowhere is nobody's neighbour.
    places += [(None, None)] * (-len(places) % _PLACES)
    # The cross join makes each place one look into the index of turns; left to itself, SQLite scans the table. That
    # index says which they are, and most were read for earlier questions.
    found = candidates.connection.execute(
        f"WITH place (conversation, position) AS (VALUES {','.join(['(?, ?)'] * len(places))}) "
        "SELECT m.id FROM place p "
        "CROSS JOIN shown_memory m ON m.conversation = p.conversation AND m.position = p.position",
        [*chain.from_iterable(places)],
    )
    near = candidates.rows([number for (number,) in found])
    return [row for row in near.values() if row.permitted]


def _plain_row(values: tuple[Any, ...]) -> CandidateRow:
    number, rid, text, made, accesses, recalled, kind, changed = values
    return tuple.__new__(CandidateRow, (
        number, rid, -number, text, None, None, None, made, None, accesses, recalled, kind,
        None, None, None, changed, None, None, None, None, "", 1,
    ))  # fmt: skip


def _row(values: tuple[Any, ...]) -> CandidateRow:
    labels = values[-2]
    # Not by `_make`, which counts the values of each again: a third of the time that rows take in Python.
    return tuple.__new__(CandidateRow, (*values[:-2], _about(labels), values[-1]) if labels else values)


@lru_cache(_ABOUT_KEPT)
def _about(labels: str) -> str:
    return indexed("", fields_of(INDEXED_FIELDS, (None, *json.loads(labels)))).about
