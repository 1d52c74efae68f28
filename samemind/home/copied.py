"""Give a copy in memory of a home that takes no writes.

Opening a store writes: a lock, and who opened it last. Where the disk is read-only or full, or permissions forbid to
write, what only reads is read from a copy, for that is when somebody wants their memory out.
"""

import dataclasses
import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from samemind.config import LOG, STORE_FILE, Home, beside
from samemind.errors import SamemindError

_TAKES_NOTHING: Final = frozenset({errno.EACCES, errno.EROFS, errno.ENOSPC, errno.EDQUOT})
# In memory, since the disk of temporary files is as full as any.
_MEMORY: Final = Path("/dev/shm")


def can_be_copied(home: Home, refused: SamemindError) -> bool:
    """Say whether a home was refused only since it takes no writes, and can be read."""
    return _takes_nothing(home, refused) and os.access(home.store, os.R_OK)


def _takes_nothing(home: Home, error: BaseException) -> bool:
    """Say whether a disk that is read-only or full, or files that may not be written, stand behind an error."""
    found: BaseException | None = error
    for _ in range(10):  # no chain of causes of ours is longer
        if found is None:
            return False
        if isinstance(found, OSError) and found.errno in _TAKES_NOTHING:
            return _is_of(home, found.filename)
        code = getattr(found, "sqlite_errorcode", 0)
        if code & 0xFF in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN):
            return True
        if (
            code == sqlite3.SQLITE_IOERR_SHMSIZE
        ):  # a full disk has no room for what readers of one store share
            return True
        found = found.__cause__ or found.__context__
    return False


def _is_of(home: Home, name: object) -> bool:
    """Say whether a file is one of the home's, or may be: what cannot be written elsewhere, a copy cannot write."""
    if not isinstance(name, str):
        return True
    path = Path(os.path.realpath(name))
    folders = (home.folder, home.store.parent, home.outside)
    return any(path.is_relative_to(os.path.realpath(folder)) for folder in folders)


@contextmanager
def copied(home: Home, refused: SamemindError) -> Iterator[Home]:
    """Give a copy of a home that nobody has open, for the block; `refused` says why the home itself is not used."""
    import shutil  # here: hardly ever wanted
    import tempfile

    where = _MEMORY if os.access(_MEMORY, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="samemind-", dir=where) as name:
        folder = Path(name)
        for file in (
            home.store,
            beside(home.store, LOG),
            home.identity,
            home.settings,
        ):
            if file.exists():
                shutil.copyfile(file, folder / _name_in_a_home(home, file))
        (folder / "identity.pem").chmod(0o600)
        yield dataclasses.replace(Home.at(folder), copied_from=home, refused=refused)


def _name_in_a_home(home: Home, file: Path) -> str:
    """Return how a file is called in a home that is a folder."""
    if file.name.startswith(home.store.name) and file.name[len(home.store.name) :] in ("", LOG):
        return STORE_FILE + file.name[len(home.store.name) :]
    return file.name.removeprefix(home.prefix)
