"""What a variant has to offer. A module is one: functions and constants, nothing else."""

import os
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO, Protocol


class Listener(Protocol):
    """The local end at which other programs of this user call."""

    plain: socket.socket
    """Bound and listening."""
    greeting_bytes: int
    """How much a caller says before anything else, to prove who it is; nothing, where the kernel vouches for it."""

    def admit(self, connection: socket.socket, greeting: bytes) -> bytes | None:
        """Return what to answer a caller of this user; None for a stranger, who is told nothing.

        `Locked` where the kernel names another user, who may be told so.
        """
        ...

    def close(self) -> None:
        """Listen no more, and take away what led here."""
        ...


class System(Protocol):
    """One kind of system."""

    KIND: str
    """How it is called."""
    LETS_GO_OF_OPEN_FILES: bool
    """Whether a file can be replaced or removed while somebody has it open."""

    # -- the lock --------------------------------------------------------------------------------------------

    def try_lock(self, descriptor: int) -> bool:
        """Lock a file for this descriptor alone, until it is closed or `unlock`; False where another has it."""
        ...

    def wait_for_lock(self, descriptor: int) -> None:
        """Likewise, and wait for whoever has it."""
        ...

    def unlock(self, descriptor: int) -> None:
        """Let go of a lock at once, before the descriptor is closed."""
        ...

    # -- files -----------------------------------------------------------------------------------------------

    def open_file(self, path: str | os.PathLike[str], flags: int, mode: int = 0o600) -> int:
        """Open a file as bytes."""
        ...

    def owner_of(self, found: os.stat_result) -> int | None:
        """Return the user to whom a file belongs; None where it is this one or the system."""
        ...

    def open_to_others(self, found: os.stat_result) -> int:
        """Return the bits of a file's mode that let other users in; none where a mode says nothing of them."""
        ...

    def put_on_disk(self, folder: Path) -> None:
        """Return when every file of a folder is on the disk."""
        ...

    # -- the control channel ---------------------------------------------------------------------------------

    def control_place(self, folder: Path, prefix: str) -> Path:
        """Return the file by which programs find whoever holds the store of a home."""
        ...

    def listen(self, place: Path, backlog: int) -> Listener:
        """Be found at a place; whoever was before is gone, since the caller holds the lock."""
        ...

    def connect(self, place: Path, timeout_s: float) -> socket.socket | None:
        """Return a connection to the program of this user that is found there; None where there is none."""
        ...

    def clear_control(self, place: Path) -> None:
        """Take away what a killed program left at a place; the caller holds the lock, so it is nobody's."""
        ...

    def poured_place(self, folder: Path, name: str) -> Path:
        """Return the file in a new folder by which another program finds what was drawn from a pipe."""
        ...

    def is_poured(self, path: Path) -> bool:
        """Say whether a path is such a file."""
        ...

    def open_standard_input(self) -> BinaryIO:
        """Open what is piped into this program, for reading once."""
        ...

    # -- processes, and what this machine is set to ----------------------------------------------------------

    def set_zone(self) -> str | None:
        """Return the name of the time zone that this machine is set to, where a system says it in its own way."""
        ...

    def user_id(self) -> int:
        """Return the number of this user, where users have some."""
        ...

    def ending_signals(self) -> tuple[int, ...]:
        """Return the signals that ask a program to end."""
        ...

    def detached(self) -> Mapping[str, object]:
        """Return how `subprocess.Popen` starts a program that outlives its terminal."""
        ...

    def speak_utf_8(self) -> None:
        """Have the standard streams carry UTF-8 and plain line ends, whatever the system would have them carry."""
        ...

    def without_window(self, python: Path, name: str) -> list[str]:
        """Return the words that start a command of an installation where nobody looks at it."""
        ...

    def beside_python(self, python: Path, name: str) -> list[str]:
        """Return the words that start a command of the installation that a Python belongs to."""
        ...
