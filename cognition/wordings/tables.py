"""Keep other words for what memories say: those that a model found, and those that whoever told a memory gave with it.

They are derived and stay on this device: no op, in no snapshot, never shown. They go with the memory, and with the
words that they stand for: what a memory says anew is reworded anew. A memory's own words and vector stay as they are,
since what is compared with it should meet what was told; wordings have a vector each, beside their text.

`no` is never used twice and grows with every change: whoever holds the vectors reads what came since, and tells what is
stale.
"""

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from cognition.filters import TIME
from cognition.fulltext import TOKENIZER
from cognition.memories import EACH
from cognition.versions import made_anew
from replica import MemoryId, RowChange, derived_transaction, memories_called, new_and_others, transaction
from replica.reads.texts import said_at

# What was given is nowhere else: a version after this one has to bring it over.
WORDINGS_VERSION: Final = 2
# Of one memory: more say little else, and each costs a vector.
WORDINGS_MAX: Final = 3
# Of one wording; a memory that is longer is about more than other words for it could say.
CHARACTERS_MAX: Final = 200
# Between the wordings of a memory, which hold none.
_BETWEEN: Final = "\n"
# The space of wordings that have no vectors yet; those of embedders count from 1.
_NO_SPACE: Final = 0
_CREATE: Final = (
    # `text` is NULL where a memory is to be reworded again, and empty where nothing came of it. `given` is 1 where
    # whoever told the memory wrote them: a model is not asked for it then.
    """CREATE TABLE wording (no INTEGER PRIMARY KEY AUTOINCREMENT, id INTEGER NOT NULL UNIQUE, text TEXT,
       space INTEGER, data BLOB, given INTEGER NOT NULL DEFAULT 0)""",
    "CREATE INDEX wording_asked ON wording (id) WHERE given = 0",
    "CREATE INDEX wording_stale ON wording (id) WHERE text IS NULL",
    f"CREATE VIRTUAL TABLE wording_text USING fts5(text, content='', tokenize=\"{TOKENIZER}\")",
)
_DROP_WORDS: Final = "INSERT INTO wording_text (wording_text, rowid, text) VALUES ('delete', ?, ?)"
_ADD_WORDS: Final = "INSERT INTO wording_text (rowid, text) VALUES (?, ?)"
# Up to which memory a model was asked; what is given may be of later ones.
_ASKED_UP_TO: Final = "ifnull((SELECT id FROM wording WHERE given = 0 ORDER BY id DESC LIMIT 1), 0)"
# Facts are reworded with what they are from, and what a model wrote is its own words already.
_TO_ASK_FOR: Final = f"""m.id > {_ASKED_UP_TO} AND m.parent IS NULL AND ifnull(m.source, '') NOT IN ('model', 'recall')
    AND m.id NOT IN (SELECT id FROM wording WHERE given = 1)"""


class UnwordedMemory(NamedTuple):
    """One memory to be said in other words."""

    id: int
    text: str
    speaker: str | None
    told_ms: int


def checked(texts: Iterable[str], said: str) -> list[str]:
    """Return what is kept of some wordings of a text: a few, each short, and none that says it as it was said."""
    plain = [" ".join(text.split())[:CHARACTERS_MAX].strip() for text in texts]
    own = " ".join(said.split()).casefold()
    kept = {text.casefold(): text for text in plain if text and text.casefold() != own}
    return list(kept.values())[:WORDINGS_MAX]


class WordingTables:
    """Keeps wordings in step with the memories: `cognition.tables` calls it with what it is called with."""

    def migrate(self, connection: sqlite3.Connection) -> None:
        """Create the tables, or make them anew if an older program left them."""
        with transaction(connection):
            tables = ("wording_text", "wording")
            made_anew(connection, "wording_version", WORDINGS_VERSION, tables=tables, create=_CREATE)

    def purge(self, connection: sqlite3.Connection) -> None:
        """Leave no trace of words that are gone."""
        connection.execute("INSERT INTO wording_text (wording_text) VALUES ('optimize')")

    def changed(self, connection: sqlite3.Connection, changes: Sequence[RowChange]) -> None:
        """Drop the wordings of what says something else now, or nothing."""
        ((last,),) = connection.execute("SELECT max(id) FROM wording")
        if last is None:
            return
        fresh, looked_at = new_and_others(changes)
        others = [
            (number, after is None)
            for number, _, before, after in looked_at
            if number <= last and before is not None and (after is None or after.text != before.text)
        ]
        held = wordings_at(connection, [number for number, _ in others])
        connection.executemany(_DROP_WORDS, held.items())
        ((asked,),) = connection.execute(f"SELECT {_ASKED_UP_TO}")
        connection.executemany(
            "INSERT OR REPLACE INTO wording (id) SELECT id FROM wording WHERE id = ?",
            [(number,) for number, is_gone in others if not is_gone and number <= asked],
        )
        # What a model has not come to yet, it will come to.
        gone = [(number,) for number, is_gone in others if is_gone or number > asked]
        connection.executemany("DELETE FROM wording WHERE id = ?", gone)
        # What comes under a number that was passed by would not be come by again.
        fresh += [number for number, _, before, _ in looked_at if before is None]
        again = [(number,) for number in fresh if number < asked]
        connection.executemany("INSERT OR IGNORE INTO wording (id) VALUES (?)", again)


def unworded(connection: sqlite3.Connection, *, before_ms: int, limit: int) -> list[UnwordedMemory]:
    """Return memories that are still to be reworded: those that say something else now, then those that came.

    What was told after `before_ms` may yet be put right, and is left.
    """
    rows = connection.execute(
        f"""SELECT m.id, m.text, m.speaker, {TIME} FROM wording w JOIN shown_memory m ON m.id = w.id
           WHERE w.text IS NULL LIMIT ?""",
        (limit,),
    ).fetchall()
    fresh = connection.execute(
        f"""SELECT m.id, m.text, m.speaker, {TIME}, m.created >> 16 FROM shown_memory m
           WHERE {_TO_ASK_FOR} ORDER BY m.id LIMIT ?""",
        (limit - len(rows),),
    )
    for *row, created_ms in fresh:
        if created_ms > before_ms:
            break
        rows.append(row)
    return [UnwordedMemory(*row) for row in rows]


def keep(
    connection: sqlite3.Connection,
    space: int,
    page: Sequence[UnwordedMemory],
    wordings: Sequence[Sequence[str]],
    vectors: Sequence[bytes],
) -> None:
    """Keep the wordings, and their vectors, of those memories that still say what was reworded."""
    with derived_transaction(connection):
        numbers = [one.id for one in page]
        now = {said.id: said.text for said in said_at(connection, numbers)}
        connection.executemany(_DROP_WORDS, wordings_at(connection, numbers).items())
        kept = [
            (one.id, _BETWEEN.join(texts), space, data)
            for one, texts, data in zip(page, wordings, vectors, strict=True)
            if now.get(one.id) == one.text
        ]
        connection.executemany(
            "INSERT OR REPLACE INTO wording (id, text, space, data) VALUES (?, ?, ?, ?)", kept
        )
        connection.executemany(_ADD_WORDS, [(number, text) for number, text, _, _ in kept if text])


def give(connection: sqlite3.Connection, wordings: Mapping[MemoryId, Sequence[str]]) -> None:
    """Keep the wordings that came with memories, if any did; they wait for their vectors."""
    given = {rid: _BETWEEN.join(texts) for rid, texts in wordings.items() if texts}
    if not given:
        return
    texts = {said.id: given[said.rid] for said in memories_called(connection, given)}
    with transaction(connection):
        connection.executemany(_DROP_WORDS, wordings_at(connection, texts).items())
        connection.executemany(
            f"INSERT OR REPLACE INTO wording (id, text, space, data, given) VALUES (?, ?, {_NO_SPACE}, x'', 1)",
            texts.items(),
        )
        connection.executemany(_ADD_WORDS, texts.items())


def drop_vectors(connection: sqlite3.Connection) -> None:
    """Have all wordings wait for vectors; in the transaction that enters another space."""
    connection.execute("UPDATE wording SET space = ?, data = x'' WHERE text <> ''", (_NO_SPACE,))


def other_space(connection: sqlite3.Connection, space: int, limit: int) -> list[tuple[int, list[str]]]:
    """Return memories whose wordings have no vectors yet, or those of another embedder, and these wordings."""
    rows = connection.execute(
        "SELECT id, text FROM wording WHERE text <> '' AND space <> ? LIMIT ?", (space, limit)
    )
    return [(number, split_wordings(text)) for number, text in rows]


def keep_vectors(
    connection: sqlite3.Connection,
    space: int,
    worded: Sequence[tuple[int, Sequence[str]]],
    vectors: Sequence[bytes],
) -> None:
    """Keep vectors for wordings that are still the same."""
    with derived_transaction(connection):
        connection.executemany(
            """INSERT OR REPLACE INTO wording (id, text, given, space, data)
               SELECT id, text, given, ?, ? FROM wording WHERE id = ? AND text = ?""",
            [
                (space, data, number, _BETWEEN.join(texts))
                for (number, texts), data in zip(worded, vectors, strict=True)
            ],
        )


def split_wordings(text: str) -> list[str]:
    """Return the wordings that a row holds."""
    return text.split(_BETWEEN)


def wordings_at(connection: sqlite3.Connection, numbers: Iterable[int]) -> dict[int, str]:
    """Return the wordings of those of these memories that have any, as one text."""
    rows = connection.execute(
        f"SELECT id, text FROM wording WHERE id IN ({EACH}) AND text <> ''", (json.dumps([*numbers]),)
    )
    return dict(rows.fetchall())


def counted(connection: sqlite3.Connection) -> tuple[int, int]:
    """Return how many memories have other words, and how many are still to be reworded."""
    ((worded,),) = connection.execute("SELECT count(*) FROM wording WHERE text <> ''")
    ((waiting,),) = connection.execute(
        f"""SELECT (SELECT count(*) FROM wording w JOIN shown_memory m ON m.id = w.id WHERE w.text IS NULL)
                + (SELECT count(*) FROM shown_memory m WHERE {_TO_ASK_FOR})"""
    )
    return int(worded), int(waiting)
