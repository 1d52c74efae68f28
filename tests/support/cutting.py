"""A wire that breaks: a relay between two devices that hangs up after a given number of bytes."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import trio

from sync.address import Address


@dataclass
class Wire:
    """Relays connections to an address; each is cut, at both ends at once, after the next of these byte counts."""

    target: Address
    cuts: list[int]
    address: Address | None = None
    was_cut: list[int] = field(default_factory=list)

    async def carry(self, near: trio.SocketStream) -> None:
        """Relay one connection until it is cut or ends."""
        left = self.cuts.pop(0) if self.cuts else None
        far = await trio.open_tcp_stream(self.target.host, self.target.port)
        async with near, far, trio.open_nursery() as nursery:

            async def pump(source: trio.SocketStream, sink: trio.SocketStream) -> None:
                nonlocal left
                try:
                    while left != 0 and (chunk := await source.receive_some(16_384)):
                        if left == 0:  # the other direction came to the cut meanwhile
                            break
                        if left is not None:
                            chunk = chunk[:left]
                            left -= len(chunk)
                            if left == 0:
                                self.was_cut.append(len(self.cuts))
                        await sink.send_all(chunk)
                except (trio.BrokenResourceError, trio.ClosedResourceError):
                    pass  # one of the two hung up
                nursery.cancel_scope.cancel()

            nursery.start_soon(pump, near, far)
            nursery.start_soon(pump, far, near)


@asynccontextmanager
async def breaking_wire(target: Address, cuts: list[int]) -> AsyncIterator[Wire]:
    """A wire to a device that breaks as often as there are cuts."""
    wire = Wire(target, cuts)
    async with trio.open_nursery() as nursery:
        listeners = await nursery.start(trio.serve_tcp, wire.carry, 0)
        wire.address = Address("127.0.0.1", listeners[0].socket.getsockname()[1])
        yield wire
        nursery.cancel_scope.cancel()
