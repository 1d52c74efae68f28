import socket

import pytest
import trio

from sync.address import Address
from sync.dialling import resolve
from tests.support.devices import run


@pytest.mark.parametrize(
    ("place", "host"),
    [
        (("fe80::1", 7411, 0, 3), "fe80::1%3"),
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
