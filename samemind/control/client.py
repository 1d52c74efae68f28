"""Ask whoever holds the store, with plain blocking sockets: a verb on the command line should cost its own work only.

This imports nothing but the standard library, so that a call takes little longer than Python takes to start.
"""

import socket
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from typing import Any, Final

from samemind.config import Home
from samemind.control.protocol import LINE_BYTES_MAX, answer, decode, request, short_path
from samemind.errors import HOLDER_ENDED, Unreachable

# A daemon answers a connect at once, or is being debugged: its queue of connections is the kernel's.
CONNECT_TIMEOUT_S: Final = 5.0

Answer = tuple[dict[str, Any] | None, dict[str, Any] | None]


class Control:
    """A connection to the program that holds the store."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._lines = connection.makefile("rb")

    @classmethod
    def connect(cls, home: Home) -> "Control | None":
        """Return a connection, or None where nobody answers."""
        with ExitStack() as stack:
            connection = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
            connection.settimeout(CONNECT_TIMEOUT_S)
            try:
                with short_path(home.control) as path:
                    connection.connect(path)
            except (FileNotFoundError, ConnectionRefusedError, NotADirectoryError):
                return None
            connection.settimeout(None)
            stack.pop_all()
        return cls(connection)

    def ask(self, verb: str, options: Mapping[str, Any]) -> Iterator[Answer]:
        """Ask for a verb; give (said, None) for everything it says and at last (None, result)."""
        line = request(verb, options)
        try:
            self._connection.sendall(line)
        except BrokenPipeError:
            pass  # it may have said why before it hung up
        while True:
            try:
                found = self._lines.readline(LINE_BYTES_MAX)
            except ConnectionResetError:
                raise _gone() from None
            if not found.endswith(b"\n"):
                raise _gone()
            said, result = answer(decode(found))
            yield said, result
            if result is not None:
                return

    def close(self) -> None:
        """Hang up; what was asked and not answered is given up."""
        self._lines.close()
        self._connection.close()


def _gone() -> Unreachable:
    return Unreachable(
        "the program that holds the store ended before it answered",
        code=HOLDER_ENDED,
        hint="what was asked may have been done: look, then ask again",
    )
