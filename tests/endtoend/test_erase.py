"""Forgetting for good: no file of any home holds the words, not even of a device that was away with an old backup."""

import shutil
from pathlib import Path

import pytest

from tests.endtoend.test_clones import agree, meet
from tests.support.daemons import until
from tests.support.devices import run
from tests.support.doors import opened, pair

MARKER = "zyzzyvaquux"


def holders(*homes: Path) -> list[str]:
    """The files below these folders that hold the marker, as grep -r finds them."""
    return [
        str(path.relative_to(homes[0].parent))
        for home in homes
        for path in home.rglob("*")
        if path.is_file() and MARKER.encode() in path.read_bytes()
    ]


@pytest.mark.slow
def test_erased_words_are_in_no_file_of_three_devices_though_one_was_away_with_a_backup(
    tmp_path: Path,
) -> None:
    """Edited twice, related, recalled, on three devices; one is offline at the time and comes back from a backup."""
    laptop_home, phone_home, tablet_home = (tmp_path / name for name in ("laptop", "phone", "tablet"))

    async def main() -> None:
        async with opened(laptop_home) as laptop, opened(phone_home) as phone:
            async with opened(tablet_home) as tablet:
                await pair(laptop, phone)
                await pair(laptop, tablet)
                rid = await laptop.mind.remember(f"Ann keeps the {MARKER} in the attic", speaker="Ann")
                await laptop.mind.edit(rid, f"Ann keeps the {MARKER} in the cellar")
                await laptop.mind.edit(rid, f"Ann keeps the old {MARKER} in the cellar, Bob says")
                await laptop.mind.remember("the cellar is dry")
                await laptop.mind.relate("Ann", "owns", "cellar")
                for each in (phone, tablet):
                    await meet(each, laptop)
                for each in (laptop, phone, tablet):
                    await each.device.mind.settle()
                    (hit, *_) = await each.mind.recall(f"where is the {MARKER}?")
                    assert MARKER in hit.text
                await agree(laptop, phone, tablet)
            shutil.copytree(tablet_home, tmp_path / "saved")
            assert holders(laptop_home, phone_home, tablet_home), "it is there before"

            await laptop.mind.forget(rid, erase=True)
            tablet_id = tablet.device.device_id.hex()

            async def only_the_tablet_is_outstanding() -> bool:
                status = await laptop.mind.forget(rid, status=True)
                return status.outstanding == [tablet_id] and len(status.confirmed_by) == 2

            await until(only_the_tablet_is_outstanding)
            assert holders(laptop_home, phone_home) == []

            shutil.rmtree(tablet_home)
            shutil.copytree(tmp_path / "saved", tablet_home)
            async with opened(tablet_home) as tablet:
                await meet(tablet, laptop)

                async def nobody_is_outstanding() -> bool:
                    return (await laptop.mind.forget(rid, status=True)).outstanding == []

                await until(nobody_is_outstanding)
                await agree(laptop, phone, tablet)
                for each in (laptop, phone, tablet):
                    assert all(
                        MARKER not in hit.text for hit in await each.mind.recall(f"where is the {MARKER}?")
                    )
                    assert (await each.mind.verify()).ok
            assert holders(laptop_home, phone_home, tablet_home) == []
        assert holders(laptop_home, phone_home, tablet_home) == []

    run(main)
