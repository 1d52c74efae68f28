"""A NATS server that answers as no honest one would, and whoever stands between a device and an honest one."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from functools import partial

import pytest
import trio

from replica.asyncio_host import AsyncioHost
from sync.errors import Unreached
from sync.mailbox import jetstream
from sync.mailbox.jetstream import StreamBox
from sync.mailbox.places import MailboxAddress, check_place, open_box
from sync.mailbox.stream_files import StreamFiles
from tests.support.mailbox_servers import needs_package

GIVE_UP_SECONDS = 30.0
# Of what is sent without end: more than any of these may be held of it, and little enough to be sent at once.
SENT_BYTES = 64 << 20
SOME = b"1" * (1 << 20)
INFO = {"max_payload": 1 << 20, "headers": True}
Answers = Callable[[trio.SocketStream], Awaitable[None]]


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for no answer for as long as a poor line may need."""
    monkeypatch.setattr(jetstream, "CALL_SECONDS", 1.0)


def info(**more: object) -> bytes:
    return b"INFO " + json.dumps(INFO | more).encode() + b"\r\n"


async def begin(stream: trio.SocketStream) -> None:
    """Let a client in, up to where it has subscribed to its bell."""
    await stream.send_all(info())
    heard = bytearray()
    async for some in stream:
        if some.startswith(b"CONNECT"):
            await stream.send_all(b"+OK\r\n")
        heard += some
        if b"PING" in some:
            await stream.send_all(b"PONG\r\n")
        if b"SUB " in heard:
            return


def box_with(answers: Answers, body: Callable[[StreamBox], Awaitable[None]], scheme: str = "nats") -> None:
    """Run something with the mailbox that a server keeps which answers so."""
    needs_package("nats")

    async def serve(stream: trio.SocketStream) -> None:
        try:
            async with stream:
                await answers(stream)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass

    async def main() -> None:
        async with AsyncioHost.open() as host, trio.open_nursery() as nursery:
            listeners = await nursery.start(partial(trio.serve_tcp, serve, 0, host="127.0.0.1"))
            port = listeners[0].socket.getsockname()[1]
            box = open_box(check_place(MailboxAddress(f"{scheme}://127.0.0.1:{port}")), host)
            assert isinstance(box, StreamBox)
            with trio.fail_after(GIVE_UP_SECONDS):
                await body(box)
            await box.aclose()
            nursery.cancel_scope.cancel()

    trio.run(main)


@pytest.mark.parametrize("said", [{}, {"tls_required": False}, {"tls_required": ""}], ids=str)
def test_a_server_that_asks_for_no_tls_is_told_nothing_where_the_address_says_tls(
    said: dict[str, object],
) -> None:
    """Whoever stands between said so: the client went on in the clear, whatever certificate was given."""
    heard = bytearray()

    async def plain(stream: trio.SocketStream) -> None:
        await stream.send_all(info(**said))
        heard.extend(await stream.receive_some())

    async def body(box: StreamBox) -> None:
        with pytest.raises(Unreached):
            await box.names()

    box_with(plain, body, "nats+tls")
    assert heard[:2] == bytes([22, 3]), "a handshake of TLS"


@pytest.mark.parametrize(
    "begins",
    [
        b"MSG a 1 1000000000000000000\r\n",
        b"HMSG a 1 1000000000000000 1000000000000000000\r\n",
        b"MSG ",
        b"INFO ",
        b"MSG a ",
    ],
)
def test_what_has_no_end_is_given_up_before_it_is_held(begins: bytes) -> None:
    """The client held all of it, and read what has no end of line again from its beginning with each piece."""
    sent = 0

    async def endless(stream: trio.SocketStream) -> None:
        nonlocal sent
        await begin(stream)
        await stream.send_all(begins)
        while sent < SENT_BYTES:
            await stream.send_all(SOME)
            sent += len(SOME)

    async def body(box: StreamBox) -> None:
        with pytest.raises(Unreached):
            await box.names()

    box_with(endless, body)
    assert sent < SENT_BYTES


def test_servers_that_it_names_are_not_compared_with_all_that_it_named() -> None:
    """Half a megabyte of names took a minute, in which nothing else was done on the thread that finds peers."""

    async def naming(stream: trio.SocketStream) -> None:
        await begin(stream)
        for line in range(20):
            await stream.send_all(info(connect_urls=[f"h{line}:{port}" for port in range(1, 2_001)]))
        await stream.send_all(b"-ERR 'enough'\r\n")

    async def body(box: StreamBox) -> None:
        with pytest.raises(Unreached):
            await box.names()

    box_with(naming, body)


async def answer(stream: trio.SocketStream) -> None:
    """Let a client in, and list no files for it, until all is answered that it asks to begin with."""
    await stream.send_all(info())
    heard, inbox = bytearray(), b""
    async for some in stream:
        heard += some
        while b"\r\n" in heard:
            line, _, rest = bytes(heard).partition(b"\r\n")
            match line.split(b" "):
                case [b"CONNECT", *_]:
                    await stream.send_all(b"+OK\r\n")
                case [b"PING"]:
                    await stream.send_all(b"PONG\r\n")
                case [b"SUB", subject, *_, sid] if subject.startswith(b"_INBOX"):
                    inbox = sid
                case [b"PUB", subject, to, size]:
                    if len(rest) < int(size) + 2:
                        break
                    asked, rest = rest[: int(size)], rest[int(size) + 2 :]
                    said = json.dumps({"state": {"subjects": {}}, "total": 0}).encode()
                    await stream.send_all(b"MSG %b %b %d\r\n%b\r\n" % (to, inbox, len(said), said))
                    if b"offset" in asked:
                        return
            heard[:] = rest


@pytest.mark.parametrize(
    "said",
    [
        b"PING",
        b"PONG",
        b"+OK",
        b"INFO {}",
        b"-ERR 'permissions violation'",
        b"MSG a 1 1\r\nx",
        b"MSG a 99 0\r\n",
    ],
)
def test_a_server_that_says_without_end_what_nobody_asked_is_left(said: bytes) -> None:
    """A device heard all of it, for as long as that lasted, on the thread on which it finds others, too."""
    ended = trio.Event()

    async def endless(stream: trio.SocketStream) -> None:
        await answer(stream)
        try:
            while True:
                await stream.send_all((said + b"\r\n") * 1_000)
        finally:
            ended.set()

    async def body(box: StreamBox) -> None:
        assert await box.names() == {}
        await box.bell()  # it ends with the connection, too, and with what rings
        await ended.wait()

    box_with(endless, body)


# Each in so many bytes as an answer may have.
BOMBS = {
    "lists": b"[" + b"[]," * 5_000_000 + b"1]",
    "objects": b'{"state":[' + b"{}," * 5_000_000 + b"1]}",
    "depth": b"[" * 15_000_000,
    "numbers": b"[" + b"1," * 7_000_000 + b"1]",
    "subjects": b'{"state":{"subjects":{' + b",".join(b'"%d":1' % n for n in range(1_200_000)) + b"}}}",
}


@pytest.mark.parametrize("kind", BOMBS)
def test_an_answer_of_millions_of_values_is_not_read(kind: str) -> None:
    """Nothing else ran while it was: three seconds for each page of a listing, and half a gigabyte of memory."""
    asking = StreamFiles("group", now=time.monotonic).names()
    next(asking)
    began_s = time.thread_time()
    with pytest.raises(Unreached, match="could not be read"):
        asking.send(BOMBS[kind])
    assert time.thread_time() - began_s < 0.3


def test_a_listing_of_as_many_parts_as_a_page_may_name_is_read() -> None:
    subjects = {f"samemind.group.file.{n:032x}_samemind.4.0": 1 for n in range(100_000)}
    page = json.dumps(
        {"config": {"subjects": ["a"] * 100}, "state": {"subjects": subjects}, "total": 100_000}
    )
    asking = StreamFiles("group", now=time.monotonic).names()
    next(asking)
    with pytest.raises(StopIteration) as ended:
        asking.send(page.encode())
    assert len(ended.value.value) == 100_000


def test_a_header_without_end_is_given_up() -> None:
    """Each line of it was read, whatever its message was for: half a million of them took two seconds."""
    header = b"NATS/1.0\r\n" + b"a: b\r\n" * 100_000 + b"\r\n"
    ended = trio.Event()

    async def headed(stream: trio.SocketStream) -> None:
        await answer(stream)
        try:
            await stream.send_all(b"HMSG a 99 %d %d\r\n" % (len(header), len(header)) + header)
            await stream.receive_some()
        finally:
            ended.set()

    async def body(box: StreamBox) -> None:
        assert await box.names() == {}
        await ended.wait()

    box_with(headed, body)


def test_a_connection_whose_closing_takes_too_long_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """The client's own way waits for its tasks first; given up on the way, it kept the socket."""
    needs_package("nats")
    from sync.mailbox.nats_client import BoundedClient

    async def for_ever(client: BoundedClient) -> None:
        await asyncio.sleep(GIVE_UP_SECONDS)

    monkeypatch.setattr(BoundedClient, "close", for_ever)
    ended = trio.Event()

    async def silent(stream: trio.SocketStream) -> None:
        await begin(stream)
        async for _ in stream:
            pass
        ended.set()

    async def body(box: StreamBox) -> None:
        with pytest.raises(Unreached):
            await box.names()
        with trio.fail_after(GIVE_UP_SECONDS / 2):
            await ended.wait()

    box_with(silent, body)
