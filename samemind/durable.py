"""Write a file, or a folder of them, so that it is there whole or not at all, also after a kill; lock one."""

import errno
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from samemind.errors import Usage
from samemind.platform import system

_NO_ROOM: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


@contextmanager
def whole_file(path: Path, *, mode: int = 0o600) -> Iterator[Path]:
    """Give the path of an empty file beside `path` for the block to fill, which takes its place at the end.

    What has taken its place is on the disk: a loss of power does not change it any more.
    Whatever fails leaves what was there as it was. A kill may leave the file beside it, until the next that is written.
    A link stays one, and what it leads to is replaced. A pipe or a device cannot be there whole: it is given itself.
    `mode`: of the file, less what the umask takes away, or less what the one that was there did not let in.
    """
    if path.exists() and not path.is_file():
        if path.is_dir():
            raise Usage(f"{path}: expected the name of a file, this is a folder", code="invalid")
        yield path
        return
    from replica.file_system import open_descriptor, remove_file, replace_file  # here: hardly anybody writes

    refuse_foreign_link(path)
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no such folder", str(target.parent))
    kept = stat.S_IMODE(target.stat().st_mode) if target.exists() and _is_ours(target.stat()) else None
    scratch = target.with_name(f".{target.name}.part")
    scratch.unlink(missing_ok=True)
    # For nobody else to read before it has the mode of what was there; and kept open, since that may be read-only.
    try:
        made = open_descriptor(scratch, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode if kept is None else 0o600)
    except FileNotFoundError:  # as in /proc, where nothing can be made
        raise Usage(
            f"expected a path where a file can be created, got {path}",
            code="invalid",
            hint="write to another folder",
        ) from None
    own = os.fstat(made)
    try:
        try:
            yield scratch
            if not os.path.samestat(own, os.stat(scratch)):
                raise FileExistsError(
                    errno.EEXIST, "somebody else writes this file at the same time", str(path)
                )
            if kept is not None:
                os.chmod(scratch, mode & kept)
            os.fsync(made)
        finally:
            os.close(made)  # before it gets its name: Windows renames no file that is open
        replace_file(scratch, target)
    except BaseException as error:
        _name(error, path)
        if scratch.exists() and os.path.samestat(own, os.stat(scratch)):
            remove_file(scratch)
        raise
    _remember_name(target)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of a file for the block, in a file beside it, against every other program that asks for it."""
    descriptor = system.open_file(path.with_name(f"{path.name}.lock"), os.O_RDWR | os.O_CREAT)
    try:
        system.wait_for_lock(descriptor)
        try:
            yield
        finally:
            system.unlock(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """Give the path of an empty folder beside `path`, which is new or empty, for the block to fill likewise.

    A link stays one, and an empty folder's mode is the new one's.
    What has taken its place is on the disk. That is waited for once: doing so at each of 5,000 files took 2.4 to 7.8 s
    where this took 0.15.
    """
    from replica.file_system import replace_file

    refuse_foreign_link(path)
    target = Path(os.path.realpath(path))
    scratch = target.with_name(f".{target.name}.part")
    shutil.rmtree(scratch, ignore_errors=True)
    try:
        scratch.mkdir(parents=True)
        if target.exists():
            os.chmod(scratch, stat.S_IMODE(target.stat().st_mode))
        yield scratch
        system.put_on_disk(scratch)
        if target.exists():
            target.rmdir()
        replace_file(scratch, target)
    except BaseException as error:
        _name(error, path)
        raise
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    _remember_name(target)


def _name(error: BaseException, path: Path) -> None:
    """Have an error say which file found no room: the system does not, where what is written is an open file."""
    if isinstance(error, OSError) and error.filename is None and error.errno in _NO_ROOM:
        error.filename = str(path)


def refuse_foreign_link(path: Path) -> None:
    """Refuse to write where a link of another user leads: it may lead to any file of ours."""
    for each in (path, *path.absolute().parents):
        if each.is_symlink() and not _is_ours(each.lstat()):
            raise Usage(
                f"expected a path of your own, found {each}, a link that another user made",
                code="foreign_link",
                hint="write to another folder",
            )


def _is_ours(found: os.stat_result) -> bool:
    """Say whether a file belongs to this user, or to the system."""
    return system.owner_of(found) is None


def _remember_name(target: Path) -> None:
    from replica.file_system import remember_name

    with suppress(OSError):  # not every file system can: it has done what it can by then
        remember_name(target)
