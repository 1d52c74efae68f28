"""Carry MCP's lines over standard input and output in a way that can be cancelled.

The SDK reads standard input in a thread, which nothing can wake: a server that is told to end would wait for a line
that never comes. Here the descriptor itself is read, and nobody waits for it at the end (`samemind.platform.pipes`).
Whatever else this process prints goes to standard error meanwhile, since one stray line on the wire ends the
conversation.
"""

import os
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Final, Self

import trio

from samemind.platform import system
from samemind.platform.pipes import Pipe, open_pipe

# Far above any call: an agent stores sentences. Beyond it the other side is no MCP client.
LINE_BYTES_MAX: Final = 16 << 20


class Lines:
    """Lines of text, in and out: what the SDK asks of a pair of text files."""

    def __init__(self, incoming: Pipe, outgoing: Pipe) -> None:
        self._incoming = incoming
        self._outgoing = outgoing

    async def __aiter__(self) -> AsyncIterator[str]:
        buffer = bytearray()
        async for chunk in self._incoming:
            searched = len(buffer)
            buffer += chunk
            while (end := buffer.find(b"\n", searched)) >= 0:
                line = bytes(buffer[: end + 1])
                del buffer[: end + 1]
                searched = 0
                yield line.decode("utf-8", "replace")
            if len(buffer) > LINE_BYTES_MAX:
                return

    async def write(self, text: str) -> int:
        """Write a line, whole."""
        await self._outgoing.send_all(text.encode("utf-8"))
        return len(text)

    async def flush(self) -> None:
        """Nothing is held back."""
        await trio.lowlevel.checkpoint()

    @classmethod
    @contextmanager
    def opened(cls) -> Iterator[Self]:
        """Take standard input and output for the block."""
        incoming, outgoing = os.dup(sys.stdin.fileno()), os.dup(sys.stdout.fileno())
        nothing = system.open_file(os.devnull, os.O_RDONLY)
        os.dup2(nothing, sys.stdin.fileno())
        os.close(nothing)
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        yield cls(open_pipe(incoming), open_pipe(outgoing))
