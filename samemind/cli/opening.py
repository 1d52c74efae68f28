"""Perform a verb in this process, where no other program holds the store.

Opening a store writes: a lock, and who opened it last. Where the disk takes nothing, what only reads is read from a
copy in memory, for that is when somebody wants their memory out.

A verb that only looks at what is there is done without a loop or a thread: to load what runs those takes a third of it.
"""

import errno
import os
import sqlite3
import sys
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from samemind.cli.printing import Printer
from samemind.config import STATE_VARIABLE, STORE_FILE, Home
from samemind.declaring import Command, Effects, read_options
from samemind.errors import Locked, SamemindError, Unreachable
from samemind.performing import Local, at_once, raise_translated

if TYPE_CHECKING:
    from samemind.control.server import Say
    from samemind.reach import ReachedDevice

_TAKES_NOTHING: Final = frozenset({errno.EACCES, errno.EROFS, errno.ENOSPC, errno.EDQUOT})
# In memory, since the disk of temporary files is as full as any.
_MEMORY: Final = Path("/dev/shm")


def ask_here(
    verb: Command[Any, Any], options: Mapping[str, Any], home: Home, printer: Printer
) -> Mapping[str, Any] | None:
    """Open the store and have the verb performed; a verb that goes on answers other programs meanwhile."""
    try:
        return _ask(verb, options, home, printer)
    except SamemindError as error:
        if (
            verb.effects is not Effects.READ
            or not _takes_nothing(error)
            or not os.access(home.store, os.R_OK)
        ):
            raise
        print(
            f"samemind: {error.message}; so this is read from a copy in memory, and nothing is saved",
            file=sys.stderr,
        )
    with _copied(home) as copy:
        return _ask(verb, options, copy, printer)


def _takes_nothing(error: BaseException) -> bool:
    """Say whether a disk that is read-only or full, or files that may not be written, stand behind an error."""
    found: BaseException | None = error
    for _ in range(10):  # no chain of causes of ours is longer
        if found is None:
            return False
        if isinstance(found, OSError) and found.errno in _TAKES_NOTHING:
            return True
        code = getattr(found, "sqlite_errorcode", 0)
        if code & 0xFF in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN):
            return True
        if (
            code == sqlite3.SQLITE_IOERR_SHMSIZE
        ):  # a full disk has no room for what readers of one store share
            return True
        found = found.__cause__ or found.__context__
    return False


@contextmanager
def _copied(home: Home) -> Iterator[Home]:
    """Give a copy of a home that nobody has open, for the block."""
    import shutil  # here: hardly ever wanted
    import tempfile

    where = _MEMORY if os.access(_MEMORY, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="samemind-", dir=where) as name:
        folder = Path(name)
        for file in (
            home.store,
            home.store.with_name(f"{home.store.name}-wal"),
            home.identity,
            home.settings,
        ):
            if file.exists():
                shutil.copyfile(file, folder / _name_in_a_home(home, file))
        (folder / "identity.pem").chmod(0o600)
        os.environ[STATE_VARIABLE] = str(folder / "outside")  # the copy is no device of its own
        yield Home.at(folder)


def _name_in_a_home(home: Home, file: Path) -> str:
    """Return how a file is called in a home that is a folder."""
    if file.name.startswith(home.store.name) and file.name[len(home.store.name) :] in ("", "-wal"):
        return STORE_FILE + file.name[len(home.store.name) :]
    return file.name.removeprefix(home.prefix)


def _ask(
    verb: Command[Any, Any], options: Mapping[str, Any], home: Home, printer: Printer
) -> Mapping[str, Any] | None:
    if not (verb.opens_mind or verb.streams):
        try:
            return at_once(_look(verb, options, home, printer))
        except Locked as error:
            if error.code != "locked":
                raise
        # Somebody holds the store, who may answer or end soon: to wait for that takes a loop.
    import trio

    return trio.run(_reach, verb, options, home, printer)


async def _look(
    verb: Command[Any, Any], options: Mapping[str, Any], home: Home, printer: Printer
) -> Mapping[str, Any] | None:
    from samemind.device import open_device

    async with AsyncExitStack() as stack:
        try:
            device = await stack.enter_async_context(
                open_device(
                    home, program=f"samemind {verb.name}", answers=False, opens_mind=False, alone=True
                )
            )
        except Locked:
            raise
        except Exception as error:
            raise_translated(error)
        return await _answer(Local(device), verb, options, printer, _nothing)


async def _nothing(said: Mapping[str, Any]) -> None:
    raise AssertionError("expected a verb that says nothing before it ends")


async def _reach(
    verb: Command[Any, Any], options: Mapping[str, Any], home: Home, printer: Printer
) -> Mapping[str, Any] | None:
    from samemind.reach import reach

    async def say(said: Mapping[str, Any]) -> None:
        printer.said(verb, said)

    program = f"samemind {verb.name}"
    match verb.name:
        case "up":
            from samemind.daemon import run_daemon

            return await run_daemon(home, read_options(verb, options), say)
        case "panel":
            from samemind.commands.device.up import Up
            from samemind.daemon import run_daemon

            return await run_daemon(home, Up(), say, launches=True)
        case "down":
            raise Unreachable(f"no daemon runs for {home.shown()}", code="not_running", hint="samemind up")
    goes_on = verb.name == "pair" or bool(options.get("follow"))
    name = options.get("name") if verb.name == "init" else None
    async with reach(
        home, program=program, answers=goes_on, name=name, opens_mind=verb.opens_mind or goes_on
    ) as device:
        return await _answer(device, verb, options, printer, say)


async def _answer(
    device: "ReachedDevice", verb: Command[Any, Any], options: Mapping[str, Any], printer: Printer, say: "Say"
) -> Mapping[str, Any] | None:
    with printer.waiting(verb):  # the store is open: no passphrase is asked for any more
        result = await device.ask(verb.name, options, say)
        if not printer.shortens:
            return result
        from samemind.cli.terminal import ids_in, shortened  # for whoever sits there

        ids = ids_in(result)
        told = await device.ask("ids", {"beginnings": ids}, say) if ids else None
        return shortened(result, lambda _: told)
