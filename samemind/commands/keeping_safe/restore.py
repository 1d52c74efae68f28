"""Replace the store by a backup, and keep the old one beside it; stop the daemon first."""

import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from samemind.commands.keeping_safe._parts import backed_up
from samemind.declaring import Agents, Command, Effects, Takes, argument
from samemind.errors import Failed, NotFound, SamemindError
from samemind.formats.rendering import DEVICE_DIGITS, Document

if TYPE_CHECKING:
    import sqlite3

    from replica import Core
    from replica.ids import DeviceId
    from replica.verify import Verification
    from samemind.config import Home
    from samemind.control.server import Say
    from samemind.device import Device
    from samemind.progress import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Restore:
    """Replace the store by a backup, and keep the old one beside it; stop the daemon first."""

    file: str = argument("the backup", takes=Takes.PATH)


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """What the device holds again; `before` is where the store is kept that was there.

    `new_device`: there was no key in the home, so this is a device that the others do not know, and `former` is the one
    that made the backup. `sealed`: it is byte for byte what this device wrote; any other backup is recomputed, and
    `problems` says what in it does not follow from what was signed.
    """

    path: str
    ops: int
    memories: int
    device_id: str
    before: str | None
    new_device: bool
    former: str | None = None
    sealed: bool = False
    problems: list[str] = field(default_factory=list)


PROGRAM: Final = "samemind restore"


def run(home: "Home", options: Restore, say: "Say") -> Restored:
    """Restore, and open the device once, so that what was restored is known to work.

    It says how far the check of a backup is that this device did not seal.
    """
    import trio

    from replica import ReplicaError
    from samemind.home.lock import hold
    from samemind.home.passphrase import key_of
    from samemind.home.restoring import put_back
    from sync import Identity

    source = Path(options.file)
    if not source.is_file():
        raise NotFound(f"expected a backup, but there is no file {source}", code="no_such_file")
    identity = Identity.load(home.identity) if home.identity.exists() else None
    device = None if identity is None else identity.device_id
    key = key_of(source, device)
    maker = _check(source, key)
    home.create()
    with hold(home, program=PROGRAM):
        try:
            own = key_of(home.store, device)
        except (ReplicaError, SamemindError):
            if key is None:
                raise
            own = None  # the store that goes cannot be opened, which may be why it goes
        name = None if device is None else _name_in(home.store, own, device)
        kept, sealed = _swap(home.store, source, own, key, None if identity is None else identity.public_key)
    try:
        ops, memories, device_id, problems = trio.run(
            _open, home, name, own if key is None else key, sealed, say
        )
    except BaseException:
        with hold(home, program=PROGRAM):
            put_back(home.store, kept)
        raise
    return Restored(
        path=home.shown(),
        ops=ops,
        memories=memories,
        device_id=device_id,
        before=None if kept is None else str(kept),
        new_device=device is None,
        former=maker if device is None else None,
        sealed=sealed,
        problems=problems,
    )


async def _open(
    home: "Home", name: str | None, key: bytes | None, sealed: bool, say: "Say"
) -> tuple[int, int, str, list[str]]:
    from replica import mark_checked
    from replica.incarnations import ChainEvent, pardoned
    from replica.oplog import Changes
    from replica.reads.counts import count_memories, count_ops
    from samemind.device import open_device
    from samemind.home.recoding import seal

    began_ms = time.time_ns() // 1_000_000
    async with open_device(home, program=PROGRAM, answers=False, name=name) as device:
        now_ms = device.now_ms()

        def begin(core: "Core", connection: "sqlite3.Connection") -> tuple[int, int]:
            if core.own_feed is not None:  # else it has begun anew already, or is another device's backup
                core.incarnate(ChainEvent.COPIED, now_ms)
            # What this opening misses was written after the backup, and put aside; what was lost before it still is.
            # It may have written since, where something was erased meanwhile: then it began anew twice.
            core.incidents = [
                *(each for each in core.incidents if each.at_ms < began_ms),
                *pardoned([each for each in core.incidents if each.at_ms >= began_ms]),
            ]
            core.write(Changes(), now_ms)
            return count_ops(connection), count_memories(connection)

        ops, memories = await device.replica.run(begin)
        problems: list[str] = []
        if not sealed:
            # Whoever had the file may have changed it. What is damaged is better than nothing, and is told as such.
            problems = list((await _verified(device, ops + memories, say)).problems)
            if not problems:
                await device.replica.run(lambda _, connection: mark_checked(connection))
        if key is not None:  # only now that the backup has opened: until then what was there may come back
            seal(home.store, key)
        return ops, memories, device.device_id.hex(), problems


async def _verified(device: "Device", total: int, say: "Say") -> "Verification":
    """Recompute the store from what devices signed; `total` is how many ops and memories are looked at."""
    from replica.verify import verify_replica
    from samemind.progress import while_telling

    async def verify(progress: "Progress") -> "Verification":
        progress.total = total
        return await device.replica.run(lambda core, _: verify_replica(core, told=progress.note))

    return await while_telling(say, verify)


def _check(source: Path, key: bytes | None) -> str | None:
    """Refuse what is no whole store, before anything is touched; return the device that it is of."""
    from replica import UNREADABLE, StoreCorrupt, connect
    from replica.reads.log import check_tables, read_meta
    from samemind.home.sealing import seal_bytes

    file_bytes = source.stat().st_size - seal_bytes(source)
    try:
        connection = connect(str(source), read_only=True, key=key)
        try:
            connection.execute("PRAGMA query_only = ON")
            ((found,),) = connection.execute("PRAGMA quick_check(1)")
            check_tables(connection)
            ((size,),) = connection.execute(
                "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
            )
            if found == "ok" and size < file_bytes:
                found = f"it holds {size} bytes of one, and {file_bytes - size} bytes of something else"
            if found == "ok":
                origin = read_meta(connection).origin
                return None if origin is None else origin.device.hex()
        finally:
            connection.close()
    except (*UNREADABLE, StoreCorrupt) as error:
        found = str(error)
    raise Failed(
        f"expected a backup of a store in {source}, but: {found}",
        code="not_a_backup",
        hint="what `samemind export` wrote comes in by `samemind import`",
    )


def _name_in(store: Path, key: bytes | None, device: "DeviceId") -> str | None:
    """Return what a device is called in the store that goes; the backup of another may not know it."""
    from contextlib import closing

    from replica import UNREADABLE, ReplicaError, connect
    from replica.reads.devices import device_names
    from samemind.home.restoring import has_log, remove_log

    if not store.exists() or not store.stat().st_size:  # of an empty one SQLite would take the log away
        return None
    had_log = has_log(store)
    try:
        with closing(connect(str(store), read_only=True, key=key)) as connection:
            return device_names(connection).get(device)
    except (*UNREADABLE, ReplicaError):
        return None  # that it cannot be read may be why it goes
    finally:
        if not had_log:
            remove_log(store)  # who only reads makes an empty one, and leaves it there


def _swap(
    store: Path, source: Path, own: bytes | None, key: bytes | None, public_key: bytes | None
) -> tuple[Path | None, bool]:
    """Put a copy in the store's place; return where the store is now that was there, and whether the copy is ours.

    `own`: the key of that one; `key`: that of the backup; `public_key`: of this device, which may have sealed it.
    """
    from replica import recode
    from replica.file_system import open_descriptor, remove_file
    from samemind.config import RESTORED, beside
    from samemind.home.restoring import put_in_place
    from samemind.home.sealing import copy_unsealed

    sealed = False
    fresh = beside(store, RESTORED)
    try:
        with open(open_descriptor(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "wb") as write:
            if key is None and own is not None:
                recode(source, None, fresh, own)
            else:
                with source.open("rb") as read:
                    sealed = copy_unsealed(read, write, public_key)
        _hold_to_ours(fresh, own if key is None else key, checks=not sealed)
        with fresh.open("rb+") as written:
            os.fsync(written.fileno())
        return put_in_place(store, fresh, own, why="restore"), sealed
    finally:
        remove_file(fresh)


def _hold_to_ours(fresh: Path, key: bytes | None, *, checks: bool) -> None:
    """Take out of the copy what would run beside the rows, and is no part of a store.

    `checks`: the rest is to be checked, which outlives a kill in the copy itself.
    """
    from contextlib import closing

    from replica import UNREADABLE, SqliteStore, connect, hold_to, mark_unchecked, open_file
    from samemind.config import Settings
    from samemind.device import derived_tables

    try:
        with closing(connect(":memory:")) as ours, closing(open_file(str(fresh), key=key)) as copy:
            SqliteStore(ours, derived_tables(Settings()))
            copy.execute("PRAGMA journal_mode = DELETE")  # nothing of it is to be in a log beside it
            hold_to(copy, ours)
            if checks:
                mark_unchecked(copy)
    except UNREADABLE as error:
        raise Failed(
            f"expected a backup of a store, but its tables cannot be read: {error}", code="not_a_backup"
        ) from None


def render(document: Document) -> list[str]:
    lines = backed_up(document)
    if document["before"]:
        lines.append(f"what was there is kept in {document['before']}")
    if problems := document["problems"]:
        lines += [
            "this backup was damaged or changed, and does not add up to what devices signed:",
            *problems,
        ]
        lines.append("restore another one, or check and keep this one: samemind verify, samemind doctor")
    if document["sealed"]:
        lines.append("nobody changed this backup since this device made it")
    if document["new_device"]:
        former = "NAME" if document["former"] is None else document["former"][:DEVICE_DIGITS]
        lines += [
            "there was no key here, so this is a new device, which the others do not know: samemind pair",
            "if no device of the group is left to pair with: samemind group rebuild",
            "the device that made the backup is still in the group",
            f"once this one is paired, and if that one is lost, remove it: samemind peers revoke {former}",
        ]
    return lines


def _is_sound(result: Document) -> bool:
    return not result["problems"]


COMMAND: Final = Command(
    "restore",
    Restore,
    Restored,
    run=run,
    render=render,
    effects=Effects.DESTROY,
    agents=Agents.NEVER,
    panel="reads or writes files",
    library=None,
    alone=True,
    streams=True,
    kept="what was there before is in its place again: run it again",
    went_well=_is_sound,
    place=2,
)
