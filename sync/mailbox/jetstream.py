"""A NATS server as a mailbox: a JetStream stream of one group, and in it one subject for each part of a file.

What counts is what is listed. JetStream acknowledges before its disk is synced, and a cluster that loses its leader may
lose what it acknowledged: whoever looks next sees that a file is missing, and writes it again. So nothing of NATS is
relied on but that a part which is there is whole: no order, no consumers, no state of ours on the server.

The bell is a message on another subject, which everybody of the group hears at once when a file came. It may be lost,
so there is a look after each time the connection went down, and every five minutes. A client is connected when
something is asked of it, to whichever server answers first, and never connects again by itself: who waits decides when
to try.

Everything runs on the asyncio host. One private name of the client's is set, the public half of the key that it signs
in with: its own way needs a package that has to be compiled.
"""

import asyncio
import base64
import contextlib
import logging
import random
import ssl
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import IO, Any, Final, TypeVar

import trio

from replica.asyncio_host import AsyncioHost
from replica.keys import Ed25519PrivateKey
from sync.errors import Denied, MailboxError, Unreached
from sync.mailbox.box import check_name
from sync.mailbox.causes import cause_of
from sync.mailbox.nkeys import public_nkey, read_seed
from sync.mailbox.stream_files import STREAM_BYTES_MAX, Ask, Asking, StreamFiles, Tell

# A bell may be lost, as while a server starts anew.
LOOK_SECONDS: Final = 300.0
CALL_SECONDS: Final = 20.0
_CONNECT_SECONDS: Final = 5
# How long a server may be silent before its connection counts as lost: two pings.
_PING_SECONDS: Final = 20
_PINGS_MAX: Final = 2
_CLOSE_SECONDS: Final = 0.4
_REASON_CHARACTERS_MAX: Final = 200

_ASYNCIO_LOG: Final = logging.getLogger("asyncio")

Result = TypeVar("Result")


class StreamBox:
    """The files of one group on a server, or on any of a cluster's. `seed`: the group's key; `pin`: a certificate."""

    def __init__(
        self,
        host: AsyncioHost,
        servers: tuple[str, ...],
        group: str,
        *,
        seed: str | None = None,
        tls: bool = False,
        pin: str | None = None,
        replicas: int = 1,
        bytes_max: int = STREAM_BYTES_MAX,
        look_s: float = LOOK_SECONDS,
    ) -> None:
        self._host = host
        self._servers = servers
        self._files = StreamFiles(group, now=time.monotonic, replicas=replicas, bytes_max=bytes_max)
        self._key = None if seed is None else read_seed(seed)
        self._tls = _context(pin) if tls else None
        self._look_s = look_s
        # From here on: touched on the asyncio host only.
        self._client: Any = None
        self._connecting = asyncio.Lock()
        self._rung = asyncio.Event()

    async def put(self, name: str, data: bytes) -> None:
        """Write the parts of a file: it is there when all of them are."""
        check_name(name)
        await self._do(lambda: self._files.put(name, data))

    async def names(self) -> Mapping[str, int]:
        """List the files of which all parts are there."""
        return await self._do(self._names)

    async def get(self, name: str, bytes_max: int, into: IO[bytes]) -> None:
        """Read all parts of a file."""
        check_name(name)
        await self._do(lambda: self._files.get(name, bytes_max, into))

    async def remove(self, name: str) -> None:
        """Remove all parts of a file; nobody needs to know at once, so it rings no bell."""
        check_name(name)
        await self._do(lambda: self._files.remove(name))

    async def bell(self) -> None:
        """Wait until somebody rings, the connection goes down, or five minutes are over."""

        async def bell(client: Any) -> None:
            await self._rung.wait()

        with trio.move_on_after(self._look_s):
            await self._with_client(bell)

    async def aclose(self) -> None:
        """Close the connection."""

        async def close() -> None:
            await self._drop(self._client)

        await self._host.run_shielded(close)

    # -- on the asyncio host ---------------------------------------------------------------------------------

    def _names(self) -> Asking[Mapping[str, int]]:
        self._rung.clear()
        return (yield from self._files.names())

    async def _do(self, begin: Callable[[], Asking[Result]]) -> Result:
        async def call(client: Any) -> Result:
            return await _answered(client, begin())

        return await self._with_client(call)

    async def _with_client(self, call: Callable[[Any], Awaitable[Result]]) -> Result:
        async def called() -> Result:
            client = None
            try:
                client = await self._connected()
                return await call(client)
            except Exception as error:
                meant = error if isinstance(error, MailboxError) else _meaning(error)
                if isinstance(meant, Unreached):
                    await self._drop(client)  # whatever it is, the next call begins anew
                raise meant from None

        return await self._host.run(called)

    async def _drop(self, client: Any) -> None:
        if client is not None:
            if self._client is client:
                self._client = None
            try:
                with contextlib.suppress(Exception):
                    await asyncio.wait_for(client.close(), _CLOSE_SECONDS)
            finally:
                client.abandon()

    async def _connected(self) -> Any:
        async with self._connecting:
            if self._client is None or not self._client.is_connected:
                await self._drop(self._client)  # what went down by itself may still hold its connection
                self._client = await self._connect()
            return self._client

    async def _connect(self) -> Any:
        """Connect to one of the servers, hear its bell, and make the stream if there is none."""
        servers = list(self._servers)
        random.shuffle(servers)
        failure: Exception = Unreached("expected a server to connect to, none is named")
        for server in servers:
            try:
                client = await self._connect_to(server)
            except Exception as error:
                failure = error
                continue
            try:
                await client.subscribe(self._files.ring, cb=self._hear)
                await _answered(client, self._files.open())
            except BaseException:
                await self._drop(client)
                raise
            return client
        raise failure

    async def _connect_to(self, server: str) -> Any:
        from sync.mailbox.nats_client import BoundedClient  # here: 140 ms, and an extra

        _ASYNCIO_LOG.addFilter(_is_worth_saying)
        client, last = BoundedClient(), list[Exception]()

        async def heard(error: Exception) -> None:
            last[:] = [error]

        async def ended() -> None:
            self._rung.set()  # who waits looks, and connects

        options: dict[str, Any] = {}
        if self._key is not None:
            options["signature_cb"] = _signing(self._key)
            client._public_nkey = public_nkey(self._key)
        if self._tls is not None:
            options["tls"] = self._tls
        try:
            await client.connect(
                server,
                error_cb=heard,
                closed_cb=ended,
                disconnected_cb=ended,
                allow_reconnect=False,
                max_reconnect_attempts=1,
                reconnect_time_wait=0,
                connect_timeout=_CONNECT_SECONDS,
                ping_interval=_PING_SECONDS,
                max_outstanding_pings=_PINGS_MAX,
                # It waits for the server's word on the key before it says more: a server that hangs up on words which
                # it has not read resets the connection, and why it refused can be lost by that.
                verbose=True,
                **options,
            )
        except BaseException as error:
            await self._drop(client)
            raise last[0] if last and isinstance(error, Exception) else error from None
        return client

    async def _hear(self, message: Any) -> None:
        self._rung.set()


async def _answered(client: Any, asking: Asking[Result]) -> Result:
    """Ask what a verb wants asked until it is done."""
    answer: bytes | None = None
    try:
        while True:
            step = asking.send(answer)
            answer = None
            match step:
                case Ask(subject, payload):
                    answer = (await client.request(subject, payload, timeout=CALL_SECONDS)).data
                case Tell(subject):
                    await client.publish(subject, b"")
    except StopIteration as end:
        result: Result = end.value
        return result


def _is_worth_saying(record: logging.LogRecord) -> bool:
    """Leave out what asyncio says of each TLS connection that ends, where the client began it in the clear."""
    return "eof_received() has no effect" not in str(record.msg)


def _signing(key: Ed25519PrivateKey) -> Callable[[str], bytes]:
    return lambda nonce: base64.b64encode(key.sign(nonce.encode()))


def _context(pin: str | None) -> ssl.SSLContext:
    """Return how a server is known: by one certificate of its own, or by a name that an authority vouches for."""
    if pin is None:
        return ssl.create_default_context()
    context = ssl.create_default_context(cadata=pin)
    context.check_hostname = False  # it is known by its key
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    return context


def _meaning(error: Exception) -> MailboxError:
    """Return what an error of the client's means."""
    import nats.errors

    said = str(error)[:_REASON_CHARACTERS_MAX] or type(error).__name__
    match error:
        case nats.errors.AuthorizationError():
            return Denied("the server does not take the key")
        case ssl.SSLCertVerificationError():
            return Denied("the server does not have the certificate that was expected")
        case nats.errors.Error() if any(each in said.lower() for each in ("authorization", "authentication")):
            return Denied("the server does not take the key")
        case nats.errors.Error() if "permissions violation" in said.lower():
            return Denied("the server does not let this key in here")
        case nats.errors.Error() | OSError() | TimeoutError() | ValueError():
            return Unreached(f"the server could not be reached: {cause_of(error) or said}")
        case LookupError() | TypeError() | AttributeError():  # in the client, which trusts what a server says
            return Unreached(f"the server's answer could not be read: {said}")
    raise error
