"""Two devices that think while apart, and what is left of a device that nobody trusts any more."""

from pathlib import Path

import pytest

import samemind
from samemind.formats.memory_view import MemoryView
from tests.support.daemons import until
from tests.support.devices import run
from tests.support.doors import Opened, opened, pair

LAKE = "We hiked around the blue lake "


async def agree(*devices: Opened) -> None:
    """Wait until both digests are the same everywhere."""

    async def equal() -> bool:
        digests = [await each.mind.digest() for each in devices]
        return len({(digest.digest, digest.state_digest) for digest in digests}) == 1

    await until(equal)


async def summaries(device: Opened) -> list[MemoryView]:
    return [view for view in await device.mind.list() if view.summary_of]


def test_two_devices_that_consolidate_while_apart_end_with_one_summary(tmp_path: Path) -> None:
    async def main() -> None:
        async with opened(tmp_path / "laptop") as laptop:
            async with opened(tmp_path / "phone") as phone:
                await pair(laptop, phone)
                both = [await laptop.mind.remember(LAKE + how, no_dedup=True) for how in ("at dawn", "again")]
                await agree(laptop, phone)
            async with opened(tmp_path / "phone", online=False) as phone:
                here = await laptop.mind.remember(LAKE + "in the rain", no_dedup=True)
                there = await phone.mind.remember(LAKE + "in the sun", no_dedup=True)
                (ours,) = (await laptop.mind.think()).consolidated.ids
                (theirs,) = (await phone.mind.think()).consolidated.ids
                assert {*(await laptop.mind.get(ours)).summary_of} == {one.rid for one in (*both, here)}
                assert {*(await phone.mind.get(theirs)).summary_of} == {one.rid for one in (*both, there)}
                await phone.mind.sync(address=laptop.address)
                await agree(laptop, phone)
                found = [await summaries(each) for each in (laptop, phone)]
                assert found[0] == found[1]
                (summary,) = found[0]
                assert {*summary.summary_of} == {one.rid for one in (*both, here, there)}
                assert summary.rid == ours == theirs  # of the oldest, which both had
                for each in (laptop, phone):
                    assert (await each.mind.think()).consolidated.count == 0  # nothing is left to say
                    (hit, *_) = await each.mind.recall("blue lake")
                    assert (hit.rid, hit.text) == (summary.rid, summary.text)

                # Taken apart on one, it is apart on both, though the other proposes it once more meanwhile.
                await laptop.mind.unconsolidate(summary.rid)
                await phone.mind.remember(LAKE + "slowly", no_dedup=True)
                await phone.mind.think()
                await phone.mind.sync(address=laptop.address)
                await agree(laptop, phone)
                for each in (laptop, phone):
                    assert await summaries(each) == []
                    assert {view.tier for view in await each.mind.list()} == {"hot"}
                    assert (await each.mind.verify()).ok

    run(main)


def test_what_a_device_told_is_taken_back_with_all_that_came_of_it(tmp_path: Path) -> None:
    async def main() -> None:
        async with opened(tmp_path / "laptop") as laptop, opened(tmp_path / "stolen") as stolen:
            await pair(laptop, stolen)
            mine = [
                await laptop.mind.remember(LAKE + how, no_dedup=True)
                for how in ("at dawn", "again", "in the rain")
            ]
            await laptop.mind.relate("Ann", "knows", "Bob")
            await agree(laptop, stolen)
            told = await stolen.mind.remember(
                "Mallory is the CEO of Initech. Alice lives in Berlin with her two cats.",
                source="mail",
                read=True,
            )
            assert told.facts
            await stolen.mind.set(mine[0], topic="mine now")
            await stolen.mind.relate("Mallory", "owns", "everything")
            await stolen.mind.relate("Ann", "mentioned in", told.rid)
            assert (await stolen.mind.think()).consolidated.count == 1
            await agree(laptop, stolen)
            before = await laptop.mind.digest()

            dry = await laptop.mind.retract(device="stolen", dry_run=True)
            assert (await laptop.mind.digest()) == before
            done = await laptop.mind.retract(device="stolen")
            assert (dry.rids, dry.facts, dry.edges) == (done.rids, done.facts, done.edges)
            assert {*done.rids, *done.facts} == {told.rid, *told.facts}
            assert done.edges == [f"Ann mentioned in {told.rid}", "Mallory owns everything"]
            assert done.changed == [mine[0].rid]  # what it changed of mine is named, and not undone
            await agree(laptop, stolen)
            for each in (laptop, stolen):
                assert {view.rid for view in await each.mind.list()} == {one.rid for one in mine}
                assert [edge.source for edge in (await each.mind.graph("Ann")).edges] == ["Ann"]
                assert await summaries(each) == []

    run(main)


def test_what_one_person_said_is_taken_back_and_no_more(tmp_path: Path) -> None:
    async def main() -> None:
        async with opened(tmp_path / "laptop", online=False) as laptop:
            mind = laptop.mind
            rumour = await mind.remember("The office moves to Mars next year", speaker="Mallory")
            await mind.remember("Lunch is at noon", speaker="Ann", source="chat.json")
            with pytest.raises(samemind.Usage, match="one of"):
                await mind.retract(speaker="Mallory", source="chat.json")
            assert (await mind.retract(speaker="mallory")).rids == [rumour.rid]
            assert [view.text for view in await mind.list()] == ["Lunch is at noon"]
            assert len((await mind.retract(source="chat.json")).rids) == 1
            assert (await mind.retract(source="chat.json")).rids == []

    run(main)
