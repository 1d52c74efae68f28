"""Files kept by somebody who answers as nobody honest would: that costs a mailbox time, and a device nothing."""

import gzip
import os
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import trio

from replica.asyncio_host import AsyncioHost
from sync.carrier.visit import GetFile, Looked, Names, Step
from sync.errors import Unreached
from sync.mailbox import visiting
from sync.mailbox.folder import FolderBox
from sync.mailbox.places import MailboxAddress, check_place, open_box
from tests.support.visits import any_name, read_file

LONG = 1 << 20
# In place of the minutes that a line may need.
ANSWER_SECONDS = 0.5
GIVE_UP_SECONDS = 30.0

ENDED = threading.Event()


def one_step(step: Step) -> Generator[Step, Any, Looked]:
    """Return a visit that makes one step."""
    yield step
    return Looked()


class Packed(BaseHTTPRequestHandler):
    """Answers with what becomes a thousand times as much where it is unpacked."""

    def do_GET(self) -> None:
        data = gzip.compress(bytes(LONG), mtime=0)
        self.send_response(200)
        self.send_header("content-encoding", "gzip")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


class Dripping(BaseHTTPRequestHandler):
    """Sends a byte of a file now and then."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-length", "4096")
        self.end_headers()
        while not ENDED.wait(0.02):
            try:
                self.wfile.write(b".")
            except OSError:
                return

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        ENDED.clear()
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"webdav+http://127.0.0.1:{server.server_port}/box"
        finally:
            ENDED.set()
            server.shutdown()
            thread.join()


def test_a_file_that_is_sent_byte_by_byte_is_not_waited_for_to_its_end(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Each byte came in time, so nothing ended this: a file of 4 kB took over an hour, and all looks waited for it."""
    monkeypatch.setattr(visiting, "ANSWER_SECONDS_MAX", ANSWER_SECONDS)

    async def main(url: str) -> None:
        async with AsyncioHost.open() as host:
            box = open_box(check_place(MailboxAddress(url)), host)
            with trio.fail_after(GIVE_UP_SECONDS), pytest.raises(Unreached, match="not done with its answer"):
                await visiting.look(box, None, "box", one_step(GetFile(any_name(), 4_096)), folder=tmp_path)  # type: ignore[arg-type]
            await box.aclose()

    with serving(Dripping) as url:
        trio.run(main, url)


def test_what_was_compressed_on_the_way_is_not_unpacked() -> None:
    async def main(url: str) -> bytes:
        async with AsyncioHost.open() as host:
            box = open_box(check_place(MailboxAddress(url)), host)
            try:
                return await read_file(box, any_name(), LONG)
            finally:
                await box.aclose()

    with serving(Packed) as url:
        assert trio.run(main, url) == gzip.compress(bytes(LONG), mtime=0)


def test_a_folder_on_a_share_that_hangs_holds_nobody_up(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """However often it is looked into, no more threads hang there than it has for itself."""
    monkeypatch.setattr(visiting, "ANSWER_SECONDS_MAX", 0.05)
    comes_back, hanging = threading.Event(), []

    def hang(path: object) -> object:
        hanging.append(path)
        comes_back.wait(GIVE_UP_SECONDS)
        return os.listdir(tmp_path)

    async def main() -> None:
        box = FolderBox(tmp_path)
        with monkeypatch.context() as context, trio.fail_after(GIVE_UP_SECONDS):
            context.setattr(os, "scandir", hang)
            for _ in range(10):
                with pytest.raises(Unreached, match="not done with its answer"):
                    await visiting.look(box, None, "box", one_step(Names()), folder=tmp_path)  # type: ignore[arg-type]
        assert 1 <= len(hanging) < 10
        comes_back.set()
        monkeypatch.undo()
        await visiting.look(box, None, "box", one_step(Names()), folder=tmp_path)  # type: ignore[arg-type]

    trio.run(main)


def test_a_put_that_was_given_up_while_it_hung_is_in_the_way_of_no_other(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The next of the same name failed, on what the first had left; and what hangs may go on later."""
    name, comes_back, left = "0" * 32 + ".samemind", threading.Event(), threading.Event()

    def hang(descriptor: int) -> None:
        comes_back.wait(GIVE_UP_SECONDS)
        left.set()

    async def main() -> None:
        box = FolderBox(tmp_path)
        with monkeypatch.context() as context:
            context.setattr(os, "fsync", hang)
            with trio.move_on_after(0.05):
                await box.put(name, b"words")
        await box.put(name, b"words")
        comes_back.set()

    trio.run(main)
    assert left.wait(GIVE_UP_SECONDS)
    deadline = time.monotonic() + GIVE_UP_SECONDS
    while len(found := os.listdir(tmp_path)) > 1 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert found == [name]
    assert (tmp_path / name).read_bytes() == b"words"
