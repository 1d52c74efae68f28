"""A phone's page without a browser: a device whose only way out is a WebSocket to the panel that served it."""

import json
import ssl
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlsplit

import trio
from wsproto import ConnectionType, WSConnection
from wsproto.events import (
    AcceptConnection,
    BytesMessage,
    CloseConnection,
    Event,
    RejectConnection,
    Request,
    TextMessage,
)
from wsproto.utilities import LocalProtocolError

from replica.membership import introduce
from sync.code import PairingCode
from sync.errors import SyncError
from sync.identity import Identity, certificate_key
from sync.link import Link
from sync.pairing import Introduction, Joiner, PairingResult
from sync.trust import TrustStore
from sync.web_hello import LINK_PROTOCOL, PAIR_PROTOCOL, HelloInitiator, pairing_context
from sync.web_link import RecordStream
from tests.support import cli
from tests.support.devices import Device
from tests.support.hearing import next_line

SECONDS_MAX = 30


class Refused(Exception):
    """The WebSocket was not let stand; the status with which that was answered."""

    def __init__(self, status: int) -> None:
        super().__init__(f"refused with {status}")
        self.status = status


class ClientSocket:
    """The browser's end of a WebSocket, as `sync.web_link.Socket`. `closed`: the number with which it was closed."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self._stream = stream
        self._connection = WSConnection(ConnectionType.CLIENT)
        self._events: list[Event] = []
        self._part = b""
        self.subprotocol: str | None = None
        self.closed: int | None = None

    async def open(self, request: Request) -> None:
        """Ask for it; `Refused` if it is not to be."""
        await self._stream.send_all(self._connection.send(request))
        match event := await self._event():
            case AcceptConnection():
                self.subprotocol = event.subprotocol
            case RejectConnection():
                raise Refused(event.status_code)
            case _:
                raise Refused(0)

    async def receive(self) -> bytes | None:
        """Return the next message; None once it is closed."""
        while (event := await self._event()) is not None:
            match event:
                case BytesMessage():
                    self._part += bytes(event.data)
                    if event.message_finished:
                        whole, self._part = self._part, b""
                        return whole
                case CloseConnection():
                    self.closed = event.code
                    with suppress(LocalProtocolError, trio.BrokenResourceError, trio.ClosedResourceError):
                        await self._stream.send_all(self._connection.send(event.response()))
                    return None
        return None

    async def send(self, message: bytes | str) -> None:
        """Send a message; text only where a test wants to."""
        await self.send_event(TextMessage(message) if isinstance(message, str) else BytesMessage(message))

    async def send_event(self, event: Event) -> None:
        """Send whatever."""
        try:
            data = self._connection.send(event)
        except LocalProtocolError as error:
            raise trio.BrokenResourceError("the WebSocket is closed") from error
        await self.send_raw(data)

    async def send_raw(self, data: bytes) -> None:
        """Send bytes below the WebSocket."""
        await self._stream.send_all(data)

    async def close(self, code: int) -> None:
        """Close it."""
        with suppress(trio.BrokenResourceError):
            await self.send_event(CloseConnection(code))

    async def _event(self) -> Event | None:
        while not self._events:
            try:
                data = bytes(await self._stream.receive_some(65536))
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                return None
            self._connection.receive_data(data or None)
            self._events = list(self._connection.events())
            if not data and not self._events:
                return None
        return self._events.pop(0)


@asynccontextmanager
async def websocket(
    url: str,
    protocol: str | None,
    *,
    path: str = "/phone/link",
    origin: str | None = "",
    host: str | None = None,
    tls: ssl.SSLContext | None = None,
    extensions: str = "",
) -> AsyncIterator[ClientSocket]:
    """A WebSocket to a panel, closed at the end. `origin`: "" for the panel's own, None for none at all."""
    place = urlsplit(url)
    assert place.hostname is not None
    assert place.port is not None
    stream: trio.abc.Stream = await trio.open_tcp_stream(place.hostname, place.port)
    if place.scheme == "https":
        stream = trio.SSLStream(
            stream, tls or trusting_nobody(), server_hostname=place.hostname, https_compatible=True
        )
    said = origin_of(url) if origin == "" else origin
    headers = [] if said is None else [(b"Origin", said.encode())]
    if extensions:
        headers.append((b"Sec-WebSocket-Extensions", extensions.encode()))
    socket = ClientSocket(stream)
    try:
        with trio.fail_after(SECONDS_MAX):
            await socket.open(
                Request(
                    host=place.netloc if host is None else host,
                    target=path,
                    extra_headers=headers,
                    subprotocols=[] if protocol is None else [protocol],
                )
            )
        yield socket
    finally:
        await trio.aclose_forcefully(stream)


def origin_of(url: str) -> str:
    """The origin of a page at that address, as a browser writes it."""
    place = urlsplit(url)
    return f"{place.scheme}://{place.netloc}"


def trusting_nobody() -> ssl.SSLContext:
    """TLS as after somebody clicked a warning away; what it hides from is proved inside the WebSocket."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_alpn_protocols(["h2", "http/1.1"])
    return context


async def hello(socket: ClientSocket, who: Identity, pins: list[bytes], origin: str) -> RecordStream:
    """Prove who we are and find out who answers."""
    caller = HelloInitiator(
        certificate=who.certificate, sign=who.sign, pins=pins, origin=origin, entropy=Random().randbytes
    )
    await socket.send(caller.start())
    while caller.channel is None:
        message = await socket.receive()
        if message is None:
            raise trio.BrokenResourceError(f"closed with {socket.closed}")
        for answer in caller.receive(message):
            await socket.send(answer)
    return RecordStream(socket, caller.channel)


@contextmanager
def offering(home: Path) -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    """A code that the daemon of a home shows, and the command that shows it; it goes on until the end of the block."""
    with waiting(home, "pair") as (shown, command):
        yield shown["code"], command


@contextmanager
def waiting(home: Path, *words: str) -> Iterator[tuple[Any, "subprocess.Popen[str]"]]:
    """What a command shows first, and the command, which waits for another device until the end of the block."""
    with cli.start(home, "--json", *words) as command:
        try:
            yield json.loads(next_line(command)), command
        finally:
            command.kill()


@dataclass
class Page:
    """The page of one device, at the panel with that address."""

    device: Device
    url: str
    tls: ssl.SSLContext | None = None
    closed: int | None = None

    async def pair(self, code: str, *, expected: bytes | None = None) -> PairingResult:
        """Prove a code, and take the device that showed it into the group."""
        who = self.device.identity
        async with websocket(self.url, PAIR_PROTOCOL, tls=self.tls) as socket:
            offerer = await socket.receive()
            self.closed = socket.closed
            if offerer is None:
                raise trio.BrokenResourceError(f"closed with {socket.closed}")
            joiner = Joiner(
                PairingCode.parse(code),
                certificate=who.certificate,
                offerer=offerer,
                introduction=Introduction(self.device.name, b"\xc0"),
                entropy=Random().randbytes,
                expected=expected,
                context=pairing_context(origin_of(self.url)),
                sign=who.sign,
            )
            await socket.send(joiner.start())
            while joiner.paired is None:
                frame = await socket.receive()
                self.closed = socket.closed
                if frame is None:
                    raise trio.BrokenResourceError(f"closed with {socket.closed}")
                for answer in joiner.receive(frame):
                    await socket.send(answer)
            assert await socket.receive() is None
            self.closed = socket.closed
        paired = joiner.paired
        member = introduce(
            who.sign,
            who.device_id,
            public_key=certificate_key(paired.member.certificate),
            certificate=paired.member.certificate,
            name=paired.member.name,
        )

        def take_in(core: object, _: object) -> None:
            core.expect_root(paired.member.device_id, None)  # type: ignore[attr-defined]
            core.learn([member], [])  # type: ignore[attr-defined]

        await self.device.replica.run(take_in)
        return paired

    async def pins(self) -> list[bytes]:
        """The certificates of everybody else in the group, as far as this device knows."""
        membership = await self.device.replica.run(lambda core, _: core.membership)
        trust = TrustStore.of_group(
            ((each.device, each.certificate, each.name) for each in membership.members.values()),
            membership.revoked,
        )
        return [pin for pin in trust.pins() if pin != self.device.identity.certificate]

    @asynccontextmanager
    async def linked(self, ended: Callable[[SyncError], None] = lambda error: None) -> AsyncIterator[Link]:
        """A link to the panel's device, for the block; `ended` hears what ended it before."""
        async with websocket(self.url, LINK_PROTOCOL, tls=self.tls) as socket:
            try:
                stream = await hello(socket, self.device.identity, await self.pins(), origin_of(self.url))
            finally:
                self.closed = socket.closed
            link = Link(stream, replica=self.device.replica, peer=stream.peer)

            async def run() -> None:
                try:
                    await link.run()
                except SyncError as error:
                    ended(error)
                self.closed = socket.closed

            async with trio.open_nursery() as nursery:
                nursery.start_soon(run)
                yield link
                link.drop()
