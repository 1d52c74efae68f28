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
import json
import logging
import random
import ssl
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, TypeVar

import trio

from replica.asyncio_host import AsyncioHost
from replica.keys import Ed25519PrivateKey
from sync.errors import Denied, Full, Gone, MailboxError, Unreached
from sync.mailbox.box import FILES_MAX, check_name, is_name, too_many
from sync.mailbox.nkeys import public_nkey, read_seed

# Servers take messages of at most 1 MB unless told otherwise.
PART_BYTES: Final = 512 * 1024
# A file of `sync.carrier.shelf.FILE_BYTES_MAX` has so many.
PARTS_MAX: Final = 512
# A bell may be lost, as while a server starts anew.
LOOK_SECONDS: Final = 300.0
# Most files are one part, and a few large ones many.
_SUBJECTS_MAX: Final = 4 * FILES_MAX
CALL_SECONDS: Final = 20.0
_CONNECT_SECONDS: Final = 5
# How long a server may be silent before its connection counts as lost: two pings.
_PING_SECONDS: Final = 20
_PINGS_MAX: Final = 2
# Streams reserve what they may grow to, so this is what one group takes of a server's disk where nothing else is said.
STREAM_BYTES_MAX: Final = 1 << 30
# Over one stream limit or another, or no room for the stream itself (server errors.json).
_FULL_CODES: Final = frozenset({10023, 10028, 10047, 10054, 10077, 10122})
_NO_STREAM: Final = 10059
_CLOSE_SECONDS: Final = 0.4
# The largest file takes minutes over a poor line.
HALF_SECONDS_MAX: Final = 3_600.0
_DIGITS_MAX: Final = 12
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
        self._stream = f"SAMEMIND_{group}"
        self._subject = f"samemind.{group}.file"
        self._ring = f"samemind.{group}.ring"
        self._key = None if seed is None else read_seed(seed)
        self._tls = _context(pin) if tls else None
        self._replicas = replicas
        self._bytes_max = bytes_max
        self._look_s = look_s
        # From here on: touched on the asyncio host only.
        self._client: Any = None
        self._connecting = asyncio.Lock()
        self._rung = asyncio.Event()
        self._halves: dict[str, float] = {}
        # As they were listed last: what a name means never changes, and a look reads what it listed just before.
        self._sizes: dict[str, int] = {}

    async def put(self, name: str, data: bytes) -> None:
        """Write the parts of a file: it is there when all of them are."""
        check_name(name)
        if _count(len(data)) > PARTS_MAX:
            raise Full(f"expected a file of at most {PARTS_MAX * PART_BYTES} bytes, got {len(data)}")

        async def put(client: Any) -> None:
            stream = client.jetstream(timeout=CALL_SECONDS)
            for part in range(_count(len(data))):
                begin = part * PART_BYTES
                subject = self._part(name, len(data), part)
                await stream.publish(subject, data[begin : begin + PART_BYTES], stream=self._stream)
            await client.publish(self._ring, b"")

        await self._do(put)

    async def names(self) -> Mapping[str, int]:
        """List the files of which all parts are there; those of which some never came are removed after an hour."""

        async def names(client: Any) -> dict[str, int]:
            self._rung.clear()
            self._sizes, halves = await self._listed(client)
            await self._sweep(client, halves)
            return dict(self._sizes)

        return await self._do(names)

    async def get(self, name: str, bytes_max: int) -> bytes:
        """Read all parts of a file."""
        check_name(name)

        async def get(client: Any) -> bytes:
            size = self._sizes.get(name)
            if size is None:
                whole, _ = await self._listed(client, name)
                if name not in whole:
                    raise Gone(f"{name} is there no more")
                size = whole[name]
            stream, data = client.jetstream(timeout=CALL_SECONDS), bytearray()
            for part in range(_count(size)):
                if len(data) < bytes_max:  # a part may be larger than it should be
                    # Asked of the leader: a follower may not have yet what was listed.
                    message = await stream.get_last_msg(self._stream, self._part(name, size, part))
                    data += message.data or b""
            return bytes(data[:bytes_max])

        return await self._do(get)

    async def remove(self, name: str) -> None:
        """Remove all parts of a file; nobody needs to know at once, so it rings no bell."""
        check_name(name)

        async def remove(client: Any) -> None:
            await self._purge(client, name)

        await self._do(remove)

    async def bell(self) -> None:
        """Wait until somebody rings, the connection goes down, or five minutes are over."""

        async def bell(client: Any) -> None:
            await self._rung.wait()

        with trio.move_on_after(self._look_s):
            await self._do(bell)

    async def aclose(self) -> None:
        """Close the connection."""

        async def close() -> None:
            await self._drop(self._client)

        await self._host.run_shielded(close)

    # -- on the asyncio host ---------------------------------------------------------------------------------

    async def _do(self, call: Callable[[Any], Awaitable[Result]]) -> Result:
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
            with contextlib.suppress(Exception):
                await asyncio.wait_for(client.close(), _CLOSE_SECONDS)

    async def _connected(self) -> Any:
        async with self._connecting:
            if self._client is None or not self._client.is_connected:
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
                await client.subscribe(self._ring, cb=self._hear)
                await self._make_stream(client)
            except BaseException:
                await self._drop(client)
                raise
            return client
        raise failure

    async def _connect_to(self, server: str) -> Any:
        from nats.aio.client import Client  # here: 140 ms, and an extra

        _ASYNCIO_LOG.addFilter(_is_worth_saying)
        client, last = Client(), list[Exception]()

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

    async def _make_stream(self, client: Any) -> None:
        answer = await self._ask(client, "INFO", {})
        if _code(answer) != _NO_STREAM:
            _checked(answer)
            return
        config = {
            "name": self._stream,
            "subjects": [f"{self._subject}.>"],
            "storage": "file",
            "num_replicas": self._replicas,
            "retention": "limits",
            "max_bytes": self._bytes_max,
            "max_msgs_per_subject": 1,
            "max_consumers": -1,
            "max_msgs": -1,
            "max_age": 0,
            # The default drops the oldest files without a word when there is no more room.
            "discard": "new",
            "allow_direct": True,
        }
        _checked(await self._ask(client, "CREATE", config))

    async def _listed(self, client: Any, name: str | None = None) -> tuple[dict[str, int], set[str]]:
        """Return the files that are whole, with their sizes, and the names of those that are not."""
        below = ">" if name is None else f"{_token(name)}.>"
        found: dict[tuple[str, int], set[int]] = {}
        offset, total = 0, 1
        while offset < total:
            asked = {"subjects_filter": f"{self._subject}.{below}", "offset": offset}
            subjects, total = _read_page(_checked(await self._ask(client, "INFO", asked)))
            for subject in subjects:
                part = _read_part(subject.removeprefix(f"{self._subject}."))
                if part is not None:
                    each, size, number = part
                    found.setdefault((each, size), set()).add(number)
            offset += len(subjects)
            if len(found) > FILES_MAX or offset > _SUBJECTS_MAX:
                raise too_many()
            if not subjects:
                break
        whole = {each: size for (each, size), held in found.items() if len(held) == _count(size)}
        return whole, {each for each, _ in found} - whole.keys()

    async def _sweep(self, client: Any, halves: set[str]) -> None:
        """Remove files of which some parts never came: whoever wrote them was interrupted, and wrote others since."""
        now = asyncio.get_running_loop().time()
        self._halves = {name: self._halves.get(name, now) for name in halves}
        for name, since in self._halves.items():
            if now - since >= HALF_SECONDS_MAX:
                await self._purge(client, name)

    async def _purge(self, client: Any, name: str) -> None:
        stream = client.jetstream(timeout=CALL_SECONDS)
        await stream.purge_stream(self._stream, subject=f"{self._subject}.{_token(name)}.>")

    async def _ask(self, client: Any, what: str, asked: dict[str, Any]) -> dict[str, Any]:
        answer = await client.request(
            f"$JS.API.STREAM.{what}.{self._stream}", json.dumps(asked).encode(), timeout=CALL_SECONDS
        )
        found = json.loads(answer.data)
        return found if isinstance(found, dict) else {}

    def _part(self, name: str, size: int, number: int) -> str:
        return f"{self._subject}.{_token(name)}.{size}.{number}"


def _count(size: int) -> int:
    """Return of how many parts a file of so many bytes is."""
    return max(1, -(-size // PART_BYTES))


def _token(name: str) -> str:
    """Return a name as one word of a subject, where a point parts words."""
    return name.replace(".", "_")


def _read_page(answer: dict[str, Any]) -> tuple[list[str], int]:
    """Return some of a stream's subjects, and of how many."""
    state, total = answer.get("state"), answer.get("total", 0)
    subjects = (state.get("subjects") or {}) if isinstance(state, dict) else None
    if not isinstance(subjects, dict) or type(total) is not int:
        raise Unreached("expected the server to list the files of the group, got something else")
    return list(subjects), total


def _read_part(subject: str) -> tuple[str, int, int] | None:
    words = subject.split(".")
    if len(words) != 3 or not subject.isascii() or not (words[1].isdecimal() and words[2].isdecimal()):
        return None
    if len(words[1]) > _DIGITS_MAX or len(words[2]) > _DIGITS_MAX:
        return None
    name, size, number = words[0].replace("_", "."), int(words[1]), int(words[2])
    return (name, size, number) if is_name(name) and number < _count(size) <= PARTS_MAX else None


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


def _code(answer: dict[str, Any]) -> int | None:
    error = answer.get("error")
    return error.get("err_code") if isinstance(error, dict) else None


def _checked(answer: dict[str, Any]) -> dict[str, Any]:
    error = answer.get("error")
    if not isinstance(error, dict):
        return answer
    said = f"the server refuses: {str(error.get('description', ''))[:_REASON_CHARACTERS_MAX]}"
    raise Full(said) if error.get("err_code") in _FULL_CODES else Unreached(said)


def _meaning(error: Exception) -> MailboxError:
    """Return what an error of the client's means."""
    import nats.errors
    import nats.js.errors

    said = str(error)[:_REASON_CHARACTERS_MAX] or type(error).__name__
    match error:
        case nats.js.errors.NotFoundError():
            return Gone("the file is there no more")
        case nats.js.errors.APIError() if error.err_code in _FULL_CODES:
            return Full(f"the server has no room: {error.description}")
        case nats.errors.AuthorizationError():
            return Denied("the server does not take the key")
        case ssl.SSLCertVerificationError():
            return Denied("the server does not have the certificate that was expected")
        case nats.errors.Error() if any(each in said.lower() for each in ("authorization", "authentication")):
            return Denied("the server does not take the key")
        case nats.errors.Error() if "permissions violation" in said.lower():
            return Denied("the server does not let this key in here")
        case nats.errors.Error() | OSError() | TimeoutError() | ValueError():
            return Unreached(f"the server could not be reached: {said}")
        case LookupError() | TypeError() | AttributeError():  # in the client, which trusts what a server says
            return Unreached(f"the server's answer could not be read: {said}")
    raise error
