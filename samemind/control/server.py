"""Answer verbs on the control socket, for as long as this program holds the store.

Only the same user is answered: the kernel says who is at the other end, or who is there proves that it can read this
user's files (`samemind.platform`), before anything else is read. Each connection has a task of its own, so a long
request holds nobody up; when the other side
hangs up, what it asked for is cancelled (a write that has begun is finished: the store sees to that).
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import trio

from samemind.config import Home
from samemind.control.protocol import (
    CHUNK_BYTES,
    LINE_BYTES_MAX,
    TAKING_IN,
    decode,
    encode,
    encode_large,
    failure,
    is_large,
)
from samemind.errors import HOLDER_ENDED, Failed, Locked, Unreachable, Usage, explain
from samemind.platform import system

if TYPE_CHECKING:
    from samemind.platform.interface import Listener

Say = Callable[[Mapping[str, Any]], Awaitable[None]]
Perform = Callable[[str, Mapping[str, Any], Say], Awaitable[Mapping[str, Any]]]

# Programs waiting to be accepted: more agents than anybody runs.
BACKLOG: Final = 128
# A device shuts down within two seconds; half of that is for what was asked of it.
GRACE_S: Final = 1.0
# Who proves itself does so in the first packet. Strangers who say nothing are let go of, and however many there are,
# there is room for those who prove themselves at once.
GREETING_SECONDS_MAX: Final = 5.0
UNPROVEN_MAX: Final = 256
# Connections on which nothing is asked; beyond them, the one that is idle for longest is hung up on, and its program
# dials again. A program that forgets to hang up would else use up the files that a process may have open: often 1,024.
IDLE_MAX: Final = 256
_ENDING: Final = encode(failure(Unreachable("the program that holds the store is ending", code=HOLDER_ENDED)))


@asynccontextmanager
async def serve(home: Home, perform: Perform) -> AsyncIterator[None]:
    """Answer for the block; at its end let short requests finish, for a moment, and hang up.

    The caller holds the lock, so a socket that is there already is nobody's.
    """
    found = system.listen(home.control, BACKLOG)
    server = _ControlServer(perform, found)
    try:
        listener = trio.SocketListener(trio.socket.from_stdlib_socket(found.plain))
        async with trio.open_nursery() as answering:
            async with trio.open_nursery() as accepting:
                accepting.start_soon(
                    partial(trio.serve_listeners, server.answer, [listener], handler_nursery=answering)
                )
                try:
                    yield
                finally:
                    accepting.cancel_scope.cancel()
                    server.close()
                    answering.cancel_scope.deadline = trio.current_time() + GRACE_S
    finally:
        found.close()


class _ControlServer:
    """Everybody who is connected. `waiting` holds the scopes of those whom nobody owes an answer.

    `_idle` holds those of them who ask for nothing, the one that is idle for longest first.
    """

    def __init__(self, perform: Perform, listener: "Listener") -> None:
        self.perform = perform
        self._listener = listener
        self._unproven = 0
        self.closing = False
        self.waiting: set[trio.CancelScope] = set()
        self._idle: dict[trio.CancelScope, None] = {}

    async def answer(self, stream: trio.SocketStream) -> None:
        """Carry on one conversation to its end."""
        try:
            async with stream:
                try:
                    greeting = await self._greeting(stream)
                    answer = self._listener.admit(stream.socket._sock, greeting)  # type: ignore[attr-defined]
                except Locked as refusal:
                    await stream.send_all(encode(failure(refusal)))
                    return
                if answer is not None:
                    if answer:
                        await stream.send_all(answer)
                    await _Conversation(self, stream).run()
        except* (trio.BrokenResourceError, OSError):
            pass  # the other program is gone; nobody is left to be told

    async def _greeting(self, stream: trio.SocketStream) -> bytes:
        """Return what a caller says first, and not a byte more; less where it says too little, or too late."""
        found, wanted = b"", self._listener.greeting_bytes
        if not wanted or self._unproven >= UNPROVEN_MAX:
            return found
        self._unproven += 1
        try:
            with trio.move_on_after(GREETING_SECONDS_MAX):
                while len(found) < wanted and (more := await stream.receive_some(wanted - len(found))):
                    found += more
        finally:
            self._unproven -= 1
        return found

    @contextmanager
    def idle(self) -> Iterator[None]:
        """Wait for a request in the block, which is cancelled where this is closed or too many others wait after it."""
        with trio.CancelScope() as scope:
            if len(self._idle) >= IDLE_MAX:
                longest = next(iter(self._idle))
                del self._idle[longest]
                longest.cancel()
            self._idle[scope] = None
            self.waiting.add(scope)
            try:
                yield
            finally:
                self._idle.pop(scope, None)
                self.waiting.discard(scope)

    def close(self) -> None:
        """Begin nothing more, and end what would go on for ever."""
        self.closing = True
        for scope in self.waiting:
            scope.cancel()


class _Conversation:
    """One connection: requests in, answers out, one after the other."""

    def __init__(self, server: _ControlServer, stream: trio.SocketStream) -> None:
        self._server = server
        self._stream = stream
        self._buffer = bytearray()
        self._hung_up = False

    async def run(self) -> None:
        while (line := await self._next()) is not None:
            told = _ENDING  # where it is cancelled, this program is ending
            async with trio.open_nursery() as nursery:
                # Whatever can be read while a request runs is the next request, or the end.
                nursery.start_soon(self._until_hung_up, nursery.cancel_scope)
                told = await self._told(line, nursery.cancel_scope)
                nursery.cancel_scope.cancel()
            self._server.waiting.discard(nursery.cancel_scope)
            if self._hung_up:
                return
            await self._stream.send_all(told)

    async def _next(self) -> bytes | None:
        line = None
        if not self._server.closing:
            with self._server.idle():
                line = await self._line()
        return line

    async def _told(self, line: bytes, scope: trio.CancelScope) -> bytes:
        """Do what is asked, and return the line that tells of it."""
        try:
            asked = decode(line)
            verb, options = asked.get("verb"), asked.get("options", {})
            if not isinstance(verb, str) or not isinstance(options, dict):
                raise Usage("expected a request with a verb and its options")

            async def say(said: Mapping[str, Any]) -> None:
                if TAKING_IN not in said:
                    self._server.waiting.add(scope)  # it goes on: nobody waits for its end
                await self._stream.send_all(encode({"say": said}))

            result = await self._server.perform(verb, options, say)
        except Exception as error:
            return encode(failure(explain(error)))
        try:
            told = await _line_of(result)
        except ValueError as error:  # ours, and not a value of the asker's
            return encode(failure(Failed(f"what {verb} found cannot be told: {error}", code="internal")))
        if len(told) > LINE_BYTES_MAX:
            return encode(failure(_too_long(verb, len(told))))
        return told

    async def _line(self) -> bytes | None:
        searched = 0
        while (end := self._buffer.find(b"\n", searched)) < 0:
            searched = len(self._buffer)
            if searched > LINE_BYTES_MAX:
                too_large = Usage(f"expected at most {LINE_BYTES_MAX} bytes in one request", code="too_large")
                await self._stream.send_all(encode(failure(too_large)))
                return None
            chunk = await self._stream.receive_some(CHUNK_BYTES)
            if not chunk:
                return None
            self._buffer += chunk
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        return line

    async def _until_hung_up(self, scope: trio.CancelScope) -> None:
        while chunk := await self._stream.receive_some(CHUNK_BYTES):
            self._buffer += chunk
            if len(self._buffer) > LINE_BYTES_MAX:
                break
        self._hung_up = True
        scope.cancel()


async def _line_of(result: Mapping[str, Any]) -> bytes:
    """Return the line that tells of a result; of one of many megabytes apart, so that nobody else waits for it."""
    if is_large(result):
        return await trio.to_thread.run_sync(encode_large, result)
    return encode({"result": result})


def _too_long(verb: str, size: int) -> Failed:
    return Failed(
        f"expected an answer of at most {LINE_BYTES_MAX >> 20} MB, what {verb} found takes {size >> 20} MB",
        code="too_large",
        hint="ask for less, such as a shorter time; or stop the daemon and ask again",
    )
