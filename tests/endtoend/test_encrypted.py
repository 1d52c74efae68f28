"""A home that is encrypted at rest: nothing in it can be read without the passphrase, and every verb works with it."""

import json
import signal
import sqlite3
from pathlib import Path

import pytest

from replica import salt_of
from samemind.config import Home
from samemind.encrypting import decrypt, encrypt
from samemind.errors import SamemindError
from samemind.restoring import restore
from samemind.surface.keeping_safe import Decrypt, Encrypt, Restore
from tests.endtoend.test_clones import agree, meet
from tests.support import cli
from tests.support.calling import Call
from tests.support.devices import run
from tests.support.doors import opened, pair

pytest.importorskip("sqlcipher3", reason="no SQLCipher for this platform")
pytest.importorskip("keyring")

MARKER = "zyzzyvaquux"
# 64 digits are a key already, so that no opening has to wait for the rounds.
KEY = "5a" * 32


def holders(*places: Path) -> set[str]:
    """The files of these folders in which the marker can be read."""
    files = [path for place in places for path in (place.rglob("*") if place.is_dir() else [place])]
    return {path.name for path in files if path.is_file() and MARKER.encode() in path.read_bytes()}


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
    for backup in (secret, plain):
        assert restore(Home.at(laptop_home), Restore(file=str(backup))).memories == 3
    assert holders(laptop_home, secret.parent) == set()
    assert holders(plain) == {"plain.db"}
    assert not decrypt(Home.at(laptop_home), Decrypt()).encrypted
    assert {path.name.partition(".before")[0] for path in laptop_home.glob("memory.db*")} == {"memory.db"}
    assert "memory.db" in holders(laptop_home)


def test_a_daemon_takes_the_passphrase_from_the_keychain_and_survives_being_killed(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import keyring

    home, file, before = tmp_path / "home", tmp_path / "keychain.json", keyring.get_keyring()
    from tests.support import keychain  # not before: keyring chooses among all that it has heard of

    for name, value in {**keychain.CHOSEN, keychain.FILE_VARIABLE: str(file)}.items():
        monkeypatch.setenv(name, value)  # the daemon's way to it
    keyring.set_keyring(keychain.FileKeychain())  # type: ignore[no-untyped-call]
    try:
        said = call("encrypt", "--keychain", "--json").json
        (kept,) = json.loads(file.read_text()).values()
        assert said["passphrase"] == kept
        with cli.daemon(home) as up:
            assert call("remember", f"the {MARKER} is mine").code == 0
            up.end(signal.SIGKILL)
        assert holders(home) == set()
        assert MARKER in call("list").out
        with pytest.raises(sqlite3.DatabaseError):
            sqlite3.connect(home / "memory.db").execute("SELECT count(*) FROM memory")
        file.unlink()
        refused = call("list", "--json")
        assert (refused.code, refused.json["error"]["code"]) == (6, "passphrase_needed")
        monkeypatch.setenv("SAMEMIND_PASSPHRASE", "wrong")
        refused = call("list", "--json")
        assert (refused.code, refused.json["error"]["code"]) == (6, "wrong_passphrase")
        monkeypatch.setenv("SAMEMIND_PASSPHRASE", kept)
        assert MARKER in call("list").out
    finally:
        keyring.set_keyring(before)


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
    with pytest.raises(Exception, match="does not open the file"):
        restore(home, Restore(file=str(backup)))
