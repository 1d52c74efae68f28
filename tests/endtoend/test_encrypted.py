"""A home that is encrypted at rest: nothing in it can be read without the passphrase, and every verb works with it."""

import json
import os
import pty
import secrets
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import samemind
from replica import DeviceId, connect, make_key, recode, salt_of
from samemind.commands.device import _clones
from samemind.commands.keeping_safe import _work
from samemind.commands.keeping_safe.decrypt import Decrypt
from samemind.commands.keeping_safe.decrypt import run as decrypt
from samemind.commands.keeping_safe.encrypt import Encrypt
from samemind.commands.keeping_safe.encrypt import run as encrypt
from samemind.commands.keeping_safe.passphrase import Passphrase
from samemind.commands.keeping_safe.passphrase import run as change
from samemind.commands.keeping_safe.restore import Restore
from samemind.config import Home
from samemind.errors import SamemindError, Usage
from samemind.home import recoding
from samemind.home.passphrase import is_passphrase_of
from sync import Identity
from tests.endtoend.test_clones import agree, meet
from tests.support import cli
from tests.support.calling import Call
from tests.support.devices import run
from tests.support.doors import opened, pair
from tests.support.restoring import restore

pytest.importorskip("sqlcipher3", reason="no SQLCipher for this platform")
pytest.importorskip("keyring")

MARKER = "zyzzyvaquux"
# 64 digits are a key already, so that no opening has to wait for the rounds.
KEY = "5a" * 32
# Where the keychain of these tests (tests/support/keychain.py) keeps its secrets.
FILE_VARIABLE = "TEST_KEYCHAIN_FILE"


def holders(*places: Path) -> set[str]:
    """The files of these folders in which the marker can be read."""
    files = [path for place in places for path in (place.rglob("*") if place.is_dir() else [place])]
    return {path.name for path in files if path.is_file() and MARKER.encode() in path.read_bytes()}


def tell(folder: Path) -> Home:
    """Make a plain home that holds the marker."""

    async def remember() -> None:
        async with opened(folder, online=False) as device:
            await device.mind.remember(f"the {MARKER} was here before")

    run(remember)
    return Home.at(folder)


@pytest.fixture
def keychain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A keychain for this test and the daemons it starts: the file in which it keeps its secrets."""
    import keyring

    file, before = tmp_path / "keychain.json", keyring.get_keyring()
    from tests.support import keychain  # not before: keyring chooses among all that it has heard of

    for name, value in {**keychain.CHOSEN, FILE_VARIABLE: str(file)}.items():
        monkeypatch.setenv(name, value)  # the daemon's way to it
    keyring.set_keyring(keychain.FileKeychain())  # type: ignore[no-untyped-call]
    yield file
    keyring.set_keyring(before)


def killed(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def key_for(store: Path, passphrase: str) -> bytes:
    salt = salt_of(store)
    assert salt is not None
    return make_key(passphrase, salt)


def key() -> bytes:
    return bytes.fromhex(KEY) + secrets.token_bytes(16)


def test_an_encrypted_device_agrees_with_a_plain_one_and_holds_no_plain_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither in the store nor in its log, its backups, or what a restore put aside; the plain one's files do."""
    monkeypatch.setenv("SAMEMIND_PASSPHRASE", KEY)
    laptop_home, phone_home = tmp_path / "laptop", tmp_path / "phone"
    secret, plain = tmp_path / "saved" / "secret.db", tmp_path / "plain.db"
    secret.parent.mkdir()

    async def before() -> None:
        async with opened(laptop_home, online=False) as laptop:
            await laptop.mind.remember(f"the {MARKER} was here before")

    async def together() -> None:
        async with opened(laptop_home) as laptop, opened(phone_home) as phone:
            await pair(laptop, phone)
            rid = await laptop.mind.remember(f"Ann keeps the {MARKER} in the attic", speaker="Ann")
            await laptop.mind.edit(rid, f"Ann keeps the {MARKER} in the cellar")
            await phone.mind.remember(f"Bob has seen a {MARKER}")
            await meet(laptop, phone)
            await agree(laptop, phone)
            for each in (laptop, phone):
                await each.device.mind.settle()
                assert MARKER in (await each.mind.recall(f"who has a {MARKER}?"))[0].text
                assert (await each.mind.verify()).ok
            assert len((await laptop.mind.list(as_of="2100-01-01")).memories) == 3
            checks = {check.name: check for check in (await laptop.mind.doctor()).checks}
            assert checks["encryption"].detail == "the store is encrypted"
            await laptop.mind.backup(secret)
            await phone.mind.backup(plain)
            assert "memory.db-wal" in {path.name for path in laptop_home.iterdir()}
            assert holders(laptop_home, secret) == set()
            assert holders(phone_home) != set()

    run(before)
    assert holders(laptop_home) == {"memory.db"}
    assert encrypt(Home.at(laptop_home), Encrypt()).encrypted
    run(together)
    # What is put back is encrypted on its way in, whichever it is; so is what was put aside.
    for backup, sealed in ((secret, True), (plain, False)):
        found = restore(Home.at(laptop_home), Restore(file=str(backup)))
        assert (found.memories, found.sealed) == (3, sealed), "each device knows its own"
    assert holders(laptop_home, secret.parent) == set()
    assert holders(plain) == {"plain.db"}
    assert not decrypt(Home.at(laptop_home), Decrypt()).encrypted
    assert {path.name.partition(".before")[0] for path in laptop_home.glob("memory.db*")} == {"memory.db"}
    assert "memory.db" in holders(laptop_home)


def test_a_daemon_takes_the_passphrase_from_the_keychain_and_survives_being_killed(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keychain: Path
) -> None:
    home = tmp_path / "home"
    said = call("encrypt", "--keychain", "--json").json
    (kept,) = json.loads(keychain.read_text()).values()
    assert said["passphrase"] == kept
    with cli.daemon(home) as up:
        assert call("remember", f"the {MARKER} is mine").code == 0
        up.end(signal.SIGKILL)
    assert holders(home) == set()
    assert MARKER in call("list").out
    with pytest.raises(sqlite3.DatabaseError):
        sqlite3.connect(home / "memory.db").execute("SELECT count(*) FROM memory")
    keychain.unlink()
    refused = call("list", "--json")
    assert (refused.code, refused.json["error"]["code"]) == (6, "passphrase_needed")
    monkeypatch.setenv("SAMEMIND_PASSPHRASE", "wrong")
    refused = call("list", "--json")
    assert (refused.code, refused.json["error"]["code"]) == (6, "wrong_passphrase")
    monkeypatch.setenv("SAMEMIND_PASSPHRASE", kept)
    assert MARKER in call("list").out


@pytest.mark.parametrize("killed_before_it_counts", [False, True])
def test_a_clone_that_parts_finds_its_passphrase_in_the_keychain(
    call: Call, monkeypatch: pytest.MonkeyPatch, keychain: Path, killed_before_it_counts: bool
) -> None:
    """The other one, which may be on this machine, finds it as before."""
    former = call("init", "--json").json["device_id"]
    kept = call("encrypt", "--keychain", "--json").json["passphrase"]
    with monkeypatch.context() as patched:
        if killed_before_it_counts:
            patched.setattr(_clones, "introduce", killed)
        call("init", "--divorce", "--name", "tablet")
    device = call("init", "--json").json["device_id"]
    assert (device == former) == killed_before_it_counts
    assert json.loads(keychain.read_text()) == {f"samemind/{each}": kept for each in {former, device}}


def typing(home: Path, passphrase: str, *words: str) -> tuple[int, str, int]:
    """Type a passphrase where a command at a terminal asks for one: its code, what it shows, how often it asked."""
    terminal, end = pty.openpty()
    process = subprocess.Popen(
        [*cli.COMMAND, "--home", str(home), *words],
        stdin=end, stdout=end, stderr=end,
        env=cli.environment(NO_COLOR="1"), start_new_session=True,
    )  # fmt: skip
    os.close(end)
    shown, asked = "", 0
    with suppress(OSError):  # Linux says so when the other end has closed
        while more := os.read(terminal, 4096):
            shown += more.decode()
            for _ in range(shown.count("passphrase of the store: ") - asked):
                asked += 1
                os.write(terminal, passphrase.encode() + b"\n")
    os.close(terminal)
    return process.wait(cli.SECONDS_MAX), shown, asked


def test_a_terminal_is_asked_once_and_a_daemon_in_the_background_gets_what_was_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    assert cli.run(home, "remember", f"the {MARKER} was here before").code == 0
    with monkeypatch.context() as patched:
        patched.setenv("SAMEMIND_PASSPHRASE", "tea for two")
        encrypt(Home.at(home), Encrypt())
    code, shown, asked = typing(home, "tea for three", "up", "--background")
    assert (code, asked) == (6, 1)
    assert "it is not what was typed" in shown
    try:
        code, shown, asked = typing(home, "tea for two", "up", "--background")
        assert (code, asked) == (0, 1), shown
        assert "up at" in shown
        assert MARKER in cli.run(home, "list").out, "the daemon has it open"
        assert typing(home, "", "up", "--background")[::2] == (0, 0), "it runs already"
    finally:
        cli.run(home, "down")
    code, shown, asked = typing(home, "tea for two", "decrypt")
    assert (code, asked) == (0, 1), shown
    assert salt_of(home / "memory.db") is None


def test_what_cannot_be_meant_is_refused_and_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Home.at(tmp_path)

    def refusal(act: object, options: object) -> str:
        before = salt_of(home.store)
        with pytest.raises(SamemindError) as caught:
            act(home, options)  # type: ignore[operator]
        assert salt_of(home.store) == before
        return caught.value.code

    assert refusal(decrypt, Decrypt()) == "plain_already"
    assert refusal(encrypt, Encrypt()) == "passphrase_needed", "no terminal, and nothing in the environment"
    monkeypatch.setenv("SAMEMIND_PASSPHRASE", KEY)
    encrypt(home, Encrypt())
    assert refusal(encrypt, Encrypt()) == "encrypted_already"
    monkeypatch.setenv("SAMEMIND_PASSPHRASE", "6b" * 32)
    backup = tmp_path / "backup.db"
    backup.write_bytes(home.store.read_bytes())
    with pytest.raises(Exception, match="it is not what SAMEMIND_PASSPHRASE holds"):
        restore(home, Restore(file=str(backup)))


def test_a_plain_home_that_takes_an_encrypted_backup_keeps_no_plain_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAMEMIND_PASSPHRASE", KEY)
    home, backup = tell(tmp_path / "home"), tmp_path / "backup.db"
    recode(home.store, None, backup, key())
    aside = restore(home, Restore(file=str(backup))).before
    assert aside is not None
    assert salt_of(Path(aside)) is not None
    assert holders(home.folder) == set()


def test_encrypting_that_was_killed_is_finished_by_encrypting_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keychain: Path
) -> None:
    """Under the passphrase of the first time; nothing plain stays, be it old blocks, copies or stores put aside."""
    home = tell(tmp_path / "home")
    aside = home.folder / "memory.db.before-restore-20270101T000000000000Z"
    shutil.copy(home.store, aside)
    with monkeypatch.context() as patched:
        patched.setattr(recoding, "_wipe", killed)
        with pytest.raises(KeyboardInterrupt):
            encrypt(home, Encrypt(keychain=True))
    assert holders(home.folder) == {aside.name, "memory.db.replaced"}
    # What a `decrypt` and a `restore` leave that are killed.
    for name in ("memory.db.recoded", "memory.db.restored", f"{aside.name}.recoded"):
        shutil.copy(aside, home.folder / name)
    (kept,) = json.loads(keychain.read_text()).values()
    salt = salt_of(home.store)
    assert encrypt(home, Encrypt(keychain=True)).passphrase == kept
    assert list(json.loads(keychain.read_text()).values()) == [kept]
    assert salt_of(home.store) == salt == salt_of(aside)
    assert holders(home.folder) == set()
    assert recoding.leftovers(home.store) == []
    with pytest.raises(SamemindError, match="is encrypted"):
        encrypt(home, Encrypt())


# Change the passphrase of one copy of a data directory after another, each time in a process that ends before its nth
# step on the disk or in the keychain, until one comes to the end. A keychain's file is copied beside each.
CHANGES_AND_ENDS = """
import os, pathlib, shutil, sys
import keyring, trio
from samemind.commands.keeping_safe.passphrase import Passphrase, run
from samemind.config import Home
from samemind.home import recoding
from sync import Identity

made, way, kept = pathlib.Path(sys.argv[1]), sys.argv[2], os.environ["TEST_KEYCHAIN_FILE"]

def ends(module, name):
    goes = getattr(module, name)
    def step(*words, **named):
        global left
        if (left := left - 1) < 0:
            os._exit(9)
        return goes(*words, **named)
    setattr(module, name, step)

def change(home):
    trio.run = lambda *_: Identity.load(home.identity).device_id  # what opens a store first takes seconds
    for name in ("fsync", "link", "replace", "unlink", "write"):
        ends(os, name)
    for name in ("recode", "check"):
        ends(recoding, name)
    for name in ("set_password", "delete_password"):
        ends(keyring, name)
    run(home, Passphrase(keychain=way == "keychain"))

ended, steps = 9, 0
while ended == 9:
    home, left = made.with_name(f"{made.name}-{steps:03}"), steps
    shutil.copytree(made, home)
    if way == "keychain":
        os.environ["TEST_KEYCHAIN_FILE"] = str(shutil.copy(kept, home / "keychain.json"))
    if (child := os.fork()) == 0:
        change(Home.at(home))
        os._exit(0)
    ended, steps = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), steps + 1
sys.exit(ended)
"""


@pytest.mark.slow
@pytest.mark.parametrize("way", ["keychain", "typed"])
def test_changing_a_passphrase_that_is_killed_at_any_step_loses_nothing_and_is_finished_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keychain: Path, way: str
) -> None:
    """With the new passphrase or the old one, all is there; once it is finished, nothing opens with the old one."""
    new = "6b" * 32
    made = tell(tmp_path / "made")
    if way == "typed":
        monkeypatch.setenv("SAMEMIND_PASSPHRASE", KEY)
        monkeypatch.setenv("SAMEMIND_NEW_PASSPHRASE", new)
    before = encrypt(made, Encrypt(keychain=way == "keychain")).passphrase or KEY
    shutil.copy(made.store, made.folder / "memory.db.before-restore-20270101T000000000000Z")
    words = [sys.executable, "-c", CHANGES_AND_ENDS, str(made.folder), way]
    subprocess.run(words, check=True, cwd=Path(__file__).parents[2], timeout=cli.SECONDS_MAX)
    copies = sorted(tmp_path.glob("made-*"))
    assert len(copies) > 20

    async def opened_before(_: Home) -> DeviceId:  # a second for each, in which nothing of this happens
        return Identity.load(made.identity).device_id

    monkeypatch.setattr(_work, "open_home", opened_before)
    for home in map(Home.at, copies):
        if way == "typed":
            done = is_passphrase_of(new, home.store)
            monkeypatch.setenv("SAMEMIND_PASSPHRASE", new if done else KEY)
            with suppress(Usage):  # it has this one already
                change(home, Passphrase())
        else:
            monkeypatch.setenv(FILE_VARIABLE, str(home.folder / "keychain.json"))
            new = change(home, Passphrase(keychain=True)).passphrase or ""
            assert list(json.loads((home.folder / "keychain.json").read_text()).values()) == [new]
        for store in recoding.stores(home.store):
            assert is_passphrase_of(new, store)
            assert not is_passphrase_of(before, store)
            connection = connect(str(store), key=key_for(store, new))
            assert MARKER in connection.execute("SELECT text FROM memory").fetchone()[0]
            connection.close()
        assert (recoding.leftovers(home.store), holders(home.folder)) == ([], set())


def test_a_passphrase_is_changed_for_another_one_only_and_of_an_encrypted_store(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keychain: Path
) -> None:
    """What was in the keychain goes once the new one is not kept there; what one passphrase opens not is named."""
    assert call("passphrase", "--json").json["error"]["code"] == "plain_already"
    call("encrypt", "--keychain")
    assert call("passphrase", "--json").json["error"]["code"] == "passphrase_needed"
    monkeypatch.setenv("SAMEMIND_NEW_PASSPHRASE", KEY)
    done = call("passphrase")
    assert (done.code, done.out) == (0, f"{tmp_path / 'home'} opens with the new passphrase only\n")
    assert json.loads(keychain.read_text()) == {}
    monkeypatch.setenv("SAMEMIND_PASSPHRASE", KEY)
    assert call("passphrase", "--json").json["error"]["code"] == "same_passphrase"
    aside = tmp_path / "home" / "memory.db.before-restore-20270101T000000000000Z"
    shutil.copy(tmp_path / "home" / "memory.db", aside)
    monkeypatch.setenv("SAMEMIND_NEW_PASSPHRASE", "6b" * 32)
    with monkeypatch.context() as patched:
        patched.setattr(recoding, "_take_place", killed)
        assert call("passphrase").code == 130
    assert call("list").code == 0, "it is as it was"
    recode(aside, key_for(aside, KEY), tmp_path / "other", bytes.fromhex("7c" * 32) + secrets.token_bytes(16))
    os.replace(tmp_path / "other", aside)
    refused = call("passphrase", "--json")
    assert (refused.code, refused.json["error"]["code"]) == (6, "stores_shut")
    assert aside.name in refused.json["error"]["message"]
    assert call("list").code == 0


def test_what_lay_under_the_passphrase_before_is_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is changed because somebody else may know it: blocks that the disk keeps would open for them."""
    monkeypatch.setenv("SAMEMIND_PASSPHRASE", KEY)
    monkeypatch.setenv("SAMEMIND_NEW_PASSPHRASE", "6b" * 32)
    home = tell(tmp_path)
    encrypt(home, Encrypt())
    with home.store.open("rb") as before:
        change(home, Passphrase())
        assert not any(before.read())


@pytest.mark.parametrize("verb", ["encrypt", "decrypt"])
def test_ctrl_c_says_that_the_store_is_whole_and_what_to_do(
    call: Call, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    monkeypatch.setenv("SAMEMIND_PASSPHRASE", KEY)
    assert call("init").code == 0
    if verb == "decrypt":
        assert call("encrypt").code == 0
    with monkeypatch.context() as patched:
        patched.setattr(recoding, "recode_in_place", killed)
        ended = call(verb)
    assert ended.code == 130
    assert "the store is whole" in ended.err
    assert "run it again with the same passphrase" in ended.err
    assert call(verb).code == 0


def test_what_was_plain_is_overwritten_only_once_the_encrypted_one_is_there_for_good(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAMEMIND_PASSPHRASE", KEY)
    home, seen = tell(tmp_path), []
    replace, fsync, write = os.replace, os.fsync, os.write

    def replaces(*names: Path) -> None:
        replace(*names)
        seen.append("named")

    def fsyncs(descriptor: int) -> None:
        fsync(descriptor)
        seen.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file")

    def writes(descriptor: int, data: bytes) -> int:
        if not any(data[:4096]):
            seen.append("wiped")
        return write(descriptor, data)

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", replaces)
        patched.setattr(os, "fsync", fsyncs)
        patched.setattr(os, "write", writes)
        encrypt(home, Encrypt())
    first = seen.index("wiped")
    assert seen[first - 3 : first] == ["file", "named", "folder"]


def test_a_name_of_the_store_itself_that_a_kill_left_does_not_cost_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAMEMIND_PASSPHRASE", KEY)
    home = tell(tmp_path)
    os.link(home.store, home.folder / "memory.db.replaced")  # killed before the new one took its place
    assert encrypt(home, Encrypt()).encrypted
    assert holders(home.folder) == set()
    assert not decrypt(home, Decrypt()).encrypted
    assert holders(home.folder) == {"memory.db"}


def test_decrypting_is_refused_before_anything_is_done_where_one_store_does_not_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAMEMIND_PASSPHRASE", KEY)
    home = tell(tmp_path)
    aside = home.folder / "memory.db.before-restore-20270101T000000000000Z"
    recode(home.store, None, aside, bytes.fromhex("6b" * 32) + secrets.token_bytes(16))
    encrypt(home, Encrypt())
    with pytest.raises(SamemindError, match=aside.name):
        decrypt(home, Decrypt())
    assert holders(home.folder) == set()
    aside.unlink()
    assert not decrypt(home, Decrypt()).encrypted


def test_a_store_put_aside_that_is_damaged_is_named_before_anything_is_encrypted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAMEMIND_PASSPHRASE", KEY)
    home = tell(tmp_path)
    aside = home.folder / "memory.db.before-restore-20270101T000000000000Z"
    aside.write_bytes(home.store.read_bytes()[:-5_000])
    with pytest.raises(SamemindError, match=aside.name):
        encrypt(home, Encrypt())
    assert salt_of(home.store) is None
    aside.unlink()
    assert encrypt(home, Encrypt()).encrypted


def test_an_encrypted_store_whose_program_was_killed_in_the_midst_of_a_change_opens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is half written lies beside it in a journal, and can only be taken back by who may write."""
    monkeypatch.setenv("SAMEMIND_PASSPHRASE", "a passphrase")
    home = Home.at(tmp_path / "home")
    with samemind.open_blocking(home.folder) as mind:
        mind.remember_many([f"note {number} " + "x" * 200 for number in range(300)])
    encrypt(home, Encrypt())
    salt = salt_of(home.store)
    assert salt is not None
    connection = connect(str(home.store), key=make_key("a passphrase", salt))
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.execute("PRAGMA cache_size = 2")
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("CREATE TABLE half_done AS SELECT * FROM memory")
    connection.execute("UPDATE memory SET text = 'half done'")
    journal = home.store.with_name(f"{home.store.name}-journal")
    killed = tmp_path / "killed"
    shutil.copytree(home.folder, killed)
    assert journal.stat().st_size > 0
    connection.execute("ROLLBACK")
    connection.close()
    with samemind.open_blocking(killed) as mind:
        assert len(mind.list(limit=1_000)) == 300
        assert mind.verify().ok
