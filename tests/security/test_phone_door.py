"""The panel's WebSocket, tried by those who should not get in: a real daemon, and a client that does as it likes."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from socket import create_connection
from urllib.parse import urlsplit

import pytest
import trio
from wsproto.events import BytesMessage, Event, Ping

from replica.keys import agreement_key
from sync.errors import SyncError, WrongCode
from sync.identity import Identity, fingerprint
from sync.links import LINKS_OF_A_PEER_MAX
from sync.web_hello import (
    LINK_PROTOCOL,
    MAIL_PROTOCOL,
    PAIR_PROTOCOL,
    RECORD_BYTES_MAX,
    HelloInitiator,
    mail_origin,
)
from sync.web_link import TOO_MANY, RecordStream
from sync.wire.frames import encode_frame
from sync.wire.limits import FRAME_BYTES_MAX
from sync.wire.messages import CaughtUp, encode_message
from tests.support.cli import daemon
from tests.support.cli import run as samemind
from tests.support.daemons import until
from tests.support.devices import devices, run
from tests.support.hearing import next_line
from tests.support.links import identity
from tests.support.pages import ClientSocket, Page, Refused, hello, offering, origin_of, websocket

MALLORY = identity("mallory")
CROWD = 30
SECRET = "the spare key is with Mrs. Okafor"


@dataclass
class Served:
    """A daemon with a panel and something to keep to itself."""

    home: Path
    url: str
    certificate: bytes


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    home = tmp_path_factory.mktemp("served") / "home"
    assert samemind(home, "remember", SECRET).code == 0
    with daemon(home, "--panel", "127.0.0.1:0") as running:
        yield Served(
            home, running.said["panel_url"].rstrip("/"), Identity.load(home / "identity.pem").certificate
        )
        status = samemind(home, "--json", "status")
        assert status.code == 0, status  # whatever was tried, it answers its owner


async def heard(socket: ClientSocket) -> tuple[list[bytes], int | None]:
    """Everything that is said until the WebSocket closes, and the number with which it does."""
    said: list[bytes] = []
    with trio.fail_after(20):
        while (message := await socket.receive()) is not None:
            said.append(message)
    return said, socket.closed


# -- before it stands --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "origin", [None, "https://evil.example", "null", "http://localhost", "http://127.0.0.1:1"]
)
def test_a_page_from_elsewhere_gets_no_websocket(served: Served, origin: str | None) -> None:
    async def main() -> None:
        with pytest.raises(Refused) as refused:
            async with websocket(served.url, LINK_PROTOCOL, origin=origin):
                pass
        assert refused.value.status == 403

    run(main)


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1:1", "169.254.169.254"])
def test_a_name_that_was_pointed_here_gets_no_websocket(served: Served, host: str) -> None:
    async def main() -> None:
        with pytest.raises(Refused):
            async with websocket(served.url, LINK_PROTOCOL, host=host, origin=f"http://{host}"):
                pass

    run(main)


@pytest.mark.parametrize(
    ("path", "protocol"),
    [
        ("/", LINK_PROTOCOL),
        ("/phone/link/", LINK_PROTOCOL),
        ("/phone/../phone/link", LINK_PROTOCOL),
        ("/api/v1/panel/events", LINK_PROTOCOL),
        ("/phone/link", None),
        ("/phone/link", "samemind-link-0"),
        ("/phone/link", "samemind-link-3"),
        ("/phone/link", "chat"),
    ],
)
def test_nothing_else_is_a_websocket_and_nothing_else_is_spoken(
    served: Served, path: str, protocol: str | None
) -> None:
    async def main() -> None:
        with pytest.raises(Refused) as refused:
            async with websocket(served.url, protocol, path=path):
                pass
        assert refused.value.status == 403

    run(main)


def test_strangers_that_stand_about_keep_no_phone_out(served: Served, tmp_path: Path) -> None:
    """Of one machine, more than may stand: each is shown out, and a phone of the group is let in meanwhile."""

    async def stand(codes: list[int | None], standing: trio.Event) -> None:
        async with websocket(served.url, LINK_PROTOCOL) as socket:
            standing.set()
            codes.append((await heard(socket))[1])

    async def main() -> None:
        async with devices(tmp_path, "phone") as (phone,):
            page = Page(phone, served.url)
            with offering(served.home) as (code, _):
                await page.pair(code)
            codes: list[int | None] = []
            async with trio.open_nursery() as nursery:
                for _ in range(CROWD):
                    standing = trio.Event()
                    nursery.start_soon(stand, codes, standing)
                    await standing.wait()
                async with page.linked() as link:
                    await link.settle()
                    assert SECRET in await phone.texts()
            # Too slow a hello, made to wait by too many, or simply gone: none was let in.
            assert len(codes) == CROWD
            assert set(codes) <= {4408, 4429, 1006, None}

    run(main)


def test_a_phone_that_links_once_too_often_is_told_so_and_its_links_stay(
    served: Served, tmp_path: Path
) -> None:
    """The fifth closed with 1011, as if the daemon had failed."""

    async def main() -> None:
        async with devices(tmp_path, "phone") as (phone,), AsyncExitStack() as stack:
            page = Page(phone, served.url)
            with offering(served.home) as (code, _):
                await page.pair(code)
            pins, sockets = await page.pins(), []
            for _ in range(LINKS_OF_A_PEER_MAX + 1):
                socket = await stack.enter_async_context(websocket(served.url, LINK_PROTOCOL))
                sockets.append((socket, await hello(socket, phone.identity, pins, origin_of(served.url))))
            *held, (one_more, _) = sockets
            assert (await heard(one_more))[1] == TOO_MANY
            for _, stream in held:
                with trio.fail_after(20):
                    assert await stream.receive_some(), "its part of the conversation"

    run(main)


# -- the hello ---------------------------------------------------------------------------------------------------


def test_a_stranger_hears_a_random_key_and_nothing_else(served: Served) -> None:
    async def main() -> None:
        async with websocket(served.url, LINK_PROTOCOL) as socket:
            caller = HelloInitiator(
                certificate=MALLORY.certificate,
                sign=MALLORY.sign,
                pins=[served.certificate],
                origin=origin_of(served.url),
                entropy=Random().randbytes,
            )
            await socket.send(caller.start())
            key = await socket.receive()
            assert key is not None
            assert len(key) == 33
            for answer in caller.receive(key):
                await socket.send(answer)
            assert await heard(socket) == ([], 4403)

    run(main)


def _not_a_hello(data: bytes | str) -> Callable[[ClientSocket], Awaitable[None]]:
    async def say(socket: ClientSocket) -> None:
        await socket.send(data)

    return say


async def _a_second_key(socket: ClientSocket) -> None:
    for _ in range(2):
        await socket.send(b"\x01" + agreement_key(bytes(range(32))))


async def _in_pieces_without_end(socket: ClientSocket) -> None:
    with pytest.raises(trio.BrokenResourceError):  # noqa: PT012 - at some piece
        while True:
            await socket.send_event(BytesMessage(bytes(16_384), message_finished=False))


async def _crooked_frames(socket: ClientSocket) -> None:
    await socket.send_raw(b"\xff" * 64)


@pytest.mark.parametrize(
    ("say", "codes"),
    [
        (_not_a_hello(b""), {4400}),
        (_not_a_hello(b"\x01" + bytes(32)), {4400}),
        (_not_a_hello(b"\x02" + bytes(200)), {4400}),
        (_not_a_hello(bytes(RECORD_BYTES_MAX)), {4400}),
        (_not_a_hello("hello"), {4400}),
        (_a_second_key, {4400}),
        (_not_a_hello(bytes(RECORD_BYTES_MAX + 1)), {1009, None}),
        (_in_pieces_without_end, {1009, None}),
        (_crooked_frames, {1002, 1006, None}),
    ],
    ids=[
        "nothing",
        "a key cut short",
        "a key too long",
        "the longest record",
        "text",
        "a second key",
        "more than a record",
        "pieces without end",
        "crooked frames",
    ],
)
def test_who_does_not_speak_as_we_do_is_shown_out(
    served: Served, say: Callable[[ClientSocket], Awaitable[None]], codes: set[int | None]
) -> None:
    async def main() -> None:
        async with websocket(served.url, LINK_PROTOCOL) as socket:
            await say(socket)
            said, code = await heard(socket)
            assert code in codes
            assert all(len(each) == 33 for each in said)

    run(main)


@pytest.mark.parametrize(
    "event", [Ping(bytes(100)), BytesMessage(b"", message_finished=False)], ids=["pings", "empty pieces"]
)
def test_who_sends_without_end_what_is_no_message_is_shown_out(served: Served, event: Event) -> None:
    async def send(socket: ClientSocket) -> None:
        while True:
            await socket.send_event(event)

    async def main() -> None:
        async with websocket(served.url, LINK_PROTOCOL) as socket:
            with trio.fail_after(20), pytest.raises(trio.BrokenResourceError):
                await send(socket)
        status = await trio.to_thread.run_sync(partial(samemind, served.home, "--json", "status"))
        assert status.code == 0

    run(main)


def test_nothing_is_unpacked_for_anybody(served: Served) -> None:
    """A thousandth of its size on the wire: compression is not agreed to, so it cannot be sent at all."""

    async def main() -> None:
        async with websocket(served.url, LINK_PROTOCOL, extensions="permessage-deflate") as socket:
            await socket.send_raw(
                bytes([0xC2, 0x85]) + bytes(4) + b"\x00\x00\x00\xff\xff"
            )  # with its bit set
            said, code = await heard(socket)
            assert (said, code) in (([], 1002), ([], 1006), ([], None))

    run(main)


@pytest.mark.parametrize(
    ("request_line", "headers"),
    [
        ("PRI * HTTP/2.0", ""),
        (
            "GET /phone/ HTTP/1.1",
            "Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAAA\r\n",
        ),
    ],
    ids=["as if it were known", "by an upgrade"],
)
def test_nobody_gets_to_http_2(served: Served, request_line: str, headers: str) -> None:
    """It carries a hundred WebSockets on what counts as one connection, and agrees to compression on each."""
    host, port = urlsplit(served.url).netloc.rsplit(":", 1)
    with create_connection((host, int(port)), timeout=60) as stranger:
        if headers:
            headers = f"Host: {host}:{port}\r\n{headers}"
        stranger.sendall(f"{request_line}\r\n{headers}\r\nSM\r\n\r\n".encode())
        stranger.sendall(bytes(3) + b"\x04" + bytes(5))  # HTTP/2's first frame: settings, none of them set
        answer = stranger.recv(4_096)
    assert answer.startswith(b"HTTP/1.1 "), answer
    assert not answer.startswith(b"HTTP/1.1 101"), answer


# -- pairing -----------------------------------------------------------------------------------------------------


def test_nobody_pairs_while_no_code_is_shown(served: Served, tmp_path: Path) -> None:
    async def main() -> None:
        async with devices(tmp_path, "phone") as (phone,):
            page = Page(phone, served.url)
            with pytest.raises(trio.BrokenResourceError):
                await page.pair("517-tunnel-salmon")
            assert page.closed == 4404

    run(main)


# -- which mailboxes there are -----------------------------------------------------------------------------------


def test_a_member_alone_hears_of_mailboxes_and_a_proof_for_a_link_is_none_for_that(
    served: Served, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text("geheim-4711")
    address = "webdav+https://ada@cloud.example/box"
    for words in (
        ("add", address, "--name", "post", "--secret-file", str(tmp_path / "secret")),
        ("add", f"folder://{tmp_path}", "--name", "not for phones"),
        ("phones", "post", "--at", "https://cloud.example"),
    ):
        assert samemind(served.home, "mailbox", *words).code == 0

    async def main() -> None:
        async with devices(tmp_path, "phone") as (phone,):
            page, origin = Page(phone, served.url), origin_of(served.url)
            with offering(served.home) as (code, _):
                await page.pair(code)
            pins = await page.pins()
            for who, where in ((MALLORY, mail_origin(origin)), (phone.identity, origin)):
                async with websocket(served.url, MAIL_PROTOCOL) as socket:
                    with pytest.raises((trio.BrokenResourceError, SyncError)):
                        await hello(socket, who, [served.certificate], where)
            async with websocket(served.url, MAIL_PROTOCOL) as socket:
                stream = await hello(socket, phone.identity, pins, mail_origin(origin))
                told = b""
                while some := await stream.receive_some():
                    told += some
            (one,) = json.loads(told)
            assert (one["name"], one["secret"]) == ("post", "geheim-4711")

    try:
        run(main)
    finally:
        for name in ("post", "not for phones"):
            assert samemind(served.home, "mailbox", "remove", name).code == 0


def test_a_code_is_good_for_one_guess(served: Served, tmp_path: Path) -> None:
    """A wrong one burns it for everybody, by whatever door they come; the one that is shown then is good."""

    async def main() -> None:
        async with devices(tmp_path, "phone") as (phone,):
            page = Page(phone, served.url)
            with offering(served.home) as (code, command):
                guess, shown = f"{int(code[:3]) % 900 + 100}{code[3:]}", [code]
                for _ in range(2):
                    with pytest.raises(WrongCode):
                        await page.pair(guess)
                    assert "refused" in json.loads(next_line(command))
                    shown.append(json.loads(next_line(command))["code"])
                    guess = code  # which was right before
                assert len(set(shown)) == 3
                await page.pair(shown[-1])

    run(main)


def test_a_code_read_by_camera_is_not_proved_to_another_device(served: Served, tmp_path: Path) -> None:
    async def main() -> None:
        async with devices(tmp_path, "phone") as (phone,):
            page = Page(phone, served.url)
            with offering(served.home) as (code, _):
                with pytest.raises(SyncError):
                    await page.pair(code, expected=fingerprint(MALLORY.certificate))
                await page.pair(code, expected=fingerprint(served.certificate))

    run(main)


def test_a_pairing_that_says_something_else_admits_nobody(served: Served) -> None:
    async def main() -> None:
        with offering(served.home):
            for said in (b"", b"\x01\x01", b"\x01\x03" + bytes(64), bytes(65_536), b"\x02\x01" + bytes(400)):
                async with websocket(served.url, PAIR_PROTOCOL) as socket:
                    assert await socket.receive() == served.certificate
                    await socket.send(said)
                    refusals, code = await heard(socket)
                    assert [each[:2] for each in refusals] == [b"\x01\x05"]
                    assert code == 1000
        assert len(samemind(served.home, "--json", "peers", "list").json["peers"]) == before

    before = len(samemind(served.home, "--json", "peers", "list").json["peers"])
    run(main)


# -- a member that turns -----------------------------------------------------------------------------------------


@asynccontextmanager
async def linked(served: Served, folder: Path) -> AsyncIterator[tuple[ClientSocket, RecordStream]]:
    """The stream of a phone that is paired and has proved itself, in the hands of a test."""
    async with devices(folder, "phone") as (phone,):
        page = Page(phone, served.url)
        with offering(served.home) as (code, _):
            await page.pair(code)
        async with websocket(served.url, LINK_PROTOCOL) as socket:
            origin = origin_of(served.url)
            yield socket, await hello(socket, phone.identity, await page.pins(), origin)


def test_of_many_links_of_one_phone_few_stay(served: Served, tmp_path: Path) -> None:
    async def main() -> None:
        async with devices(tmp_path, "phone") as (phone,), AsyncExitStack() as stack:
            page = Page(phone, served.url)
            with offering(served.home) as (code, _):
                await page.pair(code)
            pins, origin = await page.pins(), origin_of(served.url)
            sockets = []
            for _ in range(CROWD):
                socket = await stack.enter_async_context(websocket(served.url, LINK_PROTOCOL))
                await hello(socket, phone.identity, pins, origin)
                sockets.append(socket)
            ended: list[ClientSocket] = []

            async def until_ended(socket: ClientSocket) -> None:
                while await socket.receive() is not None:
                    pass
                ended.append(socket)

            async def few_are_left() -> bool:
                return CROWD - len(ended) <= LINKS_OF_A_PEER_MAX

            async with trio.open_nursery() as nursery:
                for socket in sockets:
                    nursery.start_soon(until_ended, socket)
                await until(few_are_left)
                await trio.sleep(1)
                assert len(ended) < CROWD
                nursery.cancel_scope.cancel()

    run(main)


def _record(stream: RecordStream, data: bytes) -> bytes:
    (record,) = stream._channel.seal(data)
    return record


def _altered(stream: RecordStream) -> list[bytes]:
    record = _record(stream, encode_frame(b"\x01"))
    return [record[:-1] + bytes([record[-1] ^ 1])]


def _repeated(stream: RecordStream) -> list[bytes]:
    return [_record(stream, b"\0")] * 2


def _moved(stream: RecordStream) -> list[bytes]:
    return [_record(stream, b"\0"), _record(stream, b"\0")][::-1]


def _too_long_a_frame(stream: RecordStream) -> list[bytes]:
    return [_record(stream, (FRAME_BYTES_MAX + 1).to_bytes(4, "big"))]


def _no_message(stream: RecordStream) -> list[bytes]:
    return [_record(stream, encode_frame(b"\xff" * 10))]


def _out_of_turn(stream: RecordStream) -> list[bytes]:
    return [_record(stream, encode_frame(encode_message(CaughtUp())))]


def _cut_off(stream: RecordStream) -> list[bytes]:
    return [_record(stream, encode_frame(b"\0" * 100)[:50]), stream._channel.end()]


@pytest.mark.parametrize(
    "say", [_altered, _repeated, _moved, _too_long_a_frame, _no_message, _out_of_turn, _cut_off]
)
def test_a_member_that_says_something_else_loses_its_link(
    served: Served, tmp_path: Path, say: Callable[[RecordStream], list[bytes]]
) -> None:
    async def main() -> None:
        async with linked(served, tmp_path) as (socket, stream):
            for record in say(stream):
                await socket.send(record)
            _, code = await heard(socket)
            assert code == 1000

    run(main)
