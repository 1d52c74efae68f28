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

import trio

from replica import Core, ReplicaError, connect, open_file, recode
from replica.incarnations import Why, pardoned
from replica.oplog import Changes
from samemind.config import Home
from samemind.device import open_device
from samemind.durable import sync_folder
from samemind.errors import Failed, NotFound, SamemindError
from samemind.lock import hold
from samemind.passphrase import key_of
from samemind.recoding import RESTORED, beside, check, seal
from samemind.results.keeping_safe import Restored
from samemind.surface.keeping_safe import Restore
from sync import Identity

# What holds a store: the file, and the log with the last writes, where these are not in the file yet.
_PARTS: Final = ("", "-wal")
# Made anew whenever it is needed.
_SHARED: Final = "-shm"
PROGRAM: Final = "samemind restore"


def restore(home: Home, options: Restore) -> Restored:
    """Restore, and open the device once, so that what was restored is known to work."""
    source = Path(options.file)
    if not source.is_file():
        raise NotFound(f"expected a backup, but there is no file {source}", code="no_such_file")
    device = Identity.load(home.identity).device_id if home.identity.exists() else None
    key = key_of(source, device)
    _check(source, key)
    home.create()
    with hold(home, program=PROGRAM):
        try:
            own = key_of(home.store, device)
        except (ReplicaError, SamemindError):
            if key is None:
                raise
            own = None  # the store that goes cannot be opened, which may be why it goes
        kept = _swap(home.store, source, own, plain=key is None)
    try:
        ops, memories, device_id = trio.run(_open, home, own if key is None else key)
    except BaseException:
        with hold(home, program=PROGRAM):
            _put_back(home.store, kept)
        raise
    return Restored(
        path=home.shown(),
        ops=ops,
        memories=memories,
        device_id=device_id,
        before=None if kept is None else str(kept),
    )


async def _open(home: Home, key: bytes | None) -> tuple[int, int, str]:
    async with open_device(home, program=PROGRAM, answers=False) as device:
        now_ms = device.now_ms()

        def begin(core: Core, connection: sqlite3.Connection) -> tuple[int, int]:
            if core.own_feed is not None:  # else it has begun anew already, or is another device's backup
                core.incarnate(Why.COPIED, now_ms)
            # What this opening misses was written after the backup, and put aside; what was lost before it still is.
            core.incidents[-1:] = pardoned(core.incidents[-1:])
            core.write(Changes(), now_ms)
            ((ops,),) = connection.execute("SELECT count(*) FROM op")
            ((memories,),) = connection.execute("SELECT count(*) FROM memory")
            return ops, memories

        ops, memories = await device.replica.run(begin)
        if key is not None:  # only now that the backup has opened: until then what was there may come back
            seal(home.store, key)
        return ops, memories, device.device_id.hex()


def _check(source: Path, key: bytes | None) -> None:
    """Refuse what is no whole store, before anything is touched."""
    try:
        connection = connect(str(source), read_only=True, key=key)
        try:
            connection.execute("PRAGMA query_only = ON")
            ((found,),) = connection.execute("PRAGMA quick_check(1)")
            connection.execute("SELECT 1 FROM op, memory, feed LIMIT 1").fetchall()
        finally:
            connection.close()
    except sqlite3.DatabaseError as error:
        found = str(error)
    if found != "ok":
        raise Failed(f"expected a backup of a store in {source}, but: {found}", code="not_a_backup")


def _swap(store: Path, source: Path, own: bytes | None, *, plain: bool) -> Path | None:
    """Put a copy in the store's place; return where the store is now that was there. `own`: the key of that one."""
    fresh = store.with_name(store.name + RESTORED)
    try:
        with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as write:
            if plain and own is not None:
                recode(source, None, fresh, own)
            else:
                with source.open("rb") as read:
                    shutil.copyfileobj(read, write)
            write.flush()
            os.fsync(write.fileno())
        return put_in_place(store, fresh, own, why="restore")
    finally:
        fresh.unlink(missing_ok=True)


def put_in_place(store: Path, fresh: Path, own: bytes | None, *, why: str) -> Path | None:
    """Let a whole store take the place of another, which stays beside it; return where. `own`: the key of that one."""
    kept = _put_aside(store, own, why) if store.exists() else None
    for suffix in (_PARTS[1], _SHARED):  # or the log of another store would be read into this one
        beside(store, suffix).unlink(missing_ok=True)
    os.replace(fresh, store)
    with suppress(OSError):  # not every file system can, and the store is in its place
        sync_folder(store.parent)  # or a loss of power may bring back what was there, without its log
    return kept


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


def _put_back(store: Path, kept: Path | None) -> None:
    for suffix in (*_PARTS, _SHARED):
        beside(store, suffix).unlink(missing_ok=True)
    for suffix in _PARTS:
        if kept is not None and (part := beside(kept, suffix)).exists():
            os.replace(part, beside(store, suffix))
