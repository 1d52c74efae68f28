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
from samemind.errors import Usage
from samemind.portable import texts

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
