"""Reach whoever answers at one of several addresses, and open the door to those who come.

A device announces every address it has, and some lead nowhere, or to somebody else: two machines with the
same private bridge even find themselves there. So addresses are tried together, each a moment after the one
before, and the first that ends in a link wins, not the first that answers. A name may likewise stand for several
machines: each of its addresses is tried, and who answers is judged by the pins alone.
"""

import ipaddress
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import trio

from replica.ids import DeviceId
from sync.address import Address
from sync.errors import Crowded, LinkLost, SelfLink, SyncError, Untrusted
from sync.identity import Identity
from sync.network import on_interface, own_hosts
from sync.tls import SecureStream, secure

# A lost packet is sent again after one second, then two: this allows for two of them.
CONNECT_SECONDS_MAX: Final = 5.0
# As browsers do: most links come up before a second address is tried.
STAGGER_SECONDS: Final = 0.25

# A household behind one name; more are somebody's mistake.
PLACES_MAX: Final = 8

# Hosts that mean every interface.
ANY: Final = frozenset({"", "::", "0.0.0.0"})


@dataclass(frozen=True, slots=True)
class DialledPeer:
    """An encrypted stream, who is at its other end, and where that is."""

    stream: SecureStream
    peer: DeviceId
    address: Address


async def reach(addresses: Sequence[Address], *, identity: Identity, pins: Sequence[bytes]) -> DialledPeer:
    """Return the first link that comes up; if none does, raise the most telling of the reasons.

    `pins`: of those who are called. Others who answer are told nothing, and a link that they have stands.
    """
    if not addresses:
        raise LinkLost("no address is known where it could be reached")
    found: list[DialledPeer] = []
    errors: list[SyncError] = []
    async with trio.open_nursery() as nursery:

        async def look_up(turn: int, address: Address) -> None:
            await trio.sleep(turn * STAGGER_SECONDS)
            try:
                places = await resolve(address)
            except LinkLost as error:
                errors.append(error)
                return
            for later, place in enumerate(places):
                nursery.start_soon(attempt, later, place, address)

        async def attempt(turn: int, place: Address, address: Address) -> None:
            await trio.sleep(turn * STAGGER_SECONDS)
            try:
                stream, peer = await secure(
                    await connect(place), identity=identity, pins=pins, server_side=False
                )
            except SyncError as error:
                errors.append(error)
                return
            if found:
                await trio.aclose_forcefully(stream)
                return
            found.append(DialledPeer(stream, peer, address))
            nursery.cancel_scope.cancel()

        for turn, address in enumerate(addresses):
            nursery.start_soon(look_up, turn, address)
    if found:
        return found[0]
    raise max(errors, key=_tells)


async def resolve(address: Address) -> list[Address]:
    """Return the places that an address names: itself, unless it is a name; `LinkLost` when that is not known."""
    try:
        ipaddress.ip_address(address.host.partition("%")[0])
    except ValueError:
        pass
    else:
        return [address]
    with trio.move_on_after(CONNECT_SECONDS_MAX):
        try:
            found = await trio.socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            raise LinkLost(f"nobody knows where {address.host} is ({error})") from error
        hosts = dict.fromkeys(_host_of(place) for *_, place in found)
        return [Address(host, address.port) for host in list(hosts)[:PLACES_MAX]]
    raise LinkLost(f"nobody says where {address.host} is within {CONNECT_SECONDS_MAX:g} s")


def remote_host(stream: trio.SocketStream) -> str | None:
    """Return from where somebody calls, as far as it can be called back there."""
    try:
        host = str(stream.socket.getpeername()[0]).removeprefix("::ffff:")
    except OSError:  # it has gone already
        return None
    return None if host.startswith("fe80:") and "%" not in host else host


def _host_of(place: tuple[Any, ...]) -> str:
    """Return a host as it can be called: a link-local one is nowhere without its interface."""
    host, scope = str(place[0]), place[3] if len(place) > 3 else 0
    return on_interface(f"{host}%{scope}" if scope and "%" not in host else host)


async def connect(place: Address) -> trio.SocketStream:
    """Return a TCP connection to this place, which is no name (`resolve`); `LinkLost` says why there is none."""
    try:
        with trio.fail_after(CONNECT_SECONDS_MAX):
            return await _connected(place)
    except (OSError, ValueError) as error:  # the latter of a scope that no interface could have
        raise LinkLost(f"nobody answers at {place} ({error})") from error
    except trio.TooSlowError:
        raise LinkLost(f"nobody answers at {place} within {CONNECT_SECONDS_MAX:g} s") from None


async def _connected(place: Address) -> trio.SocketStream:
    """trio's `open_tcp_stream` takes twice as long: it looks for more places, which it would try beside this one."""
    family = socket.AF_INET6 if ":" in place.host else socket.AF_INET
    connecting = trio.socket.socket(family, socket.SOCK_STREAM)
    try:
        await connecting.connect((place.host, place.port))
        return trio.SocketStream(connecting)
    except BaseException:
        connecting.close()
        raise


async def listen(host: str, port: int) -> list[trio.SocketListener]:
    """Return listeners at one port: of one interface, or of all, over IPv4 and where possible IPv6."""
    if host not in ANY:
        return await trio.open_tcp_listeners(port, host=host)
    listeners = await trio.open_tcp_listeners(port, host="0.0.0.0")
    try:
        listeners += await trio.open_tcp_listeners(port_of(listeners), host="::")
    except OSError:
        pass  # a machine without IPv6, or the port is taken there
    return listeners


def port_of(listeners: Sequence[trio.SocketListener]) -> int:
    """Return the port that was given to these listeners."""
    return int(listeners[0].socket.getsockname()[1])


def own_places(host: str, port: int) -> tuple[Address, ...]:
    """Return where others reach a listener of ours, the likeliest address first."""
    if host not in ANY:
        return (Address(host, port),)
    return tuple(Address(host, port) for host in own_hosts()) or (Address("127.0.0.1", port),)


def _tells(error: SyncError) -> int:
    """An answer tells more than silence; finding oneself tells nothing."""
    if isinstance(error, SelfLink):
        return 0
    return 2 if isinstance(error, Untrusted | Crowded) else 1
