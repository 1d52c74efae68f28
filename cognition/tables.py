"""What cognition keeps in the store beside the memories: words, vectors, the queue of what to embed, and readings.

The replica calls `changed` inside the transaction that folds ops, for a write here and for a sync alike; for
what was told one after the other, `follow` in one transaction behind it, before anything is read. So a memory is found
by its words as soon as it is committed, and no memory can be committed without its place in the queue. The embedder is
never called there: it would hold the write up.

All of it follows from the memories and may be thrown away. That is also how it is upgraded: when
`TABLES_VERSION` or what is indexed changes, the tables are dropped, and filled again from the memories.

Full text keeps no copy of the text (`content=''`), so taking a row out needs the words it was filed under,
which is why the hook is given the memory as it was before. `queue` rows hold no text either: it is read
when it is embedded, so that a changed text is never embedded as it was and an erased one is not left behind
here.
"""

import json
import sqlite3
from collections.abc import Mapping, Sequence, Set
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import islice
from typing import Any, Final, NamedTuple

from cognition.days import DAY_MS
from cognition.fulltext import TOKENIZER
from cognition.tellings import TellingTables
from cognition.wordings.tables import WordingTables
from replica import NewRows, RowChange, insert_many, new_and_others, transaction
from replica.hlc import COUNTER_BITS
from replica.reads.ids import follow_one_another
from replica.reads.texts import wordings_of, wordings_with

# Raise it when a table, or what `indexed` returns, changes.
TABLES_VERSION: Final = 3

# Memories read at a time when the tables are filled again.
_REBUILD_ROWS: Final = 2_000
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
# Ten years of days; a sync brings the days of a conversation together.
_DAYS_KEPT: Final = 4_096
# Not strftime's: those follow the machine's locale, and every device must file a memory alike.
_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)

# What a memory is filed under.
FILED_UNDER: Final = ("text", "speaker", "about")
_CREATE: Final = (
    f"""CREATE VIRTUAL TABLE memory_text USING fts5(
        {", ".join(FILED_UNDER)}, content='', tokenize="{TOKENIZER}"
    )""",
    # Views of its words, which take no room: which there are, and where each stands.
    "CREATE VIRTUAL TABLE memory_word USING fts5vocab('memory_text', 'row')",
    "CREATE VIRTUAL TABLE memory_word_at USING fts5vocab('memory_text', 'instance')",
    "CREATE TABLE vector_space (no INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
    # 16-bit floats: half the file and half the time to load, for a change of the cosine in its fifth digit.
    "CREATE TABLE vector (id INTEGER PRIMARY KEY, space INTEGER NOT NULL, data BLOB NOT NULL)",
    # What a reranker read (`cognition.reranking.readings`); NULL where it has to read again, empty where it failed.
    "CREATE TABLE reading (id INTEGER PRIMARY KEY, data BLOB)",
    "CREATE INDEX reading_stale ON reading (id) WHERE data IS NULL",
    """CREATE TABLE embed_queue (
        id INTEGER PRIMARY KEY,
        enqueued_at INTEGER NOT NULL,
        last_attempt_at INTEGER,
        attempts INTEGER NOT NULL DEFAULT 0,
        last_error TEXT,
        status TEXT NOT NULL DEFAULT 'pending'
    )""",
    # Only of what failed before: new rows are found by their own order, and come five thousand at a time.
    "CREATE INDEX embed_queue_by_status ON embed_queue (status, attempts) WHERE attempts > 0",
    # A sync adds large batches: merge segments half as often as SQLite would, and write larger ones.
    "INSERT INTO memory_text (memory_text, rank) VALUES ('automerge', 8)",
    "INSERT INTO memory_text (memory_text, rank) VALUES ('hashsize', 4194304)",
)
_TABLES: Final = (
    *("memory_word", "memory_word_at", "memory_text"),
    *("vector", "vector_space", "embed_queue", "reading"),
)

_ADD_WORDS: Final = "INSERT INTO memory_text (rowid, text, speaker, about) VALUES"
# In one statement. Before each that files several, full text writes what it gathered, and of fewer each it merges more.
# After each, another thread may take its turn: of single rows most of the time would be waiting.
_FILED_AT_ONCE: Final = 1_000
# As many as are counted in a thread beside that (`replica.folding`): rows of their own would wait for it one by one.
_FILED_BY_COLUMN_MIN: Final = 500
_ADD_BARE_WORDS: Final = """INSERT INTO memory_text (rowid, text, speaker, about)
    SELECT id, text, '', '' FROM shown_memory WHERE id BETWEEN ? AND ?"""
_FILED_BETWEEN: Final = "SELECT id FROM memory_text_docsize WHERE id BETWEEN ? AND ?"
_FILED_AMONG: Final = "SELECT id FROM memory_text_docsize WHERE id IN (SELECT value FROM json_each(?))"
# The tables in which full text keeps an index.
_OF_FULL_TEXT: Final = tuple(f"memory_text_{part}" for part in ("data", "idx", "docsize", "config"))
_DROP_WORDS: Final = (
    "INSERT INTO memory_text (memory_text, rowid, text, speaker, about) VALUES ('delete', ?, ?, ?, ?)"
)
_ENQUEUE: Final = "INSERT OR REPLACE INTO embed_queue (id, enqueued_at) VALUES (?, ?)"
# A third of the cost of a statement a row, where many new memories follow one another, as they do.
_RANGE_MIN: Final = 4
_ENQUEUE_RANGE: Final = """INSERT OR IGNORE INTO embed_queue (id, enqueued_at)
    SELECT id, ? FROM shown_memory WHERE id BETWEEN ? AND ?"""

_tuple = tuple.__new__  # by name it takes three times as long, and every memory that comes is filed

# The fields that `indexed` reads beside the text; who spoke and when come first.
INDEXED_FIELDS: Final = ("speaker", "told_at", "topic", "project", "tags", "meta")


_DAY: Final = f"(told_at - (told_at % {DAY_MS} + {DAY_MS}) % {DAY_MS}) / {DAY_MS}"
_TOLD: Final = f"day * {DAY_MS // 1_000}, 'unixepoch'"
_MONTH_OF: Final = " ".join(f"WHEN '{no:02}' THEN '{name}'" for no, name in enumerate(_MONTHS, 1))
# What `_date_words` returns of each day, since to look a day up takes a quarter of the time: of none before the year 1.
# None that a memory may have is beyond 9999. No table: SQLite reads the whole schema anew when where temporary ones lie
# is set, as each large commit does, and there was one.
_DAYS: Final = f"""
    SELECT day, CAST(strftime('%d', {_TOLD}) AS INTEGER) || ' ' || CASE strftime('%m', {_TOLD}) {_MONTH_OF} END
           || ' ' || CAST(strftime('%Y', {_TOLD}) AS INTEGER) || ' '
    FROM (SELECT DISTINCT {_DAY} AS day FROM shown_memory
          WHERE told_at >= -62135596800000 AND id BETWEEN ?1 AND ?2)"""
# Full text cuts words at whatever stands between labels in JSON, unless it stands for a letter: to take them out costs
# as much as to file the rest.
_TAG_WORDS: Final = """CASE WHEN instr(tags, '\\')
    THEN (SELECT ifnull(group_concat(value, ' '), '') FROM json_each(tags)) ELSE ifnull(tags, '') END"""
# The words that `indexed` returns, of all but what has metadata: in one statement it takes a fifth of the time.
_ADD_PLAIN_WORDS: Final = f"""WITH day_words (day, words) AS ({_DAYS})
    INSERT INTO memory_text (rowid, text, speaker, about)
    SELECT id, text, ifnull(speaker, ''),
           ifnull(words, '')
           || ifnull(topic || ' ', '') || ifnull(project || ' ', '') || {_TAG_WORDS}
    FROM shown_memory LEFT JOIN day_words ON day = {_DAY}
    WHERE meta IS NULL AND id BETWEEN ?1 AND ?2 ORDER BY id"""
# Above every number of a memory.
_EVERY: Final = 2**62
_FILL_QUEUE: Final = """INSERT OR REPLACE INTO embed_queue (id, enqueued_at)
    SELECT id, updated >> ? FROM shown_memory ORDER BY id"""


class Indexed(NamedTuple):
    """What a memory is filed under, and embedded as."""

    text: str
    speaker: str
    about: str

    def whole(self) -> str:
        """Return what is embedded: who said it, what, and what it is about."""
        said = f"{self.speaker}: {self.text}" if self.speaker else self.text
        return f"{said} {self.about}" if self.about else said


def indexed(text: str, fields: Mapping[str, Any]) -> Indexed:
    """Return what a memory is filed under: its words, its speaker, and the words of its date and labels."""
    if not fields:
        return _tuple(Indexed, (text, "", ""))
    about = []
    told_at = fields.get("told_at")
    if told_at is not None:
        about.append(_date_words(told_at // DAY_MS))
    for name in ("topic", "project"):
        value = fields.get(name)
        if value is not None:
            about.append(value)
    about += fields.get("tags") or ()
    meta = fields.get("meta")
    if meta:
        about += [str(value) for value in meta.values() if isinstance(value, str | int | float)]
    return Indexed(text, fields.get("speaker") or "", " ".join(about))


@lru_cache(_DAYS_KEPT)
def _date_words(day: int) -> str:
    try:
        date = _EPOCH + timedelta(days=day)
    except OverflowError:  # told in the year 12000, says its author
        return ""
    return f"{date.day} {_MONTHS[date.month - 1]} {date.year}"


class CognitionTables:
    """A `replica.DerivedTables`.

    Keeps words and queue in step with the memories, and drops vectors and wordings that are stale; and knows which
    tellings are one.
    """

    def __init__(self, *, embeds: bool = True, fills: bool = True) -> None:
        """Without `embeds` nothing is queued for a model: for who has none, and never will.

        Without `fills` tables that are made here stay empty of the words and the queue of what is there already: for a
        picture of a store that nobody searches.
        """
        self._words = WordTables(embeds=embeds, fills=fills)
        self._tellings = TellingTables()
        self._wordings = WordingTables()

    def migrate(self, connection: sqlite3.Connection) -> None:
        """Create the tables, or make them anew if an older program left them."""
        self._words.migrate(connection)
        self._tellings.migrate(connection)
        self._wordings.migrate(connection)

    def purge(self, connection: sqlite3.Connection) -> None:
        """Leave no trace of words that are gone: full text keeps them in old segments until these are merged."""
        self._words.purge(connection)
        self._wordings.purge(connection)

    def follow(self, connection: sqlite3.Connection, changes: Sequence[RowChange], now_ms: int) -> None:
        """Follow what was told since; what is filed already full text would hold twice."""
        self._tellings.changed(connection, changes)
        self._wordings.changed(connection, changes)
        self._words.follow(connection, changes, now_ms)

    def changed(self, connection: sqlite3.Connection, changes: Sequence[RowChange], now_ms: int) -> None:
        """Follow a batch: file the new words, drop the old ones, enqueue what has to be embedded.

        Words come first, in the longest statement: Python is free meanwhile for what is counted in a thread.
        """
        self._words.changed(connection, changes, now_ms)
        self._tellings.changed(connection, changes)
        self._wordings.changed(connection, changes)


class WordTables:
    """The words of memories and the queue of what to embed; alone, it is a `CopiedTables` for a picture of a store."""

    of_memories: tuple[str, ...] = ()
    """Full text is not copied memory by memory."""

    def __init__(self, *, embeds: bool = True, fills: bool = True) -> None:
        """As of `CognitionTables`."""
        self._embeds = embeds
        self._fills = fills

    def migrate(self, connection: sqlite3.Connection) -> None:
        """Create the tables, or make them anew if an older program left them."""
        with transaction(connection):
            connection.execute(
                "CREATE TABLE IF NOT EXISTS cognition (name TEXT PRIMARY KEY, value) WITHOUT ROWID"
            )
            found = connection.execute("SELECT value FROM cognition WHERE name = 'version'").fetchone()
            # Whose vectors left the store and are still to leave the file of a graph (`cognition.near_graph`). It
            # outlives the other tables, as the file does.
            connection.execute("CREATE TABLE IF NOT EXISTS graph_gone (id INTEGER PRIMARY KEY)")
            if found != (TABLES_VERSION,):
                for table in _TABLES:
                    connection.execute(f"DROP TABLE IF EXISTS {table}")
                for statement in _CREATE:
                    connection.execute(statement)
                if self._fills:
                    self.fill(connection)
                connection.execute(
                    "INSERT OR REPLACE INTO cognition VALUES ('version', ?)", (TABLES_VERSION,)
                )

    def purge(self, connection: sqlite3.Connection) -> None:
        """Leave no trace of words that are gone: full text keeps them in old segments until these are merged."""
        connection.execute("INSERT INTO memory_text (memory_text) VALUES ('optimize')")

    def fill(self, connection: sqlite3.Connection) -> None:
        """File the words of all memories that show, in tables that hold none, and queue them for the embedder."""
        _file_all(connection)
        if self._embeds:
            embed_all_later(connection)

    def carry(self, connection: sqlite3.Connection, but: Sequence[int]) -> None:
        """Copy the words of a store, as a `CopiedTables`: to file them anew takes several times as long.

        Nothing is queued: who embeds a picture does so as a whole (`embed_all_later`).
        """
        # Full text holds what it read of its tables, until others write or the schema changes.
        ((schema,),) = connection.execute("PRAGMA main.schema_version")
        connection.execute(f"PRAGMA main.schema_version = {schema + 1}")
        if connection.execute("PRAGMA main.schema_version").fetchone() == (schema,):
            # A defensive SQLite, as macOS brings it, lets nobody else write these tables.
            _file_all(connection)
        else:
            for table in _OF_FULL_TEXT:
                connection.execute(f"DELETE FROM main.{table}")
                connection.execute(f"INSERT INTO main.{table} SELECT * FROM now.{table}")
        for start in range(0, len(but), _REBUILD_ROWS):
            filed = connection.execute(_FILED_AMONG, (json.dumps(but[start : start + _REBUILD_ROWS]),))
            said = wordings_of(connection, [number for (number,) in filed], INDEXED_FIELDS)
            connection.executemany(
                _DROP_WORDS, [(each.id, *indexed(each.text, each.fields)) for each in said]
            )

    def follow(self, connection: sqlite3.Connection, changes: Sequence[RowChange], now_ms: int) -> None:
        """Follow what was told since; what is filed already full text would hold twice."""
        ends = changes[0].id, changes[-1].id
        filed = {number for (number,) in connection.execute(_FILED_BETWEEN, ends)}
        self._changed(connection, changes, now_ms, filed)

    def changed(self, connection: sqlite3.Connection, changes: Sequence[RowChange], now_ms: int) -> None:
        """Follow a batch: file the new words, drop the old ones, enqueue what has to be embedded."""
        self._changed(connection, changes, now_ms, frozenset())

    def _changed(
        self, connection: sqlite3.Connection, changes: Sequence[RowChange], now_ms: int, filed: Set[int]
    ) -> None:
        fresh, others = new_and_others(changes)
        dropped: list[tuple[int, str, str, str]] = []
        added: list[tuple[int, str, str, str]] = []
        if fresh and isinstance(changes, NewRows):
            if changes.are_bare:
                connection.execute(_ADD_BARE_WORDS, (fresh[0], fresh[-1]))
            elif len(fresh) >= _FILED_BY_COLUMN_MIN:
                connection.execute(_ADD_PLAIN_WORDS, (fresh[0], fresh[-1]))
                # As the statement has it: of an empty map the column is not NULL.
                added = [
                    (each.id, *indexed(each.after.text, each.after.fields))
                    for each in changes.having({"meta"})
                    if each.after is not None and each.after.fields.get("meta") is not None
                ]
            else:
                added = [(number, *indexed(text, fields)) for number, text, fields in changes.said()]
        gone: list[tuple[int]] = []
        stale: list[tuple[int]] = []
        requeued: list[tuple[int, int]] = []
        for number, _, before, after in others:
            if before is None:
                if after is not None:
                    fresh.append(number)
                    if number not in filed:
                        added.append((number, *indexed(after.text, after.fields)))
                continue
            old = indexed(before.text, before.fields)
            new = None if after is None else indexed(after.text, after.fields)
            if old == new:
                continue
            dropped.append((number, *old))
            stale.append((number,))
            if new is None:
                gone.append((number,))
            else:
                added.append((number, *new))
                requeued.append((number, now_ms))
        if dropped:
            connection.executemany(_DROP_WORDS, dropped)
            connection.executemany("DELETE FROM vector WHERE id = ?", stale)
            if connection.execute("SELECT 1 FROM cognition WHERE name = 'graph'").fetchone():
                connection.executemany("INSERT OR IGNORE INTO graph_gone VALUES (?)", stale)
            connection.executemany("UPDATE reading SET data = NULL WHERE id = ?", stale)
            connection.executemany("DELETE FROM embed_queue WHERE id = ?", gone)
        _add_words(connection, added)
        if self._embeds:
            self._enqueue(connection, requeued, fresh, now_ms)
        ((last_read,),) = connection.execute("SELECT max(id) FROM reading")
        if last_read is not None:
            # Reading goes by the numbers: what comes back under an old one would not be come by again.
            connection.executemany(
                "DELETE FROM reading WHERE id = ?", [each for each in gone if each[0] < last_read]
            )
            again = [(number,) for number in fresh if number < last_read]
            connection.executemany("INSERT OR IGNORE INTO reading (id) VALUES (?)", again)

    @staticmethod
    def _enqueue(
        connection: sqlite3.Connection, requeued: list[tuple[int, int]], fresh: list[int], now_ms: int
    ) -> None:
        if follow_one_another(fresh, least=_RANGE_MIN):
            connection.execute(_ENQUEUE_RANGE, (now_ms, min(fresh), max(fresh)))
        else:
            requeued += [(number, now_ms) for number in fresh]
        connection.executemany(_ENQUEUE, requeued)


def _add_words(connection: sqlite3.Connection, added: Sequence[tuple[int, str, str, str]]) -> None:
    insert_many(connection, _ADD_WORDS, "(?, ?, ?, ?)", added, at_once=_FILED_AT_ONCE)


def _file_all(connection: sqlite3.Connection) -> None:
    connection.execute(_ADD_PLAIN_WORDS, (0, _EVERY))
    said = wordings_with(connection, "meta", INDEXED_FIELDS)
    while rows := list(islice(said, _REBUILD_ROWS)):
        _add_words(connection, [(each.id, *indexed(each.text, each.fields)) for each in rows])


def embed_all_later(connection: sqlite3.Connection) -> None:
    """Queue every text for the embedder."""
    connection.execute(_FILL_QUEUE, (COUNTER_BITS,))
