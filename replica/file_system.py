"""Replace files, and make folders remember their names, on systems that do so differently. For all packages.

Where a folder can be opened (POSIX) its names are on the disk once it was synced. On Windows none can be, and none has
to be: NTFS writes a change of names to its log as a whole, so that after a loss of power a rename has happened or has
not, and never by half; and SQLite, which knows no folder to sync there either, goes by the same. What is lost at worst
is the last moment: an older file under the name, as whole as the newer one. Flushing the file under its new name has
NTFS write its log up to there, so that moment is short; Microsoft does not promise that.

Windows also refuses to replace or to remove a file that somebody has open, unless they said that they do not mind, and
a scanner or an indexer has it open for a moment. So it is tried again for a while there.
"""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

# Where folders can be opened, what is open can be replaced as well: these are the same systems.
_OPENS_FOLDERS: Final = hasattr(os, "O_DIRECTORY")
# Where not, Python makes a mode up, and other users are kept out by the folder that a file lies in.
MODES_COUNT: Final = _OPENS_FOLDERS
_BINARY: Final[int] = getattr(os, "O_BINARY", 0)
_AT_ONCE: Final[int] = getattr(os, "O_NONBLOCK", 0)
# A scanner is done with a small file in milliseconds; whoever waits for a command waits no longer than this.
BUSY_SECONDS_MAX: Final = 2.0
_POLL_S: Final = 0.01


def open_descriptor(
    path: str | os.PathLike[str], flags: int, mode: int = 0o600, *, waits: bool = True
) -> int:
    """Open a file as bytes; without `waits` a pipe keeps nobody waiting for its other end."""
    return os.open(path, flags | _BINARY | (0 if waits else _AT_ONCE), mode)


def replace_file(scratch: Path, target: Path) -> None:
    """Give a file, or a folder, the name of another, whose place it takes."""
    while_busy(lambda: os.replace(scratch, target))


def remove_file(path: Path) -> None:
    """Remove a file, or nothing where it is gone."""
    while_busy(lambda: path.unlink(missing_ok=True))


def sync_folder(folder: Path) -> None:
    """Make a folder remember its names through a loss of power."""
    if not _OPENS_FOLDERS:
        return
    directory = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def remember_name(path: Path) -> None:
    """Make the name that a file was given last outlive a loss of power."""
    if _OPENS_FOLDERS:
        sync_folder(path.parent)
    elif path.is_file():
        with path.open("rb+") as file:
            os.fsync(file.fileno())


@contextmanager
def passed_by_path(secret: bytes) -> Iterator[str]:
    """Give a path under which this process reads a secret for the block: in memory, where the system has such files."""
    if hasattr(os, "memfd_create") and Path("/proc/self/fd").exists():
        descriptor = os.memfd_create("secret", os.MFD_CLOEXEC)
        try:
            os.write(descriptor, secret)
            yield f"/proc/self/fd/{descriptor}"
        finally:
            os.close(descriptor)
        return
    import tempfile  # here: hardly ever wanted

    descriptor, name = tempfile.mkstemp()  # readable by its owner only
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(secret)
        yield name
    finally:
        os.unlink(name)


def while_busy(act: Callable[[], None]) -> None:
    """Do it, again and again where somebody has the file open; on POSIX a refusal has other reasons, and stands."""
    deadline = time.monotonic() + BUSY_SECONDS_MAX
    while True:
        try:
            return act()
        except PermissionError:
            if _OPENS_FOLDERS or time.monotonic() > deadline:
                raise
        time.sleep(_POLL_S)
