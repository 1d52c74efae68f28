"""Backups: taken while the device runs, put back, and what the others make of it."""

import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
import trio

import samemind
from replica import Core, IntroducedMember, SqliteStore, connect
from replica.incarnations import ChainEvent
from replica.oplog import Changes
from samemind.commands.keeping_safe.restore import Restore, render
from samemind.config import Home, Settings
from samemind.device import derived_tables, introduction_of
from samemind.formats.plain import to_json
from tests.support import cli
from tests.support.cli import daemon
from tests.support.doors import opened, pair
from tests.support.restoring import restore


def test_a_backup_taken_while_the_daemon_writes_is_whole_and_comes_back(tmp_path: Path) -> None:
    home, file = tmp_path / "home", tmp_path / "backup.db"
    with daemon(home), samemind.open_blocking(home) as mind, ThreadPoolExecutor(1) as pool:
        mind.remember("kept for sure")
        writing = pool.submit(lambda: [mind.remember(f"thing number {i}", no_dedup=True) for i in range(100)])
        saved = cli.run(home, "backup", str(file), "--json").json
        writing.result()
        held = mind.stats().memories
    assert file.stat().st_mode & 0o777 == 0o600
    assert 1 <= saved["memories"] <= held
    connection = sqlite3.connect(file)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()
    assert not file.with_name("backup.db-wal").exists(), "one file, whole by itself"
    with samemind.open_blocking(home) as mind:
        mind.remember("written after the backup")
    restored = cli.run(home, "restore", str(file), "--json").json
    assert (restored["memories"], restored["ops"]) == (saved["memories"], saved["ops"])
    assert Path(restored["before"]).is_file()
    with samemind.open_blocking(home) as mind:
        assert mind.verify().ok
        texts = {memory.text for memory in mind.list(limit=1_000)}
    assert "written after the backup" not in texts
    assert "kept for sure" in texts


def test_a_restored_device_writes_no_place_twice_and_gets_back_what_it_lost(tmp_path: Path) -> None:
    """The drill of the how-to: the other device holds what came after the backup, also what was forgotten."""
    file = tmp_path / "backup.db"

    async def before() -> tuple[str, str]:
        async with opened(tmp_path / "laptop") as laptop, opened(tmp_path / "phone") as phone:
            await pair(laptop, phone)
            gone = await laptop.mind.remember("to be forgotten")
            await laptop.mind.backup(file)
            later = await laptop.mind.remember("after the backup")
            await laptop.mind.forget(gone)
            await phone.mind.sync(address=laptop.address)
            assert (await phone.mind.get(later)).text == "after the backup"
            return gone.rid, later.rid

    async def after(gone: str, later: str) -> None:
        async with opened(tmp_path / "laptop") as laptop, opened(tmp_path / "phone") as phone:
            assert [memory.rid for memory in await laptop.mind.list()] == [gone], "as it was then"
            fresh = await laptop.mind.remember("after the restore")
            assert laptop.device.syncer is not None
            await phone.mind.sync(address=laptop.address)
            for mind in (laptop.mind, phone.mind):
                assert {memory.rid for memory in await mind.list()} == {later, fresh.rid}
                assert (await mind.verify()).ok
            assert (await laptop.mind.digest()).digest == (await phone.mind.digest()).digest
            ops = [
                op
                for op in (await phone.mind.log(limit=1_000)).ops
                if op.device == laptop.device.device_id.hex()
            ]
            assert len({op.origin for op in ops}) == 2, "a new incarnation"
            assert len({(op.origin, op.seq) for op in ops}) == len(ops)

    rids = trio.run(before)
    restore(Home.at(tmp_path / "laptop"), Restore(file=str(file)))
    trio.run(after, *rids)


def test_a_restore_pardons_what_it_put_aside_and_accept_loss_the_rest(tmp_path: Path) -> None:
    home, file = tmp_path / "home", tmp_path / "backup.db"

    def lose(core: Core, _: object) -> None:
        core.note(ChainEvent.ROLLED_BACK, core.device, 0)
        core.incidents[-1] = core.incidents[-1]._replace(incarnation=b"lost", seq=27)
        core.write(Changes(), 0)

    async def before() -> None:
        async with opened(home) as laptop:
            await laptop.mind.remember("in the backup")
            await laptop.device.replica.run(lose)
            await laptop.mind.backup(file)
            await laptop.mind.remember("after the backup")

    trio.run(before)
    restore(Home.at(home), Restore(file=str(file)))
    told = cli.run(home, "verify", "--json")
    assert (told.code, told.json["accepted"]) == (1, 0)
    (problem,) = told.json["problems"]
    assert problem.startswith("this device misses 27 of its ")
    accepted = cli.run(home, "verify", "--accept-loss")
    assert (accepted.code, accepted.out.splitlines()[0]) == (0, "27 writes taken as lost")
    with samemind.open_blocking(home) as mind:
        again = mind.verify(accept_loss=True)
        assert (again.ok, again.accepted) == (True, 0)


def test_a_restore_pardons_what_it_put_aside_where_something_was_erased_meanwhile(tmp_path: Path) -> None:
    """Its first opening says at once what it erased, and so writes; an outside reader's oracle found it blamed."""
    home, file = tmp_path / "home", tmp_path / "backup.db"

    async def before() -> None:
        async with opened(home) as laptop:
            secret = await laptop.mind.remember("a word that is erased")
            await laptop.mind.remember("in the backup")
            await laptop.mind.backup(file)
            await laptop.mind.forget(secret.rid, erase=True)
            await laptop.mind.remember("after the backup")

    trio.run(before)
    restore(Home.at(home), Restore(file=str(file)))
    told = cli.run(home, "verify", "--json")
    assert (told.code, told.json["problems"]) == (0, [])


def test_what_is_no_backup_changes_nothing(tmp_path: Path) -> None:
    home = Home.at(tmp_path / "home")
    with samemind.open_blocking(home.folder) as mind:
        told = mind.remember("here to stay")
    other = tmp_path / "other.db"
    connection = sqlite3.connect(other)
    connection.execute("CREATE TABLE op (a)")
    connection.close()
    whole = home.store.read_bytes()
    cut = tmp_path / "cut.db"
    cut.write_bytes(whole[: len(whole) // 2])
    text = tmp_path / "text.db"
    text.write_text("not a store", encoding="utf-8")
    for file in (other, cut, text, tmp_path / "missing.db"):
        with pytest.raises(samemind.SamemindError):
            restore(home, Restore(file=str(file)))
    with pytest.raises(samemind.SamemindError) as refused:
        restore(home, Restore(file=str(text)))
    assert "samemind import" in refused.value.hint
    assert home.store.read_bytes() == whole
    assert not list(home.folder.glob("*before-restore*"))
    with samemind.open_blocking(home.folder) as mind:
        assert mind.get(told).text == "here to stay"


def test_a_store_that_is_in_use_is_not_replaced(tmp_path: Path) -> None:
    home, file = tmp_path / "home", tmp_path / "backup.db"
    with samemind.open_blocking(home) as mind:
        mind.remember("one")
        mind.backup(file)
        with pytest.raises(samemind.Locked):
            restore(Home.at(home), Restore(file=str(file)))
        with pytest.raises(samemind.Usage):
            mind.backup(home / "memory.db")


def test_a_backup_in_a_new_home_makes_a_device_of_its_own_with_the_same_memory(tmp_path: Path) -> None:
    file = tmp_path / "backup.db"
    with samemind.open_blocking(tmp_path / "old") as mind:
        told, old = mind.remember("Ann moved to Lisbon"), mind.status().device_id
        mind.backup(file)
    restored = restore(Home.at(tmp_path / "new"), Restore(file=str(file)))
    assert restored.device_id != old
    assert restored.new_device
    assert f"samemind peers revoke {old[:12]}" in render(to_json(restored))[-1]
    with samemind.open_blocking(tmp_path / "new") as mind:
        (before,) = mind.peers().peers
        assert (before.device_id, before.namesake) == (old, True)
        assert mind.get(told).text == "Ann moved to Lisbon"
        mind.remember("a new line")
        assert mind.verify().ok


def test_a_backup_of_a_group_in_a_new_home_says_that_it_has_to_be_paired(tmp_path: Path) -> None:
    """`sync` said that it was revoked, which nobody had done, and `doctor` said nothing."""
    file = tmp_path / "backup.db"
    with samemind.open_blocking(tmp_path / "old") as mind:
        mind.make_recovery()
        mind.backup(file)
    restore(Home.at(tmp_path / "new"), Restore(file=str(file)))
    with daemon(tmp_path / "new"), samemind.open_blocking(tmp_path / "new") as mind:
        (check,) = [check for check in mind.doctor().checks if check.name == "member"]
        assert not check.ok
        assert check.fix.startswith("samemind pair")
        with pytest.raises(samemind.Locked, match="not a member of the group that it holds"):
            mind.sync(address="127.0.0.1:9")


def test_a_device_keeps_its_name_where_the_backup_of_another_is_restored_over_it(tmp_path: Path) -> None:
    file = tmp_path / "backup.db"
    with samemind.open_blocking(tmp_path / "old") as mind:
        mind.backup(file)
    assert cli.run(tmp_path / "new", "init", "--name", "Ann's desk").code == 0
    restored = restore(Home.at(tmp_path / "new"), Restore(file=str(file)))
    with samemind.open_blocking(tmp_path / "new") as mind:
        status = mind.status()
        assert (status.device_id, status.name) == (restored.device_id, "Ann's desk")


@pytest.mark.parametrize("whole", [0, 100, None], ids=["empty", "damaged", "whole"])
def test_what_was_written_last_is_kept_with_the_store_that_goes(tmp_path: Path, whole: int | None) -> None:
    """A program that was killed left its last writes in the log beside the store, and the store may be damaged."""
    home, file, other = Home.at(tmp_path / "home"), tmp_path / "backup.db", Home.at(tmp_path / "other")
    with samemind.open_blocking(other.folder) as mind:
        mind.backup(file)
    with samemind.open_blocking(home.folder) as mind:
        mind.remember("written before")
    with samemind.open_blocking(home.folder) as mind:
        mind.remember("written last")
        left = {name: (home.folder / name).read_bytes() for name in ("memory.db", "memory.db-wal")}
    if whole is not None:
        left["memory.db"] = left["memory.db"][:whole]
    for name, data in left.items():
        (home.folder / name).write_bytes(data)
    before = Path(restore(home, Restore(file=str(file))).before or "")
    log = before.with_name(before.name + "-wal")
    assert log.exists() == (whole is not None)
    if whole is not None:
        assert (before.read_bytes(), log.read_bytes()) == (left["memory.db"], left["memory.db-wal"])
    else:
        with closing(connect(str(before))) as connection:
            SqliteStore(
                connection, derived_tables(Settings())
            )  # what was told last shows as soon as it is opened
            assert connection.execute("SELECT text FROM memory").fetchall() == [
                ("written before",),
                ("written last",),
            ]
    with samemind.open_blocking(home.folder) as mind:
        assert not mind.list()
        assert mind.verify().ok


def test_in_a_folder_a_backup_is_named_by_its_device_and_the_day(tmp_path: Path) -> None:
    with samemind.open_blocking(tmp_path / "home") as mind:
        mind.remember("kept")
        saved = Path(mind.backup(tmp_path).path)
        assert saved.parent == tmp_path
        assert saved.name.startswith(f"samemind-{mind.status().device_id[:12]}-20")
        assert saved.is_file()


def renaming(own: IntroducedMember) -> Callable[[Core, object], bool]:
    return lambda core, _: core.rename(own)


def test_a_device_takes_another_name_until_it_is_paired(tmp_path: Path) -> None:
    """Also one that a backup just made, which knows the group that is to take it in."""
    file = tmp_path / "backup.db"

    async def a_pair() -> None:
        async with opened(tmp_path / "laptop") as laptop, opened(tmp_path / "phone") as phone:
            await pair(laptop, phone)
            await laptop.mind.backup(file)
            for each in (laptop.device, phone.device):
                assert not await each.replica.run(renaming(introduction_of(each.identity, "study")))

    trio.run(a_pair)
    restore(Home.at(tmp_path / "new"), Restore(file=str(file)))
    for name in ("attic", "cellar"):
        assert cli.run(tmp_path / "new", "init", "--name", name).code == 0
        with samemind.open_blocking(tmp_path / "new") as mind:
            assert mind.status().name == name
            assert mind.verify().ok
    refused = cli.run(tmp_path / "phone", "init", "--name", "study")
    with samemind.open_blocking(tmp_path / "phone") as mind:
        hint = f"on each of them: samemind peers rename {mind.status().device_id[:12]} study"
    assert refused.code == 4
    assert hint in refused.err
