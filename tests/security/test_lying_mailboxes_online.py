"""A daemon whose mailboxes lie at once: it goes on, keeps the honest one, holds little, and names who is at fault."""

import json
import os
import re
import socket
import socketserver
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import samemind
from samemind.config import Home, Settings
from sync.carrier.shelf import FILE_BYTES_MAX
from tests.security.test_hostile_buckets import azure_page, whole
from tests.security.test_hostile_webdav import LISTED as LISTED_NOTHING
from tests.security.test_hostile_webdav import OK, Raw, raw
from tests.support.mailbox_servers import AZURE_KEY, needs_package

END_SECONDS_MAX = 30.0
# A daemon takes 100 MB. Four mailboxes that hand out the largest files there may be had it take 1.1 GB.
MEMORY_KB_MAX = 220 << 10
LARGE = ("s3", "large-2", "large-3", "large-4")
LISTED = 16
PIECE = bytes(1 << 20)
INFO = b'INFO {"server_id":"x","version":"2.10.0","max_payload":1048576,"headers":true,"proto":1}\r\n'
COUNTED = b'{"config":{},"state":{"subjects":{"samemind.group.file.x":1}},"total":"many"}'


class Daemon:
    """A device as its owner uses it."""

    def __init__(self, home: Path) -> None:
        self._words = [sys.executable, "-m", "samemind", "--home", str(home)]
        Home.at(home).create()
        Settings(name="laptop", mdns=False).save(Home.at(home))

    def call(self, *words: str, codes: tuple[int, ...] = (0,)) -> Any:
        done = subprocess.run([*self._words, *words, "--json"], capture_output=True, text=True)
        assert done.returncode in codes, (words, done.stdout, done.stderr[-2_000:])
        return json.loads(done.stdout.splitlines()[-1])

    def begin(self, *words: str) -> "subprocess.Popen[str]":
        return subprocess.Popen([*self._words, *words, "--json"], stdout=subprocess.PIPE, text=True)

    @contextmanager
    def up(self) -> Iterator[subprocess.Popen[bytes]]:
        command = [*self._words, "up", "--no-mdns", "--listen", "127.0.0.1:0", "--json"]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            try:
                assert process.stdout is not None
                assert b"running" in process.stdout.readline()
                yield process
            finally:
                process.kill()


def break_off(server: Raw, line: socket.socket) -> None:
    """List files of 256 MB, others each time, and let each break off at its last byte."""
    if b"list-type=2" in server.asked[-1]:
        list_large(server, line)
        return
    server.send(line, OK + b"content-length: %d\r\n\r\n" % FILE_BYTES_MAX)
    for _ in range((FILE_BYTES_MAX >> 20) - 1):
        server.send(line, PIECE)
    server.send(line, PIECE[1:])
    line.shutdown(socket.SHUT_RDWR)


def list_large(server: Raw, line: socket.socket) -> None:
    """List files of 256 MB, others each time."""
    first = len(server.asked)
    names = (f"{first * LISTED + n:032x}.samemind" for n in range(LISTED))
    files = (f"<Contents><Key>{name}</Key><Size>{FILE_BYTES_MAX}</Size></Contents>" for name in names)
    server.send(line, whole(f"<ListBucketResult>{''.join(files)}</ListBucketResult>".encode()))


def lead_back(server: Raw, line: socket.socket) -> None:
    """Say of each page of a listing that the same one is next."""
    server.send(line, whole(azure_page("", 7)))


class CountsWrong(socketserver.StreamRequestHandler):
    """Serves NATS, and answers whatever is asked with a listing whose number is none."""

    def handle(self) -> None:
        sids: dict[bytes, bytes] = {}
        self.wfile.write(INFO)
        for line in self.rfile:
            match line.split():
                case [b"PING"]:
                    self.wfile.write(b"PONG\r\n")
                case [b"CONNECT", *_]:
                    self.wfile.write(b"+OK\r\n")
                case [b"SUB", subject, *_, sid]:
                    sids[subject.rstrip(b"*")] = sid
                case [b"PUB", _, to, size]:
                    self.rfile.read(int(size) + 2)
                    sid = next(sid for subject, sid in sids.items() if to.startswith(subject))
                    self.wfile.write(b"MSG %b %b %d\r\n%b\r\n" % (to, sid, len(COUNTED), COUNTED))


@contextmanager
def counting_wrong() -> Iterator[int]:
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), CountsWrong) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.slow
def test_a_daemon_keeps_the_honest_mailbox_and_names_each_one_that_lies(tmp_path: Path) -> None:
    """Files that broke off at their last byte were held for each look: 3.3 GB after five."""
    needs_package("nats")
    laptop, honest = Daemon(tmp_path / "home"), tmp_path / "honest"
    honest.mkdir()
    secret = tmp_path / "secret"
    secret.write_text(AZURE_KEY)
    with raw(break_off) as s3, raw(lead_back) as azure, counting_wrong() as nats:
        adds = {
            **{name: f"s3://ada@{name}?endpoint=http://127.0.0.1:{s3.port}" for name in LARGE},
            "azure": f"azblob://ada@bucket?endpoint=http://127.0.0.1:{azure.port}",
        }
        for name, url in adds.items():
            laptop.call("mailbox", "add", url, "--name", name, "--secret-file", str(secret))
        laptop.call("mailbox", "add", f"nats://127.0.0.1:{nats}/group", "--name", "nats")
        laptop.call("mailbox", "add", f"folder://{honest}", "--name", "honest")
        with laptop.up() as process:
            laptop.call("remember", "said while others lied")
            for name, said in (("azure", "again and again"), ("nats", "expected the server to list")):
                failed = laptop.call("mailbox", "look", name, codes=(5,))["error"]["message"]
                assert failed.startswith(f"{name}: "), failed
                assert said in failed
            failed = laptop.call("mailbox", "look", "s3", codes=(5,))["error"]["message"]
            assert failed.startswith("s3: the storage ")
            assert laptop.call("mailbox", "look", "honest")["mailboxes"][0]["wrote"] <= 1
            assert os.listdir(honest)
            stands = {each["name"]: each["trouble"] for each in laptop.call("mailbox", "list")["mailboxes"]}
            assert stands.pop("honest") is None
            assert all(stands.values()), stands
            assert [each["text"] for each in laptop.call("list")["memories"]] == ["said while others lied"]
            status = Path(f"/proc/{process.pid}/status")
            if status.exists():
                (most_kb,) = re.findall(r"VmHWM:\s+(\d+)", status.read_text())
                assert int(most_kb) < MEMORY_KB_MAX
            laptop.call("down")
            assert process.wait(END_SECONDS_MAX) == 0


CREATED = b"HTTP/1.1 201 Created\r\ncontent-length: 0\r\n\r\n"


@contextmanager
def silent_until(heard: Callable[[], bool]) -> Iterator[tuple[Raw, list[str]]]:
    """Serve an empty folder that says nothing until something is so, and notes when it waited in vain."""
    vain: list[str] = []

    def answer(server: Raw, line: socket.socket) -> None:
        until = time.monotonic() + END_SECONDS_MAX
        while not heard() and not server.ended.wait(0.02):
            if time.monotonic() > until:
                vain.append(server.asked[-1].decode())
                break
        server.send(line, LISTED_NOTHING if server.asked[-1].startswith(b"PROPFIND") else CREATED)

    with raw(answer) as server:
        yield server, vain


@contextmanager
def first_look_hangs(laptop: Daemon) -> Iterator[tuple[Raw, threading.Event, Any]]:
    """Have a daemon look into a mailbox; give its server, what lets that answer, and how it is listed meanwhile."""
    asked = threading.Event()
    with silent_until(asked.is_set) as (server, vain):
        laptop.call("mailbox", "add", f"webdav+{server.url}", "--name", "silent")
        with laptop.up():
            (mailbox,) = wait_until(laptop, lambda found: found["looking_since"] is not None)
            yield server, asked, mailbox
        asked.set()
    assert not vain


def test_no_mailbox_waits_for_one_that_says_nothing(tmp_path: Path) -> None:
    """They were looked into one after the other, and one that sends a byte a second is waited for four minutes."""
    honest = tmp_path / "honest"
    honest.mkdir()
    with (
        silent_until(lambda: bool(os.listdir(honest))) as (server, vain),
        samemind.open_blocking(tmp_path / "home") as mind,
    ):
        mind.add_mailbox(f"webdav+{server.url}", name="silent")
        mind.add_mailbox(f"folder://{honest}", name="honest")
        mind.remember("said while one kept silent")
        assert [each.name for each in mind.look_into_mailboxes().mailboxes] == ["silent", "honest"]
    assert not vain


def test_a_look_that_is_under_way_is_listed(tmp_path: Path) -> None:
    """Of a mailbox whose first look hung, `mailbox list` said what it says of one that nobody looks into."""
    laptop = Daemon(tmp_path / "home")
    with first_look_hangs(laptop) as (_, asked, mailbox):
        assert mailbox["looked_at"] is None
        (check,) = (
            each for each in laptop.call("doctor", codes=(0, 1))["checks"] if each["name"] == "mailbox"
        )
        assert check["detail"].startswith("silent: it is looked into for the first time, since ")
        asked.set()
        (mailbox,) = wait_until(laptop, lambda found: found["looked_at"] is not None)
        assert mailbox["looking_since"] is None


def test_a_mailbox_that_is_removed_is_looked_into_no_more(tmp_path: Path) -> None:
    """Who had asked for a look waited for minutes, and what was new was written there after it was removed."""
    laptop = Daemon(tmp_path / "home")
    with first_look_hangs(laptop) as (server, _, _):
        looking = laptop.begin("mailbox", "look", "silent")
        time.sleep(1.0)  # it waits for the look that is under way
        laptop.call("mailbox", "remove", "silent")
        said, _ = looking.communicate(timeout=END_SECONDS_MAX)
        assert json.loads(said)["error"]["message"] == "silent: this device no longer uses it"
    assert len(server.asked) == 1


def test_a_kill_while_a_large_file_comes_leaves_nothing_of_it(tmp_path: Path) -> None:
    laptop, came = Daemon(tmp_path / "home"), threading.Event()

    def answer(server: Raw, line: socket.socket) -> None:
        if b"list-type=2" in server.asked[-1]:
            list_large(server, line)
            return
        server.send(line, OK + b"content-length: %d\r\n\r\n" % FILE_BYTES_MAX)
        for _ in range(64):
            server.send(line, PIECE)
        came.set()
        server.ended.wait()

    secret = tmp_path / "secret"
    secret.write_text("hush")
    with raw(answer) as server:
        url = f"s3://ada@bucket?endpoint=http://127.0.0.1:{server.port}"
        laptop.call("mailbox", "add", url, "--name", "large", "--secret-file", str(secret))
        with laptop.up() as process:
            assert came.wait(END_SECONDS_MAX)
            process.kill()
            process.wait()
    assert sum(path.stat().st_size for path in (tmp_path / "home").rglob("*")) < len(PIECE) * 8


def wait_until(laptop: Daemon, so: Callable[[Any], bool]) -> list[Any]:
    """List the mailboxes until something is so of the first."""
    until = time.monotonic() + END_SECONDS_MAX
    while not so((found := laptop.call("mailbox", "list")["mailboxes"])[0]):
        assert time.monotonic() < until, found
        time.sleep(0.1)
    return list(found)
