"""What a storage's answers mean, from a server that answers as it is told; and when one is looked at."""

import contextlib
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

import pytest
import trio
import trio.testing

from replica.asyncio_host import AsyncioHost
from sync.errors import Denied, Full, Gone, MailboxError, Unreached
from sync.mailbox.box import Mailbox
from sync.mailbox.http_files import Calling
from sync.mailbox.pace import LOOK_SECONDS_MAX
from sync.mailbox.places import MailboxAddress, check_place, open_box
from sync.mailbox.requesting import HttpBox
from sync.mailbox.webdav import WebdavFiles
from tests.support.mailbox_servers import AZURE_KEY
from tests.support.ports import free_port
from tests.support.visits import any_name, read_file

NAME, SIZE = any_name(), 1 << 20


class Told(BaseHTTPRequestHandler):
    """Answers every request with one status."""

    protocol_version = "HTTP/1.1"
    status: ClassVar[int] = 500
    headers_too: ClassVar[dict[str, str]] = {}
    body: ClassVar[bytes] = b""
    asked: ClassVar[int] = 0

    def answer(self) -> None:
        Told.asked += 1
        self.rfile.read(int(self.headers.get("content-length", 0)))
        self.send_response(Told.status)
        length = str(len(Told.body))
        for header, value in {**Told.headers_too, "content-length": length, "connection": "close"}.items():
            self.send_header(header, value)
        self.end_headers()
        self.wfile.write(Told.body)
        self.close_connection = True

    do_PUT = do_GET = do_PROPFIND = do_MKCOL = do_DELETE = do_HEAD = answer  # noqa: N815

    def log_message(self, *args: Any) -> None:
        pass


@contextmanager
def answering(status: int, **headers: str) -> Iterator[str]:
    Told.status, Told.headers_too, Told.body, Told.asked = status, headers, b"", 0
    with ThreadingHTTPServer(("127.0.0.1", 0), Told) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


SECRETS = {"webdav": "hush-hush", "s3": "hush-hush", "azblob": AZURE_KEY}


def call(
    endpoint: str,
    body: Callable[[Mailbox], Awaitable[Any]],
    *,
    scheme: str = "webdav",
    timeout_s: float | None = None,
) -> None:
    urls = {
        "webdav": f"webdav+{endpoint.replace('//', '//ada@')}/box",
        "s3": f"s3://ada@bucket/box?endpoint={endpoint}&region=us-east-1",
        "azblob": f"azblob://ada@container/box?endpoint={endpoint}/ada",
    }
    place = check_place(MailboxAddress(urls[scheme], SECRETS[scheme]))

    async def main() -> None:
        async with AsyncioHost.open() as host:
            box = open_box(place, host)
            assert isinstance(box, HttpBox)
            if timeout_s is not None:
                box._timeout_s = timeout_s
            try:
                await body(box)
            finally:
                await box.aclose()

    trio.run(main)


async def put(box: Mailbox) -> None:
    await box.put(NAME, b"words")


async def get(box: Mailbox) -> None:
    await read_file(box, NAME, SIZE)


async def names(box: Mailbox) -> None:
    await box.names()


async def remove(box: Mailbox) -> None:
    await box.remove(NAME)


SCHEMES = ("webdav", "s3", "azblob")
EACH = [(scheme, doing) for scheme in SCHEMES for doing in (put, get, names, remove)]


@pytest.mark.parametrize(("scheme", "doing"), EACH)
@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (401, Denied),
        (403, Denied),
        (413, Full),
        (423, Unreached),
        (429, Unreached),
        (500, Unreached),
        (503, Unreached),
        (507, Full),
    ],
)
def test_each_answer_is_one_of_four_errors(
    status: int, expected: type[MailboxError], doing: Callable[[Mailbox], Awaitable[None]], scheme: str
) -> None:
    with answering(status) as endpoint, pytest.raises(expected, match=str(status)) as caught:
        call(endpoint, doing, scheme=scheme)
    assert type(caught.value) is expected
    assert "hush" not in str(caught.value)
    assert SECRETS[scheme] not in str(caught.value)
    assert Told.asked == 1, "the caller backs off, nobody else"


@pytest.mark.parametrize(("scheme", "doing"), EACH)
@pytest.mark.parametrize("status", [429, 503])
def test_a_server_that_says_when_to_come_again_is_heard(
    status: int, doing: Callable[[Mailbox], Awaitable[None]], scheme: str
) -> None:
    with answering(status, **{"Retry-After": "17"}) as endpoint, pytest.raises(Unreached) as caught:
        call(endpoint, doing, scheme=scheme)
    assert caught.value.retry_after_s == 17.0


def test_the_region_that_a_bucket_is_in_is_read_from_a_redirect() -> None:
    with (
        answering(301, **{"X-Amz-Bucket-Region": "eu-west-3"}) as endpoint,
        pytest.raises(Denied, match="wants the region eu-west-3, and this is signed for us-east-1"),
    ):
        call(endpoint, names, scheme="s3")


@pytest.mark.parametrize("scheme", ["s3", "azblob"])
def test_a_bucket_that_is_not_there_is_no_empty_one_and_no_line_that_is_down(scheme: str) -> None:
    with answering(404) as endpoint, pytest.raises(Gone, match="is its name right"):
        call(endpoint, names, scheme=scheme)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_one_that_does_not_answer_is_not_waited_for_for_ever(scheme: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(Unreached):
        call(f"http://127.0.0.1:{silent.getsockname()[1]}", put, scheme=scheme, timeout_s=0.3)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_one_that_is_not_there_is_said_to_be_out_of_reach(scheme: str) -> None:
    with pytest.raises(Unreached, match="refused"):
        call(f"http://127.0.0.1:{free_port()}", names, scheme=scheme)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_request_that_hangs_ends_with_whoever_waits_for_it(scheme: str) -> None:
    async def body(box: Mailbox) -> None:
        with trio.fail_after(60), trio.move_on_after(0.2) as scope:
            await box.names()
        assert scope.cancelled_caught

    with socket.create_server(("127.0.0.1", 0)) as silent:
        call(f"http://127.0.0.1:{silent.getsockname()[1]}", body, scheme=scheme)


def test_a_storage_that_nobody_writes_to_is_looked_at_less_and_less_often(
    autojump_clock: trio.testing.MockClock,
) -> None:
    listed: dict[str, int] = {}

    class Listing(WebdavFiles):
        def names(self) -> Calling[dict[str, int]]:
            yield from ()
            return dict(listed)

    box = HttpBox(Listing("http://127.0.0.1:9/box", None, None), look_s=60)

    async def main() -> list[float]:
        waited = []
        for n in range(6):
            if n == 4:
                listed["new"] = 1
            await box.names()
            began = trio.current_time()
            await box.bell()
            waited.append(trio.current_time() - began)
        return waited

    waits = trio.run(main, clock=autojump_clock)
    assert waits == pytest.approx([60, 120, 240, LOOK_SECONDS_MAX, 60, 120])


@pytest.fixture
def autojump_clock() -> trio.testing.MockClock:
    return trio.testing.MockClock(autojump_threshold=0)


class Endless(Told):
    """Sends far more than anybody was told there is."""

    sent: ClassVar[int] = 0

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-length", str(1 << 30))
        self.end_headers()
        with contextlib.suppress(OSError):
            while Endless.sent < 1 << 30:
                Endless.sent += self.wfile.write(bytes(1 << 16))
        self.close_connection = True


@pytest.mark.parametrize("scheme", SCHEMES)
def test_of_an_answer_without_end_only_what_was_listed_is_read(scheme: str) -> None:
    found = list[bytes]()

    async def body(box: Mailbox) -> None:
        found.append(await read_file(box, NAME, 100))

    Endless.sent = 0
    with ThreadingHTTPServer(("127.0.0.1", 0), Endless) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            call(f"http://127.0.0.1:{server.server_port}", body, scheme=scheme)
        finally:
            server.shutdown()
            thread.join()
    assert found == [bytes(100)]
    assert Endless.sent < 64 << 20
