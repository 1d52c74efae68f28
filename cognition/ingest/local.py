"""Tables that only this device has: what it holds back, and what it has still to ask or to tell.

They stand in the store's file and in the same transactions as what they belong to, but they are neither folded
from ops nor derived from memories: nothing could rebuild them, so a newer program adds to them and never drops
them. Nothing here is hashed or shipped.
"""

import sqlite3
from collections.abc import Sequence
from typing import Final

from replica import FollowingTables, RowChange, new_and_others, transaction
from replica.derived import (
    INDEX_OF_EVENTS,
    INDEX_OF_LATEST,
    INDEX_OF_REPEATING,
    INDEX_OF_SUREST,
    INDEX_OF_TIMES,
)

_CREATE: Final = (
    # Secrets: what was to be remembered, as it was told, until its owner decides.
    """CREATE TABLE IF NOT EXISTS held (
        rid BLOB PRIMARY KEY,
        kinds TEXT NOT NULL,
        text TEXT NOT NULL,
        fields BLOB NOT NULL,
        held_at INTEGER NOT NULL,
        about BLOB,
        was TEXT
    ) WITHOUT ROWID""",
    # Stretches of talk that a model is to read. They name memories and hold no text.
    """CREATE TABLE IF NOT EXISTS talk_queue (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        kind TEXT NOT NULL,
        conversation TEXT NOT NULL,
        workspace TEXT,
        upto INTEGER NOT NULL,
        enqueued_at INTEGER NOT NULL,
        last_attempt_at INTEGER,
        attempts INTEGER NOT NULL DEFAULT 0,
        last_error TEXT,
        status TEXT NOT NULL DEFAULT 'pending'
    )""",
    "CREATE INDEX IF NOT EXISTS talk_queue_by_status ON talk_queue (status, attempts)",
    # Up to which memory each talk was put into the queue, for each kind of reading.
    """CREATE TABLE IF NOT EXISTS talk_read (
        conversation TEXT NOT NULL,
        workspace TEXT NOT NULL,
        kind TEXT NOT NULL,
        upto INTEGER NOT NULL,
        PRIMARY KEY (conversation, workspace, kind)
    ) WITHOUT ROWID""",
    # Recalls that the other devices have not been told of (cognition.fading.rehearsal); `since` is when the first was
    # noted.
    """CREATE TABLE IF NOT EXISTS recall_untold (
        rid BLOB PRIMARY KEY, recalls INTEGER NOT NULL, last INTEGER NOT NULL, since INTEGER NOT NULL
    ) WITHOUT ROWID""",
    # What was told here and is still to be read (cognition.ingest.gate), in its order; and which memories are gone of
    # whose facts some are left.
    "CREATE TABLE IF NOT EXISTS told_unread (no INTEGER PRIMARY KEY, rid BLOB NOT NULL, facts INTEGER NOT NULL)",
    "CREATE TABLE IF NOT EXISTS fact_left (rid BLOB PRIMARY KEY) WITHOUT ROWID",
    # What was brought in and is still to be read, in the order in which it was once told: a file may hold its chats the
    # newest first, and what changed later has to be read after what it changed. `among` is its circle of people.
    """CREATE TABLE IF NOT EXISTS brought_unread (
        told_ms INTEGER NOT NULL, rid BLOB NOT NULL, among TEXT, PRIMARY KEY (told_ms, rid)
    ) WITHOUT ROWID""",
    # Pairs of which a model was asked what they are to each other (cognition.judging.model_judge), and when; `pair` is
    # a hash of both ids and of when either was changed.
    "CREATE TABLE IF NOT EXISTS model_asked (pair TEXT PRIMARY KEY, asked_ms INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE INDEX IF NOT EXISTS model_asked_by_time ON model_asked (asked_ms)",
    # LO-10: core facts are few among all memories, and asked for by category: the surest, and the last heard.
    INDEX_OF_SUREST,
    INDEX_OF_LATEST,
    # What was told at the time that a question names, or happens then (cognition.search.passes.by_time).
    INDEX_OF_TIMES,
    INDEX_OF_EVENTS,
    INDEX_OF_REPEATING,
)
_KEPT: Final = ("held", "talk_queue", "talk_read", "recall_untold", "brought_unread", "model_asked")


def carry_over(source: sqlite3.Connection, target: sqlite3.Connection) -> None:
    """Copy what these tables hold into another store of the same device; what is there stays."""
    with transaction(target):
        for table in _KEPT:
            rows = source.execute(f"SELECT * FROM {table}").fetchall()
            if rows:
                marks = ", ".join("?" * len(rows[0]))
                target.executemany(f"INSERT OR IGNORE INTO {table} VALUES ({marks})", rows)


class LocalTables(FollowingTables):
    """A `replica.DerivedTables` of what nothing could rebuild: it notes what has still to be done for memories."""

    def __init__(self) -> None:
        self.telling: dict[bytes, bool] = {}
        """What is about to be committed and is to be read behind that, and whether for facts too; the writer's own."""
        self.bringing: dict[bytes, str | None] = {}
        """What is about to be brought in and is to be read in its turn, with the circle of its people; likewise."""
        self.brought = 0
        """How much of that was noted."""
        self.has_left = False
        """Whether facts may have been left of memories that are gone."""

    def migrate(self, connection: sqlite3.Connection) -> None:
        """Make the tables that are not there yet."""
        with transaction(connection):
            for statement in _CREATE:
                connection.execute(statement)
            columns = {name for _, name, *_ in connection.execute("PRAGMA table_info(held)")}
            if "about" not in columns:  # made when only new memories were held
                connection.execute("ALTER TABLE held ADD COLUMN about BLOB")
            if "was" not in columns:  # made when a held edit was written whatever the memory said by then
                connection.execute("ALTER TABLE held ADD COLUMN was TEXT")

    def changed(self, connection: sqlite3.Connection, changes: Sequence[RowChange], now_ms: int) -> None:
        """Note what is to be read; drop what was to change a memory that is gone, and note what facts that leaves.

        All else here names memories, and is read with them.
        """
        if self.telling:
            unread = [(rid, self.telling[rid]) for _, rid, _, _ in changes if rid in self.telling]
            connection.executemany("INSERT INTO told_unread (rid, facts) VALUES (?, ?)", unread)
        if self.bringing:
            noted = connection.executemany(
                """INSERT OR IGNORE INTO brought_unread
                   SELECT ifnull(told_at, created >> 16), rid, ? FROM shown_memory WHERE id = ?""",
                [(self.bringing[rid], number) for number, rid, _, _ in changes if rid in self.bringing],
            )
            self.brought += noted.rowcount
        _, others = new_and_others(changes)
        gone = [(rid,) for _, rid, _, after in others if after is None]
        if gone:
            connection.executemany("DELETE FROM held WHERE about = ?", gone)
            before = connection.total_changes
            connection.executemany(
                "INSERT OR IGNORE INTO fact_left SELECT parent FROM shown_memory WHERE parent = ? LIMIT 1",
                gone,
            )
            self.has_left |= connection.total_changes > before

    def follow(self, connection: sqlite3.Connection, changes: Sequence[RowChange], now_ms: int) -> None:
        """Note of what was told one by one that it is to be read, for facts too."""
        unread = [(rid,) for _, rid, _, _ in changes]
        connection.executemany("INSERT INTO told_unread (rid, facts) VALUES (?, 1)", unread)

    def purge(self, connection: sqlite3.Connection) -> None:
        """Do nothing: no table here holds the words of a memory that was written."""
