"""Write the stores of a home anew under another key, and leave nothing plain beside one that is encrypted.

A store is written beside itself, looked through, and only then put in its own place. What it was before keeps a name
until it is overwritten, and is overwritten only once the folder holds the new one for good: whenever this is killed,
the store is whole, and the next `encrypt` finds what was left.
"""

import os
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Final

from replica import UNREADABLE, connect, recode, salt_of
from replica.file_system import open_descriptor, remove_file, replace_file, sync_folder
from samemind.config import GRAPH, JOURNAL, LOG, RESTORED, beside
from samemind.errors import Failed
from samemind.platform import system

# How the names end that a program which was killed may leave: a copy under way, a backup under way, a store that went.
RECODED: Final = ".recoded"
REBUILT: Final = ".rebuilt"
_REPLACED: Final = ".replaced"
_WIPE_BYTES: Final = 1 << 20


def stores(store: Path) -> Iterator[Path]:
    """Give the store, then every one that `restore` or a rebuilt group put aside."""
    yield store
    for why in ("restore", "rebuild"):
        yield from sorted(store.parent.glob(f"{store.name}.before-{why}-*Z"))


def leftovers(store: Path) -> list[Path]:
    """Return what a program left beside the store that was killed at its work, and a graph of the store's vectors."""
    return [
        path
        for path in sorted(store.parent.glob(f"{store.name}.*"))
        if path.name.removesuffix(JOURNAL).endswith((RECODED, RESTORED, REBUILT, _REPLACED))
        or path.name.startswith(f"{store.name}{GRAPH}")  # what words mean can be read out of vectors
    ]


def clear(store: Path) -> None:
    """Overwrite what a killed program left, and take its name away."""
    sync_folder(store.parent)  # what it put in a store's place is there for good before what was there goes
    for path in leftovers(store):
        with path.open("rb+") as file:
            _wipe(file.fileno())
        remove_file(path)


def seal(store: Path, key: bytes) -> None:
    """Encrypt what lies plain beside an encrypted store, which may be open.

    A store that is damaged stays as it is, and `doctor` names it.
    """
    clear(store)
    for path in stores(store):
        if path != store and salt_of(path) is None:
            with suppress(Failed):
                check(path, None)
                recode_in_place(path, None, key)


def recode_in_place(store: Path, before: bytes | None, after: bytes | None) -> None:
    """Put a store under another key, or under none; what was there is overwritten, unless it goes plain."""
    fresh, replaced = store.with_name(store.name + RECODED), store.with_name(store.name + _REPLACED)
    remove_file(fresh)
    os.close(open_descriptor(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    try:
        recode(store, before, fresh, after)
        check(fresh, after)
        if beside(store, LOG).exists():  # it would be read into the new store, whose log it is not
            raise Failed(f"expected the log beside {store} to be written back, but it is still there")
        with fresh.open("rb+") as file:
            os.fsync(file.fileno())
        _take_place(fresh, store, replaced, wipes=after is not None)
    finally:
        remove_file(fresh)


def _take_place(fresh: Path, store: Path, replaced: Path, *, wipes: bool) -> None:
    """Replace a store; what was there is overwritten where that `wipes`, after a kill by whoever clears up next."""
    if wipes:
        # A file system without hard links: who is killed now wipes nothing later. And Windows replaces nothing that is
        # open, so what was there goes as it is.
        with suppress(OSError):
            os.link(store, replaced)
    with ExitStack() as stack:
        old = None
        if wipes and not replaced.exists() and system.LETS_GO_OF_OPEN_FILES:
            old = stack.enter_context(store.open("rb+"))
        replace_file(fresh, store)
        sync_folder(store.parent)
        if wipes and replaced.exists():
            old = stack.enter_context(replaced.open("rb+"))
        if old is not None:
            _wipe(old.fileno())
    if wipes:
        remove_file(replaced)


def check(path: Path, key: bytes | None) -> None:
    """Refuse a store that is not whole."""
    try:
        connection = connect(str(path), read_only=True, key=key)
        try:
            ((found,),) = connection.execute("PRAGMA quick_check(1)")
        finally:
            connection.close()
    except UNREADABLE as error:
        found = str(error)
    if found != "ok":
        raise Failed(
            f"expected a whole store in {path}, but: {found}",
            code="not_recoded",
            hint="restore a backup; of a store that was put aside: move it out of the data directory, or delete it",
        )


def _wipe(descriptor: int) -> None:
    """Overwrite a file, unless it has another name: then it is still the store, or somebody's own copy."""
    found = os.fstat(descriptor)
    if found.st_nlink > 1:
        return
    nothing = bytes(_WIPE_BYTES)
    os.lseek(descriptor, 0, os.SEEK_SET)
    for start in range(0, found.st_size, _WIPE_BYTES):
        os.write(descriptor, nothing[: found.st_size - start])
    os.fsync(descriptor)
