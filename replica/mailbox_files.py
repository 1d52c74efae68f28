"""Keep which files of each mailbox and shared folder were taken, and what was found in them: local, and no op."""

import sqlite3
from collections.abc import Collection, Mapping

from replica.storage.sql import derived_transaction


def files_taken(connection: sqlite3.Connection, mailbox: str) -> list[tuple[str, bytes]]:
    """Return the name of each file that was taken from a mailbox, and what was found in it, in the order of names."""
    rows = connection.execute("SELECT name, about FROM carried WHERE mailbox = ?", (mailbox,))
    return rows.fetchall()


def note_files(
    connection: sqlite3.Connection, mailbox: str, new: Mapping[str, bytes], gone: Collection[str]
) -> None:
    """Note files that were taken, and forget others, in a transaction of its own that does not wait for the disk.

    What a power cut takes back is fetched once more.
    """
    with derived_transaction(connection):
        connection.executemany(
            "INSERT OR REPLACE INTO carried (mailbox, name, about) VALUES (?, ?, ?)",
            [(mailbox, name, about) for name, about in new.items()],
        )
        connection.executemany(
            "DELETE FROM carried WHERE mailbox = ? AND name = ?", [(mailbox, name) for name in gone]
        )


def forget_files(connection: sqlite3.Connection, mailbox: str) -> None:
    """Forget every file of a mailbox."""
    connection.execute("DELETE FROM carried WHERE mailbox = ?", (mailbox,))
