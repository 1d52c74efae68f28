"""Count what patterns are made of, so that looking for them costs in proportion to what is new.

The fold only notes which memories are new or changed; `note_memories` reads them, a page at a time, when a mind
thinks. What a memory added is taken back in the transaction that changes or erases it, since names are words too.
All counts follow from the memories that show, so they are the same on every device that has read as far.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Final

from cognition.memories import CHARACTERS_MAX, EACH, Shown, read_memories
from cognition.versions import made_anew
from cognition.words import STOP_WORDS, words
from replica import FollowingTables, Memory, RowChange, new_and_others, transaction

if TYPE_CHECKING:
    from cognition.patterns.reading import Noted

# Raise it when a table, or what goes into it, changes.
PATTERNS_VERSION: Final = 1
# Of fewer telling words no theme is made: all farewells are alike.
COMPARED_WORDS_MIN: Final = 3
# Memories read in one call: a fiftieth of a second, for which the writer is held up.
PAGE: Final = 200

_CREATE: Final = (
    "CREATE TABLE pattern_queue (id INTEGER PRIMARY KEY)",
    "CREATE TABLE pattern_unlike (id INTEGER PRIMARY KEY)",
    """CREATE TABLE pattern_note (
        id INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, day INTEGER NOT NULL, bucket INTEGER NOT NULL, valence REAL
    )""",
    """CREATE TABLE pattern_subject (
        subject TEXT, id INTEGER, is_name INTEGER NOT NULL, PRIMARY KEY (subject, id)
    ) WITHOUT ROWID""",
    "CREATE INDEX pattern_subject_by_memory ON pattern_subject (id)",
    "CREATE TABLE pattern_pair (a TEXT, b TEXT, memories INTEGER NOT NULL, PRIMARY KEY (a, b)) WITHOUT ROWID",
    "CREATE INDEX pattern_pair_by_second ON pattern_pair (b)",
    """CREATE TABLE pattern_day (
        subject TEXT, bucket INTEGER, day INTEGER, memories INTEGER NOT NULL, PRIMARY KEY (subject, bucket, day)
    ) WITHOUT ROWID""",
    """CREATE TABLE pattern_bucket (
        subject TEXT, bucket INTEGER, days INTEGER NOT NULL, PRIMARY KEY (subject, bucket)
    ) WITHOUT ROWID""",
    """CREATE TABLE pattern_felt (
        subject TEXT, at_ms INTEGER, id INTEGER, valence REAL NOT NULL, PRIMARY KEY (subject, at_ms, id)
    ) WITHOUT ROWID""",
    "CREATE TABLE pattern_like (id INTEGER, other INTEGER, PRIMARY KEY (id, other)) WITHOUT ROWID",
    """CREATE TABLE pattern (
        id BLOB PRIMARY KEY, miner TEXT NOT NULL, key TEXT NOT NULL, support INTEGER NOT NULL, raised INTEGER NOT NULL
    ) WITHOUT ROWID""",
)
_TABLES: Final = (
    *("pattern_queue", "pattern_unlike", "pattern_note", "pattern_subject", "pattern_pair", "pattern_day"),
    *("pattern_bucket", "pattern_felt", "pattern_like", "pattern"),
)


@dataclass(slots=True)
class Touched:
    """What a page of memories moved, in the order in which it did."""

    names: dict[str, None] = field(default_factory=dict)
    pairs: dict[tuple[str, str], None] = field(default_factory=dict)
    times: dict[tuple[str, int], None] = field(default_factory=dict)
    moods: dict[str, None] = field(default_factory=dict)


class PatternTables(FollowingTables):
    """A `replica.DerivedTables`: notes what is to be read, and takes back what is gone."""

    def __init__(self, *, reads: bool = True) -> None:
        """Without `reads` nothing is queued of what is there when the tables are made: nobody looks for patterns."""
        self._reads = reads

    def migrate(self, connection: sqlite3.Connection) -> None:
        """Create the tables, or make them anew if an older program left them."""
        with transaction(connection):
            made = made_anew(connection, "pattern_version", PATTERNS_VERSION, tables=_TABLES, create=_CREATE)
            if made and self._reads:
                connection.execute("INSERT INTO pattern_queue SELECT id FROM shown_memory")

    def purge(self, connection: sqlite3.Connection) -> None:
        """Do nothing: SQLite overwrites the rows that `changed` deletes, and nothing else holds words."""

    def changed(self, connection: sqlite3.Connection, changes: Sequence[RowChange], now_ms: int) -> None:
        """Follow a batch: what is new is to be read, what is gone is taken back."""
        wanted, others = new_and_others(changes)
        for number, _, before, after in others:
            if before is not None and after is not None and _read_of(before) == _read_of(after):
                continue
            if before is not None:
                _take_back(connection, number)
            if after is not None:
                wanted.append(number)
        if wanted and len(wanted) == wanted[-1] - wanted[0] + 1:
            connection.execute(
                "INSERT OR IGNORE INTO pattern_queue SELECT id FROM shown_memory WHERE id BETWEEN ? AND ?",
                (wanted[0], wanted[-1]),
            )
        else:
            connection.executemany(
                "INSERT OR IGNORE INTO pattern_queue VALUES (?)", [(number,) for number in wanted]
            )


def waiting(connection: sqlite3.Connection) -> list[int]:
    """Return a page of memories that are still to be read."""
    rows = connection.execute("SELECT id FROM pattern_queue ORDER BY id LIMIT ?", (PAGE,))
    return [number for (number,) in rows]


def note_memories(connection: sqlite3.Connection, numbers: Sequence[int]) -> Touched:
    """Read these memories and add what they say, in the caller's transaction; return what that moved."""
    from cognition.patterns.reading import note  # here: a store is opened, and listed, without the grammar

    read = [
        (it, note(it.memory.text, it.memory.fields, it.memory.created >> 16))
        for it in sorted(read_memories(connection, numbers, characters=CHARACTERS_MAX), key=lambda it: it.id)
        if _counts(it)
    ]
    noted = [(it.id, each) for it, each in read]
    for number in _noted_before(connection, noted):
        _take_back(connection, number)
    touched = _add(connection, noted)
    connection.executemany(
        "INSERT OR IGNORE INTO pattern_unlike VALUES (?)",
        [(it.id,) for it, _ in read if len(set(words(it.memory.text)) - STOP_WORDS) >= COMPARED_WORDS_MIN],
    )
    connection.executemany("DELETE FROM pattern_queue WHERE id = ?", [(number,) for number in numbers])
    return touched


def _noted_before(connection: sqlite3.Connection, noted: "Sequence[tuple[int, Noted]]") -> list[int]:
    rows = connection.execute(
        f"SELECT id FROM pattern_note WHERE id IN ({EACH})", (json.dumps([number for number, _ in noted]),)
    )
    return [number for (number,) in rows]


def _counts(it: Shown) -> bool:
    """Say whether a memory was told: a fact repeats its parent, and blocks and what is archived tell of nothing."""
    fields = it.memory.fields
    return not (fields.get("archived") or fields.get("block") or fields.get("parent"))


def _add(connection: sqlite3.Connection, noted: "Sequence[tuple[int, Noted]]") -> Touched:
    """Add what a page of memories says, a statement for each table; return what that moved."""
    connection.executemany(
        "INSERT INTO pattern_note VALUES (?, ?, ?, ?, ?)",
        [(number, each.at_ms, each.day, each.bucket, each.valence) for number, each in noted],
    )
    connection.executemany(
        "INSERT INTO pattern_subject VALUES (?, ?, ?)",
        [(subject, number, subject in each.names) for number, each in noted for subject in each.subjects],
    )
    touched = Touched()
    told: list[tuple[str, str]] = []
    for _, each in noted:
        pairs = list(combinations(sorted(each.names), 2))
        told += pairs
        touched.names |= dict.fromkeys(each.names if pairs else ())
    touched.pairs |= dict.fromkeys(told)
    connection.executemany(
        "INSERT INTO pattern_pair VALUES (?, ?, 1) ON CONFLICT (a, b) DO UPDATE SET memories = memories + 1",
        told,
    )
    _add_days(connection, noted, touched)
    felt = [each for each in noted if each[1].valence is not None]
    connection.executemany(
        "INSERT INTO pattern_felt VALUES (?, ?, ?, ?)",
        [(subject, each.at_ms, number, each.valence) for number, each in felt for subject in each.subjects],
    )
    touched.moods |= dict.fromkeys(subject for _, each in felt for subject in each.subjects)
    return touched


def _add_days(connection: sqlite3.Connection, noted: "Sequence[tuple[int, Noted]]", touched: Touched) -> None:
    """Count on how many days each subject was told of, by the part of the week: much is told on one day."""
    days = Counter((subject, each.bucket, each.day) for _, each in noted for subject in each.subjects)
    for (subject, bucket, day), count in days.items():
        new = connection.execute(
            "INSERT OR IGNORE INTO pattern_day VALUES (?, ?, ?, ?)", (subject, bucket, day, count)
        ).rowcount
        if not new:
            connection.execute(
                "UPDATE pattern_day SET memories = memories + ? WHERE subject = ? AND bucket = ? AND day = ?",
                (count, subject, bucket, day),
            )
        else:
            connection.execute(
                """INSERT INTO pattern_bucket VALUES (?, ?, 1)
                   ON CONFLICT (subject, bucket) DO UPDATE SET days = days + 1""",
                (subject, bucket),
            )
            touched.times[subject, bucket] = None


def _take_back(connection: sqlite3.Connection, number: int) -> None:
    """Take away what a memory added; patterns that it carried are looked at again when somebody asks for them."""
    row = connection.execute("SELECT at_ms, day, bucket FROM pattern_note WHERE id = ?", (number,)).fetchone()
    connection.execute("DELETE FROM pattern_queue WHERE id = ?", (number,))
    if row is None:
        return
    at_ms, day, bucket = row
    subjects = connection.execute(
        "SELECT subject, is_name FROM pattern_subject WHERE id = ?", (number,)
    ).fetchall()
    pairs = list(combinations(sorted(subject for subject, is_name in subjects if is_name), 2))
    connection.executemany("UPDATE pattern_pair SET memories = memories - 1 WHERE a = ? AND b = ?", pairs)
    connection.executemany("DELETE FROM pattern_pair WHERE a = ? AND b = ? AND memories <= 0", pairs)
    for subject, _ in subjects:
        when = (subject, bucket)
        connection.execute(
            "UPDATE pattern_day SET memories = memories - 1 WHERE subject = ? AND bucket = ? AND day = ?",
            (*when, day),
        )
        gone = connection.execute(
            "DELETE FROM pattern_day WHERE subject = ? AND bucket = ? AND day = ? AND memories <= 0",
            (*when, day),
        ).rowcount
        if gone:
            connection.execute(
                "UPDATE pattern_bucket SET days = days - 1 WHERE subject = ? AND bucket = ?", when
            )
            connection.execute(
                "DELETE FROM pattern_bucket WHERE subject = ? AND bucket = ? AND days <= 0", when
            )
        connection.execute(
            "DELETE FROM pattern_felt WHERE subject = ? AND at_ms = ? AND id = ?", (subject, at_ms, number)
        )
    for table in ("pattern_note", "pattern_unlike", "pattern_subject"):
        connection.execute(f"DELETE FROM {table} WHERE id = ?", (number,))
    others = connection.execute("SELECT other FROM pattern_like WHERE id = ?", (number,)).fetchall()
    connection.execute("DELETE FROM pattern_like WHERE id = ?", (number,))
    connection.executemany(
        "DELETE FROM pattern_like WHERE id = ? AND other = ?", [(other, number) for (other,) in others]
    )
    _forget_words(connection, [subject for subject, _ in subjects])


def _forget_words(connection: sqlite3.Connection, subjects: Iterable[str]) -> None:
    """Drop the patterns whose names nobody tells of any more: a key is made of words."""
    gone = [
        subject
        for subject in subjects
        if subject
        and not connection.execute("SELECT 1 FROM pattern_subject WHERE subject = ?", (subject,)).fetchone()
    ]
    for subject in gone:
        connection.execute(
            "DELETE FROM pattern WHERE instr(char(31) || key || char(31), char(31) || ? || char(31)) > 0",
            (subject,),
        )


def _read_of(memory: Memory) -> tuple[object, ...]:
    fields = memory.fields
    names = ("speaker", "told_at", "topic", "project", "valence", "archived", "block", "parent")
    return memory.text, *(fields.get(name) for name in names)
