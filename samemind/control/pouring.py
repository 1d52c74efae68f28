"""Read what can be read once, and hand it to the program that holds the store.

`-`, `/dev/stdin` and `/dev/fd/63` (what a shell makes of `<(…)`) mean something only in the program that was told
them: the daemon would read its own. So that program reads them, to their end and before it asks for the store: nobody
waits for a store while a pipe gives nothing, and a pipe that fails halfway brings nothing in. What came out is put
behind a socket in a folder that only this user can enter; who holds the store connects and reads it. It is told how
much there is first, so that what ends early is known to be cut. A FIFO would be shorter, but who opens one waits for
ever if the other end has died; a socket that nobody answers any more is refused.
"""

import errno
import os
import re
import socket
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Final

from samemind.errors import Failed, Locked, NotFound, Usage, translated
from samemind.platform import system

if TYPE_CHECKING:
    from samemind.platform.interface import Listener

# What `-` stands for where a file is expected.
STANDARD_INPUT_PATH: Final = "/dev/stdin"
_OWN: Final = re.compile(rf"{STANDARD_INPUT_PATH}|/dev/fd/\d+|/proc/(?:self|thread-self)/fd/\d+")
# What comes out of a pipe is held in memory, and has to fit a small device's several times.
PIPED_BYTES_MAX: Final = 512 << 20
_LENGTH_BYTES: Final = 8
# The end of a pipe's name, by which its format may be known: a socket's path is short.
_NAME_CHARACTERS_MAX: Final = 12
# Somebody who looks for a file looks at once.
ANSWER_TIMEOUT_S: Final = 5.0


@dataclass(frozen=True, slots=True)
class PipeContent:
    """All that came out of a pipe, under the name by which it was asked for."""

    name: str
    data: bytes


def draw(path: str) -> str | PipeContent:
    """Return a path that means the same to any program, or else all that is behind it; this may wait for ever.

    It is held in memory: what a home keeps encrypted must not lie on a disk as it is.
    """
    place = Path(path)
    # A number is no name: it is what a shell calls `<(…)`.
    name = f"pipe {place.name}" if place.name.isdecimal() and _OWN.fullmatch(path) else place.name
    try:
        if _OWN.fullmatch(path):
            real = Path(os.path.realpath(path))
            if (real.is_file() or real.is_dir()) and real.samefile(place):
                return str(real)  # a file or a folder that this program has open
        elif not (place.is_fifo() or place.is_char_device()):
            return path
        with system.open_standard_input() if path == STANDARD_INPUT_PATH else place.open("rb") as pipe:
            data = pipe.read(PIPED_BYTES_MAX + 1)
    except FileNotFoundError:
        raise no_such_file(path) from None
    except OSError as error:  # too long a name, or a folder that nobody may look into
        raise translated(error) from None
    if len(data) > PIPED_BYTES_MAX:
        raise Usage(
            f"{name}: expected at most {PIPED_BYTES_MAX >> 20} MB out of a pipe, it gives more: import a file",
            code="invalid",
        )
    return PipeContent(name, data)


def no_such_file(path: str | Path) -> NotFound:
    """Return what to raise where there is nothing to read."""
    return NotFound(
        f"no such file: {path}",
        code="no_such_file",
        hint="check the path; `samemind help import` tells which files it takes, and - reads standard input",
    )


@contextmanager
def poured(drawn: Iterable[str | PipeContent]) -> Iterator[list[str]]:
    """Give the paths under which another program of this user reads what was drawn, for the block."""
    with ExitStack() as stack:
        yield [each if isinstance(each, str) else stack.enter_context(_behind_socket(each)) for each in drawn]


@contextmanager
def _behind_socket(held: PipeContent) -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="samemind-", ignore_cleanup_errors=True) as folder:
        place = system.poured_place(Path(folder), held.name[-_NAME_CHARACTERS_MAX:])
        listener = system.listen(place, 1)
        # Nobody waits for it: the other side may have had enough.
        Thread(target=_pour, args=(listener, place, held.data), name="pouring", daemon=True).start()
        try:
            yield str(place)
        finally:
            with suppress(OSError):
                listener.plain.shutdown(socket.SHUT_RDWR)  # ends the waiting of the thread
            listener.close()


def _pour(listener: "Listener", place: Path, data: bytes) -> None:
    """Give what is held to the first who connects; nothing of it is left in the file system, also if we are killed."""
    with suppress(OSError, Locked):  # the other side knows how much it has to have
        while True:
            connection, _ = listener.plain.accept()
            with connection:
                connection.settimeout(ANSWER_TIMEOUT_S)
                answer = listener.admit(connection, _first(connection, listener.greeting_bytes))
                if answer is None:  # a stranger, who found the port: whoever was meant comes yet
                    continue
                connection.settimeout(None)
                place.unlink(missing_ok=True)
                with suppress(OSError):
                    place.parent.rmdir()
                connection.sendall(answer + len(data).to_bytes(_LENGTH_BYTES))
                connection.sendall(data)
                return


def _first(connection: socket.socket, count: int) -> bytes:
    """Return as much as a caller says first; less where it says too little, or too late."""
    found = b""
    with suppress(OSError):
        while len(found) < count and (more := connection.recv(count - len(found))):
            found += more
    return found


def read_poured(path: Path) -> PipeContent:
    """Return what comes out of the socket at a path; `Failed` where that is not all of it."""
    connection = system.connect(path, ANSWER_TIMEOUT_S)
    if connection is None:
        raise FileNotFoundError(errno.ENOENT, "who poured it has ended", str(path))
    with connection, connection.makefile("rb") as lines:
        told = lines.read(_LENGTH_BYTES)
        data = lines.read(min(int.from_bytes(told), PIPED_BYTES_MAX))
    if len(told) < _LENGTH_BYTES or len(data) < int.from_bytes(told):
        raise _cut(path)
    return PipeContent(path.name, data)


def _cut(path: Path) -> Failed:
    return Failed(
        f"{path.name}: expected all of it, but the program that read it ended early",
        code="cut",
        hint="import it again",
    )
