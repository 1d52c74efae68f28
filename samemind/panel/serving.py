"""Serve an application over HTTP on one socket, to as many callers as `samemind.panel.crowd` lets stand.

hypercorn speaks HTTP on each connection; its own `serve` takes in everybody, so the few lines that accept are ours. An
error in one connection ends that one: whoever sends crooked HTTP must not be able to end the device behind it.

HTTP/1.1 only: hypercorn's HTTP/2 fails on a WebSocket whose last frame comes late, and with it ends everything else of
that browser. It also carries a hundred requests on a connection, where the crowd is counted by connections.
"""

import logging
import platform
import socket
import ssl
from dataclasses import replace
from functools import partial
from typing import Any, Final

import trio
from hypercorn import protocol
from hypercorn.app_wrappers import ASGIWrapper
from hypercorn.config import Config
from hypercorn.protocol import h11
from hypercorn.protocol.events import Event, Request
from hypercorn.protocol.ws_stream import WSStream
from hypercorn.trio.tcp_server import TCPServer
from hypercorn.trio.worker_context import WorkerContext
from hypercorn.typing import ConnectionState
from starlette.types import ASGIApp

from samemind.errors import Failed
from samemind.panel.crowd import Caller, OpenConnections, caller_of
from sync.dialling import ANY
from sync.errors import LimitExceeded
from sync.links import keep_alive
from sync.web_link import MESSAGE_BYTES_MAX

# Requests that are being answered when the device stops; streams end by themselves.
GRACE_S: Final = 0.5
# A caller that says nothing keeps a socket for no longer.
IDLE_S: Final = 15
HANDSHAKE_S: Final = 10
# Callers that the system lets wait until they are taken in. With Python's 128, 200 at once filled the queue, and the
# owner's browser, turned away there, came again a second later.
BACKLOG: Final = 1_024

_log: Final = logging.getLogger(__name__)


def listening(host: str, port: int, *, what: str, option: str) -> socket.socket:
    """Return a socket that listens there; `Failed` says that `what` cannot be served, and which option to change."""
    try:
        if host in ANY:
            if socket.has_dualstack_ipv6():
                return socket.create_server(
                    ("", port), family=socket.AF_INET6, dualstack_ipv6=True, backlog=BACKLOG
                )
            return socket.create_server(("", port), backlog=BACKLOG)
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address[:2], family=family, backlog=BACKLOG)
    except OSError as error:
        raise Failed(
            f"expected to serve {what} on {host or 'every address'}, port {port}, but {error.strerror or error}",
            code="cannot_listen",
            hint=f"choose another with {option} HOST:PORT; port 0 is any that is free",
        ) from None


def machine_names() -> frozenset[str]:
    """Return the names by which other machines may know this one."""
    name = platform.node().partition(".")[0].lower()
    return frozenset({name, f"{name}.local"} - {"", ".local", "localhost", "localhost.local"})


class _BoundedWebSocket(WSStream):
    """hypercorn's WebSocket, in which nobody can have more unpacked, or held, than one message may have.

    By itself it agrees to whatever compression is offered, unpacks what one read brought before it looks at the size,
    and goes on collecting a message that was too long already.
    """

    async def handle(self, event: Event) -> None:
        if isinstance(event, Request):
            kept = [each for each in event.headers if each[0].lower() != b"sec-websocket-extensions"]
            event = replace(event, headers=kept)
        await super().handle(event)
        if self.buffer.length > self.buffer.max_length:
            raise LimitExceeded(f"expected messages of at most {self.buffer.max_length} bytes, got more")


class _OneProtocol(h11.H11Protocol):
    """hypercorn's HTTP/1.1 without the two ways out of it, which it takes whatever was agreed on by TLS."""

    async def _check_protocol(self, event: Any) -> None:
        """Leave `Upgrade: h2c` unanswered, as anybody may (RFC 9110, 7.8), and take HTTP/2's preface for a request."""


# There is no other place to say so.
h11.WSStream = _BoundedWebSocket  # type: ignore[attr-defined]
protocol.H11Protocol = _OneProtocol  # type: ignore[attr-defined]


class Door:
    """Who stands at the panel's door. `know` is told of each request of a browser that was let in."""

    def __init__(self) -> None:
        self.crowd = OpenConnections()
        self._standing: dict[Caller, trio.CancelScope] = {}
        self._tls: ssl.SSLContext | None = None

    def know(self, place: Any) -> None:
        """Hear that the connection from a place is one of a browser that was let in."""
        if (caller := caller_of(place)) is not None:
            self._make_room(self.crowd.know(caller))

    def serve_anew(self, certificate: str) -> None:
        """Show whoever comes from now on what is in that file now."""
        if self._tls is not None:
            self._tls.load_cert_chain(certificate)

    async def serve(
        self, app: ASGIApp, plain: socket.socket, *, certificate: str | None, stop: trio.Event
    ) -> None:
        """Answer until `stop`, and for a moment after it."""
        config = _config(certificate)
        context = WorkerContext(None)
        listener: Any = trio.SocketListener(trio.socket.from_stdlib_socket(plain))
        self._tls = config.create_ssl_context()
        if self._tls is not None:
            listener = trio.SSLListener(listener, self._tls, https_compatible=True)
        wrapped = ASGIWrapper(app)  # type: ignore[arg-type]  # it types scopes more closely than Starlette

        async def answer(stream: Any) -> None:
            await self._hold(stream, TCPServer(wrapped, config, context, ConnectionState({}), stream))

        async with trio.open_nursery() as answering:
            async with trio.open_nursery() as accepting:
                accepting.start_soon(
                    partial(trio.serve_listeners, answer, [listener], handler_nursery=answering)
                )
                await stop.wait()
                accepting.cancel_scope.cancel()
            await context.terminated.set()
            answering.cancel_scope.deadline = trio.current_time() + GRACE_S

    async def _hold(self, stream: Any, server: TCPServer) -> None:
        """Let hypercorn answer one connection for as long as it may stand."""
        transport = getattr(stream, "transport_stream", stream)
        try:
            caller = caller_of(transport.socket.getpeername())
        except OSError:
            return  # gone before it was looked at
        keep_alive(transport)  # or a link of a phone that is gone would stand for hours
        if caller is None:
            return
        with trio.CancelScope() as scope:
            self._standing[caller] = scope
            self._make_room(self.crowd.enter(caller))
            try:
                await server
            except Exception as error:
                # hypercorn answers crooked bytes although it is answering already, for one; to nobody's use but theirs.
                _log.info("a connection to the panel ended by an error: %r", error)
            finally:
                if self._standing.get(caller) is scope:
                    self.crowd.leave(caller)
                    del self._standing[caller]

    def _make_room(self, gone: Caller | None) -> None:
        if gone is not None:
            self._standing.pop(gone).cancel()


def _config(certificate: str | None) -> Config:
    config = Config()
    config.errorlog = None
    config.include_server_header = False
    config.keep_alive_timeout = IDLE_S
    config.read_timeout = None
    config.ssl_handshake_timeout = HANDSHAKE_S
    config.certfile = config.keyfile = certificate
    config.alpn_protocols = ["http/1.1"]
    config.websocket_max_message_size = MESSAGE_BYTES_MAX
    return config
