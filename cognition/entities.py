"""Keep what memories name, and what they state of it: entities and triples, derived from the texts.

They follow from the texts and are never shipped: every device reads its own. Reading takes a millisecond a
text, too long for the fold, so the fold only notes which memories are new (or changed) and `read_some` reads
them when somebody asks for entities, a page at a time. What is erased leaves in the transaction that erases it.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from cognition.fulltext import NEWEST_MAX, FulltextQuery
from cognition.versions import made_anew
from replica import FollowingTables, Memory, RowChange, derived_transaction, new_and_others, transaction
from replica.reads.texts import updates_of

if TYPE_CHECKING:
    from cognition.extraction import Extraction, Triple

# Raise it when a table, or what is found in a text, changes.
ENTITIES_VERSION: Final = 8
# Texts read at a time: a fifth of a second, and a writer held up for a hundredth.
PAGE: Final = 200

_CREATE: Final = (
    """CREATE TABLE entity_mention (
        id INTEGER NOT NULL, name TEXT NOT NULL COLLATE NOCASE, PRIMARY KEY (id, name)
    ) WITHOUT ROWID""",
    "CREATE INDEX entity_mention_by_name ON entity_mention (name)",
    """CREATE TABLE triple (
        no INTEGER PRIMARY KEY, id INTEGER NOT NULL, subject TEXT NOT NULL COLLATE NOCASE, predicate TEXT NOT NULL,
        object TEXT NOT NULL COLLATE NOCASE, UNIQUE (id, subject, predicate, object)
    )""",
    # Subject, predicate and object as one text, of a triple each, under the triple's number.
    """CREATE VIRTUAL TABLE triple_text USING fts5(said, tokenize="porter unicode61 remove_diacritics 2")""",
    "CREATE INDEX triple_by_subject ON triple (subject)",
    "CREATE INDEX triple_by_object ON triple (object)",
    "CREATE TABLE entity_queue (id INTEGER PRIMARY KEY)",
)  # fmt: skip
_TABLES: Final = ("entity_mention", "triple", "triple_text", "entity_queue")
# What a model took from a talk as subject, predicate and object stands in a memory's metadata under this name.
TOLD_TRIPLE: Final = "triple"
# The shape of a memory's id as edges hold it: 36 characters, parted by four hyphens.
SHOWN_MEMORY_ID: Final = "________-____-____-____-____________"


class UnreadText(NamedTuple):
    """A memory whose text is to be read; `updated` tells whether it changed meanwhile."""

    id: int
    updated: int
    text: str
    speaker: str | None
    told_at_ms: int
    triple: str | None


class EntityTables(FollowingTables):
    """A `replica.DerivedTables`: notes what is to be read, and drops what was found in texts that are gone."""

    of_memories: tuple[str, ...] = ("entity_mention", "triple", "entity_queue")
    """What a picture of the past copies: all but the words of triples, for it is asked for names and not searched."""

    def __init__(self, *, reads: bool = True) -> None:
        """Without `reads` nothing is queued of what is there when the tables are made."""
        self._reads = reads

    def migrate(self, connection: sqlite3.Connection) -> None:
        """Create the tables, or make them anew if an older program left them."""
        with transaction(connection):
            made = made_anew(connection, "entity_version", ENTITIES_VERSION, tables=_TABLES, create=_CREATE)
            if made and self._reads:
                connection.execute("INSERT INTO entity_queue SELECT id FROM shown_memory")

    def purge(self, connection: sqlite3.Connection) -> None:
        """Leave no trace of words that are gone: full text keeps them in old segments until these are merged."""
        connection.execute("INSERT INTO triple_text (triple_text) VALUES ('optimize')")

    def carry(self, connection: sqlite3.Connection, but: Sequence[int]) -> None:
        """Do nothing: all that a picture needs is copied with its memories."""

    def fill(self, connection: sqlite3.Connection) -> None:
        """Do nothing, for the same reason."""

    def changed(self, connection: sqlite3.Connection, changes: Sequence[RowChange], now_ms: int) -> None:
        """Follow a batch: what is new is to be read, what is gone leaves."""
        stale: list[tuple[int]] = []
        wanted, others = new_and_others(changes)
        for number, _, before, after in others:
            if before is not None and after is not None and _read_of(before) == _read_of(after):
                continue
            if before is not None:
                stale.append((number,))
            if after is not None:
                wanted.append(number)
        if stale:
            connection.executemany(
                "DELETE FROM triple_text WHERE rowid IN (SELECT no FROM triple WHERE id = ?)", stale
            )
            for table in ("triple", "entity_mention", "entity_queue"):
                connection.executemany(f"DELETE FROM {table} WHERE id = ?", stale)
        if wanted and len(wanted) == wanted[-1] - wanted[0] + 1:
            connection.execute(
                "INSERT OR IGNORE INTO entity_queue SELECT id FROM shown_memory WHERE id BETWEEN ? AND ?",
                (wanted[0], wanted[-1]),
            )
        else:
            connection.executemany(
                "INSERT OR IGNORE INTO entity_queue VALUES (?)", [(number,) for number in wanted]
            )


def unread(connection: sqlite3.Connection, *, limit: int = PAGE) -> list[UnreadText]:
    """Return a page of memories that are still to be read."""
    rows = connection.execute(
        """SELECT q.id, m.updated, m.text, m.speaker, ifnull(m.told_at, m.created >> 16),
                  json_extract(m.meta, '$.' || ?)
           FROM entity_queue q JOIN shown_memory m ON m.id = q.id ORDER BY q.id LIMIT ?""",
        (TOLD_TRIPLE, limit),
    )
    return [UnreadText(*row) for row in rows]


def numbers_unread(connection: sqlite3.Connection, limit: int) -> list[int]:
    """Return the rows of at most `limit` memories that are still to be read."""
    return [number for (number,) in connection.execute("SELECT id FROM entity_queue LIMIT ?", (limit,))]


def count_unread(connection: sqlite3.Connection) -> int:
    """Return how many memories are still to be read."""
    ((count,),) = connection.execute("SELECT count(*) FROM entity_queue")
    return int(count)


def read_some(page: Sequence[UnreadText]) -> "list[Extraction]":
    """Return what the texts of a page name and state."""
    from cognition.extraction import extract  # here: a store is opened, and listed, without the grammar

    return [extract(one.text, told_at_ms=one.told_at_ms, speaker=one.speaker) for one in page]


def keep(connection: sqlite3.Connection, page: Sequence[UnreadText], found: "Sequence[Extraction]") -> None:
    """Keep what was found, unless a text changed while it was read: then it stays to be read."""
    from cognition.extraction.closed_words import is_closed_word  # here, as above

    with derived_transaction(connection):
        updates = updates_of(connection, [one.id for one in page])
        for one, each in zip(page, found, strict=True):
            now = updates.get(one.id)
            if now is not None and now != one.updated:
                continue
            connection.execute("DELETE FROM entity_queue WHERE id = ?", (one.id,))
            if now is None:
                continue
            spoken = (one.speaker,) if one.speaker and not is_closed_word(one.speaker) else ()
            names = {name.casefold(): name for name in (*spoken, *each.entities)}
            connection.executemany(
                "INSERT OR IGNORE INTO entity_mention VALUES (?, ?)",
                [(one.id, name) for name in names.values()],
            )
            for triple in {*each.triples, *_told(one.triple)}:
                added = connection.execute(
                    "INSERT OR IGNORE INTO triple (id, subject, predicate, object) VALUES (?, ?, ?, ?)",
                    (one.id, triple.subject, triple.predicate, triple.object),
                )
                if added.rowcount:
                    said = f"{triple.subject} {triple.predicate} {triple.object}"
                    connection.execute(
                        "INSERT INTO triple_text (rowid, said) VALUES (?, ?)", (added.lastrowid, said)
                    )


def entities(connection: sqlite3.Connection, *, limit: int) -> list[tuple[str, int]]:
    """Return the names that memories hold and edges join, with how many memories do: the commonest first.

    An end that is a memory's id (edges may join memories too) is not a name.
    """
    return connection.execute(
        """SELECT min(name), count(DISTINCT id) FROM
           (SELECT name, id FROM entity_mention
            UNION ALL SELECT source, NULL FROM shown_edge WHERE source NOT LIKE :memory
            UNION ALL SELECT target, NULL FROM shown_edge WHERE target NOT LIKE :memory)
           GROUP BY name COLLATE NOCASE ORDER BY count(DISTINCT id) DESC, min(name) LIMIT :limit""",
        {"memory": SHOWN_MEMORY_ID, "limit": limit},
    ).fetchall()


def names_meant(connection: sqlite3.Connection, entity: str, rid: bytes | None) -> set[str]:
    """Return the names in the graph that a text may mean: an entity of any case, or the id of a memory, `rid`."""
    rows = connection.execute(
        """SELECT source FROM shown_edge WHERE source = ?1 COLLATE NOCASE
           UNION SELECT target FROM shown_edge WHERE target = ?1 COLLATE NOCASE
           UNION SELECT subject FROM triple WHERE subject = ?1
           UNION SELECT object FROM triple WHERE object = ?1
           UNION SELECT ?1 FROM shown_memory WHERE rid = ?2""",
        (entity, rid),
    )
    return {name for (name,) in rows}


def triples_of(connection: sqlite3.Connection, name: str, *, limit: int) -> list[tuple[str, str, str, float]]:
    """Return what memories state of a name, or of something by that name, as edges: weight 1 each."""
    return connection.execute(
        """SELECT DISTINCT subject, predicate, object, 1.0 FROM triple WHERE subject = ?
           UNION SELECT DISTINCT subject, predicate, object, 1.0 FROM triple WHERE object = ? LIMIT ?""",
        (name, name, limit),
    ).fetchall()


def numbers_stating(connection: sqlite3.Connection, name: str, *, limit: int) -> list[int]:
    """Return the rows of at most `limit` memories that state something of a name, or of something by that name."""
    rows = connection.execute(
        "SELECT id FROM triple WHERE subject = ? UNION SELECT id FROM triple WHERE object = ? LIMIT ?",
        (name, name, limit),
    )
    return [number for (number,) in rows]


class WholeGraph(NamedTuple):
    """The names that are related to most, each with how many relations it has, and the edges between them.

    `names` and `statements` count what was looked at; it is not `complete` where there are more.
    """

    nodes: list[tuple[str, int]]
    edges: list[tuple[str, str, str]]
    names: int
    statements: int
    complete: bool


def whole_graph(
    connection: sqlite3.Connection, *, nodes_max: int, edges_max: int, read_max: int
) -> WholeGraph:
    """Return how names are related, as far as the latest `read_max` statements and as many edges say so."""
    told = connection.execute(
        "SELECT subject, predicate, object FROM triple ORDER BY no DESC LIMIT ?", (read_max + 1,)
    ).fetchall()
    told += connection.execute(
        """SELECT source, relation, target FROM shown_edge
           WHERE source NOT LIKE :memory AND target NOT LIKE :memory LIMIT :limit""",
        {"memory": SHOWN_MEMORY_ID, "limit": read_max + 1},
    ).fetchall()
    spelled: dict[str, str] = {}
    edges = dict.fromkeys(
        (
            spelled.setdefault(source.casefold(), source),
            relation,
            spelled.setdefault(target.casefold(), target),
        )
        for source, relation, target in told
    )
    related: Counter[str] = Counter()
    for source, _, target in edges:
        related.update({source, target})
    kept = sorted(related.items(), key=lambda each: (-each[1], each[0]))[:nodes_max]
    drawn = {name for name, _ in kept}
    return WholeGraph(
        kept,
        [edge for edge in edges if edge[0] in drawn and edge[2] in drawn][:edges_max],
        len(related),
        len(edges),
        len(told) <= read_max,
    )


def find_triples(
    connection: sqlite3.Connection, asked: FulltextQuery, *, limit: int
) -> list[tuple[int, float]]:
    """Return the memories whose triples match a full text query, each once, the best first."""
    if not asked.match:
        return []
    newest = "SELECT rowid FROM triple_text WHERE triple_text MATCH ? ORDER BY rowid DESC LIMIT ?"
    rows = connection.execute(
        f"""SELECT t.id, -f.score FROM
            (SELECT rowid, bm25(triple_text) AS score FROM triple_text WHERE triple_text MATCH ?
             {"" if asked.among is None else f"AND +rowid IN ({newest})"} ORDER BY score LIMIT ?) f
            JOIN triple t ON t.no = f.rowid ORDER BY f.score, t.id""",
        (asked.match, *(() if asked.among is None else (asked.among, NEWEST_MAX)), limit),
    )
    best: dict[int, float] = {}
    for number, score in rows:
        best.setdefault(number, score)
    return list(best.items())


def _told(text: str | None) -> "list[Triple]":
    """Return the triple that a memory's metadata states, if it is one: anybody may write anything there."""
    from cognition.extraction import Triple

    try:
        subject, predicate, thing = json.loads(text or "null")
        for each in (subject, predicate, thing):
            each.encode()  # JSON spells surrogates that no store takes
        return [Triple(subject, predicate, thing)]
    except (ValueError, TypeError, AttributeError, RecursionError):
        return []


def _read_of(memory: Memory) -> tuple[object, ...]:
    told = (memory.fields.get("meta") or {}).get(TOLD_TRIPLE)
    return memory.text, memory.fields.get("speaker"), memory.fields.get("told_at"), told
