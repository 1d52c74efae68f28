"""Ask whoever holds the store, with plain blocking sockets: a verb on the command line should cost its own work only.

This imports nothing but the standard library, so that a call takes little longer than Python takes to start.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from samemind.config import Home
from samemind.control.protocol import LINE_BYTES_MAX, answer, decode, request
from samemind.errors import HOLDER_ENDED, Unreachable
from samemind.platform import system

if TYPE_CHECKING:
    import socket

# A daemon answers a connect at once, or is being debugged: its queue of connections is the kernel's.
CONNECT_TIMEOUT_S: Final = 5.0

Answer = tuple[dict[str, Any] | None, dict[str, Any] | None]


class Control:
    """A connection to the program that holds the store."""

    def __init__(self, connection: "socket.socket") -> None:
        self._connection = connection
        self._lines = connection.makefile("rb")

    @classmethod
    def connect(cls, home: Home) -> "Control | None":
        """Return a connection, or None where nobody answers."""
        connection = system.connect(home.control, CONNECT_TIMEOUT_S)
        return None if connection is None else cls(connection)

    def ask(self, verb: str, options: Mapping[str, Any]) -> Iterator[Answer]:
        """Ask for a verb; give (said, None) for everything it says and at last (None, result)."""
        line = request(verb, options)
        try:
            self._connection.sendall(line)
        except ConnectionError:
            pass  # it may have said why before it hung up
        while True:
            try:
                found = self._lines.readline(LINE_BYTES_MAX)
            except ConnectionError:
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
        hint="it may have been done: check, then ask again",
    )
