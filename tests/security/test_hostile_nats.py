"""A NATS server that answers as no honest one would, and whoever stands between a device and an honest one."""

import json
from collections.abc import Awaitable, Callable
from functools import partial

import pytest
import trio

from replica.asyncio_host import AsyncioHost
from sync.errors import Unreached
from sync.mailbox import jetstream
from sync.mailbox.jetstream import StreamBox
from sync.mailbox.places import MailboxAddress, check_place, open_box
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
