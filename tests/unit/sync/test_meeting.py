"""Two devices that are about to meet, where something goes wrong before anybody came."""

import gc

import pytest
import trio

from replica.asyncio_host import AsyncioHost
from sync.meeting import Meeting, Partner
from sync.network import own_hosts
from tests.support.links import identity


@pytest.mark.skipif(not own_hosts(), reason="this machine has no network interface to multicast on")
async def taken(partner: Partner) -> None:
    """Take a partner in, of which nothing else is to come here."""


def test_an_offer_that_cannot_be_announced_leaves_no_listener_open() -> None:
    """Python complains of a socket that nobody closed, and complaints fail tests."""

    async def main() -> None:
        async with AsyncioHost.open() as host:
            pass
        meeting = Meeting(
            identity("laptop"),
            "laptop",
            host,
            mdns=True,
            listening_on="127.0.0.1",
            sync_port=None,
            now_ms=lambda: 0,
        )
        with pytest.RaisesGroup(trio.ClosedResourceError):
            await meeting.offer(lambda said: None, frozenset(), take_in=taken)
        gc.collect()

    trio.run(main)
