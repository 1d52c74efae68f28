"""Turn a WebSocket into a link with a paired device, or into a talk with one that wants to be paired; or say why not.

What stands here for TLS is `sync.web_hello`; what comes of it is a stream like any other, which `sync.link` pumps as it
is. This is the side that was called. A refused caller is told by the number with which the WebSocket closes, and by
nothing else: who is no member learns not even what is spoken here.
"""

import secrets
from typing import Final, Protocol

import trio

from replica.ids import DeviceId
from sync.code import Entropy
from sync.errors import LimitExceeded, LinkLost, RemoteProtocolError, SyncError, Untrusted
from sync.identity import Identity
from sync.web_hello import ASKING_PROTOCOL, LINK_PROTOCOL, RECORD_BYTES_MAX, Channel, HelloResponder
from sync.wire.limits import PAIRING_FRAME_BYTES_MAX

# A phone takes 30 ms for its part of the hello once its page runs; the rest is the network, as for TLS.
HELLO_SECONDS_MAX: Final = 10.0
# Long enough for a last record to leave; a browser that is gone reads none.
CLOSE_SECONDS_MAX: Final = 1.0
# The largest message of either protocol.
MESSAGE_BYTES_MAX: Final = max(RECORD_BYTES_MAX, PAIRING_FRAME_BYTES_MAX)

DONE: Final = 1000
NOT_UNDERSTOOD: Final = 4400
NOT_ADMITTED: Final = 4403
NO_CODE_SHOWN: Final = 4404
TOO_SLOW: Final = 4408
TOO_MANY: Final = 4429


class Socket(Protocol):
    """One WebSocket that stands, by whatever library."""

    async def receive(self) -> bytes | None:
        """Return the next message; None once the other end closed, or went away.

        RemoteProtocolError: it is text.
        """

    async def send(self, message: bytes) -> None:
        """Send a message. trio.BrokenResourceError: the other end closed, or went away."""

    async def close(self, code: int) -> None:
        """Close, with a number that says why; again does nothing."""


class RecordStream(trio.abc.Stream):
    """The bytes that a channel carries over a WebSocket, one record a message."""

    def __init__(self, socket: Socket, channel: Channel, *, is_asked: bool = False) -> None:
        """`is_asked`: the two agreed that the peer may ask what this device remembers."""
        self._socket = socket
        self._channel = channel
        self.is_asked = is_asked
        self._rest = b""
        self._closed = False

    @property
    def peer(self) -> DeviceId:
        """Who is at the other end."""
        return self._channel.peer

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """Send bytes, in as many records as they take."""
        if self._closed:
            raise trio.ClosedResourceError("expected a stream that is open")
        for record in self._channel.seal(bytes(data)):
            await self._socket.send(record)

    async def wait_send_all_might_not_block(self) -> None:
        """Return at once: what is queued below a WebSocket does not show."""
        await trio.lowlevel.checkpoint()

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        """Return some bytes; nothing once the peer said that it is done.

        trio.BrokenResourceError: the WebSocket ended before that, or what came is no record of this link.
        """
        if self._closed:
            raise trio.ClosedResourceError("expected a stream that is open")
        if not self._rest and not self._channel.ended:
            try:
                record = await self._socket.receive()
                if record is None:
                    raise LinkLost("its page was closed, or is out of reach")
                self._rest = self._channel.open(record)
            except SyncError as error:
                raise trio.BrokenResourceError(str(error)) from error
        end = len(self._rest) if max_bytes is None else max_bytes
        taken, self._rest = self._rest[:end], self._rest[end:]
        return taken

    async def refuse(self, code: int) -> None:
        """Close without another record, with a number that says why no link comes of it."""
        self._closed = True
        await close_quietly(self._socket, code)

    async def aclose(self) -> None:
        """Say that this is all, and close."""
        if self._closed:
            await trio.lowlevel.checkpoint()
            return
        self._closed = True
        try:
            await self._socket.send(self._channel.end())
            await self._socket.close(DONE)
        except trio.BrokenResourceError:
            pass  # it is closed all the same


class PairingTalk:
    """Whole frames of pairing over a WebSocket, small ones only."""

    def __init__(self, socket: Socket) -> None:
        self._socket = socket

    async def say(self, frame: bytes) -> None:
        """Send a frame."""
        try:
            await self._socket.send(frame)
        except trio.BrokenResourceError as error:
            raise LinkLost("the page that wants to pair went away") from error

    async def hear(self) -> bytes:
        """Return the next frame."""
        frame = await self._socket.receive()
        if frame is None:
            raise LinkLost("expected an answer, the page that wants to pair went away")
        if len(frame) > PAIRING_FRAME_BYTES_MAX:
            raise LimitExceeded(
                f"expected a frame of at most {PAIRING_FRAME_BYTES_MAX} bytes, got {len(frame)}"
            )
        return frame


async def secure_web(
    socket: Socket,
    *,
    identity: Identity,
    pins: tuple[bytes, ...],
    origin: str,
    entropy: Entropy = secrets.token_bytes,
    protocol: str = LINK_PROTOCOL,
) -> tuple[RecordStream, DeviceId]:
    """The encrypted stream, and who is at its other end. On any error the WebSocket is closed.

    `origin`: that of the page which called, checked to be ours. `protocol`: what both speak.

    Untrusted: whoever called is not let in. LinkLost: it went away, or said nothing for too long. RemoteProtocolError,
    LimitExceeded: it does not speak as we do.
    """
    hello = HelloResponder(
        certificate=identity.certificate,
        sign=identity.sign,
        pins=pins,
        origin=origin,
        entropy=entropy,
        protocol=protocol,
    )
    try:
        with trio.move_on_after(HELLO_SECONDS_MAX):
            while hello.channel is None:
                message = await socket.receive()
                if message is None:
                    raise LinkLost("the page that called went away")
                for answer in hello.receive(message):
                    await socket.send(answer)
            stream = RecordStream(socket, hello.channel, is_asked=protocol == ASKING_PROTOCOL)
            return stream, hello.channel.peer
        raise LinkLost(f"expected a hello within {HELLO_SECONDS_MAX:g} s, the page stayed silent")
    except trio.BrokenResourceError as error:
        raise LinkLost("the page that called went away") from error
    except SyncError as error:
        await close_quietly(socket, code_of(error))
        raise


def code_of(error: SyncError) -> int:
    """Return the number that tells a caller why it is turned away."""
    match error:
        case Untrusted():
            return NOT_ADMITTED
        case RemoteProtocolError() | LimitExceeded():
            return NOT_UNDERSTOOD
    return TOO_SLOW


async def turn_away(stream: trio.abc.Stream, code: int) -> None:
    """Close a stream of which no link comes; a page is told why, by a number. Another device is not: it asks again."""
    if isinstance(stream, RecordStream):
        await stream.refuse(code)
    else:
        await trio.aclose_forcefully(stream)


async def close_quietly(socket: Socket, code: int) -> None:
    """Close, however it went, within a moment, even where everything is being cancelled."""
    with trio.CancelScope(deadline=trio.current_time() + CLOSE_SECONDS_MAX, shield=True):
        try:
            await socket.close(code)
        except trio.BrokenResourceError:
            pass  # it is closed already
