"""Find peers where the owner said they are: addresses from the configuration or the command line.

For networks that mDNS does not cross (another subnet, a VPN, a container). Nothing is announced: whoever
wants to be found this way is told about by hand.
"""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

import trio

from sync.address import Address
from sync.discovery.finder import News, Service, Sighting


class FixedFinder:
    """Reports each given address once, under its own text as the name."""

    def __init__(self, addresses: Iterable[Address], *, pairing: Iterable[Address] = ()) -> None:
        self._addresses = {
            Service.SYNC: tuple(dict.fromkeys(addresses)),
            Service.PAIRING: tuple(dict.fromkeys(pairing)),
        }

    @asynccontextmanager
    async def watch(self, service: Service) -> AsyncIterator["trio.MemoryReceiveChannel[News]"]:
        addresses = self._addresses[service]
        give, take = trio.open_memory_channel[News](len(addresses))
        with give, take:
            for address in addresses:
                give.send_nowait(Sighting(str(address), (address,)))
            yield take

    @asynccontextmanager
    async def announce(self, service: Service, port: int) -> AsyncIterator[None]:
        yield
