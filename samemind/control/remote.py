"""Ask whoever holds the store, from trio: the library's way through a daemon.

Calls that run side by side use a connection each; one that is free is used again.
"""

import errno
import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, TypeVar

import trio

from samemind.config import Home
from samemind.control.client import CONNECT_TIMEOUT_S, SILENT_S, SILENT_S_MAX, silent
from samemind.control.protocol import CHUNK_BYTES, NOTHING_ASKED, answer, decode, request
from samemind.control.server import Say
from samemind.declaring import Command
from samemind.errors import HOLDER_ENDED, Unreachable
from samemind.formats.plain import from_json
from samemind.platform import system

Result = TypeVar("Result")


class Remote:
    """Another program that holds the store and answers for it."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._free: list[_Line] = []

    @classmethod
    async def connect(cls, home: Home) -> "Remote | None":
        """Return a way to whoever answers at a home, or None where nobody does."""
        remote = cls(home)
        try:
            remote._free.append(await remote._dial())
        except OSError:
            return None
        return remote

    async def ask(self, verb: str, options: Mapping[str, Any], say: Say) -> dict[str, Any]:
        """Ask for a verb and return its result; what it says meanwhile goes to `say`."""
        asked = request(verb, options)
        try:
            line = await self._line()
            try:
                await line.send(asked)
                while True:
                    said, result = answer(decode(await self._received(line)))
                    if result is not None:
                        return result
                    await say(said or {})
            except BaseException:
                if not line.answered:
                    await trio.aclose_forcefully(line.stream)
                raise
            finally:
                if line.answered:
                    self._free.append(line)
        except (OSError, trio.BrokenResourceError):
            raise Unreachable(
                "the program that holds the store ended before it answered",
                code=HOLDER_ENDED,
                hint="it may have been done: check, then ask again",
            ) from None

    async def result(self, verb: Command[Any, Result], options: Mapping[str, Any], say: Say) -> Result:
        """Ask for a verb and return its result, as it would be if the store were open in this process."""
        return from_json(verb.result, await self.ask(verb.name, options, say))

    async def _received(self, line: "_Line") -> bytes:
        """Return the next line; `Unreachable` where who should say it does not answer anything."""
        silent_s = SILENT_S
        while True:
            with trio.move_on_after(silent_s):
                return await line.receive()
            await self._see_it_answer()
            silent_s = min(2 * silent_s, SILENT_S_MAX)

    async def _see_it_answer(self) -> None:
        """Return if the program answers a question that asks nothing; `Unreachable` if it stays silent."""
        try:
            other = await self._dial()
        except TimeoutError:
            raise silent(self._home) from None
        except OSError:
            return  # it is ending: that is heard on the connection that waits
        with suppress(trio.BrokenResourceError):  # the same
            async with other.stream:
                with trio.move_on_after(SILENT_S) as waiting:
                    await other.send(NOTHING_ASKED)
                    await other.receive()
        if waiting.cancelled_caught:
            raise silent(self._home)

    async def aclose(self) -> None:
        """Hang up."""
        for line in self._free:
            await trio.aclose_forcefully(line.stream)

    async def _line(self) -> "_Line":
        """Return a connection that is free and was not hung up on, or else another."""
        while self._free:
            line = self._free.pop()
            if not line.stream.socket.is_readable():  # nothing is asked, so there is only the end to read
                return line
            await trio.aclose_forcefully(line.stream)
        return await self._dial()

    async def _dial(self) -> "_Line":
        connection = await trio.to_thread.run_sync(system.connect, self._home.control, CONNECT_TIMEOUT_S)
        if connection is None:
            raise ConnectionRefusedError(errno.ECONNREFUSED, os.strerror(errno.ECONNREFUSED))
        return _Line(trio.SocketStream(trio.socket.from_stdlib_socket(connection)))


class _Line:
    """One connection; `answered` says that the last request on it has had its whole answer."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self.stream = stream
        self.answered = True
        self._buffer = bytearray()

    async def send(self, line: bytes) -> None:
        self.answered = False
        await self.stream.send_all(line)

    async def receive(self) -> bytes:
        searched = 0
        while (end := self._buffer.find(b"\n", searched)) < 0:
            searched = len(self._buffer)
            chunk = await self.stream.receive_some(CHUNK_BYTES)
            if not chunk:
                raise trio.BrokenResourceError("expected an answer, got the end")
            self._buffer += chunk
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        self.answered = not line.startswith(b'{"say"')
        return line
