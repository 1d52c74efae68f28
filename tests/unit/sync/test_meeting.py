"""Two devices that are about to meet, where something goes wrong before anybody came."""

import gc
import subprocess
import sys

import pytest
import trio

from replica.asyncio_host import AsyncioHost
from sync.meeting import Meeting, Partner
from sync.network import own_hosts
from tests.support.links import identity

# Says whether what finds others is loaded by the time that somebody is dialled to whom a code is to be proved.
JOINING = """
import sys, trio
from sync import meeting
from sync.address import Address
from sync.errors import LinkLost
from tests.support.links import identity
async def join(*_, **named):
    print("zeroconf" in sys.modules)
    raise LinkLost("nobody is there")
meeting.join = join
async def main():
    phone = meeting.Meeting(
        identity("phone"), "phone", None, mdns=True, listening_on="127.0.0.1", sync_port=None, now_ms=lambda: 0
    )
    try:
        await phone.join("417-maple-otter", Address("127.0.0.1", 1), frozenset())
    except LinkLost:
        pass
print("zeroconf" in sys.modules)
trio.run(main)
"""


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


def test_what_finds_others_is_loaded_before_a_code_is_proved() -> None:
    done = subprocess.run(
        [sys.executable, "-c", JOINING], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.split() == ["False", "True"]
