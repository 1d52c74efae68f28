"""Ask whoever holds the store, with plain blocking sockets: a verb on the command line should cost its own work only.

This imports nothing but the standard library, so that a call takes little longer than Python takes to start.
"""

import os
import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from samemind.config import Home
from samemind.control.protocol import CHUNK_BYTES, LINE_BYTES_MAX, NOTHING_ASKED, answer, decode, request
from samemind.errors import HOLDER_ENDED, Unreachable
from samemind.platform import system

if TYPE_CHECKING:
    import socket

# A daemon answers a connect at once, or is being debugged: its queue of connections is the kernel's.
CONNECT_TIMEOUT_S: Final = 5.0
# Long work is done in silence, but who is alive answers a question that asks nothing at once. It is asked after so long
# a silence, has as long for its answer, and is asked again after twice as long each time.
SILENT_S: Final = 20.0
SILENT_S_MAX: Final = 600.0

Answer = tuple[dict[str, Any] | None, dict[str, Any] | None]


class Control:
    """A connection to the program that holds the store."""

    def __init__(self, connection: "socket.socket", home: Home) -> None:
        self._connection = connection
        self._home = home
        self._buffer = bytearray()

    @classmethod
    def connect(cls, home: Home) -> "Control | None":
        """Return a connection, or None where nobody answers."""
        connection = system.connect(home.control, CONNECT_TIMEOUT_S)
        return None if connection is None else cls(connection, home)

    def ask(self, verb: str, options: Mapping[str, Any]) -> Iterator[Answer]:
        """Ask for a verb; give (said, None) for everything it says and at last (None, result)."""
        line = request(verb, options)
        try:
            self._connection.settimeout(None)
            self._connection.sendall(line)
        except ConnectionError:
            pass  # it may have said why before it hung up
        while True:
            try:
                found = self._line()
            except ConnectionError:
                raise _gone() from None
            said, result = answer(decode(found))
            yield said, result
            if result is not None:
                return

    def close(self) -> None:
        """Hang up; what was asked and not answered is given up."""
        self._connection.close()

    def _line(self) -> bytes:
        searched, silent_s = 0, SILENT_S
        while (end := self._buffer.find(b"\n", searched)) < 0:
            searched = len(self._buffer)
            self._connection.settimeout(silent_s)
            try:
                chunk = self._connection.recv(CHUNK_BYTES)
            except TimeoutError:
                self._see_it_answer()
                silent_s = min(2 * silent_s, SILENT_S_MAX)
                continue
            if not chunk or searched > LINE_BYTES_MAX:
                raise _gone()
            self._buffer += chunk
        line = bytes(self._buffer[: end + 1])
        del self._buffer[: end + 1]
        return line

    def _see_it_answer(self) -> None:
        """Return if the program answers a question that asks nothing; `Unreachable` if it stays silent."""
        try:
            other = system.connect(self._home.control, CONNECT_TIMEOUT_S)
            if other is None:
                return  # it is ending: that is heard on this connection
            with other:
                other.settimeout(SILENT_S)
                other.sendall(NOTHING_ASKED)
                other.recv(CHUNK_BYTES)
        except TimeoutError:
            raise silent(self._home) from None
        except OSError:
            return


def silent(home: Home) -> Unreachable:
    """Return the error that whoever holds the store is there, and answers nothing."""
    from samemind.home.lock import Holder

    holder = Holder.of(home)
    return Unreachable(
        f"{holder or 'the program that holds the store'} does not answer: it was stopped, or hangs",
        code="holder_silent",
        hint="let it go on, or end it (`kill -9` and its number) and ask again; what was asked may still be done",
    )


def _gone() -> Unreachable:
    return Unreachable(
        "the program that holds the store ended before it answered",
        code=HOLDER_ENDED,
        hint="it may have been done: check, then ask again",
    )


def repeatable(verb: str, options: Mapping[str, Any], *, harmless: bool) -> tuple[Mapping[str, Any], bool]:
    """Return what a verb is asked, and whether asking twice is the same as asking once, as it is where `harmless`.

    What is remembered under one id may be asked for again, where the holder of the store ends: so it is given one.
    """
    if verb == "remember" and (fresh := _fresh_id(time.time_ns() // 1_000_000)) is not None:
        return {"rid": fresh, **options}, True
    return options, harmless


def _fresh_id(now_ms: int) -> str | None:
    """Return the id of a memory to be, a UUIDv7, as `replica.ids` makes them; that is too heavy to load here.

    None where the clock is so wrong that an id has no room for it: whoever holds the store says so.
    """
    if not 0 <= now_ms < 1 << 48:
        return None
    import uuid  # only what remembers needs it

    drawn = int.from_bytes(os.urandom(10)) & ~(0xF << 76) & ~(0b11 << 62)
    return str(uuid.UUID(int=now_ms << 80 | 0x7 << 76 | drawn | 0b10 << 62))
