"""A disk that is read-only or full: memory can still be read, and what cannot be saved says so."""

import ctypes
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.cli import run

pytestmark = [
    pytest.mark.endtoend,
    pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to mount a small file system"),
]


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own, of eight megabytes."""
    place = tmp_path / "disk"
    place.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(place)], check=False)
    if done.returncode:
        pytest.skip("this machine lets nobody mount")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


@pytest.mark.parametrize("why", ["read-only", "full"])
def test_memory_is_read_from_a_copy_where_the_disk_takes_nothing(disk: Path, why: str) -> None:
    home = disk / "home"
    assert run(home, "remember", "Ann moved to Lisbon").code == 0
    if why == "read-only":
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    else:
        with suppress(OSError), (disk / "filler").open("wb", buffering=0) as file:
            while file.write(bytes(4096)):
                pass
    before = {path.name: path.read_bytes() for path in home.iterdir() if path.is_file()}
    for words in (["list"], ["recall", "where does Ann live?"], ["export"], ["verify"]):
        read = run(home, *words)
        assert read.code == 0, read.err
    assert "Ann moved to Lisbon" in run(home, "list").out
    if why == "read-only":
        assert "read from a copy" in run(home, "list").err
        written = run(home, "--json", "remember", "Ben moved to Bonn")
        assert written.code == 1
        assert "read-only" in written.json["error"]["message"].lower()
        assert {path.name: path.read_bytes() for path in home.iterdir() if path.is_file()} == before


def test_memory_is_read_from_a_copy_where_permissions_forbid_to_write(tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert run(home, "remember", "Ann moved to Lisbon").code == 0
    for path in (*home.iterdir(), home):
        path.chmod(path.stat().st_mode & ~0o222)
    before = {path.name: path.read_bytes() for path in home.iterdir() if path.is_file()}

    def as_others() -> None:
        """Let permissions count for root, too: CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH go with the next program."""
        drop = 24  # PR_CAPBSET_DROP
        for capability in (1, 2):
            assert ctypes.CDLL(None).prctl(drop, capability, 0, 0, 0) == 0

    def asked(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "samemind", "--home", str(home), *words]
        state = os.environ | {"SAMEMIND_STATE": str(tmp_path / "state")}
        return subprocess.run(
            command, env=state, preexec_fn=as_others, capture_output=True, text=True, check=False
        )

    listed = asked("list")
    assert (listed.returncode, "Ann moved to Lisbon" in listed.stdout) == (0, True), listed.stderr
    assert "read from a copy" in listed.stderr
    written = asked("remember", "Ben moved to Bonn")
    assert written.returncode == 6
    assert "make this folder and its files writable" in written.stderr
    assert {path.name: path.read_bytes() for path in home.iterdir() if path.is_file()} == before
    home.chmod(0)
    refused = asked("list")
    assert (refused.returncode, refused.stdout) == (6, "")
    home.chmod(0o700)


def test_a_store_that_was_emptied_is_not_taken_for_a_new_one(tmp_path: Path) -> None:
    home = tmp_path / "home"
    for number in range(3):
        assert run(home, "remember", f"note {number}").code == 0
    (home / "memory.db").write_bytes(b"")
    for name in ("memory.db-wal", "memory.db-shm"):
        (home / name).unlink(missing_ok=True)
    listed = run(home, "--json", "list")
    assert listed.code == 1
    assert listed.json["error"]["code"] == "store_corrupt"
    assert "found an empty file" in listed.json["error"]["message"]
    assert (home / "memory.db").read_bytes() == b""
