"""What comes out of a pipe is brought in like a file, though it can be read only once."""

import os
import sys
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

import samemind
from samemind.blocking import BlockingMind
from samemind.control import pouring
from samemind.errors import Usage
from samemind.portable import texts
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


def test_a_pipe_that_gives_more_than_fits_is_refused(
    mind: BlockingMind, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(texts, "WHOLE_BYTES_MAX", 1 << 20)
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
        refused = cli.run(home, "import", "/dev/fd/99", "--json")
        assert (refused.code, refused.json["error"]["code"]) != (0, None)
    assert cli.run(home, "import", "-", "--json", stdin=LINES).json["skipped"] == 2


def test_what_somebody_stopped_pouring_is_refused_and_waited_for_by_nobody(
    mind: BlockingMind, tmp_path: Path
) -> None:
    with piped(b"") as pipe, pouring.poured([str(pipe), "/tmp/notes.jsonl"]) as (poured, as_it_is):
        assert as_it_is == "/tmp/notes.jsonl"
        left = tmp_path / "left"
        left.symlink_to(poured)
        assert pouring.read_poured(left, 10) == b""
    with pytest.raises(FileNotFoundError):
        pouring.read_poured(left, 10)
    assert not Path(poured).parent.exists()
