"""A disk that fills up while an older store is upgraded, or anything long is done: nothing is lost, and it is told."""

import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.security.test_hostile_webdav import LISTED, Raw, raw
from tests.support import cli, mounts
from tests.support.full_disk import FROZEN, IMPORTED, ROOMS


@pytest.mark.slow
def test_whatever_finds_no_room_says_so_loses_nothing_and_goes_on_when_there_is_some(tmp_path: Path) -> None:
    """Upgrading and making a backup were told in SQLite's words, with the advice to ask `doctor`."""
    if reason := mounts.why_not(tmp_path):
        pytest.skip(reason)
    done = subprocess.run(
        ["unshare", "--mount", sys.executable, "-m", "tests.support.full_disk", str(tmp_path)],
        cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False, timeout=3 * cli.SECONDS_MAX,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) == sum(map(len, ROOMS.values()))
    wire = json.loads((FROZEN / "wire.json").read_text())
    of_old = len(wire["texts"])
    for each in found:
        if each["error"] is not None:
            assert each["code"] == 1, each
            assert each["error"]["code"] in ("store_failed", "io"), each
            assert "make room" in each["error"]["hint"], each
            assert each["digest"] == wire["digest"] or each["verb"] == "import", each
            assert each["left"] == [], each
        assert each["again"] == 0, each
        assert each["verified"] == 0, each
        told = {"remember": 1 + (each["error"] is None), "import": IMPORTED}.get(each["verb"], 0)
        assert each["memories"] == of_old + told, each
    assert {each["verb"] for each in found if each["error"]} == ROOMS.keys()


FULL_FOLDER = """
set -e
mount -t tmpfs -o size=4k tmpfs "$1"
head -c 4096 /dev/zero >"$1/other"
shift
exec "$@"
"""


@pytest.mark.parametrize("kind", ["folder", "webdav"])
def test_a_mailbox_that_is_full_is_said_to_be_and_what_to_do(tmp_path: Path, kind: str) -> None:
    """`mailbox look` said that it could not be reached, with no advice."""
    folder, home = tmp_path / "box", tmp_path / "home"
    folder.mkdir()

    def answer(server: Raw, line: socket.socket) -> None:
        full = b"HTTP/1.1 507 Insufficient Storage\r\ncontent-length: 0\r\n\r\n"
        server.send(line, LISTED if server.asked[-1].startswith(b"PROPFIND") else full)

    samemind = [sys.executable, "-m", "samemind", "--home", str(home)]

    def call(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(words, capture_output=True, text=True, timeout=cli.SECONDS_MAX)

    with raw(answer) as server:
        url = f"folder://{folder}" if kind == "folder" else f"webdav+{server.url}"
        for words in (
            ["init", "--name", "laptop"],
            ["mailbox", "add", url],
            ["remember", "Ann likes green tea"],
        ):
            done = call(*samemind, *words)
            assert done.returncode == 0, done.stderr
        looking = [*samemind, "mailbox", "look", "--json"]
        if kind == "folder":
            if reason := mounts.why_not(tmp_path):
                pytest.skip(reason)
            looking = ["unshare", "--mount", "sh", "-c", FULL_FOLDER, "sh", str(folder), *looking]
        done = call(*looking)
    error = json.loads(done.stdout)["error"]
    assert (done.returncode, error["code"]) == (1, "mailbox_full")
    said = f"{folder}: No space left on device" if kind == "folder" else "the storage answered 507"
    assert error["message"].startswith(f"mailbox: the mailbox is full ({said}")
    assert "make room" in error["hint"]
