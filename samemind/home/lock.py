"""Let one program at a time hold a store, and let the others see who it is.

The lock is the system's, on a file that stays, so a program that is killed lets go of it at once. The file says who
holds it: its pid, and what it is, in as many bytes each time: it is not cut off, since what a lock on a part of a file
makes of that is each system's own.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from typing import Final, Self

from replica.values import dataclass
from samemind.config import Home
from samemind.errors import Locked
from samemind.platform import system

# A pid, and a name of ours; an empty one has as many blanks.
_HOLDER_BYTES: Final = 200
DAEMON: Final = "samemind up"


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a store."""

    pid: int
    program: str

    @classmethod
    def of(cls, home: Home) -> Self | None:
        """Return who says it holds the store; None when nobody does, or its file cannot be read yet."""
        try:
            found = json.loads(home.lock.read_text(encoding="utf-8"))
            return cls(int(found["pid"]), str(found["program"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def __str__(self) -> str:
        return f"{self.program} (process {self.pid})"


class StoreLock:
    """A store that is held. `vanishes`: its file goes with it, since the store turned out to be none."""

    def __init__(self) -> None:
        self.vanishes = False


@contextmanager
def hold(home: Home, *, program: str) -> Iterator[StoreLock]:
    """Hold the store for the block; `Locked` at once if somebody else does, or its permissions forbid it."""
    lock = StoreLock()
    try:
        descriptor = system.open_file(home.lock, os.O_RDWR | os.O_CREAT)
    except PermissionError as error:
        raise Locked(
            f"{home.lock}: {error.strerror}",
            code="not_permitted",
            hint="make this folder and its files writable for this user, or choose another with --home",
        ) from error
    try:
        if not system.try_lock(descriptor):
            raise locked_by(home)
        system.clear_control(home.control)  # of a program that was killed: nobody answers there
        _say(descriptor, json.dumps(asdict(Holder(os.getpid(), program))))
        try:
            yield lock
        finally:
            _say(descriptor, "")  # before the lock goes: nobody reads a stale name
            if lock.vanishes and system.LETS_GO_OF_OPEN_FILES:
                home.lock.unlink(
                    missing_ok=True
                )  # still locked, so that nobody else holds what has no name any more
            system.unlock(descriptor)
    finally:
        os.close(descriptor)
        if lock.vanishes and not system.LETS_GO_OF_OPEN_FILES:
            with suppress(OSError):  # somebody else opened it by now, and keeps it
                home.lock.unlink(missing_ok=True)


def _say(descriptor: int, text: str) -> None:
    os.lseek(descriptor, 0, os.SEEK_SET)
    os.write(descriptor, text.encode().ljust(_HOLDER_BYTES))


def is_held(home: Home) -> bool:
    """Return whether a program holds the store at this moment."""
    try:
        descriptor = system.open_file(home.lock, os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        if not system.try_lock(descriptor):
            return True
        system.unlock(descriptor)
    finally:
        os.close(descriptor)
    return False


def locked_by(home: Home) -> Locked:
    """Return the error that says who holds the store."""
    holder = Holder.of(home)
    who = "another program" if holder is None else str(holder)
    if holder is not None and holder.program == DAEMON:
        return Locked(
            f"{home.shown()} is in use by {who}",
            hint="that is the daemon, which other commands ask; to end it: samemind down",
        )
    return Locked(
        f"{home.shown()} is in use by {who}",
        hint="wait until it is done, or stop it; `samemind up` lets many programs use one store",
    )
