"""Put a backup in the place of a store.

Nothing else may have the store open meanwhile. The store that was there is kept beside the new one, with the log that
lies beside it where its writes could not be taken in, and comes back if the backup turns out to be none. The device
goes on as a new incarnation: since the backup it may have written ops that others hold, and no place in a chain is
written twice. What it wrote since comes back with the next sync; what was forgotten since is forgotten again, since
tombstones and proofs of erasure travel before anything else.

A backup of an encrypted store is encrypted too, and stays so. A plain one is encrypted on its way into a home whose
store is, and what lies plain beside an encrypted one is encrypted too: no plain text ever stays there.
"""

import os
import shutil
import sqlite3
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from replica import open_file
from replica.file_system import remember_name, remove_file, replace_file
from samemind.config import LOG, LOG_INDEX, beside
from samemind.errors import Failed
from samemind.home.recoding import check

# What holds a store: the file, and the log with the last writes, where these are not in the file yet.
_PARTS: Final = ("", LOG)


def put_in_place(store: Path, fresh: Path, own: bytes | None, *, why: str) -> Path | None:
    """Let a whole store take the place of another, which stays beside it; return where. `own`: the key of that one."""
    kept = _put_aside(store, own, why) if store.exists() else None
    remove_log(store)  # or that of another store would be read into this one
    replace_file(fresh, store)
    with suppress(OSError):  # not every file system can, and the store is in its place
        remember_name(store)  # or a loss of power may bring back what was there, without its log
    return kept


def has_log(store: Path) -> bool:
    """Say whether a log lies beside a store."""
    return beside(store, LOG).exists()


def remove_log(store: Path) -> None:
    """Take away the log beside a store, which nobody has open, and its index."""
    for suffix in (LOG, LOG_INDEX):
        remove_file(beside(store, suffix))


def _put_aside(store: Path, own: bytes | None, why: str) -> Path:
    """Give a store a second name, under which it stays as it is; whoever is killed meanwhile has lost nothing."""
    if store.stat().st_size:  # else SQLite would take its log away
        # A damaged store is a reason to restore, and is kept as it is.
        with suppress(Failed, sqlite3.DatabaseError):
            check(store, own)
            with closing(open_file(str(store), key=own)) as connection:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    kept = store.with_name(f"{store.name}.before-{why}-{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}")
    for suffix in _PARTS:
        if (part := beside(store, suffix)).exists():
            try:
                os.link(part, beside(kept, suffix))
            except OSError:  # a file system without hard links
                shutil.copy2(part, beside(kept, suffix))
    return kept


def put_back(store: Path, kept: Path | None) -> None:
    """Put the store that was put aside in its place again, without anything that came instead."""
    remove_file(store)
    remove_log(store)
    for suffix in _PARTS:
        if kept is not None and (part := beside(kept, suffix)).exists():
            replace_file(part, beside(store, suffix))
