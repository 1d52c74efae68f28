"""What comes out of a pipe is brought in like a file, though it can be read only once."""

import fcntl
import os
import signal
import socket
import subprocess
import sys
import tempfile
import termios
import threading
import time
import zipfile
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

import pytest

import samemind
from samemind.control import pouring
from samemind.errors import Failed, NotFound, SamemindError, Usage
from samemind.library.blocking import BlockingMind
from samemind.platform.posix import short_path
from tests.support import cli

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no path stands for a pipe there")
LINES = '{"text": "Ann lives in Kyiv"}\n{"text": "Ben plays chess"}\n'
CHATS = '[{"uuid": "c1", "chat_messages": [{"uuid": "m1", "sender": "human", "text": "What is a ketch?"}]}]'


@pytest.fixture
def mind(tmp_path: Path) -> Iterator[BlockingMind]:
    with samemind.open_blocking(tmp_path / "home") as opened:
        yield opened


@contextmanager
def piped(data: bytes) -> Iterator[Path]:
    """A path that is a pipe, as a shell gives one; whoever reads it may leave early."""
    reading, writing = os.pipe()

    def pour() -> None:
        with suppress(BrokenPipeError), os.fdopen(writing, "wb", buffering=0) as pipe:
            pipe.write(data)

    pouring = threading.Thread(target=pour)
    pouring.start()
    try:
        yield Path(f"/dev/fd/{reading}")
    finally:
        os.close(reading)
        pouring.join(10)


@pytest.mark.parametrize("kind", ["jsonl", "json", "zip"])
def test_what_comes_out_of_a_pipe_is_brought_in(mind: BlockingMind, tmp_path: Path, kind: str) -> None:
    """It cannot be sought in, nor read twice."""
    path = tmp_path / f"file.{kind}"
    path.write_text(CHATS if kind == "json" else LINES)
    if kind == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("conversations.json", CHATS)
    with piped(path.read_bytes()) as pipe:
        imported = mind.import_(pipe)
    assert imported.imported > 0
    assert imported.failed == []
    again = mind.import_(path)
    assert (again.imported, again.skipped) == (0, imported.imported)


def test_what_came_out_of_a_pipe_and_is_of_no_use_is_no_file_that_a_number_names(mind: BlockingMind) -> None:
    with piped(b"garbage") as pipe, pytest.raises(Usage, match=r"^pipe \d+: expected a file of a known"):
        mind.import_(pipe)


def test_a_pipe_that_gives_more_than_fits_is_refused(
    mind: BlockingMind, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pouring, "PIPED_BYTES_MAX", 1 << 20)
    with piped(b'{"text": "x"}\n' * 200_000) as pipe:
        with pytest.raises(Usage, match="at most 1 MB out of a pipe"):
            mind.import_(pipe)


@pytest.mark.endtoend
def test_with_a_daemon_running_it_is_our_standard_input_that_is_read_and_not_the_daemons(
    tmp_path: Path,
) -> None:
    home = tmp_path / "home"
    lines = "".join(
        f'{{"text": "Note number {n} of many"}}\n' for n in range(5_000)
    )  # more than a pipe holds
    with cli.daemon(home):
        first = cli.run(home, "import", "-", "--json", stdin=LINES)
        assert (first.code, first.json["imported"], first.json["failed"]) == (0, 2, [])
        again = cli.run(home, "import", "/dev/stdin", "--json", stdin=LINES + lines)
        assert (again.json["imported"], again.json["skipped"]) == (5_000, 2)
        with samemind.open_blocking(home) as through, piped(b'{"text": "Cleo sails"}') as pipe:
            assert through.import_(pipe).imported == 1
        for gone in ("/dev/fd/99", "nofile"):
            refused = cli.run(home, "import", gone, "--json")
            assert (refused.code, refused.json["error"]["code"]) == (3, "no_such_file")
            assert refused.json["error"]["message"].startswith("no such file: /")
        if Path("/proc/self/mem").exists():  # it can be opened, and not read
            with open("/proc/self/mem", "rb") as memory, pytest.raises(SamemindError):
                with samemind.open_blocking(home) as through:
                    through.import_(f"/dev/fd/{memory.fileno()}")
    assert cli.run(home, "import", "-", "--json", stdin=LINES).json["skipped"] == 2


def test_a_file_and_a_folder_that_are_open_here_are_brought_in_from_where_they_are(
    mind: BlockingMind, tmp_path: Path
) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "one.md").write_text("# Kites\n\nCleo flies kites\n")
    number = os.open(folder, os.O_RDONLY)
    try:
        assert pouring.draw(f"/dev/fd/{number}") == str(folder)
        assert mind.import_(f"/dev/fd/{number}").imported > 0
    finally:
        os.close(number)
    with pytest.raises(NotFound, match="no such file"):
        mind.import_(tmp_path / "none")


def test_a_pipe_with_a_name_is_read_by_whoever_asks_too(mind: BlockingMind, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writing = threading.Thread(target=pipe.write_text, args=(LINES,))
    writing.start()
    assert mind.import_(pipe).imported == 2
    writing.join(10)


@pytest.mark.endtoend
def test_a_path_that_the_system_refuses_is_an_error_like_any_other(mind: BlockingMind) -> None:
    """It is looked at before anything is asked for, where errors of verbs are put in our words."""
    with pytest.raises(Failed, match="name too long") as refused:
        mind.import_("x" * 300)
    assert refused.value.code == "io"


def test_a_pipe_that_gives_nothing_holds_no_store_and_ends_by_ctrl_c(tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert cli.run(home, "remember", "Ann keeps bees").code == 0
    process = subprocess.Popen(
        [*cli.COMMAND, "--home", str(home), "import", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=cli.environment(),
    )
    assert process.stdin is not None
    pipe = process.stdin
    try:
        pipe.write(LINES.encode())
        pipe.flush()
        until(lambda: unread(pipe) == 0)
        assert "bees" in cli.run(home, "recall", "bees").out
        process.send_signal(signal.SIGINT)
        assert process.wait(cli.SECONDS_MAX) == 130
    finally:
        process.kill()
        process.communicate()
    assert cli.run(home, "list", "--json").json["total"] == 1


def unread(pipe: IO[bytes]) -> int:
    """Return how many bytes wait in a pipe."""
    found = array("i", [0])
    fcntl.ioctl(pipe, termios.FIONREAD, found)
    return found[0]


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + cli.SECONDS_MAX
    while not holds():
        assert time.monotonic() < deadline, "what was piped is not read"
        time.sleep(0.01)


@pytest.mark.parametrize("deep", [False, True])
def test_what_is_poured_lies_nowhere_once_it_is_fetched_however_deep_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deep: bool
) -> None:
    folder = tmp_path / ("d" * 120) if deep else tmp_path
    folder.mkdir(exist_ok=True)
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    long = pouring.PipeContent("€" * 80 + ".jsonl", b"all")
    with pouring.poured([long, pouring.PipeContent("6", b""), "/tmp/notes.jsonl"]) as found:
        *places, as_it_is = map(Path, found)
        assert as_it_is == Path("/tmp/notes.jsonl")
        assert [pouring.read_poured(place).data for place in places] == [b"all", b""]
        assert not any(place.parent.exists() for place in places)


@pytest.mark.parametrize("sent", [b"", b"\0\0", (3).to_bytes(8), (3).to_bytes(8) + b"al"])
def test_what_was_cut_on_its_way_is_not_taken_for_whole(tmp_path: Path, sent: bytes) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        place = tmp_path / "cut"
        with short_path(place) as path:
            listener.bind(path)
        listener.listen(1)

        def give() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.sendall(sent)

        giving = threading.Thread(target=give)
        giving.start()
        with pytest.raises(Failed, match="expected all of it"):
            pouring.read_poured(place)
        giving.join(10)


def test_what_somebody_stopped_pouring_is_refused_and_waited_for_by_nobody(tmp_path: Path) -> None:
    with pouring.poured([pouring.PipeContent("5", b"all")]) as (poured,):
        left = tmp_path / "left"
        left.symlink_to(poured)
    with pytest.raises(FileNotFoundError):
        pouring.read_poured(left)
    assert not Path(poured).parent.exists()
