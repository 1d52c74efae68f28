"""Devices that never meet on a network: a file on a stick, and a folder that some service copies."""

import os
from pathlib import Path

import pytest

import samemind
from samemind.cli.printing import show
from samemind.formats.plain import to_json
from sync.mailbox import fetched
from tests.support.daemons import until
from tests.support.devices import run
from tests.support.doors import Opened, opened, pair


async def paired(*devices: Opened) -> None:
    """Pair the first with each of the others."""
    for other in devices[1:]:
        await pair(devices[0], other)

    async def all_known() -> bool:
        return all([len((await each.mind.peers()).peers) == len(devices) - 1 for each in devices])

    await until(all_known)


async def digests(*devices: Opened) -> set[tuple[str, str]]:
    """Both digests of every device."""
    found = [await each.mind.digest() for each in devices]
    return {(each.digest, each.state_digest) for each in found}


def test_a_file_on_a_stick_brings_news_to_a_device_without_a_network(tmp_path: Path) -> None:
    async def main() -> None:
        async with opened(tmp_path / "laptop") as laptop, opened(tmp_path / "phone") as phone:
            await paired(laptop, phone)
        async with (
            opened(tmp_path / "laptop", online=False) as laptop,
            opened(tmp_path / "phone", online=False) as phone,
        ):
            await laptop.mind.remember("the key is under the mat")
            await phone.mind.remember("buy some milk")
            out = await laptop.mind.carry_export(tmp_path / "stick.samemind")
            assert out.ops == 1
            assert out.readable_by == ["phone"]
            assert b"under the mat" not in (tmp_path / "stick.samemind").read_bytes()
            came = await phone.mind.carry_import(tmp_path / "stick.samemind")
            assert (came.ops, came.files, came.refused) == (1, 1, [])
            back = await phone.mind.carry_export(tmp_path / "back.samemind", since_peer="laptop")
            assert back.ops == 1, "the laptop is known to hold its own"
            await laptop.mind.carry_import(tmp_path / "back.samemind")
            assert len(await digests(laptop, phone)) == 1
            (hit, *_) = await phone.mind.recall("where is the key?")
            assert hit.text == "the key is under the mat"
            data = (tmp_path / "stick.samemind").read_bytes()
            (tmp_path / "cut.samemind").write_bytes(data[: len(data) // 2])
            os.mkfifo(tmp_path / "pipe.samemind")
            for bad in ("cut.samemind", "missing.samemind", "pipe.samemind"):
                with pytest.raises(samemind.SamemindError):
                    await phone.mind.carry_import(tmp_path / bad)
            with pytest.raises(samemind.NotFound, match="no such file: ") as missing:
                await phone.mind.carry_import(tmp_path / "missing.samemind")
            assert missing.value.code == "no_such_file"
            with pytest.raises(samemind.Usage):
                await phone.mind.carry_export(tmp_path, since_peer="laptop")

    run(main)


def test_what_this_device_has_no_room_for_is_named_and_the_rest_comes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        shared = tmp_path / "shared"
        shared.mkdir()
        async with opened(tmp_path / "laptop") as laptop, opened(tmp_path / "phone") as phone:
            await paired(laptop, phone)
            await laptop.mind.remember("the key is under the mat")
            await laptop.mind.carry_export(shared)
        (shared / "large.samemind").write_bytes(bytes(fetched.FETCHED_IN_MEMORY_MAX + 1))
        monkeypatch.setattr(fetched, "DISK_LEFT_MIN", 1 << 60)
        async with opened(tmp_path / "phone", online=False) as phone:
            came = await phone.mind.carry_import(shared)
            (skipped,) = came.skipped
            assert skipped.file == "large.samemind"
            assert "this device has no room for a file of 1.0 MB" in skipped.reason
            assert "make room on this device's own disk" in skipped.reason
            assert came.files == 1
            await phone.mind.add_mailbox(f"folder://{shared}", name="box")
            looked = await phone.mind.look_into_mailboxes()
            *_, said = show("mailbox look", to_json(looked))
            assert said == f"mailbox box: {looked.mailboxes[0].no_room}"
            assert "has no room for a file of 1.0 MB" in said

    run(main)


def test_three_devices_that_share_nothing_but_a_folder_agree_without_conflict_files(tmp_path: Path) -> None:
    async def main() -> None:
        shared = tmp_path / "shared"
        shared.mkdir()
        names = ("laptop", "phone", "tablet")
        async with (
            opened(tmp_path / "laptop") as laptop,
            opened(tmp_path / "phone") as phone,
            opened(tmp_path / "tablet") as tablet,
        ):
            await paired(laptop, phone, tablet)
        async with (
            opened(tmp_path / "laptop", online=False) as laptop,
            opened(tmp_path / "phone", online=False) as phone,
            opened(tmp_path / "tablet", online=False) as tablet,
        ):
            written: dict[Path, bytes] = {}
            for n in range(3):
                for each, name in zip((laptop, phone, tablet), names, strict=True):
                    await each.mind.remember(f"{name} note {n}")
                    await each.mind.carry_export(shared)
                    for path in shared.iterdir():
                        assert written.setdefault(path, path.read_bytes()) == path.read_bytes(), "rewritten"
            (shared / "half.samemind").write_bytes(next(iter(written.values()))[:100])
            for each in (laptop, phone, tablet):
                (skipped,) = (await each.mind.carry_import(shared)).skipped
                assert skipped.file == "half.samemind"
            (one,) = await digests(laptop, phone, tablet)
            assert one
            assert (await tablet.mind.list()).total == 9
            quiet = await laptop.mind.carry_export(shared)
            assert quiet.path is None, "nothing new, nothing written"

    run(main)
