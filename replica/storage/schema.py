"""The tables of a store, as an append-only list of migrations.

Each migration commits together with the `user_version` that says it ran. A file whose version is newer than this
program's is refused and left untouched, since an old program cannot know what it would break.

`op` is the log and `cell` the folded state: with `feed`, `tombstone` and `meta` they are the replica. `memory`,
`edge` and `claim` show what the cells hold, in columns that queries can filter; they are rewritten by the fold and
never hashed.

What was told last may be in `op_aside` alone when a step runs: its op, where its feed ends, and small facts that are
newer than those in `meta`. So a step that changes any of these changes them there too.

The base (what was folded of ops that left the log) lives beside the state in `cell.base`: NULL where a cell is not in
it, empty where it equals the state, which is so for nearly every cell that was compacted.
"""

import sqlite3
from collections.abc import Callable
from typing import Final

from replica.codec import pack, unpack
from replica.errors import StoreCorrupt, StoreFailed, StoreNewer
from replica.fields import FIELDS, column_value, is_shown
from replica.limits import MEMBERS_SHOWN_MAX
from replica.oplog import FoldStatus
from replica.state.cells import CellKind, decode_cell
from replica.state.register import winner
from replica.storage.views import make_views

# "SAME" in ASCII: tells our files from other programs' SQLite files.
APPLICATION_ID: Final = 0x53414D45
# What is raised of a file that SQLite cannot read. It quotes what is damaged, whatever it is, and that may be no text.
UNREADABLE: Final = (sqlite3.DatabaseError, UnicodeDecodeError)
# What SQLite says of a disk that does not answer: the low byte of its codes, which have kinds above it.
_DISK_REFUSES: Final = {sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN}
SQLITE_CODE: Final = 0xFF

Migration = Callable[[sqlite3.Connection], None]
MIGRATIONS: list[Migration] = []


def migration(function: Migration) -> Migration:
    """Append a migration; its place in the list is the version it leads to."""
    MIGRATIONS.append(function)
    return function


def migrate(connection: sqlite3.Connection) -> None:
    """Bring a store to this program's schema, one transaction for each step; creates it if the file is empty."""
    version = check(connection)
    for number, step in enumerate(MIGRATIONS[version:], start=version + 1):
        connection.execute("BEGIN IMMEDIATE")
        try:
            step(connection)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {number}")
            connection.execute("COMMIT")
        except BaseException as error:
            if connection.in_transaction:  # SQLite rolls back by itself on a full disk
                connection.execute("ROLLBACK")
            if not isinstance(error, sqlite3.DatabaseError):
                raise
            if is_of_the_disk(error):
                raise StoreFailed(
                    f"the store could not be brought from version {number - 1} to version {number} ({error}); it was "
                    "left as it is. See that its disk is there and has room, then try again"
                ) from error
            raise StoreCorrupt(
                f"expected the tables of version {number - 1} in the store, got others: bringing them to version "
                f"{number} failed ({error}); it was left as it is"
            ) from error


def is_of_the_disk(error: Exception) -> bool:
    """Say whether SQLite failed because of a disk that does not answer or has no room, whatever the file is like."""
    return getattr(error, "sqlite_errorcode", 0) & SQLITE_CODE in _DISK_REFUSES


def check(connection: sqlite3.Connection) -> int:
    """Return the version of a store; refuse a file that is not one, is damaged, or is from the future."""
    try:
        ((application,),) = connection.execute("PRAGMA application_id")
        ((version,),) = connection.execute("PRAGMA user_version")
        ((tables,),) = connection.execute("SELECT count(*) FROM sqlite_schema")
    except UNREADABLE as error:
        if is_of_the_disk(error):
            raise StoreFailed(
                f"the store could not be opened ({error}); it was left as it is. See that its disk is there and has "
                "room, then try again"
            ) from error
        raise StoreCorrupt(
            f"expected a samemind store, but SQLite cannot read the file ({error}); it was left as it is. "
            "Restore a backup, or move the file away to start afresh"
        ) from None
    if application != APPLICATION_ID and tables:
        raise StoreCorrupt(
            "expected a samemind store, got another program's SQLite file; it was left as it is"
        )
    if tables and version < 1:  # the first step commits its tables together with a version
        raise StoreCorrupt(
            f"expected a store of version 1 to {len(MIGRATIONS)}, got one that says it is of version {version}; it was "
            "left as it is. Restore a backup"
        )
    if version > len(MIGRATIONS):
        raise StoreNewer(
            f"expected a store of version {len(MIGRATIONS)} or older, got version {version}; it was left as it is. "
            "Upgrade samemind to open it"
        )
    return max(0, int(version))


def add_field(connection: sqlite3.Connection, name: str) -> None:
    """Give a new field its column, and move there what others wrote in it while this device did not know it.

    The field's own migration calls it: a program without the field must not write in a store that has the column. A
    store that this program made has it from the beginning.
    """
    if name not in {row[1] for row in connection.execute("PRAGMA table_info(memory)")}:
        connection.execute(f'ALTER TABLE memory ADD COLUMN "{name}" {FIELDS[name].column}')
    make_views(connection)
    kept = connection.execute("SELECT id, more FROM memory WHERE more IS NOT NULL").fetchall()
    for number, more in kept:
        fields = unpack(more)
        if name in fields and is_shown(name, fields[name]):
            value = column_value(fields.pop(name))
            connection.execute(
                f'UPDATE memory SET "{name}" = ?, more = ? WHERE id = ?',
                (value, pack(fields) if fields else None, number),
            )


# The log, the feeds and the folded state.
_LOG: Final = (
    """CREATE TABLE op (
        pos INTEGER PRIMARY KEY,
        feed INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        hlc INTEGER NOT NULL,
        kind INTEGER NOT NULL,
        version INTEGER NOT NULL,
        ends INTEGER NOT NULL,
        rid BLOB,
        seen BLOB NOT NULL,
        payload BLOB,
        payload_hash BLOB,
        id BLOB NOT NULL,
        signature BLOB,
        status INTEGER NOT NULL
    )""",
    "CREATE UNIQUE INDEX op_by_feed ON op (feed, seq)",
    "CREATE INDEX op_by_seen ON op (feed, seq) WHERE seen != x''",
    "CREATE INDEX op_by_memory ON op (rid, pos) WHERE rid IS NOT NULL",
    "CREATE INDEX op_not_folded ON op (status) WHERE status != 0",
    """CREATE TABLE feed (
        no INTEGER PRIMARY KEY,
        origin_no INTEGER NOT NULL,
        device BLOB NOT NULL,
        incarnation BLOB NOT NULL,
        parent INTEGER,
        fork INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        head BLOB NOT NULL,
        vector BLOB NOT NULL,
        fork_vector BLOB NOT NULL,
        fork_head BLOB,
        base_seq INTEGER NOT NULL,
        base_head BLOB,
        base_signature BLOB,
        base_vector BLOB NOT NULL
    )""",
    """CREATE TABLE cell (
        part INTEGER NOT NULL,
        name BLOB NOT NULL,
        state BLOB,
        base BLOB,
        PRIMARY KEY (part, name)
    ) WITHOUT ROWID""",
    "CREATE TABLE tombstone (rid BLOB PRIMARY KEY, in_base INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE spine (feed INTEGER, first INTEGER, ids BLOB NOT NULL, PRIMARY KEY (feed, first)) WITHOUT ROWID",
    "CREATE TABLE proof (id BLOB PRIMARY KEY, frame BLOB NOT NULL, purged INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID",
)
# What shows of the state: a memory's fields follow `FIELDS`; then what refers to it; then the group.
_MEMORY: Final = """CREATE TABLE memory (
    id INTEGER PRIMARY KEY,
    rid BLOB NOT NULL UNIQUE,
    text TEXT NOT NULL,
    content INTEGER NOT NULL,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    feed INTEGER NOT NULL,
    accesses INTEGER NOT NULL,
    last_access INTEGER NOT NULL,
    {columns},
    more BLOB
)"""
# Left out while most of a store comes (`replica.storage.shown`).
INDEX_OF_CONTENTS: Final = "CREATE INDEX memory_by_content ON memory (content)"
_SHOWN: Final = (
    INDEX_OF_CONTENTS,
    "CREATE INDEX memory_by_conversation ON memory (conversation, position) WHERE conversation IS NOT NULL",
    "CREATE INDEX memory_by_parent ON memory (parent) WHERE parent IS NOT NULL",
    "CREATE INDEX memory_by_topic ON memory (topic) WHERE topic IS NOT NULL",
    "CREATE INDEX memory_by_goal ON memory (goal) WHERE goal IS NOT NULL",
    """CREATE TABLE edge (
        source TEXT NOT NULL,
        relation TEXT NOT NULL,
        target TEXT NOT NULL,
        weight REAL NOT NULL,
        hlc INTEGER NOT NULL,
        PRIMARY KEY (source, relation, target)
    ) WITHOUT ROWID""",
    "CREATE INDEX edge_by_target ON edge (target)",
    """CREATE TABLE claim (
        id INTEGER NOT NULL,
        claim BLOB NOT NULL,
        feed INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        hlc INTEGER NOT NULL,
        entity TEXT NOT NULL,
        relation TEXT NOT NULL,
        value TEXT NOT NULL,
        valid_from INTEGER,
        replaces BLOB NOT NULL,
        verdicts BLOB NOT NULL,
        PRIMARY KEY (id, claim)
    ) WITHOUT ROWID""",
    """CREATE TABLE raised_trigger (
        id INTEGER NOT NULL,
        trigger_id BLOB NOT NULL,
        status INTEGER NOT NULL,
        raised INTEGER NOT NULL,
        kind TEXT NOT NULL,
        about BLOB NOT NULL,
        delivered INTEGER,
        delivered_by BLOB,
        PRIMARY KEY (id, trigger_id)
    ) WITHOUT ROWID""",
    "CREATE INDEX raised_trigger_by_trigger ON raised_trigger (trigger_id)",
    "CREATE TABLE setting (name TEXT PRIMARY KEY, value BLOB NOT NULL, hlc INTEGER NOT NULL) WITHOUT ROWID",
    """CREATE TABLE lesson (
        op BLOB NOT NULL, signal TEXT NOT NULL, amount INTEGER NOT NULL, PRIMARY KEY (op, signal)
    ) WITHOUT ROWID""",
    "CREATE TABLE proposal_member (proposal BLOB, rid BLOB, PRIMARY KEY (proposal, rid)) WITHOUT ROWID",
    "CREATE INDEX proposal_by_member ON proposal_member (rid)",
    """CREATE TABLE member (
        device BLOB PRIMARY KEY,
        public_key BLOB NOT NULL,
        certificate BLOB NOT NULL,
        name TEXT NOT NULL,
        introduced_by BLOB NOT NULL,
        signature BLOB NOT NULL
    ) WITHOUT ROWID""",
    """CREATE TABLE revocation (
        device BLOB NOT NULL,
        by BLOB NOT NULL,
        signature BLOB NOT NULL,
        PRIMARY KEY (device, by)
    ) WITHOUT ROWID""",
    """CREATE TABLE peer (
        device BLOB PRIMARY KEY,
        nickname TEXT,
        fixed_address TEXT,
        last_address TEXT,
        last_sync INTEGER,
        offset_ms INTEGER,
        known BLOB
    ) WITHOUT ROWID""",
)


@migration
def create_replica(connection: sqlite3.Connection) -> None:
    """The log, the feeds, the folded state, and what shows of it."""
    columns = ",\n".join(f'"{field.name}" {field.column}' for field in FIELDS.values())
    for statement in (*_LOG, _MEMORY.format(columns=columns), *_SHOWN):
        connection.execute(statement)


@migration
def leave_cells_to_ops(connection: sqlite3.Connection) -> None:
    """Note of a peer whether it was told that it was put out.

    From here on a memory of which nothing is known but its op has no cell, which an older program would take for none.
    """
    connection.execute("ALTER TABLE peer ADD COLUMN told INTEGER")


@migration
def keep_parts_of_snapshots(connection: sqlite3.Connection) -> None:
    """Keep what has come of a snapshot, so that a program that ends goes on where it was."""
    connection.execute(
        """CREATE TABLE part (
            peer BLOB NOT NULL,
            no INTEGER NOT NULL,
            digest BLOB NOT NULL,
            parts INTEGER NOT NULL,
            part BLOB NOT NULL,
            PRIMARY KEY (peer, no)
        )"""
    )


@migration
def judge_crooked_ops_anew(connection: sqlite3.Connection) -> None:
    """Let the next opening fold what was found crooked: an older program took words that it did not list for that."""
    connection.execute(f"UPDATE op SET status = {FoldStatus.UNKNOWN} WHERE status = {FoldStatus.UNFOLDABLE}")


@migration
def link_tellings(connection: sqlite3.Connection) -> None:
    """Show which tellings say the same."""
    connection.execute(
        """CREATE TABLE says_same (
            link BLOB PRIMARY KEY, one BLOB NOT NULL, other BLOB NOT NULL, sureness INTEGER NOT NULL
        ) WITHOUT ROWID"""
    )
    connection.execute("CREATE INDEX says_same_by_one ON says_same (one)")
    connection.execute("CREATE INDEX says_same_by_other ON says_same (other)")


@migration
def keep_remains_of_deletions(connection: sqlite3.Connection) -> None:
    """Keep the signed op behind a deletion when it leaves the log."""
    connection.execute("CREATE TABLE remains (id BLOB PRIMARY KEY, frame BLOB NOT NULL) WITHOUT ROWID")


@migration
def show_labels_and_entries_together(connection: sqlite3.Connection) -> None:
    """Let the next opening show memories anew: an older program showed labels and entries as one register each.

    From here on a memory's cell may hold labels, which an older program could not read.
    """
    connection.execute(
        "INSERT OR REPLACE INTO meta SELECT 'shown by', ? WHERE EXISTS (SELECT 1 FROM feed)", (pack(0),)
    )


@migration
def remember_files_of_mailboxes(connection: sqlite3.Connection) -> None:
    """Remember what was taken from each folder and mailbox, so that each file is fetched once."""
    connection.execute(
        """CREATE TABLE carried (
            mailbox TEXT NOT NULL,
            name TEXT NOT NULL,
            about BLOB NOT NULL,
            PRIMARY KEY (mailbox, name)
        ) WITHOUT ROWID"""
    )


@migration
def tell_proofs_from_ops(connection: sqlite3.Connection) -> None:
    """Note of a proof of erasure whether its op has come."""
    connection.execute("ALTER TABLE proof ADD COLUMN ahead INTEGER NOT NULL DEFAULT 0")
    connection.execute(
        """UPDATE proof SET ahead = 1 WHERE id NOT IN (SELECT id FROM op WHERE kind = 5)
           AND NOT EXISTS (SELECT 1 FROM spine)"""
    )


@migration
def keep_every_introduction(connection: sqlite3.Connection) -> None:
    """Keep how a device was introduced beside what made it known: which of those count is decided from all of them."""
    connection.execute(
        """CREATE TABLE introduction (
            device BLOB NOT NULL,
            introduced_by BLOB NOT NULL,
            signature BLOB NOT NULL,
            public_key BLOB NOT NULL,
            certificate BLOB NOT NULL,
            name TEXT NOT NULL,
            PRIMARY KEY (device, introduced_by, signature)
        ) WITHOUT ROWID"""
    )
    # 0.1.0 took a statement of who the root is for the introduction of a device, where a newer one had told it so.
    connection.execute(
        """INSERT INTO introduction (device, introduced_by, signature, public_key, certificate, name)
           SELECT device, introduced_by, signature, public_key, certificate, name FROM member
           WHERE certificate = ?""",
        (b"samemind root 1\0",),
    )
    connection.execute("DELETE FROM member WHERE certificate = ?", (b"samemind root 1\0",))


@migration
def promise_views(connection: sqlite3.Connection) -> None:
    """Give whoever joins tables of their own with the replica's names for them that stay."""
    make_views(connection)


@migration
def show_judgments_on_claims(connection: sqlite3.Connection) -> None:
    """Show which claims somebody said to be of one thing, or of two."""
    connection.execute(
        """CREATE TABLE same_slot (
            judgment BLOB PRIMARY KEY,
            one BLOB NOT NULL,
            claim BLOB NOT NULL,
            other BLOB NOT NULL,
            against BLOB NOT NULL,
            by INTEGER NOT NULL,
            same INTEGER NOT NULL,
            sureness INTEGER NOT NULL,
            hlc INTEGER NOT NULL,
            op BLOB NOT NULL
        ) WITHOUT ROWID"""
    )
    connection.execute("CREATE INDEX same_slot_by_one ON same_slot (one)")
    connection.execute("CREATE INDEX same_slot_by_other ON same_slot (other)")
    make_views(connection)


@migration
def say_who_judged_claims(connection: sqlite3.Connection) -> None:
    """Show of a judgment who said it, and find the newest of each about a memory."""
    connection.execute("ALTER TABLE same_slot ADD COLUMN feed INTEGER NOT NULL DEFAULT 0")
    for name, state in connection.execute(
        "SELECT name, state FROM cell WHERE part = ? AND state IS NOT NULL", (int(CellKind.SAME_SLOT),)
    ).fetchall():
        register = decode_cell(CellKind.SAME_SLOT, state)
        if register:
            assert isinstance(register, dict)
            connection.execute(
                "UPDATE same_slot SET feed = ? WHERE judgment = ?", (winner(register)[0].feed, name)
            )
    for side in ("one", "other"):
        connection.execute(f"DROP INDEX same_slot_by_{side}")
        connection.execute(f"CREATE INDEX same_slot_by_{side} ON same_slot ({side}, feed, hlc, op)")
    make_views(connection)


@migration
def let_derived_tables_follow(connection: sqlite3.Connection) -> None:
    """Note from which memory on derived tables are still to be told, in at most one row.

    From here on they may be behind what shows, which an older program would not catch up with.
    """
    connection.execute("CREATE TABLE IF NOT EXISTS unfollowed (first INTEGER PRIMARY KEY)")


@migration
def bound_members_of_proposals(connection: sqlite3.Connection) -> None:
    """Show only the first members of a proposal, those with the lowest ids, as for proposals from here on."""
    connection.execute(
        """DELETE FROM proposal_member WHERE (proposal, rid) IN (
            SELECT proposal, rid FROM (
                SELECT proposal, rid, row_number() OVER (PARTITION BY proposal ORDER BY rid) AS nth
                FROM proposal_member
            ) WHERE nth > ?)""",
        (MEMBERS_SHOWN_MAX,),
    )


@migration
def let_what_shows_follow(connection: sqlite3.Connection) -> None:
    """Note from which place of the log on memories do not show yet, in at most one row.

    From here on they may be in the log alone, where an older program would not look.
    """
    connection.execute("CREATE TABLE IF NOT EXISTS unshown (first INTEGER PRIMARY KEY)")


@migration
def keep_what_is_told_aside(connection: sqlite3.Connection) -> None:
    """Keep ops of memories that do not show yet in a table of their own, with where their feed ends and small facts.

    An older program would not look there. What does not show yet is moved there.
    """
    connection.execute(
        """CREATE TABLE IF NOT EXISTS op_aside (
            pos INTEGER PRIMARY KEY,
            feed INTEGER NOT NULL,
            seq INTEGER NOT NULL,
            hlc INTEGER NOT NULL,
            kind INTEGER NOT NULL,
            version INTEGER NOT NULL,
            ends INTEGER NOT NULL,
            rid BLOB,
            seen BLOB NOT NULL,
            payload BLOB,
            payload_hash BLOB,
            id BLOB NOT NULL,
            signature BLOB,
            status INTEGER NOT NULL,
            vector BLOB NOT NULL,
            meta BLOB NOT NULL
        )"""
    )
    connection.execute(
        """INSERT INTO op_aside SELECT o.*, f.vector, ? FROM op o JOIN feed f ON f.no = o.feed
           WHERE o.pos >= (SELECT first FROM unshown) ORDER BY o.pos""",
        (pack({}),),
    )
    connection.execute("DELETE FROM op WHERE pos >= (SELECT first FROM unshown)")
    connection.execute("DROP TABLE unshown")
