"""A folder as a mailbox: on a stick or a share, or one that some service copies between machines.

Whoever copies the folder sees whole files only: each is written under a name that begins with a dot, and then renamed.
"""

import contextlib
import errno
import os
import stat
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import IO, Final, TypeVar

import trio

from replica.file_system import open_descriptor, replace_file, sync_folder, while_busy
from sync.beat import next_beat
from sync.errors import Denied, Full, Gone, MailboxError, Unreached
from sync.mailbox.box import FILES_MAX, check_name, is_name, too_many

# How often to look whether the folder changed: one call to the file system.
GLANCE_SECONDS: Final = 6.0
# A share may not say that it changed.
LOOK_SECONDS: Final = 60.0
# What whoever was killed while writing left half written: nobody writes one file for a day.
_LEFT_SECONDS: Final = 86_400
_SCRATCH: Final = ".part"
_TOKEN_BYTES: Final = 8
_PIECE_BYTES: Final = 1 << 20
# A look does one thing after the other, and a bell glances beside it; what hangs may come to its end.
_THREADS_MAX: Final = 4
Result = TypeVar("Result")

_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_DENIED: Final = (errno.EACCES, errno.EPERM, errno.EROFS)


class FolderBox:
    """The files of one folder, which has to exist: a share that is not mounted is no empty mailbox."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._changed: int | None = None
        # Those that hang are not among those that everything else is done in.
        self._threads = trio.CapacityLimiter(_THREADS_MAX)

    async def put(self, name: str, data: bytes) -> None:
        """Write a file under another name, and rename it."""
        await self._do(partial(self._put, check_name(name), data))

    async def names(self) -> Mapping[str, int]:
        """List the folder; what begins with a dot is being written, or was left by a kill and is removed."""
        return await self._do(self._names)

    async def get(self, name: str, bytes_max: int, into: IO[bytes]) -> None:
        """Read a file."""
        await self._do(partial(self._get, name, bytes_max, into))

    async def remove(self, name: str) -> None:
        """Remove a file."""
        with contextlib.suppress(Gone):
            await self._do(partial(while_busy, (self._folder / name).unlink))

    async def bell(self) -> None:
        """Wait until the folder changed since the last listing, or for a minute."""
        with trio.move_on_after(LOOK_SECONDS):  # a folder sets no event
            while self._changed == await self._do(self._stamp):
                await next_beat(GLANCE_SECONDS)

    async def aclose(self) -> None:
        """Nothing is open between two calls."""

    async def _do(self, fn: Callable[[], Result]) -> Result:
        try:
            return await self._in_thread(fn)
        except FileNotFoundError as error:
            if await self._in_thread(self._folder.is_dir):
                raise Gone(f"{error.filename} is there no more") from None
            raise Unreached(f"expected a folder at {self._folder}, there is none: is it mounted?") from None
        except OSError as error:
            raise self._meant(error) from None

    async def _in_thread(self, fn: Callable[[], Result]) -> Result:
        """Call a function that may never return, as on a share whose server is gone: whoever waits may go."""
        return await trio.to_thread.run_sync(fn, abandon_on_cancel=True, limiter=self._threads)

    def _meant(self, error: OSError) -> MailboxError:
        said = f"{self._folder}: {error.strerror or error}"
        if error.errno in _FULL:
            return Full(said)
        if error.errno in _DENIED:
            return Denied(said)
        return Unreached(said)

    def _put(self, name: str, data: bytes) -> None:
        # A name of its own: a call for the same name that was given up while it hung may still write to another one.
        scratch = self._folder / f".{name}.{os.urandom(_TOKEN_BYTES).hex()}{_SCRATCH}"
        try:
            with scratch.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            replace_file(scratch, self._folder / name)
        except BaseException:
            scratch.unlink(missing_ok=True)
            raise
        sync_folder(self._folder)  # or the name may be lost where the file is not

    def _get(self, name: str, bytes_max: int, into: IO[bytes]) -> None:
        # Whoever else writes there may have put a pipe in a file's place since: that would be read for ever.
        descriptor = open_descriptor(self._folder / name, os.O_RDONLY, waits=False)
        with os.fdopen(descriptor, "rb") as file:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                raise Gone(f"{name} is no file any more")
            left = min(bytes_max, found.st_size)
            while left > 0 and (piece := file.read(min(left, _PIECE_BYTES))):
                into.write(piece)
                left -= len(piece)

    def _names(self) -> dict[str, int]:
        self._changed = self._stamp()  # before: what comes while it is listed rings
        names = {}
        with os.scandir(self._folder) as found:
            for each in found:
                try:
                    if _was_left(each):
                        with contextlib.suppress(OSError):  # whoever may not remove it reads the rest
                            os.unlink(each)
                    elif not each.name.startswith(".") and each.is_file():
                        names[each.name] = each.stat().st_size
                except FileNotFoundError:
                    pass  # somebody removed it meanwhile
                except OSError:
                    if (
                        not each.is_symlink()
                    ):  # one that leads in a circle, or where nobody may look, is no file
                        raise
                if len(names) > FILES_MAX:
                    raise too_many()
        return names

    def _stamp(self) -> int:
        return self._folder.stat().st_mtime_ns


def _was_left(found: os.DirEntry[str]) -> bool:
    name, _, token = found.name.removesuffix(_SCRATCH).removeprefix(".").rpartition(".")
    return (
        found.name == f".{name}.{token}{_SCRATCH}"
        and is_name(name)
        and found.is_file(follow_symlinks=False)
        and time.time() - found.stat(follow_symlinks=False).st_mtime > _LEFT_SECONDS
    )
