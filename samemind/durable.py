"""Write files so that each is there whole or not at all, also after a kill or a loss of power."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def whole_file(path: Path, *, mode: int = 0o600) -> Iterator[Path]:
    """Give the path of an empty file beside `path` for the block to fill, which takes its place at the end.

    Whatever fails leaves what was there as it was. A kill may leave the file beside it, until the next that is written.
    `mode`: of the file, less what the umask takes away.
    """
    scratch = path.with_name(f".{path.name}.part")
    scratch.unlink(missing_ok=True)
    os.close(os.open(scratch, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))
    try:
        yield scratch
        with scratch.open("rb+") as file:
            os.fsync(file.fileno())
        os.replace(scratch, path)
    finally:
        scratch.unlink(missing_ok=True)
    with suppress(OSError):  # not every file system can: it has done what it can by then
        sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make a folder remember its names through a loss of power."""
    directory = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
