"""A home that was copied, put back, or cloned: nothing is lost, the owner is told, and a clone can part."""

import shutil
from contextlib import suppress
from pathlib import Path

import pytest
import trio

import samemind
from samemind.commands.device import _clones
from tests.support import cli
from tests.support.calling import Call, remember
from tests.support.daemons import until
from tests.support.devices import run
from tests.support.doors import Opened, opened, pair


async def agree(*devices: Opened) -> None:
    """Wait until both digests are the same everywhere."""

    async def equal() -> bool:
        digests = [await each.mind.digest() for each in devices]
        return len({(digest.digest, digest.state_digest) for digest in digests}) == 1

    await until(equal)


async def meet(one: Opened, other: Opened) -> None:
    """Have one call the other, which is at another port than last time, until they agree."""
    with suppress(samemind.Unreachable):  # a call of its own may take the place of this one
        await one.mind.sync(other.device.name, address=other.address)
    await agree(one, other)


def test_a_home_that_was_put_back_says_so_and_writes_under_a_new_incarnation(
    call: Call, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    remember(call, "before the backup")
    shutil.copytree(home, tmp_path / "saved")
    remember(call, "after the backup")
    assert call("status", "--json").json["incidents"] == []
    shutil.rmtree(home)
    shutil.copytree(tmp_path / "saved", home)
    remember(call, "on the backup")
    status = call("status", "--json").json
    assert [each["what"] for each in status["incidents"]] == ["copied"]
    assert status["clone"] is None
    origins = {op["origin"] for op in call("log", "--json").json["ops"]}
    assert len(origins) == 2
    checks = call("doctor", "--json").json["checks"]
    assert any(check["name"] == "incarnation" and "copied or restored" in check["detail"] for check in checks)
    assert call("verify", "--json").json["ok"]


def test_a_clone_is_told_to_part_and_becomes_a_device_of_its_own(tmp_path: Path) -> None:
    laptop_home, clone_home = tmp_path / "laptop", tmp_path / "clone"

    async def main() -> None:
        async with opened(tmp_path / "phone") as phone:
            async with opened(laptop_home) as laptop:
                await pair(laptop, phone)
                await laptop.mind.remember("before the clone")
                await agree(laptop, phone)
            shutil.copytree(laptop_home, clone_home)
            (clone_home / "config.toml").unlink()
            async with opened(laptop_home) as laptop:
                await laptop.mind.remember("told the laptop")
                await meet(laptop, phone)
            async with opened(clone_home) as clone:
                assert clone.device.device_id == laptop.device.device_id
                await clone.mind.remember("told the clone")
                await meet(clone, phone)
                told = (await clone.mind.status()).clone
                assert told is not None
                assert told.must_part
            async with opened(laptop_home) as laptop:
                await meet(laptop, phone)
                found = (await laptop.mind.status()).clone
                assert found is not None
                assert not found.must_part, "one of the two is told"
                refused = await trio.to_thread.run_sync(cli.run, laptop_home, "init", "--divorce", "--json")
                assert refused.code == 6, "not while another program has the store open"

            parted = await trio.to_thread.run_sync(
                cli.run, clone_home, "init", "--divorce", "--name", "tablet", "--json"
            )
            assert (parted.code, parted.json["told"]) == (0, ["phone"]), parted
            async with opened(clone_home) as tablet:
                assert tablet.device.device_id.hex() == parted.json["device_id"]
                assert tablet.device.device_id != laptop.device.device_id
                assert tablet.device.name == "tablet"
                await tablet.mind.remember("told the tablet")
                await meet(tablet, phone)
                assert (await tablet.mind.status()).clone is None
                async with opened(laptop_home) as laptop:
                    await meet(laptop, phone)
                    assert (await laptop.mind.status()).clone is None
                    listed = await laptop.mind.list()
                    assert {memory.text for memory in listed.memories} == {
                        "before the clone",
                        "told the laptop",
                        "told the clone",
                        "told the tablet",
                    }
                    for each in (laptop, phone, tablet):
                        assert (await each.mind.verify()).ok

    run(main)


@pytest.mark.parametrize("again", [False, True])
def test_a_clone_killed_while_it_parts_is_the_new_device_from_the_next_start_on(
    call: Call, monkeypatch: pytest.MonkeyPatch, again: bool
) -> None:
    """The group knows the new device by then, so its key must not be lost with the program that made it."""
    rid = remember(call, "before it parted")
    former = call("init", "--json").json["device_id"]
    with monkeypatch.context() as patched:
        patched.setattr(_clones, "_tell", killed)
        with pytest.raises(Killed):
            call("init", "--divorce", "--name", "tablet")
    parted = call("init", *(["--divorce"] if again else []), "--json").json
    assert (parted["name"], parted["divorced_from"]) == ("tablet", former if again else None)
    members = {each["device_id"]: each["name"] for each in call("group", "show", "--json").json["members"]}
    assert len(members) == 2, "no device whose key nobody has"
    assert members[parted["device_id"]] == "tablet"
    assert rid in {each["rid"] for each in call("list", "--json").json["memories"]}
    assert call("verify", "--json").json["ok"]


def test_a_clone_killed_before_the_store_names_its_new_key_stays_what_it_was(
    call: Call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    remember(call, "before it parted")
    former = call("init", "--json").json
    with monkeypatch.context() as patched:
        patched.setattr(_clones, "introduce", killed)
        with pytest.raises(Killed):
            call("init", "--divorce")
    assert call("init", "--json").json == former
    assert len(call("group", "show", "--json").json["members"]) == 1
    assert [each.name for each in (tmp_path / "home").glob("*.pem")] == ["identity.pem"]


def test_a_device_that_parted_is_made_another_one_only_under_another_name(call: Call) -> None:
    """Who was killed while it parted may look at the status first, and then ask for it again."""
    remember(call, "before it parted")
    tablet = call("init", "--divorce", "--name", "tablet", "--json").json["device_id"]
    assert call("status", "--json").json["device_id"] == tablet
    for named in ((), ("--name", "tablet")):
        asked = call("init", "--divorce", *named, "--json")
        assert (asked.code, asked.json["error"]["code"]) == (4, "parted_already")
    assert call("init", "--json").json["device_id"] == tablet
    again = call("init", "--divorce", "--name", "slate", "--json").json
    assert (again["name"], again["divorced_from"]) == ("slate", tablet)


class Killed(BaseException):
    """The program ends here."""


def killed(*_: object, **__: object) -> None:
    raise Killed
