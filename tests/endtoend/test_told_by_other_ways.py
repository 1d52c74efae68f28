"""Nothing told is lost by agents, by a backup that is put back, nor on a device that comes last."""

from pathlib import Path

import trio

import samemind
from samemind.commands.keeping_safe.restore import Restore
from samemind.config import Home
from tests.endtoend.test_two_devices import agree
from tests.support.agents import agent, call
from tests.support.doors import Opened, opened, pair
from tests.support.minimal_pairs import DIFFERENT
from tests.support.restoring import restore

APART = [text for pairs in DIFFERENT.values() for text in pairs[-1]]
MILK = (
    "Milk is in the fridge",
    "The milk is in the fridge.",
    "milk is really in the fridge",
    "Milk is in the fridge",
)


def test_agents_tell_what_differs_in_little_and_get_each_back(tmp_path: Path) -> None:
    async def main() -> None:
        async with agent(tmp_path) as first, agent(tmp_path) as second:
            rids = {}
            for number, text in enumerate(APART):
                told = await call((first, second)[number % 2], "remember", text=text)
                assert (told["held"], told["says_same"]) == (False, [])
                rids[text] = told["rid"]
            milk = [(await call(second, "remember", text=text))["rid"] for text in MILK]
            for text, rid in rids.items():
                hits = (await call(first, "recall", query=text, k=3))["results"]
                assert (hits[0]["text"], hits[0]["rid"], hits[0].get("tellings", 1)) == (text, rid, 1)
            (hit, *_) = (await call(first, "recall", query=MILK[1]))["results"]
            assert (hit["text"], {hit["rid"], *hit["same"]}, hit["tellings"]) == (MILK[1], {*milk}, 4)
            gone = await call(first, "forget", rids=[milk[1]])
            assert (gone["tellings"], {*gone["rids"]}) == (4, {*milk})
            left = await call(second, "recall", query=MILK[0])
            assert not {hit["rid"] for hit in left["results"]} & {*milk}
            assert (await call(first, "remember", text=MILK[0]))["says_same"] == []

    trio.run(main)


async def everything(*devices: Opened) -> list[set[str]]:
    """What each device lists, by itself or with what says the same."""
    found = []
    for each in devices:
        views = await each.mind.list(limit=1_000, include_cold=True)
        found.append({rid for view in views for rid in (view.rid, *view.same)})
        for view in views:
            assert (await each.mind.recall(view.text, k=1))[0].text == view.text
        assert (await each.mind.verify()).ok
    return found


def test_a_backup_put_back_and_a_device_that_comes_last_hold_what_was_told(tmp_path: Path) -> None:
    file = tmp_path / "backup.db"

    async def before() -> tuple[list[str], list[str], list[str]]:
        async with opened(tmp_path / "laptop") as laptop, opened(tmp_path / "phone") as phone:
            await pair(laptop, phone)
            kept = [(await laptop.mind.remember(text)).rid for text in (*APART[:20], *MILK[:2])]
            gone = [
                (await laptop.mind.remember(text)).rid
                for text in ("Tea is in the jar", "The tea is in the jar")
            ]
            await laptop.mind.tag(kept[0], "before")
            await laptop.mind.backup(file)
            later = [(await laptop.mind.remember(text)).rid for text in (MILK[2], "Tea is in the jar!")]
            await laptop.mind.tag(kept[0], "after")
            await agree(laptop, phone)
            assert {*(await phone.mind.forget(gone[0])).rids} == {*gone, later[1]}
            return kept, gone, later

    async def after(kept: list[str], gone: list[str], later: list[str]) -> None:
        async with opened(tmp_path / "laptop") as laptop, opened(tmp_path / "phone") as phone:
            assert await everything(laptop) == [{*kept, *gone}]
            again = (await laptop.mind.remember("Tea is in the jar")).rid  # of which the phone knows nothing
            await phone.mind.sync(address=laptop.address)
            await phone.mind.compact()
            expected = {*kept, later[0], again}
            async with opened(tmp_path / "tablet") as tablet:
                await pair(phone, tablet)
                await agree(laptop, phone, tablet)
                assert await everything(laptop, phone, tablet) == [expected] * 3
                for each in (laptop, phone, tablet):
                    assert (await each.mind.get(kept[0])).tags == ["after", "before"]
                    assert (await each.mind.get(kept[-1])).tellings == 3

    told = trio.run(before)
    restore(Home.at(tmp_path / "laptop"), Restore(file=str(file)))
    trio.run(after, *told)


def test_what_is_brought_in_from_an_export_is_told_once_and_stays_forgotten(tmp_path: Path) -> None:
    file = tmp_path / "all.jsonl"
    with samemind.open_blocking(tmp_path / "one") as one, samemind.open_blocking(tmp_path / "two") as two:
        rids = [one.remember(text).rid for text in MILK]
        apart = [one.remember(text).rid for text in APART]
        one.export(file)
        own = two.remember(MILK[0]).rid
        two.import_(file)
        assert {own, *rids} == {two.get(own).rid, *two.get(own).same}
        assert {*two.forget(rids[1]).rids} == {own, *rids}
        assert two.import_(file).imported == 0
        assert {view.rid for view in two.list()} == {*apart}
