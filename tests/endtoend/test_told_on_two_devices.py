"""Whatever two devices tell, forget and unlink while apart: nothing told is lost until somebody forgets it who had it.

    python -m tests.endtoend.test_told_on_two_devices HISTORIES [FIRST]

runs more of them than the suite does; each is replayed by its number.
"""

import json
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest
import trio

import samemind
from tests.endtoend.test_two_devices import agree
from tests.support.devices import run
from tests.support.doors import Opened, opened, pair
from tests.support.minimal_pairs import DIFFERENT, REPEATED

PAIRS = [pair for pairs in DIFFERENT.values() for pair in pairs] + list(REPEATED)
HISTORIES = range(4)
STEPS = 14
RECALLED = 10_000


@dataclass
class Told:
    """What was acknowledged and not forgotten since by a device that held it."""

    texts: dict[str, str] = field(default_factory=dict)


async def history(number: int, laptop: Opened, phone: Opened, folder: Path, told: Told) -> None:
    """Tell, forget and unlink on both, meet now and then, and look for everything at the end."""
    random = Random(f"told on two devices {number}")
    sayings = [each for pair in random.sample(PAIRS, 3) for each in pair]
    for _ in range(STEPS):
        one = random.choice((laptop, phone))
        match random.choice(["tell"] * 6 + ["forget", "unlink", "think", "meet", "meet"]):
            case "tell":
                text = f"{random.choice(sayings)} {random.choice(['', '', '!'])}".strip()
                kept = await one.mind.remember(text, no_facts=True)
                assert kept.op_id is not None
                told.texts[kept.rid] = text
            case "forget":
                # A summary is no telling: to forget it takes a decision about what it sums up.
                newest = [view for view in await one.mind.list(limit=5) if not view.summary_of]
                if newest:
                    gone = await one.mind.forget(random.choice(newest).rid)
                    for rid in gone.rids:
                        told.texts.pop(rid, None)
            case "unlink":
                linked = [view for view in await one.mind.list(limit=20) if view.same]
                for view in linked[:1]:
                    with suppress(samemind.NotFound):  # the very same words, without a link
                        await one.mind.unlink(view.rid)
            case "think":
                await one.mind.think()
            case "meet":
                await phone.mind.sync(address=laptop.address)
    await phone.mind.sync(address=laptop.address)
    await agree(laptop, phone)
    for one in (laptop, phone):
        file = folder / f"{one.device.name}.jsonl"
        file.unlink(missing_ok=True)
        await one.mind.export(file)
        lines = map(json.loads, file.read_text().splitlines())
        exported = {line["rid"]: line["text"] for line in lines if line.get("kind") == "memory"}
        assert told.texts.items() <= exported.items(), number
        views = (await one.mind.list(limit=RECALLED, include_cold=True)).memories
        listed = {rid for view in views for rid in (view.rid, *view.same)}
        assert told.texts.keys() <= listed, number
        for text in {*told.texts.values()} & {
            *random.sample(sorted(told.texts.values()), min(9, len(told.texts)))
        }:
            hits = await one.mind.recall(text, k=3)
            assert [hit.text for hit in hits][:1] == [text], number
        assert (await one.mind.verify()).ok


async def histories(numbers: range, folder: Path) -> None:
    """Run histories one after the other on two devices that meet by their links."""
    async with opened(folder / "laptop") as laptop:
        async with opened(folder / "phone") as phone:
            await pair(laptop, phone)
        told = Told()
        async with opened(folder / "phone", online=False) as phone:
            for number in numbers:
                await history(number, laptop, phone, folder, told)


@pytest.mark.parametrize("number", HISTORIES)
def test_what_was_told_is_there_until_it_is_forgotten_by_who_had_it(number: int, tmp_path: Path) -> None:
    async def main() -> None:
        await histories(range(number, number + 1), tmp_path)

    run(main)


def test_a_telling_lives_that_who_forgets_the_same_words_had_not_heard(tmp_path: Path) -> None:
    """Add-wins: the phone tells again, apart, what the laptop forgets; erasing likewise."""

    async def main() -> None:
        async with opened(tmp_path / "laptop") as laptop:
            async with opened(tmp_path / "phone") as phone:
                await pair(laptop, phone)
                await laptop.mind.remember("the door code is in the drawer")
                await laptop.mind.remember("Tom moved to Berlin in May")
                await agree(laptop, phone)
            async with opened(tmp_path / "phone", online=False) as phone:
                again = [
                    (await phone.mind.remember(text)).rid
                    for text in ("the door code is in the drawer", "Tom really moved to Berlin in May")
                ]
                door, tom = [(await laptop.mind.recall(text, k=1))[0].rid for text in ("door code", "Tom")]
                await laptop.mind.forget(door)
                await laptop.mind.forget(tom, erase=True)
                await phone.mind.sync(address=laptop.address)
                await agree(laptop, phone)
                for each in (laptop, phone):
                    assert {view.rid for view in await each.mind.list()} == {*again}
                    assert (await each.mind.verify()).ok
                gone = await laptop.mind.forget(again[0])
                assert (gone.tellings, gone.rids) == (1, [again[0]])

    run(main)


if __name__ == "__main__":
    count, first = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    for number in range(first, first + count, 10):
        with tempfile.TemporaryDirectory() as name:
            trio.run(histories, range(number, min(number + 10, first + count)), Path(name))
        print(f"{min(number + 10, first + count) - first} histories, nothing lost", flush=True)
