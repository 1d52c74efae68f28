"""Take the WebSocket of a phone's page: a link for a device of the group, or a talk with one that wants to be paired.

Or one of the group asks which mailboxes it may use. Which of these it is, is agreed on before it stands (RFC 6455,
1.9); a page that names none gets none. Host and Origin were checked on the way here (`samemind.panel.guard`). Who is
there, and whether it is let in, is decided in `sync`.
"""

from collections.abc import Collection
from typing import TYPE_CHECKING, Final

import trio
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from sync.errors import RemoteProtocolError
from sync.web_hello import ASKING_PROTOCOL, LINK_PROTOCOL, MAIL_PROTOCOL, PAIR_PROTOCOL

if TYPE_CHECKING:
    from samemind.panel.opened import Panel

# RFC 6455, 7.4.1: the device stops, or does not take links at all.
_GOING_AWAY: Final = 1001


class PageSocket:
    """Starlette's WebSocket as `sync.web_link` wants one."""

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket

    async def receive(self) -> bytes | None:
        """Return the next message; None once the page closed, or went away."""
        if self._socket.client_state is WebSocketState.DISCONNECTED:
            return None
        message = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            return None
        if (data := message.get("bytes")) is None:
            raise RemoteProtocolError("expected bytes, the page sent text", fault=None)
        assert isinstance(data, bytes)
        return data

    async def send(self, message: bytes) -> None:
        """Send a message."""
        if WebSocketState.DISCONNECTED in (self._socket.client_state, self._socket.application_state):
            raise trio.BrokenResourceError("the page closed the WebSocket")
        try:
            await self._socket.send_bytes(message)
        except WebSocketDisconnect as error:
            raise trio.BrokenResourceError("the page went away") from error

    async def close(self, code: int) -> None:
        """Close, with a number that says why; again does nothing."""
        if WebSocketState.DISCONNECTED in (self._socket.client_state, self._socket.application_state):
            return
        try:
            await self._socket.close(code)
        except WebSocketDisconnect as error:
            raise trio.BrokenResourceError("the page went away") from error


async def link(panel: "Panel", websocket: WebSocket) -> None:
    """Hold one WebSocket until it is over."""
    protocol = spoken(websocket.scope["subprotocols"], is_finder=panel.device.replica.finder is not None)
    if protocol is None:
        await websocket.close()
        return
    await websocket.accept(subprotocol=protocol)
    syncer = panel.device.syncer
    if syncer is None or panel.device.stop.is_set():
        await websocket.close(_GOING_AWAY)
        return
    socket, origin = PageSocket(websocket), websocket.headers["origin"]
    async with trio.open_nursery() as nursery:
        nursery.start_soon(panel.until_closing, nursery.cancel_scope)
        if protocol == PAIR_PROTOCOL:
            await syncer.hear_page(socket, origin)
        elif protocol == MAIL_PROTOCOL:
            await syncer.tell_page(socket, origin, panel.told_of_mailboxes)
        else:
            await syncer.answer_web(
                socket,
                origin,
                protocol=protocol,
                admitted=lambda: panel.door.know(websocket.scope.get("client")),
            )
        nursery.cancel_scope.cancel()
    if panel.device.stop.is_set():
        await socket.close(_GOING_AWAY)


def spoken(offered: Collection[str], *, is_finder: bool) -> str | None:
    """Return what is spoken of what a page offers; None if that is nothing, or leaves open what the page wants."""
    links = [each for each in (ASKING_PROTOCOL, LINK_PROTOCOL) if each in offered]
    others = [each for each in (PAIR_PROTOCOL, MAIL_PROTOCOL) if each in offered]
    if len(others) + bool(links) != 1:
        return None
    return next((each for each in links or others if each != ASKING_PROTOCOL or is_finder), None)
