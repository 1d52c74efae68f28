"""One contract, run over every way of finding peers."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest
import trio

from replica.asyncio_host import AsyncioHost
from sync.address import Address
from sync.discovery.finder import Finder, Service, Sighting
from sync.discovery.fixed import FixedFinder
from sync.discovery.mdns import MdnsFinder
from sync.network import own_addresses

# Somebody else listens here and is found by the finder that is tried.
ELSEWHERE = Address("10.11.12.13", 7411)
A_MOMENT = 20  # seconds; mDNS probes for one and a half of them before it announces

# Gives a finder, and a context in which somebody else listens for a service, at any port.
World = tuple[Finder, Callable[[Service], AbstractAsyncContextManager[None]]]


@asynccontextmanager
async def fixed_world() -> AsyncIterator[World]:
    @asynccontextmanager
    async def somebody(service: Service) -> AsyncIterator[None]:
        yield

    yield FixedFinder([ELSEWHERE, ELSEWHERE], pairing=[ELSEWHERE]), somebody


@asynccontextmanager
async def mdns_world() -> AsyncIterator[World]:
    async with AsyncioHost.open() as host, MdnsFinder.open(host) as ours, MdnsFinder.open(host) as theirs:
        yield ours, lambda service: theirs.announce(service, ELSEWHERE.port)


async def check_finder(make: Callable[[], AbstractAsyncContextManager[World]]) -> None:
    """What every Finder promises."""
    async with make() as (finder, somebody), somebody(Service.SYNC), somebody(Service.PAIRING):
        # It finds who is there, names each sighting, and gives addresses that can be dialled.
        names = set()
        for service in Service:
            async with finder.watch(service) as news, finder.watch(service) as news_too:
                for channel in (news, news_too):
                    seen = await channel.receive()
                    assert isinstance(seen, Sighting)
                    assert seen.name
                    assert {address.port for address in seen.addresses} == {ELSEWHERE.port}
                    names.add((service, seen.name))
            with pytest.raises(trio.ClosedResourceError):
                await news.receive()
        assert len(names) == 2

        # It never reports its own announcements, and does not make the caller wait for them.
        started = trio.current_time()
        async with finder.announce(Service.SYNC, 999):
            assert trio.current_time() - started < 0.5
            async with finder.watch(Service.SYNC) as news:
                with trio.move_on_after(2.5):
                    while True:
                        seen = await news.receive()
                        assert isinstance(seen, Sighting)
                        assert 999 not in {address.port for address in seen.addresses}


def check(make: Callable[[], AbstractAsyncContextManager[World]]) -> None:
    async def main() -> None:
        with trio.fail_after(A_MOMENT):
            await check_finder(make)

    trio.run(main)


def test_fixed_addresses_are_a_finder() -> None:
    # One that never has more to say would hold the last loop for its whole time: its clock may jump.
    import trio.testing

    async def main() -> None:
        await check_finder(fixed_world)

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))


@pytest.mark.slow
@pytest.mark.skipif(not own_addresses(), reason="this machine has no network interface to multicast on")
def test_mdns_is_a_finder() -> None:
    check(mdns_world)
