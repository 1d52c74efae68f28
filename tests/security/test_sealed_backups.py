"""A device takes its own backup as it is only where nobody changed a byte of it; any other is recomputed."""

import sqlite3
import time
import warnings
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest

import replica.verify
import samemind
from samemind.cli.main import main
from samemind.commands.keeping_safe.restore import Restore, Restored
from samemind.config import Home
from samemind.errors import Failed
from samemind.home.sealing import SEAL_BYTES, add_seal, seal_bytes
from sync import Identity
from tests.support.restoring import restore

TOLD = "the spare key is with Mrs. Okafor"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A device with a memory, and a backup of it beside its home."""
    with samemind.open_blocking(tmp_path / "home") as mind:
        mind.remember(TOLD)
        mind.backup(tmp_path / "backup.db")
        mind.remember("told after the backup")
    return Home.at(tmp_path / "home")


@pytest.fixture
def recomputed(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """A list with an entry for each time that a store was recomputed."""
    calls: list[object] = []
    verify = replica.verify.verify_replica

    def noted(core: replica.Core, **options: Any) -> replica.verify.Verification:
        calls.append(core)
        return verify(core, **options)

    monkeypatch.setattr(replica.verify, "verify_replica", noted)
    return calls


def restored(home: Home, file: Path) -> Restored:
    return restore(home, Restore(file=str(file)))


def test_a_restore_says_how_far_its_check_is(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "backup.db"
    with file.open("r+b") as written:
        written.truncate(file.stat().st_size - SEAL_BYTES)
    verify = replica.verify.verify_replica

    def slowly(core: replica.Core, *, told: Callable[[int], None]) -> replica.verify.Verification:
        told(1)
        time.sleep(0.2)
        return verify(core, told=told)

    monkeypatch.setattr(replica.verify, "verify_replica", slowly)
    monkeypatch.setattr("samemind.progress.EVERY_S", 0.01)
    monkeypatch.setattr("samemind.cli.printing.PROGRESS_LINES_S", 0)
    assert main(["--home", str(home.folder), "restore", str(file)]) == 0
    assert "restore: 1 of 2" in capsys.readouterr().err.splitlines()


def texts(home: Home) -> set[str]:
    with samemind.open_blocking(home.folder) as mind:
        assert mind.verify().ok
        return {memory.text for memory in mind.list()}


def test_a_device_takes_its_own_backup_as_it_is(
    home: Home, tmp_path: Path, recomputed: list[object], capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "backup.db"
    found = restored(home, file)
    assert (found.sealed, found.problems, recomputed) == (True, [], [])
    assert texts(home) == {TOLD}
    assert seal_bytes(home.store) == 0, "it is no part of a store"
    assert main(["--home", str(home.folder), "restore", str(file)]) == 0
    assert "nobody changed this backup" in capsys.readouterr().out


@pytest.mark.parametrize("seed", range(12))
def test_a_backup_with_any_byte_changed_is_recomputed(
    home: Home, tmp_path: Path, recomputed: list[object], seed: int
) -> None:
    """Or refused, where it is no store any more."""
    file = tmp_path / "backup.db"
    changed = bytearray(file.read_bytes())
    random = Random(seed)
    behind = len(changed) - SEAL_BYTES
    at = random.randrange(behind) if seed % 3 else random.randrange(behind, len(changed))
    changed[at] ^= 1 << random.randrange(8)
    file.write_bytes(changed)
    try:
        assert not restored(home, file).sealed
    except (Failed, replica.StoreCorrupt):
        assert texts(home) == {TOLD, "told after the backup"}
    else:
        assert recomputed


def spoil_schema(store: Path) -> None:
    """Leave words of a table that SQLite quotes, and that are no text."""
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(
            "UPDATE sqlite_schema SET sql = 'CREATE TABLE memory ' || CAST(x'a0' AS TEXT) WHERE name = 'memory'"
        )


def test_a_backup_of_which_sqlite_quotes_what_is_no_text_is_refused(home: Home, tmp_path: Path) -> None:
    spoil_schema(tmp_path / "backup.db")
    with pytest.raises(Failed, match="expected a backup of a store"):
        restored(home, tmp_path / "backup.db")
    assert texts(home) == {TOLD, "told after the backup"}


def test_a_store_of_which_sqlite_quotes_what_is_no_text_is_replaced(home: Home, tmp_path: Path) -> None:
    spoil_schema(home.store)
    restored(home, tmp_path / "backup.db")
    assert texts(home) == {TOLD}


def test_a_backup_without_a_seal_is_recomputed(home: Home, tmp_path: Path, recomputed: list[object]) -> None:
    """As those are that earlier programs made."""
    file = tmp_path / "backup.db"
    file.write_bytes(file.read_bytes()[:-SEAL_BYTES])
    assert not restored(home, file).sealed
    assert recomputed


@pytest.mark.parametrize(
    "change",
    [
        lambda file: file[:-1],
        lambda file: file + file[-SEAL_BYTES:],
        lambda file: file[:-SEAL_BYTES] + bytes(4_096) + file[-SEAL_BYTES:],
        lambda file: file[:-1] + b"1",
    ],
    ids=["cut", "two", "longer", "written on"],
)
def test_what_is_behind_a_store_and_is_no_whole_seal_is_refused(
    home: Home, tmp_path: Path, change: Callable[[bytes], bytes]
) -> None:
    file = tmp_path / "backup.db"
    file.write_bytes(change(file.read_bytes()))
    with pytest.raises(Failed, match="something else"):
        restored(home, file)
    assert texts(home) == {TOLD, "told after the backup"}


def test_a_backup_of_another_device_is_recomputed_though_that_sealed_it(
    home: Home, tmp_path: Path, recomputed: list[object]
) -> None:
    other = Home.at(tmp_path / "other")
    with samemind.open_blocking(other.folder) as mind:
        mind.remember("something of its own")
    assert not restored(other, tmp_path / "backup.db").sealed
    assert len(recomputed) == 1
    new = Home.at(tmp_path / "new")
    assert not restored(new, tmp_path / "backup.db").sealed
    assert len(recomputed) == 2


def test_rows_that_were_changed_and_sealed_by_somebody_else_are_told(home: Home, tmp_path: Path) -> None:
    file = tmp_path / "backup.db"
    file.write_bytes(file.read_bytes()[:-SEAL_BYTES])
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.create_function("casefold", 1, str, deterministic=True)
        connection.execute("UPDATE memory SET text = 'the spare key is under the mat'")
    add_seal(file, Identity.create().sign)
    found = restored(home, file)
    assert not found.sealed
    assert found.problems
    assert told_to_check(home), "for as long as it does not add up"


def test_a_restore_that_is_killed_before_its_check_leaves_a_mark_until_that_is_done(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "backup.db"
    file.write_bytes(file.read_bytes()[:-SEAL_BYTES])
    with monkeypatch.context() as patched:
        patched.setattr(
            "samemind.home.restoring.put_back", lambda *_: None
        )  # who is killed puts nothing back
        patched.setattr(replica.verify, "verify_replica", killed)
        with pytest.raises(Killed):
            restored(home, file)
    assert told_to_check(home)
    assert main(["--home", str(home.folder), "verify"]) == 0
    assert not told_to_check(home)


def test_a_restore_that_finds_all_well_leaves_no_mark(home: Home, tmp_path: Path) -> None:
    file = tmp_path / "backup.db"
    assert restored(home, file).sealed
    assert not told_to_check(home)
    file.write_bytes(file.read_bytes()[:-SEAL_BYTES])
    assert not restored(home, file).problems
    assert not told_to_check(home)


class Killed(BaseException):
    """The program ends here."""


def killed(*_: object, **__: object) -> None:
    raise Killed


def told_to_check(home: Home) -> bool:
    """Open a home; say whether that and `doctor` tell to check what was restored: both or neither."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        with samemind.open_blocking(home.folder) as mind:
            checks = [check for check in mind.doctor().checks if check.name == "restored"]
    told = any("samemind verify" in str(each.message) for each in said)
    assert told == bool(checks)
    return told


def test_a_copy_that_a_killed_restore_left_is_gone_with_the_next_opening(tmp_path: Path) -> None:
    """It holds what may have been erased since, and nobody would erase it from there."""
    with samemind.open_blocking(tmp_path):
        pass
    left = [tmp_path / "memory.db.restored", tmp_path / "memory.db.restored-journal"]
    for path in left:
        path.write_bytes(b"a backup")
    kept = tmp_path / "memory.db.before-restore-20270101T000000000000Z"
    kept.write_bytes(b"a store that was put aside")
    with samemind.open_blocking(tmp_path):
        assert not any(path.exists() for path in left)
        assert kept.exists()


def test_a_seal_is_the_last_page_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(bytes(4_096))
    add_seal(file, lambda message: bytes(64))
    assert seal_bytes(file) == SEAL_BYTES == file.stat().st_size - 4_096
    sealed = file.read_bytes()
    for short in (sealed[:-1], sealed[: 4_096 + 100], b"short", b""):
        file.write_bytes(short)
        assert seal_bytes(file) == 0
