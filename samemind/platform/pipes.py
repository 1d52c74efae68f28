"""Read and write a descriptor from trio, so that waiting for it can be cancelled.

On POSIX trio watches the descriptor. On Windows nobody can watch a pipe that somebody else made, so a thread reads it,
and is left behind where nobody waits for it any more; it is no reason for the program not to end.
"""

import os
from collections.abc import AsyncIterator
from typing import Final, Protocol

import trio

CHUNK_BYTES: Final = 64 << 10


class Pipe(Protocol):
    """One direction of a conversation, or both."""

    def __aiter__(self) -> AsyncIterator[bytes | bytearray]:
        """Give what comes, to its end."""
        ...

    async def send_all(self, data: bytes) -> None:
        """Write all of it."""
        ...


def open_pipe(descriptor: int) -> Pipe:
    """Take over a descriptor."""
    watched = getattr(trio.lowlevel, "FdStream", None)
    return ThreadPipe(descriptor) if watched is None else watched(descriptor)


class ThreadPipe:
    """A descriptor that threads read and write."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        # Of its own: a reader that waits for hours takes no thread from those that work.
        self._reading, self._writing = trio.CapacityLimiter(1), trio.CapacityLimiter(1)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while chunk := await trio.to_thread.run_sync(
            os.read, self._descriptor, CHUNK_BYTES, abandon_on_cancel=True, limiter=self._reading
        ):
            yield chunk

    async def send_all(self, data: bytes) -> None:
        """Write all of it, also where the other side takes it in pieces."""
        await trio.to_thread.run_sync(self._write, data, limiter=self._writing)

    def _write(self, data: bytes) -> None:
        left = memoryview(data)
        while left:
            left = left[os.write(self._descriptor, left) :]
