"""Copy the store to a file; the device can be used meanwhile."""

import errno
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from samemind.commands.keeping_safe._parts import backed_up
from samemind.declaring import Agents, Command, Effects, Method, Takes, argument
from samemind.formats.rendering import DEVICE_DIGITS

if TYPE_CHECKING:
    from samemind.control.server import Say
    from samemind.device import Device
    from samemind.progress import Progress

# Of some kilobytes each: a few milliseconds, after which it is noted how far the copy is.
PAGES_A_STEP: Final = 4_096


@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """Copy the store to a file; the device can be used meanwhile."""

    file: str = argument(
        "the file to write, or a folder for it; an existing file is replaced", takes=Takes.PATH
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class BackedUp:
    """A copy of the store as it was at one moment: where, and how much is in it."""

    path: str
    ops: int
    memories: int
    bytes: int


async def run(device: "Device", options: Backup, say: "Say") -> BackedUp:
    """Write the copy beside its place first: a backup that was there stays until the new one is whole."""
    import trio

    from samemind.progress import while_telling

    path = Path(options.file)
    return await while_telling(say, lambda progress: trio.to_thread.run_sync(_copy, device, path, progress))


def _copy(device: "Device", path: Path, progress: "Progress") -> BackedUp:
    import sqlite3

    from replica import connect, count_memories, open_file
    from replica.reads.counts import count_ops
    from samemind.durable import whole_file
    from samemind.home.sealing import add_seal

    home, key, path = device.home, device.key, path.absolute()
    if path.is_dir():  # named by its device, too: several may share a folder
        day = datetime.fromtimestamp(device.now_ms() / 1000, UTC).astimezone()
        path /= f"samemind-{device.device_id.hex()[:DEVICE_DIGITS]}-{day:%Y-%m-%d}.db"
    home.check_foreign(path)
    with whole_file(path) as scratch:
        source = connect(str(home.store), read_only=True, key=key)
        target = open_file(str(scratch), key=key)
        try:
            # In a transaction, so that it is one moment however many steps it takes; writers go on beside it.
            source.execute("BEGIN")
            source.execute("SELECT 1 FROM sqlite_schema").fetchone()
            source.backup(target, pages=PAGES_A_STEP, progress=partial(_note, progress))
            target.execute("PRAGMA journal_mode = DELETE")  # one file, whole by itself
            ops, memories = count_ops(target), count_memories(target)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_FULL:  # of the copy: what is read takes no room
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path)) from error
            raise
        finally:
            target.close()
            source.close()
            scratch.with_name(f"{scratch.name}-journal").unlink(
                missing_ok=True
            )  # of a copy that found no room
        add_seal(scratch, device.identity.sign)
    return BackedUp(path=str(path), ops=ops, memories=memories, bytes=path.stat().st_size)


def _note(progress: "Progress", status: int, remaining: int, total: int) -> None:
    progress.total = total
    progress.note(total - remaining)


COMMAND: Final = Command(
    "backup",
    Backup,
    BackedUp,
    run=run,
    render=backed_up,
    effects=Effects.ADD,
    agents=Agents.NEVER,
    panel="reads or writes files",
    library=Method("backup", "Copy the store to a file."),
    streams=True,
    kept="a backup appears only when it is whole: run it again",
    place=1,
)
