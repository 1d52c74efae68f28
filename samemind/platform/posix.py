"""Linux, macOS and Termux: `flock`, Unix sockets whose other end the kernel names, and modes that mean something.

Imported by every call of the command line: the standard library only, and what is rarely wanted where it is.
"""

import fcntl
import os
import signal
import socket
import stat
import struct
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final
from weakref import WeakSet

from samemind.errors import Failed, Locked, Unreachable

KIND: Final = "posix"
LETS_GO_OF_OPEN_FILES: Final = True
# The size of `sun_path`, less the zero at its end.
SOCKET_PATH_BYTES_MAX: Final = 103 if sys.platform == "darwin" else 107
# Between two tries to get into a queue that is full: a connection is taken from it within a millisecond or so.
QUEUE_FULL_S: Final = 0.01
# What tells the settings of Android, in milliseconds.
_GETPROP: Final = Path("/system/bin/getprop")
_GETPROP_SECONDS_MAX: Final = 2.0
# What is left of it for where temporary files go, beside the names of a folder, a link and a socket there.
_TEMPORARY_BYTES_MAX: Final = 16


# -- forked processes --------------------------------------------------------------------------------------------

# A lock is held, a socket answered and a connection open while any process has its descriptor, and a process that is
# forked has them all: where ours is killed, the store would be held on by one that cannot answer.
_locked: Final[set[int]] = set()
_answered: Final[WeakSet[socket.socket]] = WeakSet()


def _let_go_in_child() -> None:
    """Have these descriptors stand for nothing. They stay: their numbers are somebody's, who may close them."""
    descriptors = {*_locked, *(one.fileno() for one in _answered)} - {-1}
    if descriptors:
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in descriptors:
            os.dup2(nothing, descriptor, inheritable=False)
        os.close(nothing)
    _locked.clear()
    _answered.clear()


os.register_at_fork(after_in_child=_let_go_in_child)


# -- the lock ------------------------------------------------------------------------------------------------


def try_lock(descriptor: int) -> bool:
    """Take `flock` on the file, which a program that is killed lets go of at once."""
    _locked.add(descriptor)  # before it is: a process may be forked at any moment
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        _locked.discard(descriptor)
        return False
    return True


def wait_for_lock(descriptor: int) -> None:
    """Wait for whoever has it."""
    fcntl.flock(descriptor, fcntl.LOCK_EX)


def unlock(descriptor: int) -> None:
    """Let go of it."""
    _locked.discard(descriptor)
    fcntl.flock(descriptor, fcntl.LOCK_UN)


# -- files ---------------------------------------------------------------------------------------------------


def open_file(path: str | os.PathLike[str], flags: int, mode: int = 0o600) -> int:
    """Open a file: there are no other files than those of bytes."""
    return os.open(path, flags, mode)


def owner_of(found: os.stat_result) -> int | None:
    """Return the user to whom a file belongs; None where it is this one or the system."""
    return None if found.st_uid in (os.geteuid(), 0) else found.st_uid


def open_to_others(found: os.stat_result) -> int:
    """Return the bits that let the group and the others in."""
    return stat.S_IMODE(found.st_mode) & 0o077


def put_on_disk(folder: Path) -> None:
    """Have the system write all that waits: one call, where each of 5,000 files took a call that waits."""
    os.sync()


# -- the control channel -------------------------------------------------------------------------------------


def control_place(folder: Path, prefix: str) -> Path:
    """Return the path of a socket beside the store."""
    return folder / f"{prefix}control.sock"


def clear_control(place: Path) -> None:
    """Remove a socket, and nothing else."""
    with suppress(FileNotFoundError):
        if stat.S_ISSOCK(place.lstat().st_mode):
            place.unlink()


def poured_place(folder: Path, name: str) -> Path:
    """Return the path of a socket."""
    return folder / name


def is_poured(path: Path) -> bool:
    """Say whether a path is a socket."""
    return path.is_socket()


class SocketListener:
    """A Unix socket of this user's alone: its mode says so, and the kernel's word about the caller is checked too."""

    greeting_bytes = 0

    def __init__(self, place: Path, plain: socket.socket) -> None:
        self._place = place
        self.plain = plain

    def admit(self, connection: socket.socket, greeting: bytes) -> bytes | None:
        """Let this user in, and tell another that it is one."""
        user = peer_user(connection)
        if user != os.geteuid():
            raise Locked(f"expected user {os.geteuid()}, got user {user}", code="not_permitted")
        _answered.add(connection)
        return b""

    def close(self) -> None:
        """Hang up, and take the socket's name away."""
        self.plain.close()
        self._place.unlink(missing_ok=True)


def listen(place: Path, backlog: int) -> SocketListener:
    """Bind a socket, in the place of one that a killed program left."""
    clear_control(place)
    if place.is_symlink() or place.exists():
        raise Failed(f"expected a socket or nothing at {place}, found something else: move it away")
    plain = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        # macOS and the BSDs refuse, and have the mode a moment later, in a folder of the owner's.
        with suppress(OSError):
            os.fchmod(plain.fileno(), 0o600)  # on Linux, the file's mode from its first moment on
        with short_path(place) as path:
            plain.bind(path)
        place.chmod(0o600)
        plain.listen(backlog)
    except BaseException:
        plain.close()
        raise
    _answered.add(plain)
    return SocketListener(place, plain)


def connect(place: Path, timeout_s: float) -> socket.socket | None:
    """Connect to a socket; None where nobody is behind it."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(timeout_s)
        with short_path(place) as path:
            _connect_in_turn(connection, path, timeout_s)
        connection.settimeout(None)
    except (FileNotFoundError, ConnectionRefusedError, NotADirectoryError):
        connection.close()
        return None
    except BaseException:
        connection.close()
        raise
    return connection


def _connect_in_turn(connection: socket.socket, path: str, timeout_s: float) -> None:
    """Connect, also where the queue is full of others: Linux refuses at once then, whatever the timeout."""
    until_s = time.monotonic() + timeout_s
    while True:
        try:
            connection.connect(path)
            return
        except BlockingIOError as error:
            if time.monotonic() >= until_s:
                raise Unreachable(
                    f"the program that holds the store did not take a connection within {timeout_s:g} s",
                    hint="too many programs ask it at once, or it hangs: try again, or end it",
                ) from error
            time.sleep(QUEUE_FULL_S)


@contextmanager
def short_path(path: Path) -> Iterator[str]:
    """Give a socket's path in a form that the system takes, however deep its folder lies."""
    if len(os.fsencode(path)) <= SOCKET_PATH_BYTES_MAX:
        yield str(path)
        return
    import tempfile  # a tenth of a call to the daemon, for the few whose home lies deep

    around = tempfile.gettempdir()
    if len(os.fsencode(around)) > _TEMPORARY_BYTES_MAX:
        around = "/tmp"
    with tempfile.TemporaryDirectory(prefix="samemind-", dir=around) as folder:
        link = Path(folder) / "home"
        link.symlink_to(path.parent, target_is_directory=True)
        yield str(link / path.name)


def peer_user(connection: socket.socket) -> int:
    """Return the user id of the process at the other end of a Unix socket, as the kernel vouches for it."""
    if hasattr(socket, "SO_PEERCRED"):  # Linux
        credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return int(struct.unpack("3i", credentials)[1])
    # macOS: LOCAL_PEERCRED at level 0 gives a `struct xucred`: its version, then the user id.
    credentials = connection.getsockopt(0, 1, 76)
    return int(struct.unpack_from("2I", credentials)[1])


def open_standard_input() -> BinaryIO:
    """Open it anew: what stands there already may have been read."""
    return open("/dev/stdin", "rb")


# -- processes, and what this machine is set to ----------------------------------------------------------------


def set_zone() -> str | None:
    """Ask Android for it; elsewhere files say it."""
    if not _GETPROP.exists():
        return None
    import subprocess  # here: it takes 10 ms, and only Android is asked

    try:
        done = subprocess.run(
            [_GETPROP, "persist.sys.timezone"], capture_output=True, timeout=_GETPROP_SECONDS_MAX, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode(errors="replace").strip() or None


def user_id() -> int:
    """Return the number of this user."""
    return os.getuid()


def ending_signals() -> tuple[int, ...]:
    """Ctrl-C, and what a service manager sends."""
    return signal.SIGINT, signal.SIGTERM


def detached() -> Mapping[str, object]:
    """A session of its own: it outlives the terminal and the agent that wanted it."""
    return {"start_new_session": True}


def speak_utf_8() -> None:
    """Nothing: the locale says what a terminal takes."""


def without_window(python: Path, name: str) -> list[str]:
    """Return the command: there are no windows."""
    return beside_python(python, name)


def beside_python(python: Path, name: str) -> list[str]:
    """Return the script beside that Python, or what the script would do."""
    beside = python.parent / name
    return [str(beside)] if beside.exists() else [str(python), "-m", name]
