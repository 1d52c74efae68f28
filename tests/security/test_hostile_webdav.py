"""A WebDAV server that sends what nobody honest would: that costs its mailbox time, and a device nothing."""

import io
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import trio

from samemind.config import Home
from samemind.panel.certificate import ensure_certificate
from sync.errors import Full, NoRoomHere, Unreached
from sync.mailbox import fetched, webdav
from sync.mailbox.http_files import HttpFiles
from sync.mailbox.requesting import HttpBox
from sync.mailbox.webdav import LISTING_BYTES_MAX, WebdavFiles, read_listing
from tests.support.ports import free_port
from tests.support.visits import any_name, read_file

GIVE_UP_SECONDS = 60.0
# Far less than what was sent before there was a bound, and more than any system keeps on its way.
SENT_MAX = 32 << 20
GROWTH_MAX = 60 << 20

Answering = Callable[["Raw", socket.socket], None]


class Raw:
    """A server of bare sockets. `answering` sends what it likes to each request."""

    def __init__(self, answering: Answering, context: ssl.SSLContext | None = None) -> None:
        self._answering = answering
        self._context = context
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.ended = threading.Event()
        self.connections = 0
        self.asked: list[bytes] = []
        self.sent = 0
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/box"

    def send(self, line: socket.socket, data: bytes) -> None:
        line.sendall(data)
        self.sent += len(data)

    def forever(self, line: socket.socket, data: bytes, pause_s: float = 0.0) -> None:
        while not self.ended.wait(pause_s) and self.sent < 1 << 30:
            self.send(line, data)

    def close(self) -> None:
        self.ended.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                line, _ = self._listener.accept()
                self.connections += 1
                line.settimeout(GIVE_UP_SECONDS)
                thread = threading.Thread(target=self._serve, args=(line,))
                self._threads.append(thread)
                thread.start()

    def _serve(self, line: socket.socket) -> None:
        with suppress(OSError), line:
            if self._context is not None:
                line = self._context.wrap_socket(line, server_side=True)
            with line:
                heard = line.makefile("rb")
                while head := _head(heard):
                    self.asked.append(head)
                    self._answering(self, line)


def _head(heard: io.BufferedReader) -> bytes:
    """Read a request, and return its head."""
    head, length = b"", 0
    while line := heard.readline():
        head += line
        if line.lower().startswith(b"content-length:"):
            length = int(line.partition(b":")[2])
        if line == b"\r\n":
            heard.read(length)
            return head
    return b""


@contextmanager
def raw(answering: Answering, context: ssl.SSLContext | None = None) -> Iterator[Raw]:
    server = Raw(answering, context)
    try:
        yield server
    finally:
        server.close()


def saying(answer: bytes) -> Answering:
    return lambda server, line: server.send(line, answer)


def in_pieces(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


EMPTY = b'<?xml version="1.0"?><multistatus xmlns="DAV:"/>'
LISTED = b"HTTP/1.1 207 Multi-Status\r\ncontent-length: %d\r\n\r\n%b" % (len(EMPTY), EMPTY)
OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = b"transfer-encoding: chunked\r\n\r\n"


async def put(box: HttpBox) -> None:
    await box.put(any_name(), b"words")


async def names(box: HttpBox) -> None:
    await box.names()


async def get(box: HttpBox) -> bytes:
    return await read_file(box, any_name(), 1_000)


async def remove(box: HttpBox) -> None:
    await box.remove(any_name())


VERBS = (put, names, get, remove)


def ask(
    url: str,
    verb: Callable[[HttpBox], Any],
    *,
    timeout_s: float = GIVE_UP_SECONDS,
    files: HttpFiles | None = None,
) -> Any:
    """Do one thing with a box: `files`, or a folder of WebDAV at this address."""

    async def main() -> Any:
        box = HttpBox(files or WebdavFiles(url, "ada", "correct-horse"), timeout_s=timeout_s)
        with trio.fail_after(GIVE_UP_SECONDS):
            try:
                return await verb(box)
            finally:
                await box.aclose()

    return trio.run(main)


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_nobody_goes_where_a_redirect_points(status: int, verb: Callable[[HttpBox], Any]) -> None:
    """OpenDAL followed one for a file: whoever ran a mailbox had a device ask machines of its own network."""
    with raw(saying(LISTED)) as other:
        moved = b"HTTP/1.1 %d Moved\r\nlocation: http://127.0.0.1:%d/admin\r\ncontent-length: 0\r\n\r\n"
        with raw(saying(moved % (status, other.port))) as server:
            with pytest.raises(Unreached) as caught:
                ask(server.url, verb)
        assert server.asked
        assert other.connections == 0
        assert f"sends us to http://127.0.0.1:{other.port}, and" in str(caught.value)


ROW = (
    b"<response><href>/box/%032x.samemind</href><propstat><prop><getcontentlength>1</getcontentlength>"
    b"<resourcetype/></prop></propstat></response>"
)
ENDLESS = {
    "names": (OK + CHUNKED + in_pieces(b'<multistatus xmlns="DAV:">'), in_pieces(ROW % 7 * 400)),
    "spaces": (OK + b"\r\n", b" " * 65_536),
    "tags": (OK + b'\r\n<multistatus xmlns="DAV:">', b"<a/>" * 16_384),
    "one word": (OK + b'\r\n<multistatus xmlns="DAV:"><response><href>', b"x" * 65_536),
}
LOOKS = """
import sys, trio
from pathlib import Path
from sync.errors import MailboxError
from sync.mailbox.places import MailboxAddress, open_box

def most_kb():
    # What `getrusage` says begins with what the process had that started this one.
    return int(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0])

async def main():
    box = open_box(MailboxAddress(sys.argv[1], sys.argv[2] or None), None)
    before = most_kb()
    try:
        await box.names()
    except MailboxError as error:
        print(most_kb() - before, type(error).__name__)
    await box.aclose()

trio.run(main)
"""


def said_by(program: str, url: str, secret: str = "") -> str:
    """Run a program with a mailbox's address in a process of its own; return what it printed."""
    ended = subprocess.run(
        [sys.executable, "-c", program, url, secret],
        capture_output=True,
        text=True,
        timeout=GIVE_UP_SECONDS,
    )
    assert ended.returncode == 0, ended.stderr[-2_000:]
    return ended.stdout


def list_without_end(
    said: tuple[bytes, bytes], url: Callable[[Raw], str], bytes_max: int, *, secret: str = ""
) -> str:
    """List a mailbox in a process of its own, from a server that goes on for ever; return which error that raised.

    The process may not grow, and nothing may be read, beyond what a listing of `bytes_max` bytes takes.
    """
    if not Path("/proc/self/status").exists():
        pytest.skip("this system has no /proc to read it from")
    first, more = said

    def answer(server: Raw, line: socket.socket) -> None:
        server.send(line, first)
        server.forever(line, more)

    with raw(answer) as server:
        grown_kb, error = said_by(LOOKS, url(server), secret).split()
    assert int(grown_kb) << 10 < GROWTH_MAX
    assert server.sent < 2 * bytes_max + SENT_MAX
    return error


@pytest.mark.parametrize("kind", ENDLESS)
def test_a_listing_without_end_takes_so_much_memory_and_no_more(kind: str) -> None:
    """OpenDAL read it whole: what bounded it was a look at the memory of the process, at 512 MB."""
    assert list_without_end(ENDLESS[kind], lambda server: f"webdav+{server.url}", LISTING_BYTES_MAX) == "Full"


def test_others_are_served_while_a_long_listing_is_read() -> None:
    """A million of elements takes seconds to read."""
    body = b'<multistatus xmlns="DAV:">' + b"<a/>" * 2_000_000 + b"</multistatus>"
    answer = OK + b"content-length: %d\r\n\r\n" % len(body) + body
    pauses = []

    async def ticking() -> None:
        while True:
            began = trio.current_time()
            await trio.sleep(0.01)
            pauses.append(trio.current_time() - began)

    async def look(box: HttpBox) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ticking)
            began = trio.current_time()
            assert not await box.names()
            took_s = trio.current_time() - began
            nursery.cancel_scope.cancel()
        assert max(pauses) < took_s / 3, (max(pauses), took_s)

    with raw(saying(answer)) as server:
        ask(server.url, look)


def test_long_listings_of_several_mailboxes_are_read_one_after_the_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of fourteen that were read at once, each took as much of the processor as the thread that answers people."""
    body = b'<multistatus xmlns="DAV:">' + b"<a/>" * 50_000 + b"</multistatus>"
    reading, most = 0, 0

    def read_slowly(said: bytes) -> dict[str, int]:
        nonlocal reading, most
        reading += 1
        most = max(most, reading)
        time.sleep(0.1)
        reading -= 1
        return read_listing(said)

    monkeypatch.setattr(webdav, "read_listing", read_slowly)

    async def main(url: str) -> None:
        boxes = [HttpBox(WebdavFiles(url, None, None)) for _ in range(4)]
        with trio.fail_after(GIVE_UP_SECONDS):
            async with trio.open_nursery() as nursery:
                for box in boxes:
                    nursery.start_soon(box.names)
        for box in boxes:
            await box.aclose()

    with raw(saying(OK + b"content-length: %d\r\n\r\n" % len(body) + body)) as server:
        trio.run(main, server.url)
    assert most == 1


FETCHES = """
import sys, trio
from pathlib import Path
from sync.carrier.visit import GetFile, Looked
from sync.errors import MailboxError
from sync.mailbox.places import MailboxAddress, open_box
from sync.mailbox.visiting import look

def most_kb():
    return int(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0])

came, failed, folder = [], [], Path(sys.argv[2])

def visit(name):
    came.append((yield GetFile(name, 64 << 20)))
    return Looked()

async def fetch(number):
    box = open_box(MailboxAddress(sys.argv[1]), None)
    try:
        await look(box, None, "box", visit(f"{number:032x}.samemind"), folder=folder)
    except MailboxError as error:
        failed.append(error)
    await box.aclose()

async def main():
    before = most_kb()
    async with trio.open_nursery() as nursery:
        for number in range(4):
            nursery.start_soon(fetch, number)
    print(most_kb() - before, len(came), len(failed), *folder.iterdir())
    assert all(file.read() == bytes(64 << 20) for file in came)

trio.run(main)
"""


@pytest.mark.parametrize("breaks_off", [False, True])
def test_of_several_large_files_at_once_nothing_is_held_in_memory(tmp_path: Path, breaks_off: bool) -> None:
    """Each mailbox bounded its own: four that handed out the largest there may be had a daemon take 1.1 GB."""
    if not Path("/proc/self/status").exists():
        pytest.skip("this system has no /proc to read it from")
    size = 64 << 20

    def answer(server: Raw, line: socket.socket) -> None:
        server.send(line, OK + b"content-length: %d\r\n\r\n" % (size + breaks_off))
        for _ in range(size >> 20):
            server.send(line, bytes(1 << 20))
        if breaks_off:
            line.shutdown(socket.SHUT_RDWR)

    with raw(answer) as server:
        grown_kb, came, failed, *left = said_by(FETCHES, f"webdav+{server.url}", str(tmp_path)).split()
    assert (came, failed, left) == (("0", "4", []) if breaks_off else ("4", "0", []))
    assert int(grown_kb) << 10 < size


def test_a_device_without_room_for_what_it_fetches_is_said_to_be_at_fault(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its own store keeps the rest of the disk."""
    small, large = fetched.FETCHED_IN_MEMORY_MAX, fetched.FETCHED_IN_MEMORY_MAX + 1

    def answer(server: Raw, line: socket.socket) -> None:
        server.send(line, OK + b"content-length: %d\r\n\r\n" % large)
        server.send(line, bytes(large))

    async def fetch(box: HttpBox) -> None:
        began = fetched.FetchedFile(tmp_path, large)
        monkeypatch.setattr(fetched, "DISK_LEFT_MIN", 1 << 60)
        await box.get(any_name(), small, fetched.FetchedFile(tmp_path, small))
        with pytest.raises(
            NoRoomHere, match=r"no room for a file of 1\.0 MB .*: No space left .* while it"
        ) as refused:
            await box.get(any_name(), large, began)
        assert refused.value.missing == 0
        assert str(refused.value.fix).startswith("make room on this device's own disk")
        with pytest.raises(NoRoomHere, match=r"MB more are needed in ") as refused:
            fetched.FetchedFile(tmp_path, large)
        assert refused.value.missing > 1 << 59

    with raw(answer) as server:
        ask(server.url, fetch)


# What the reader took in at one go.
SWALLOWED = {
    "attributes": b"<multistatus " + b" ".join(b"a%d='>'" % n for n in range(400_000)) + b"/>",
    "name spaces": b"<multistatus " + b" ".join(b"xmlns:a%d='u%d'" % (n, n) for n in range(400_000)) + b"/>",
    "UTF-16": ("<m " + " ".join(f"a{n}='\u3c3c'" for n in range(200_000)) + "/>").encode("utf-16"),
    "names": b"<multistatus>" + b"".join(b"<a%d/>" % n for n in range(400_000)) + b"</multistatus>",
    "a comment": b"<multistatus><!--" + b"x" * (8 << 20) + b"--></multistatus>",
}


@pytest.mark.parametrize("kind", SWALLOWED)
def test_nothing_stands_still_for_a_tag_without_end_or_names_without_number(kind: str) -> None:
    """One tag of a million attributes stopped the whole device for nine seconds with each look."""
    began_s = time.thread_time()
    with pytest.raises(Unreached, match="as WebDAV does"):
        read_listing(SWALLOWED[kind])
    assert time.thread_time() - began_s < 0.3


def test_a_listing_may_have_some_hundred_names_and_a_tag_some_thousand_bytes() -> None:
    names_ = b"".join(b"<a%d b%d='%b'/>" % (n, n, b"x" * 4_000) for n in range(400))
    body = b'<multistatus xmlns="DAV:">' + names_ + b"</multistatus>" + b"\n" * 1_000
    assert read_listing(body) == {}


FLOODS = {
    "a header without end": (OK + b"x: ", b"a" * 65_536),
    "headers without end": (OK, b"x: a\r\n" * 10_000),
    "a word instead of an answer": (b"", b"a" * 65_536),
    "a hundred and nothing else": (b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 2_000),
    "hints and nothing else": (b"", b"HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n" * 2_000),
}


@pytest.mark.parametrize("kind", FLOODS)
@pytest.mark.parametrize("verb", VERBS)
def test_a_head_without_end_is_not_read_to_it(kind: str, verb: Callable[[HttpBox], Any]) -> None:
    first, more = FLOODS[kind]

    def answer(server: Raw, line: socket.socket) -> None:
        server.send(line, first)
        server.forever(line, more)

    with raw(answer) as server, pytest.raises(Unreached, match=r"without end|nobody can read"):
        ask(server.url, verb)
    assert server.sent < SENT_MAX


@pytest.mark.parametrize("verb", [put, get, remove])
def test_what_is_said_with_an_answer_is_read_to_a_bound(verb: Callable[[HttpBox], Any]) -> None:
    def answer(server: Raw, line: socket.socket) -> None:
        server.send(line, OK + CHUNKED)
        server.forever(line, in_pieces(b"a" * 65_536))

    with raw(answer) as server:
        assert ask(server.url, verb) in (None, b"a" * 1_000)
    assert server.sent < SENT_MAX


def test_bytes_that_come_wrapped_one_by_one_are_read_to_a_bound() -> None:
    """Six bytes for each, or as many as a server likes: what is in the wrapping has no end either."""

    def answer(server: Raw, line: socket.socket) -> None:
        server.send(line, OK + CHUNKED)
        server.forever(line, b"1;%b\r\na\r\n" % (b"x" * 10_000))

    with raw(answer) as server, pytest.raises(Unreached, match="without end"):
        ask(server.url, get)
    assert server.sent < SENT_MAX


@pytest.mark.parametrize(
    "answer",
    [
        OK + b"content-length: 900\r\n\r\nwords",
        OK + CHUNKED + in_pieces(b"words"),
        OK + b"content-length: many\r\n\r\n",
        OK + b"content-length: 5\r\ncontent-length: 900\r\n\r\nwords",
        b"HTTP/1.1 200",
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n",
        b"",
    ],
)
@pytest.mark.parametrize("verb", VERBS)
def test_an_answer_that_was_cut_or_is_none_is_out_of_reach(
    answer: bytes, verb: Callable[[HttpBox], Any]
) -> None:
    def cut(server: Raw, line: socket.socket) -> None:
        server.send(line, answer)
        line.shutdown(socket.SHUT_RDWR)

    with raw(cut) as server, pytest.raises(Unreached, match=r"nobody can read|ended before|broke"):
        ask(server.url, verb)


@pytest.mark.parametrize("first", [OK + b"x: ", OK + b"content-length: 900\r\n\r\n"], ids=["head", "body"])
def test_an_answer_that_drips_is_not_waited_for_to_its_end(first: bytes) -> None:
    def answer(server: Raw, line: socket.socket) -> None:
        server.send(line, first)
        server.forever(line, b"a", pause_s=0.02)

    with raw(answer) as server, pytest.raises(Unreached, match="not answer in time"):
        ask(server.url, get, timeout_s=0.4)
    assert server.sent < 200


def test_the_calls_of_one_look_go_over_one_connection_and_ask_for_nothing_packed() -> None:
    async def look(box: HttpBox) -> None:
        for verb in (names, get, get, put, remove, names):
            await verb(box)

    with raw(saying(LISTED)) as server:
        ask(server.url, look)
    assert server.connections == 1
    assert len(server.asked) == 6
    for head in server.asked:
        assert b"\r\naccept-encoding: identity\r\n" in head.lower()


def test_a_connection_that_the_server_closed_meanwhile_is_made_anew() -> None:
    def once(server: Raw, line: socket.socket) -> None:
        server.send(line, LISTED)
        line.shutdown(socket.SHUT_RDWR)

    async def look(box: HttpBox) -> None:
        for _ in range(3):
            await names(box)
            await trio.sleep(0.2)

    with raw(once) as server:
        ask(server.url, look)
    assert server.connections == 3


def test_cookies_are_not_kept() -> None:
    cookie = b"set-cookie: a=%b\r\ncontent-length" % (b"x" * 50_000)
    with raw(saying(LISTED.replace(b"content-length", cookie))) as server:

        async def look(box: HttpBox) -> None:
            for _ in range(3):
                await names(box)

        ask(server.url, look)
    assert all(b"cookie" not in head.lower() for head in server.asked)


def test_who_shows_a_certificate_that_nobody_vouches_for_is_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Home.at(tmp_path)
    ensure_certificate(home, ["127.0.0.1"], time.time_ns() // 1_000_000)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(home.certificate)
    with raw(saying(LISTED), context) as server:
        https = server.url.replace("http", "https")
        with pytest.raises(Unreached, match=r"its certificate is not trusted \(.*\)"):
            ask(https, names)
        assert not server.asked
        monkeypatch.setenv("SSL_CERT_FILE", str(home.authority))
        ask(https, names)
        assert len(server.asked) == 1


def test_one_that_speaks_no_tls_is_told_apart() -> None:
    with socket.create_server(("127.0.0.1", 0)) as plain:

        def answer() -> None:
            line, _ = plain.accept()
            with line:
                line.recv(1 << 16)
                line.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(Unreached, match="no TLS was agreed on"):
            ask(f"https://127.0.0.1:{plain.getsockname()[1]}/box", names)
        thread.join()


def test_a_handshake_that_hangs_ends_with_whoever_waits_for_it_and_so_does_its_connection() -> None:
    async def look(box: HttpBox) -> None:
        with trio.move_on_after(0.3) as scope:
            await names(box)
        assert scope.cancelled_caught

    with socket.create_server(("127.0.0.1", 0)) as silent:
        ask(f"https://127.0.0.1:{silent.getsockname()[1]}/box", look)
        line, _ = silent.accept()
        with line:
            line.settimeout(GIVE_UP_SECONDS)
            while line.recv(1 << 16):
                pass


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://nowhere.invalid/box", "its name was not found"),
        ("http://a..b/box", "name or port is none"),
        ("http://127.0.0.1:99999/box", "name or port is none"),
        ("http://127.0.0.1:{free}/box", "refused"),
    ],
)
def test_what_is_wrong_with_the_way_there_is_said(url: str, said: str) -> None:
    with pytest.raises(Unreached, match=said) as caught:
        ask(url.replace("{free}", str(free_port())), names)
    assert "ada" not in str(caught.value)


def test_the_proxy_of_the_system_is_used_and_what_it_says_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    refusing = b"HTTP/1.1 407 hush-hush\r\ncontent-length: 0\r\n\r\n"
    with raw(saying(LISTED)) as proxy, raw(saying(refusing)) as refuses, raw(saying(LISTED)) as server:
        monkeypatch.setenv("http_proxy", f"http://ada:hush@127.0.0.1:{proxy.port}")
        monkeypatch.setenv("https_proxy", f"127.0.0.1:{refuses.port}")
        ask("http://cloud.example/box", names)
        assert proxy.asked[0].startswith(b"PROPFIND http://cloud.example/box/ HTTP/1.1\r\n")
        with pytest.raises(Unreached, match=r"the proxy answered 407$"):
            ask("https://cloud.example/box", names)
        assert refuses.asked[0].startswith(b"CONNECT cloud.example:443 HTTP/1.1\r\n")
        assert b"correct-horse" not in refuses.asked[0]
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        ask(server.url, names)
        assert server.connections == 1
        for unusable in ("socks5://127.0.0.1:9", "http://[::1"):
            monkeypatch.setenv("https_proxy", unusable)
            with pytest.raises(Unreached, match="expected a proxy at http"):
                ask("https://cloud.example/box", names)


def test_a_listing_that_is_longer_than_any_is_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    with raw(
        saying(OK + b"content-length: %d\r\n\r\n" % LISTING_BYTES_MAX + bytes(LISTING_BYTES_MAX))
    ) as server:
        with pytest.raises(Full, match="at most 16 MB"):
            ask(server.url, names)
