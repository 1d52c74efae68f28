"""Make derived tables anew where another version of the program left them: they may be thrown away at any time."""

import sqlite3
from collections.abc import Iterable


def made_anew(
    connection: sqlite3.Connection,
    marker: str,
    version: int | str,
    *,
    tables: Iterable[str],
    create: Iterable[str],
) -> bool:
    """Drop and create these tables unless they are of this version; say whether they are now empty.

    Call it inside the transaction that fills them, so that a version is never noted for tables that are half full.
    `marker`: the table of one row that holds the version.
    """
    connection.execute(f"CREATE TABLE IF NOT EXISTS {marker} (version NOT NULL)")
    if connection.execute(f"SELECT version FROM {marker}").fetchall() == [(version,)]:
        return False
    for table in tables:
        connection.execute(f"DROP TABLE IF EXISTS {table}")
    for statement in create:
        connection.execute(statement)
    connection.execute(f"DELETE FROM {marker}")
    connection.execute(f"INSERT INTO {marker} VALUES (?)", (version,))
    return True
