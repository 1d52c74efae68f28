"""Windows: locks of a byte range, loopback TCP with a token, and files that nobody replaces while they are open.

Nobody has run this on Windows yet. It is run on Linux, by the programs themselves, where the names of POSIX are taken
away from our packages; what stands in for `msvcrt` there locks byte ranges between processes as Windows does.
Everything here names only what every Python has, and asks for what Windows alone has by `getattr`.
"""

import errno
import hashlib
import importlib
import io
import os
import signal
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, Final

from samemind.platform import loopback

KIND: Final = "windows"
LETS_GO_OF_OPEN_FILES: Final = False
# The byte that is locked. Others cannot so much as read a byte that is locked there, and what the file says of its
# holder is for everybody; a byte far behind its end can be locked too. `locking` counts in 32 bits with a sign.
LOCKED_BYTE: Final = 1 << 30
# A change of the agents' file takes milliseconds. Whoever holds it for this long is stopped in a debugger.
LOCK_SECONDS_MAX: Final = 60.0
_LOCK_POLL_S: Final = 0.01
# What `locking` raises where another has the byte: EACCES, or EDEADLK after it tried for a while.
_TAKEN: Final = (errno.EACCES, errno.EDEADLK, errno.EAGAIN)
_ZONE_KEY: Final = r"SYSTEM\CurrentControlSet\Control\TimeZoneInformation"
# As CreateProcess knows them: without a console, and without the Ctrl-C of this one.
_DETACHED_PROCESS: Final = 0x00000008
_CREATE_NEW_PROCESS_GROUP: Final = 0x00000200


# -- the lock ------------------------------------------------------------------------------------------------


def try_lock(descriptor: int) -> bool:
    """Lock a byte; the system lets go of it when the program ends, however it ends."""
    try:
        _locking(descriptor, "LK_NBLCK")
    except OSError as error:
        if error.errno in _TAKEN:
            return False
        raise
    return True


def wait_for_lock(descriptor: int) -> None:
    """Ask again and again: `LK_LOCK` asks once a second, ten times."""
    deadline = time.monotonic() + LOCK_SECONDS_MAX
    while not try_lock(descriptor):
        if time.monotonic() > deadline:
            raise TimeoutError(
                errno.ETIMEDOUT, "expected another program to let go of a file, but it did not"
            )
        time.sleep(_LOCK_POLL_S)


def unlock(descriptor: int) -> None:
    """Let go of it: closing the file does so too, but at a time of the system's choosing."""
    _locking(descriptor, "LK_UNLCK")


def _locking(descriptor: int, how: str) -> None:
    msvcrt: Any = importlib.import_module("msvcrt")
    os.lseek(descriptor, LOCKED_BYTE, os.SEEK_SET)
    try:
        msvcrt.locking(descriptor, getattr(msvcrt, how), 1)
    finally:
        os.lseek(descriptor, 0, os.SEEK_SET)


# -- files ---------------------------------------------------------------------------------------------------


def open_file(path: str | os.PathLike[str], flags: int, mode: int = 0o600) -> int:
    """Open a file as bytes: the C library would write two for each line end, and stop reading at a Ctrl-Z."""
    return os.open(path, flags | getattr(os, "O_BINARY", 0), mode)


def owner_of(found: os.stat_result) -> int | None:
    """Python tells no owner there. Whose folder it is, its access list says, which a profile's folder sets."""
    return None


def open_to_others(found: os.stat_result) -> int:
    """Nothing: the mode that Python shows is made up of one bit, read-only."""
    return 0


def put_on_disk(folder: Path) -> None:
    """Flush each file (`FlushFileBuffers`): without an administrator's rights there is no call for all of them."""
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb+") as file:
                os.fsync(file.fileno())


# -- the control channel -------------------------------------------------------------------------------------


def control_place(folder: Path, prefix: str) -> Path:
    """Return a file of this user's profile, which others cannot read wherever the home lies.

    One home has one, by whatever path it is called.
    """
    home = os.path.normcase(os.path.realpath(folder / (prefix or ".")))
    name = hashlib.sha256(home.encode("utf-8", "surrogatepass")).hexdigest()[:24]
    return profile() / "samemind-control" / f"{name}.json"


def clear_control(place: Path) -> None:
    """Remove the file: a call to its port would wait for nobody."""
    place.unlink(missing_ok=True)


def poured_place(folder: Path, name: str) -> Path:
    """Return a file in a folder of temporary files, which lie in the profile."""
    return folder / name


def is_poured(path: Path) -> bool:
    """Say whether a file is one of `poured_place`: what it holds says so."""
    return loopback.is_token_file(path)


listen = loopback.listen
connect = loopback.connect


def profile() -> Path:
    """Return where programs keep what is this user's on this machine; one that is started bare may not be told."""
    return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")


def open_standard_input() -> BinaryIO:
    """Read the stream that is there: it has no path."""
    return open(0, "rb", closefd=False)


# -- processes -----------------------------------------------------------------------------------------------


def set_zone() -> str | None:
    """Read it from the registry, and give it the name that the zones' own database has for it."""
    try:
        registry = importlib.import_module("winreg")
        with registry.OpenKey(registry.HKEY_LOCAL_MACHINE, _ZONE_KEY) as key:
            called, _ = registry.QueryValueEx(key, "TimeZoneKeyName")
    except (ImportError, OSError):
        return None
    from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON  # here: 150 ms, where something repeats

    # Of a fixed length: what stands behind the zero is left from a longer name.
    name: str | None = WINDOWS_TO_OLSON.get(str(called).partition("\0")[0])
    return name


def user_id() -> int:
    """Nothing: users have names there."""
    return 0


def ending_signals() -> tuple[int, ...]:
    """Ctrl-C, and Ctrl-Break, which a window sends that is closed. Nobody sends SIGTERM there, and it harms none."""
    found = (signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGBREAK", None))
    return tuple(each for each in found if each is not None)


def detached() -> Mapping[str, object]:
    """No console, and a group of its own; elsewhere `Popen` takes no such flags."""
    if not hasattr(importlib.import_module("subprocess"), "STARTUPINFO"):
        return {}
    return {"creationflags": _DETACHED_PROCESS | _CREATE_NEW_PROCESS_GROUP}


def speak_utf_8() -> None:
    """Python writes the code page of the system into a pipe, which has no letters for most of what people remember."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and not stream.isatty():
            # Bytes that are no UTF-8 are kept on their way in, and refused by whoever reads the text.
            errors = "surrogateescape" if stream is sys.stdin else stream.errors
            stream.reconfigure(encoding="utf-8", errors=errors, newline="\n")


def without_window(python: Path, name: str) -> list[str]:
    """Start it by the Python that opens no console: one would stand on the screen for as long as the daemon runs."""
    silent = python.with_name("pythonw.exe")
    return [str(silent), "-m", name] if silent.exists() else beside_python(python, name)


def beside_python(python: Path, name: str) -> list[str]:
    """Return the program beside that Python, or what it would do."""
    beside = python.parent / f"{name}.exe"
    return [str(beside)] if beside.exists() else [str(python), "-m", name]
