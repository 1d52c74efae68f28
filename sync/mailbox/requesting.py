"""Make the HTTP requests of a mailbox; which ones those are is decided in `webdav`, `s3` and `azure` beside this.

httpcore is what lies below httpx: it follows no redirect, unpacks nothing and keeps no cookies. What a server sends is
bounded here by bytes and by time: an answer's head, what comes before one, its body, and what that is wrapped in.

Nothing here is told when names change, so the bell is a clock: a minute while somebody writes, up to five when nobody
does. Nothing is tried again: whoever calls backs off.
"""

import io
import ssl
import urllib.request
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import aclosing, contextmanager
from functools import partial
from typing import IO, Any, Final, TypeVar
from urllib.parse import unquote, urlsplit

import httpcore2
import trio

from sync.errors import Unreached
from sync.mailbox.causes import cause_of
from sync.mailbox.http_files import ERROR_BYTES_MAX, Calling, HttpAnswer, HttpCall, HttpFiles, host_of
from sync.mailbox.pace import LOOK_SECONDS_MIN, LookClock
from sync.mailbox.reading import read_beside

# For each piece that is sent or awaited.
TIMEOUT_SECONDS: Final = 120.0
# For a whole answer there is as much, and what its bytes take over a line of a quarter of a megabit a second.
_BYTES_A_SECOND_MIN: Final = 32_768
# For the calls of one look. Servers close a connection that is not used after five seconds or more.
_KEPT_SECONDS: Final = 4.0
_PIECE_BYTES: Final = 65_536
# What is written of a file at one go.
_WRITTEN_BYTES: Final = 1 << 20
# Of the head of an answer, with all that says that one is to come. httpcore's own bound is 100 KB for each of these.
_HEAD_BYTES_MAX: Final = 131_072
_HEADER_CHARACTERS_MAX: Final = 4_096
_HEADERS: Final = (b"retry-after", b"location", b"x-amz-bucket-region")
# A listing of a hundred files is read at once; a longer one by a thread, while others are served.
_AT_ONCE_BYTES_MAX: Final = 65_536

Result = TypeVar("Result")


class HttpBox:
    """A mailbox whose files are asked for by HTTP."""

    def __init__(
        self, files: HttpFiles, *, look_s: float = LOOK_SECONDS_MIN, timeout_s: float = TIMEOUT_SECONDS
    ) -> None:
        self._files = files
        self._origin = urlsplit(files.url)
        self._timeout_s = timeout_s
        self._pool: httpcore2.AsyncConnectionPool | None = None
        self._clock = LookClock(look_s)

    async def put(self, name: str, data: bytes) -> None:
        """Write a file."""
        await self._do(self._files.put(name, data))

    async def names(self) -> Mapping[str, int]:
        """List the folder."""
        return await self._do(self._listing())

    async def get(self, name: str, bytes_max: int, into: IO[bytes]) -> None:
        """Read a file."""
        await self._do(self._files.get(name, bytes_max, into))

    async def remove(self, name: str) -> None:
        """Remove a file."""
        await self._do(self._files.remove(name))

    async def bell(self) -> None:
        """Wait for as long as it takes until a look may be worth while."""
        await trio.sleep(self._clock.wait_s)

    async def aclose(self) -> None:
        """Let go of it."""
        if self._pool is not None:
            await self._pool.aclose()
            self._pool = None

    def _listing(self) -> Calling[Mapping[str, int]]:
        found = yield from self._files.names()
        self._clock.listed(found)
        return found

    async def _do(self, calling: Calling[Result]) -> Result:
        answer: HttpAnswer | None = None
        while True:
            if answer is None or len(answer.body) <= _AT_ONCE_BYTES_MAX:
                call, result = _next(calling, answer)
            else:
                call, result = await read_beside(partial(_next, calling, answer), abandon=True)
            if call is None:
                return result  # type: ignore[no-any-return]
            answer = await self._request(call)

    async def _request(self, call: HttpCall) -> HttpAnswer:
        seconds = self._timeout_s + (len(call.body) + call.bytes_max) / _BYTES_A_SECOND_MIN
        host = host_of(self._origin)
        headers = {
            "host": host,
            "user-agent": "samemind",
            "accept": "*/*",
            "accept-encoding": "identity",
            **call.headers,
        }
        if call.body:
            headers["content-length"] = str(len(call.body))
        # What it hands out is no copy, and a listing has up to 16 MB.
        with _explained(), trio.fail_after(seconds), io.BytesIO() as body:
            if self._pool is None:
                self._pool = _new_pool(self._origin.scheme, host)
            async with self._pool.stream(
                call.method,
                f"{self._origin.scheme}://{host}{_target(call.url)}",
                headers=[*headers.items()],
                content=_pieces(call.body) if call.body else None,
                extensions={"timeout": dict.fromkeys(("connect", "read", "write"), self._timeout_s)},
            ) as response:
                into = call.into if 200 <= response.status < 300 else None
                # Of an error there is more to read than of a short file.
                left = call.bytes_max if into is not None else max(call.bytes_max, ERROR_BYTES_MAX)
                _Bounded.of(response).left = _HEAD_BYTES_MAX + 2 * left
                async with aclosing(response.aiter_stream()) as pieces:
                    async for piece in pieces:
                        body.write(piece[:left])
                        left -= len(piece)
                        if left < 0:
                            break
                        if into is not None and body.tell() >= _WRITTEN_BYTES:
                            await _move(body, into)
                        # Pieces of a byte each come by the thousand without waiting for any.
                        await trio.lowlevel.checkpoint()
                if into is not None:
                    await _move(body, into)
            said = body.getvalue()
        heard = {name.lower(): value for name, value in response.headers}
        retry_after, location, region = (_text(heard.get(name, b"")) for name in _HEADERS)
        return HttpAnswer(response.status, said, retry_after, location, region)


class _Bounded(httpcore2.AsyncNetworkStream):
    """A connection that hands on so many bytes of one answer, and no more."""

    def __init__(self, stream: httpcore2.AsyncNetworkStream) -> None:
        self._stream = stream
        self.left = _HEAD_BYTES_MAX

    @staticmethod
    def of(response: httpcore2.Response) -> "_Bounded":
        """Return what an answer came by."""
        stream = response.extensions["network_stream"]
        if not isinstance(stream, _Bounded):  # 101: the server wants to speak something else
            raise _unreadable()
        return stream

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Read some."""
        data = await self._stream.read(max_bytes, timeout)
        self.left -= len(data)
        if self.left < 0:
            raise Unreached("the storage answers without end")
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Write some; an answer can begin then."""
        self.left = _HEAD_BYTES_MAX
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        """Close it."""
        await self._stream.aclose()

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.AsyncNetworkStream:
        """Speak TLS from now on."""
        try:
            return _Bounded(await self._stream.start_tls(ssl_context, server_hostname, timeout))
        except trio.Cancelled:  # httpcore closes it after errors alone
            with trio.CancelScope(shield=True):
                await self._stream.aclose()
            raise

    def get_extra_info(self, info: str) -> Any:
        """Return what httpcore wants to know."""
        return self._stream.get_extra_info(info)


class _Network(httpcore2.TrioBackend):
    """Makes connections that are bounded."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Connect."""
        return _Bounded(await super().connect_tcp(host, port, timeout, local_address, socket_options))


def _next(calling: Calling[Any], answer: HttpAnswer | None) -> tuple[HttpCall | None, Any]:
    """Return what to request after an answer, or else what came of it all."""
    try:
        return calling.send(answer), None
    except StopIteration as end:
        return None, end.value


async def _pieces(body: bytes) -> AsyncIterator[bytes]:
    """Hand out what is sent bit by bit: each has a time of its own."""
    for start in range(0, len(body), _PIECE_BYTES):
        yield body[start : start + _PIECE_BYTES]


async def _move(body: io.BytesIO, into: IO[bytes]) -> None:
    """Write what came by a thread: a disk may be slow."""
    await trio.to_thread.run_sync(into.write, body.getvalue())
    body.seek(0)
    body.truncate()


def _target(url: str) -> str:
    """Return what is asked of a server: the path, and what stands behind it."""
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


def _text(value: bytes) -> str:
    return value[:_HEADER_CHARACTERS_MAX].decode("latin-1")


def _new_pool(scheme: str, host: str) -> httpcore2.AsyncConnectionPool:
    return httpcore2.AsyncConnectionPool(
        # Reads what this system trusts, which takes a while: once, and not for each connection.
        ssl_context=httpcore2.default_ssl_context() if scheme == "https" else None,
        proxy=_proxy(scheme, host),
        keepalive_expiry=_KEPT_SECONDS,
        network_backend=_Network(),
    )


def _proxy(scheme: str, host: str) -> httpcore2.Proxy | None:
    """Return the proxy that this system goes through (`HTTPS_PROXY`, `NO_PROXY`), if it has one."""
    proxies = urllib.request.getproxies()
    said = proxies.get(scheme) or proxies.get("all")
    if not said or urllib.request.proxy_bypass(host):
        return None
    try:
        parts = urlsplit(said if "://" in said else f"http://{said}")
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https"):
        raise Unreached(
            "the storage could not be reached: expected a proxy at http:// or https://, got another"
        )
    pair = None
    if parts.username is not None:
        pair = (unquote(parts.username).encode(), unquote(parts.password or "").encode())
    return httpcore2.Proxy(f"{parts.scheme}://{host_of(parts)}", pair)


@contextmanager
def _explained() -> Iterator[None]:
    """Raise what went wrong as one of a mailbox's errors. It names no address, and shows nothing that was sent."""
    try:
        yield
    except (httpcore2.TimeoutException, trio.TooSlowError):
        reason = "it did not answer in time"
    except httpcore2.RemoteProtocolError as error:
        if error.__context__ is not None:  # what h11 says of it
            raise _unreadable() from None
        reason = "the connection ended before an answer came"
    except httpcore2.LocalProtocolError:
        reason = "its address is none that can be asked for"
    except httpcore2.ProxyError as error:
        reason = f"the proxy answered {str(error)[:3]}"
    except httpcore2.NetworkError as error:
        reason = cause_of(error) or "the connection broke"
    else:
        return
    raise Unreached(f"the storage could not be reached: {reason}")


def _unreadable() -> Unreached:
    return Unreached("the storage answered with what nobody can read")
