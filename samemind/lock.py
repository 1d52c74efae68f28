"""Let one program at a time hold a store, and let the others see who it is.

The lock is `flock` on a file that stays, so a program that is killed lets go of it at once. The file says
who holds it: its pid, and what it is.
"""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Self

from replica.values import dataclass
from samemind.config import Home
from samemind.errors import Locked


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


@contextmanager
def hold(home: Home, *, program: str) -> Iterator[None]:
    """Hold the store for the block; `Locked` at once if somebody else does."""
    descriptor = os.open(home.lock, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise locked_by(home) from None
        holder = Holder(os.getpid(), program)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, json.dumps(asdict(holder)).encode(), 0)
        try:
            yield
        finally:
            os.ftruncate(descriptor, 0)  # before the lock goes with the descriptor: nobody reads a stale name
    finally:
        os.close(descriptor)


def is_held(home: Home) -> bool:
    """Return whether a program holds the store at this moment."""
    try:
        descriptor = os.open(home.lock, os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def locked_by(home: Home) -> Locked:
    """Return the error that says who holds the store."""
    holder = Holder.of(home)
    who = "another program" if holder is None else str(holder)
    return Locked(
        f"{home.shown()} is in use by {who}",
        hint="wait until it is done, or stop it; `samemind up` lets many programs use one store",
    )
