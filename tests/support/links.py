"""Identities made once, and two ends of a secure link over real TCP on this machine."""

import functools
from collections.abc import Iterable
from dataclasses import dataclass

import trio
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from replica.ids import DeviceId
from sync.identity import Identity
from sync.tls import SecureStream, secure


@functools.cache
def identity(name: str) -> Identity:
    """The same identity for the same name, in every test and on every machine."""
    return Identity.of(Ed25519PrivateKey.from_private_bytes(name.encode().ljust(32, b".")[:32]))


@dataclass
class End:
    """What one side of an attempt came to: a link, or the error that it got instead."""

    stream: SecureStream | None = None
    peer: DeviceId | None = None
    error: BaseException | None = None


async def tcp_pair() -> tuple[trio.SocketStream, trio.SocketStream]:
    """Two ends of one TCP connection over loopback: the dialling one, then the accepting one."""
    (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
    async with listener:
        host, port = listener.socket.getsockname()[:2]
        dialled = await trio.open_tcp_stream(host, port)
        return dialled, await listener.accept()


async def meet(
    client: Identity,
    client_pins: Iterable[bytes],
    server: Identity,
    server_pins: Iterable[bytes],
) -> tuple[End, End]:
    """Let two devices try to open a link; return what each of them got."""
    raw_client, raw_server = await tcp_pair()
    client_end, server_end = End(), End()

    async def run(
        end: End, raw: trio.abc.Stream, who: Identity, pins: Iterable[bytes], server_side: bool
    ) -> None:
        try:
            end.stream, end.peer = await secure(raw, identity=who, pins=pins, server_side=server_side)
        except Exception as error:
            end.error = error

    async with trio.open_nursery() as nursery:
        nursery.start_soon(run, client_end, raw_client, client, tuple(client_pins), False)
        nursery.start_soon(run, server_end, raw_server, server, tuple(server_pins), True)
    return client_end, server_end


async def meet_paired(client: Identity, server: Identity) -> tuple[End, End]:
    """The two ends of a link between devices that know each other: the dialling one, then the answering one."""
    return await meet(client, [server.certificate], server, [client.certificate])


async def part(*ends: End) -> None:
    """Close what was opened, both ends at once, without manners."""
    for end in ends:
        if end.stream is not None:
            await trio.aclose_forcefully(end.stream)
