"""A disk that is read-only or full: memory can still be read, and what cannot be saved says so."""

import ctypes
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import trio

import samemind
from samemind.config import Home
from samemind.library.home_store import HomeStore
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
    assert "new incarnation" not in run(home, "status").out, "of the copy, which is no device of its own"
    if why == "read-only":
        assert "read from a copy" in run(home, "list").err
        written = run(home, "--json", "remember", "Ben moved to Bonn")
        assert written.code == 1
        assert "read-only" in written.json["error"]["message"].lower()
        assert {path.name: path.read_bytes() for path in home.iterdir() if path.is_file()} == before


def test_what_is_written_to_a_full_disk_names_the_file_and_leaves_nothing(disk: Path, tmp_path: Path) -> None:
    """The home was taken for full, and read again from a copy in memory, in vain; a backup left its journal."""
    home = tmp_path / "home"
    assert run(home, "remember", "word " * 20_000).code == 0
    subprocess.run(["mount", "-o", "remount,size=64k", str(disk)], check=True)
    for words in (
        ["export", "-o", str(disk / "out.jsonl")],
        ["export", "--format", "markdown", "-o", str(disk / "notes")],
        ["backup", str(disk / "out.db")],
    ):
        refused = run(home, *words)
        assert refused.code == 1
        assert f"{words[-1]}: No space left on device" in refused.err
        assert "make room on the disk" in refused.err
        assert "copy in memory" not in refused.err
        assert [*disk.iterdir()] == []


def test_an_open_program_lists_all_that_it_acknowledged_on_a_disk_that_filled_up(disk: Path) -> None:
    home, told = disk / "home", 0
    with samemind.open_blocking(home) as mind:
        with (disk / "filler").open("wb", buffering=0) as file:
            while disk_free(disk) > 1_000_000:
                file.write(bytes(65_536))
        with pytest.raises(samemind.Failed, match="full"):  # noqa: PT012 - at some telling
            for _ in range(1_000):
                mind.remember(f"{told} " + "on a disk that fills up " * 80)
                told += 1
        assert len(mind.list(limit=1_000).memories) == mind.stats().memories == told > 1
        assert mind.recall("fills up").results
        (disk / "filler").unlink()
        assert len(mind.list(limit=1_000).memories) == told
        assert mind.verify().ok


def disk_free(disk: Path) -> int:
    of = os.statvfs(disk)
    return of.f_bavail * of.f_frsize


def test_doctor_says_that_a_home_takes_no_writes(disk: Path) -> None:
    home = disk / "home"
    assert run(home, "remember", "Ann moved to Lisbon").code == 0
    (home / "identity.pem").chmod(0o644)
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    looked = run(home, "--json", "doctor")
    checks = {check["name"]: check for check in looked.json["checks"]}
    assert (looked.code, looked.json["ok"], checks["home"]["ok"]) == (1, False, False)
    assert f"{home} takes no writes" in checks["home"]["detail"]
    assert "Read-only file system" in checks["home"]["detail"]
    assert "make the disk writable" in checks["home"]["fix"]
    assert str(home) in checks["key"]["fix"], "of the home that its owner knows, not of the copy"
    assert checks["disk"]["detail"].partition(" ")[0] in {str(each) for each in range(9)}


def test_the_library_reads_a_home_that_takes_no_writes(disk: Path) -> None:
    home = disk / "home"
    assert run(home, "remember", "Ann moved to Lisbon").code == 0
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    with samemind.open_blocking(home) as mind:
        (found,) = mind.recall("where does Ann live?").results
        assert found.text == "Ann moved to Lisbon"
        assert not mind.doctor().ok
        with pytest.raises(samemind.Failed, match="Read-only file system"):
            mind.remember("Ben moved to Bonn")
        assert [each.text for each in mind.list().memories] == ["Ann moved to Lisbon"]
        subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)
        mind.remember("Ben moved to Bonn")
        assert len(mind.list().memories) == 2
    assert "Ben moved to Bonn" in run(home, "list").out


def test_agents_read_a_home_that_takes_no_writes(disk: Path) -> None:
    home = disk / "home"
    assert run(home, "remember", "Ann moved to Lisbon").code == 0
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            store = HomeStore(Home.at(home), program="samemind mcp")
            nursery.start_soon(store.keep)
            read = await store.ask("recall", {"query": "Ann"}, again=True)
            assert [each["text"] for each in read["results"]] == ["Ann moved to Lisbon"]
            with pytest.raises(samemind.Failed, match="Read-only file system"):
                await store.ask("remember", {"text": "Ben moved to Bonn"}, again=False)
            store.close()

    trio.run(main)


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
