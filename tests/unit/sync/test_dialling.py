import socket
import subprocess
import sys

import pytest
import trio

from sync.address import Address
from sync.dialling import connect, port_of, resolve
from sync.errors import LinkLost
from tests.support.devices import run


@pytest.mark.parametrize(
    ("place", "host"),
    [
        (("fe80::1", 7411, 0, 4_000_000_000), "fe80::1%4000000000"),
        (("fe80::1%eth0", 7411, 0, 3), "fe80::1%eth0"),
        (("fd00::1", 7411, 0, 0), "fd00::1"),
        (("10.0.0.2", 7411), "10.0.0.2"),
    ],
    ids=["link-local", "scoped already", "routed", "old"],
)
def test_a_name_on_the_link_is_called_on_its_interface(
    monkeypatch: pytest.MonkeyPatch, place: tuple[str | int, ...], host: str
) -> None:
    """Without the interface a link-local address is nowhere."""

    async def found(*_: object, **__: object) -> list[tuple[object, ...]]:
        return [(socket.AF_INET6, socket.SOCK_STREAM, 6, "", place)]

    async def main() -> None:
        monkeypatch.setattr(trio.socket, "getaddrinfo", found)
        assert await resolve(Address("laptop.local", 7411)) == [Address(host, 7411)]

    run(main)


def test_a_place_is_called_without_what_names_need() -> None:
    """Loading that takes two milliseconds of a program's first sync."""
    script = """
import sys, trio
from sync.address import Address
from sync.dialling import connect

async def main():
    (listener,) = await trio.open_tcp_listeners(0, host=b"127.0.0.1")
    stream = await connect(Address("127.0.0.1", listener.socket.getsockname()[1]))
    print(stream.socket.getpeername()[0], "encodings.idna" in sys.modules)

trio.run(main)
"""
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["127.0.0.1", "False"]


def test_what_is_no_place_is_nowhere() -> None:
    """A name of another script has been looked up before it is called."""

    async def main() -> None:
        with pytest.raises(LinkLost, match="nobody answers at"):
            await connect(Address("bücher.example", 7411))
        with pytest.raises(LinkLost, match="nobody answers at"):
            await connect(Address("fe80::1%\0", 7411))

    run(main)


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_a_place_is_called_by_either_protocol(host: str) -> None:
    async def main() -> None:
        try:
            (listener,) = await trio.open_tcp_listeners(0, host=host)
        except OSError:
            pytest.skip("this machine has no such protocol")
        place = Address(host, port_of([listener]))
        async with listener, await connect(place) as stream:
            assert stream.socket.getpeername()[:2] == (place.host, place.port)
        with pytest.raises(LinkLost, match="refused"):
            await connect(place)

    run(main)
