"""A device turned bad and spoiled the group: its owner makes a new one without it, and moves the other devices in."""

import json
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from replica import introduce, make_key, salt_of
from replica.replica import open_core
from samemind.config import Home
from samemind.errors import SamemindError
from sync import Identity
from tests.support import cli
from tests.support.household import Member, members_agree, seconds_until
from tests.support.pages import waiting

Household = tuple[Member, Member, Member, Member]


@pytest.fixture
def household(tmp_path: Path) -> Iterator[Household]:
    """A laptop, which founded the group, a phone, a tablet and a thief, all up and in touch."""
    everybody = tuple(Member(tmp_path / name) for name in ("laptop", "phone", "tablet", "thief"))
    laptop, phone, tablet, thief = everybody
    with ExitStack() as everything:
        for each in everybody:
            each.make()
            everything.push(each.running)
            each.start()
        for each in (phone, tablet, thief):
            laptop.pair(each)
        yield laptop, phone, tablet, thief


def remembers(member: Member, text: str) -> str:
    return str(member.ask("remember", text=text)["rid"])


def texts(member: Member) -> dict[str, str]:
    """What is remembered there, by id."""
    return {each["rid"]: each["text"] for each in member.ask("list", limit=1000)["memories"]}


def run(member: Member, *words: str) -> dict[str, Any]:
    """Run a verb that needs the store for itself."""
    done = cli.run(member.home, *words, "--json")
    assert done.code == 0, done.err or done.out
    told: dict[str, Any] = done.json
    return told


def rejoins(member: Member, host: Member) -> dict[str, Any]:
    member.end()
    with host.asked("pair") as offering:
        offer = next(offering)
        moved = run(member, "group", "rejoin", offer["code"], "--address", offer["address"])
        assert [*offering]
    member.start()
    return moved


def spoil(thief: Member, kept: str, forgotten: str, erased: str) -> None:
    """What a stolen device may do: tell lies by the hundred, change, forget and erase what others told."""
    lies = thief.home / "lies.jsonl"
    lies.write_text("".join(json.dumps({"text": f"lie {i}"}) + "\n" for i in range(300)))
    thief.ask("import", files=[str(lies)])
    thief.ask("edit", rid=kept, text="the boiler is serviced by nobody")
    thief.ask("forget", rids=[forgotten])
    thief.ask("forget", rids=[erased], erase=True)


def test_a_group_is_rebuilt_without_a_member_that_turned_bad(household: Household) -> None:
    laptop, phone, tablet, thief = household
    kept = remembers(laptop, "the boiler is serviced in May")
    forgotten = remembers(phone, "the key is under the pot")
    erased = remembers(tablet, "the alarm code is on the fridge")
    own = remembers(laptop, "to be forgotten by its owner")
    laptop.ask("forget", rids=[own])
    members_agree(household)
    spoil(thief, kept, forgotten, erased)
    members_agree(household)
    assert len(texts(laptop)) == 301
    phone.end()
    members_agree([laptop, tablet, thief])

    laptop.end()
    tried = run(laptop, "group", "rebuild", "--without", "thief", "--dry-run")
    assert (tried["dry_run"], tried["before"]) == (True, None)
    assert len(tried["memories_left_out"]) == 300
    assert not (laptop.home / "memory.db.rebuilt").exists()
    made = run(laptop, "group", "rebuild", "--without", "thief")
    assert {**made, "dry_run": True, "before": None} == tried
    assert (made["stays"], made["left_out"]) == (["phone", "tablet"], ["thief"])
    assert made["memories_back"] == [forgotten]
    assert made["words_lost"] == [erased]
    assert Path(made["before"]).exists()
    laptop.start()
    assert texts(laptop) == {kept: "the boiler is serviced in May", forgotten: "the key is under the pot"}
    assert laptop.ask("verify")["ok"]

    phone.start()
    late = remembers(phone, "written before it moved")
    assert rejoins(phone, laptop)["memories"] == 3
    assert rejoins(tablet, laptop)["name"] == "laptop"
    members_agree([laptop, phone, tablet])
    expected = {
        kept: "the boiler is serviced in May",
        forgotten: "the key is under the pot",
        late: "written before it moved",
    }
    for each in (laptop, phone, tablet):
        assert texts(each) == expected
        assert each.ask("verify")["ok"]
        states = {one["name"]: one["state"] for one in each.ask("group show")["members"]}
        assert states == {"laptop": "member", "phone": "member", "tablet": "member", "thief": "revoked"}
    told = phone.ask("history", rid=late)
    assert str(told).count("phone") or told, "who wrote it is told as before"

    refused = _refused(laptop, thief)
    assert "revoked" in refused or "take it in" in refused
    remembers(thief, "let me in")
    remembers(tablet, "life goes on")
    members_agree([laptop, phone, tablet])
    assert "let me in" not in texts(laptop).values()
    assert "life goes on" in texts(phone).values()


def _refused(host: Member, guest: Member) -> str:
    """Pair a device that is not to come in; return what it is told."""
    with host.asked("pair") as offering:
        offer = next(offering)
        with pytest.raises(SamemindError) as caught:
            guest.ask("pair", code=offer["code"], address=offer["address"])
    return str(caught.value)


def test_killed_at_any_moment_the_group_is_the_old_one_or_the_new_one(household: Household) -> None:
    laptop, phone, tablet, thief = household
    for i in range(30):
        remembers(laptop, f"truth {i}")
    remembers(thief, "a lie")
    members_agree(household)
    laptop.end()
    before = cli.run(laptop.home, "digest", "--json").json["digest"]
    for wait in (0.0, 0.3, 0.6, 0.9, 1.2, 1.5, 2.0):
        with subprocess.Popen(
            [*cli.COMMAND, "--home", str(laptop.home), "group", "rebuild", "--without", "thief"],
            env=cli.environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as process:
            time.sleep(wait)
            process.send_signal(signal.SIGKILL)
        shown = run(laptop, "digest")["digest"]
        memories = run(laptop, "list", "--limit", "100")["memories"]
        assert len(memories) == (31 if shown == before else 30)
        assert run(laptop, "verify")["ok"]
        if shown != before:
            break
    else:
        run(laptop, "group", "rebuild", "--without", "thief")
    assert len(run(laptop, "list", "--limit", "100")["memories"]) == 30
    (kept, *_) = sorted(laptop.home.glob("memory.db.before-rebuild-*Z"))
    run(laptop, "restore", str(kept))
    assert len(run(laptop, "list", "--limit", "100")["memories"]) == 31, "a backup takes it all back"
    laptop.start()
    remembers(laptop, "back in the old group")
    members_agree([laptop, phone, tablet])
    states = {one["name"]: one["state"] for one in laptop.ask("group show")["members"]}
    assert states["thief"] == "revoked", (
        "revocations are kept outside of the home, and outlive what is put back"
    )


def test_who_came_in_through_a_bad_device_is_asked_about(household: Household, tmp_path: Path) -> None:
    laptop, _, _, thief = household
    friend = Member(tmp_path / "friend")
    friend.make()
    with friend.running:
        friend.start()
        thief.pair(friend)
        members_agree([*household, friend])
        laptop.end()
        refused = cli.run(laptop.home, "group", "rebuild", "--without", "thief", "--json")
        assert refused.code != 0
        assert "friend" in refused.out + refused.err
        made = run(
            laptop, "group", "rebuild", "--without", "thief", "--without", "friend", "--without", "phone"
        )
        assert made["stays"] == ["tablet"]
        nobody = cli.run(laptop.home, "group", "rebuild", "--json")
        assert nobody.code != 0
        laptop.start()

    def is_shown() -> bool:
        return {one["name"]: one["state"] for one in laptop.ask("group show")["members"]} == {
            "laptop": "member",
            "tablet": "expected",
            "phone": "revoked",
            "thief": "revoked",
            "friend": "revoked",
        }

    seconds_until(is_shown, "it does not say who is expected")


def test_an_encrypted_store_is_rebuilt_encrypted(tmp_path: Path) -> None:
    pytest.importorskip("sqlcipher3", reason="no SQLCipher for this platform")
    home = Home.at(tmp_path / "laptop")
    secret = {"SAMEMIND_PASSPHRASE": "5a" * 32}
    assert cli.run(home.folder, "remember", "zyzzyvaquux").code == 0
    assert cli.run(home.folder, "encrypt", **secret).code == 0
    own, thief = Identity.load(home.identity), Identity.create()
    salt = salt_of(home.store)
    assert salt is not None
    key = make_key("5a" * 32, salt)
    with open_core(home.store, device=own.device_id, sign=own.sign, key=key) as (core, _):
        core.learn(
            [
                introduce(
                    own.sign,
                    own.device_id,
                    public_key=thief.public_key,
                    certificate=thief.certificate,
                    name="thief",
                )
            ],
            [],
        )
    made = cli.run(home.folder, "group", "rebuild", "--without", "thief", "--json", **secret)
    assert made.code == 0, made.out
    assert made.json["memories"] == 1
    assert "zyzzyvaquux" in cli.run(home.folder, "list", **secret).out
    files = [path for path in home.folder.rglob("*") if path.is_file()]
    assert not [path.name for path in files if b"zyzzyvaquux" in path.read_bytes()]


def test_where_only_a_backup_is_left_its_device_founds_a_group_of_its_own(tmp_path: Path) -> None:
    """Restored without the key it is a new device, which nobody is left to introduce."""
    old, new, backup = tmp_path / "old", tmp_path / "new", tmp_path / "backup.db"
    phones = [tmp_path / "one", tmp_path / "two"]
    cli.run(old, "init", "--name", "laptop")
    cli.run(phones[0], "init", "--name", "one")
    assert pair(old, phones[0])["name"] == "one"
    cli.run(old, "remember", "Ann moved to Lisbon")
    cli.run(old, "backup", str(backup))
    assert "samemind group rebuild" in cli.run(new, "restore", str(backup)).out
    cli.run(phones[1], "init", "--name", "two")
    failed = pair(new, phones[1])["error"]
    assert failed["code"] == "pairing_failed"
    assert "samemind group rebuild" in failed["message"]
    assert "revoked" not in failed["message"]
    unheard = cli.run(new, "--json", "peers", "revoke", "one")
    assert (unheard.code, unheard.json["error"]["code"]) == (1, "not_a_member")
    rebuilt = cli.run(new, "--json", "group", "rebuild")
    assert (rebuilt.json["memories"], rebuilt.json["memories_left_out"]) == (1, [])
    outside = [each for each in cli.run(new, "--json", "group", "show").json["members"] if each["since"]]
    assert outside
    assert not [each["name"] for each in outside if each["since"].startswith("1970")]
    again = cli.run(new, "group", "rebuild")
    assert "expected --without" in again.err, "it is in its group now"
    assert pair(new, phones[1])["name"] == "two"


def pair(shows: Path, types: Path) -> Any:
    """Pair two by the code that one shows, and return what that one says in the end."""
    with waiting(shows, "pair") as (shown, command):
        cli.run(types, "pair", shown["code"], "--address", shown["address"])
        out, _ = command.communicate(timeout=60)
    return json.loads(out.splitlines()[-1])
