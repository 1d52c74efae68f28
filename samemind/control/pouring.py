"""Hand what comes out of a pipe of this program to the one that holds the store.

`-`, `/dev/stdin` and `/dev/fd/63` (what a shell makes of `<(…)`) mean something only in the program that was told
them: the daemon would read its own. So each is put behind a socket in a folder that only this user can enter; the
daemon connects and reads to its end. A FIFO would be shorter, but who opens one waits for ever if the other end has
died; a socket that nobody answers any more is refused.
"""

import os
import re
import socket
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import IO, Final

from samemind.control.protocol import peer_user

STANDARD_INPUT: Final = "/dev/stdin"
_OWN: Final = re.compile(r"/dev/stdin|/dev/fd/\d+|/proc/(?:self|thread-self)/fd/\d+")
_PIECE_BYTES: Final = 1 << 16
# Somebody who looks for a file looks at once.
ANSWER_TIMEOUT_S: Final = 5.0


def is_own(path: str) -> bool:
    """Say whether a path means something in this program only."""
    return _OWN.fullmatch(path) is not None


@contextmanager
def poured(paths: Iterable[str]) -> Iterator[list[str]]:
    """Give the paths under which another program of this user reads what these paths are here, for the block."""
    with ExitStack() as stack:
        yield [stack.enter_context(_behind_socket(path)) if is_own(path) else path for path in paths]


@contextmanager
def _behind_socket(path: str) -> Iterator[str]:
    with (
        open(path, "rb", buffering=0) as source,
        tempfile.TemporaryDirectory(prefix="samemind-") as folder,
        socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener,
    ):
        name = f"{folder}/{os.path.basename(path)}"
        listener.bind(name)
        listener.listen(1)
        # Nobody waits for it: what it reads from may give nothing for ever, once the other side has had enough.
        Thread(target=_pour, args=(listener, os.dup(source.fileno())), name="pouring", daemon=True).start()
        try:
            yield name
        finally:
            with suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)  # ends the waiting of the thread


def _pour(listener: socket.socket, number: int) -> None:
    """Give all that comes out of a file descriptor to the first who connects."""
    with open(number, "rb", buffering=0) as source, suppress(OSError):
        connection, _ = listener.accept()
        with connection:
            if peer_user(connection) != os.geteuid():
                return
            while piece := source.read(_PIECE_BYTES):
                connection.sendall(piece)


def read_poured(path: Path, bytes_max: int) -> bytes:
    """Return what comes out of the socket at a path, up to its end or one byte more than the limit."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(ANSWER_TIMEOUT_S)
        connection.connect(str(path))
        connection.settimeout(None)
        lines: IO[bytes] = connection.makefile("rb")
        with lines:
            return lines.read(bytes_max + 1)
