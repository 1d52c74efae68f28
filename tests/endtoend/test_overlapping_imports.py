"""Two devices import overlapping halves of one source while apart: together they hold what one import of all gives."""

import json
from pathlib import Path
from random import Random

import pytest
import trio

from tests.support.daemons import until
from tests.support.devices import run
from tests.support.doors import Opened, opened, pair

PEOPLE = ("Ann", "Bob", "Cleo")
PLACES = ("Lisbon", "Porto", "Oslo", "Berlin")
COMPANIES = ("Google", "Stripe", "Siemens")


def lines(count: int, random: Random) -> list[str]:
    """Return turns that state facts, some of them contradicting others, each with an id of its own."""
    made = []
    for number in range(count):
        person, other = random.sample(PEOPLE, 2)
        said = (
            f"I live in {random.choice(PLACES)} now, near the old harbour. {other} works at "
            f"{random.choice(COMPANIES)}, and likes it a lot."
        )
        made.append({"id": str(number), "text": said, "speaker": person, "session": "chat", "position": number,
                     "at": f"2024-03-{1 + number % 28:02}T10:00Z"})  # fmt: skip
    return [json.dumps(line) for line in made]


async def take(device: Opened, path: Path, some: list[str]) -> None:
    await trio.Path(path).write_text("\n".join(some), encoding="utf-8")
    done = await device.mind.import_(path, facts=True)
    assert done.failed == []


async def agree(*devices: Opened) -> None:
    """Wait until the devices hold the same."""

    async def equal() -> bool:
        return len({(await each.mind.digest()).state_digest for each in devices}) == 1

    await until(equal)


@pytest.mark.endtoend
@pytest.mark.parametrize("seed", [1, 2])
def test_overlapping_halves_give_the_digest_of_the_union_in_any_order(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    every = lines(60, random)
    halves = [every[:40], every[20:]]
    for half in halves:
        random.shuffle(half)
    union = list(every)
    random.shuffle(union)

    async def main() -> None:
        async with (
            opened(tmp_path / "laptop") as laptop,
            opened(tmp_path / "phone") as phone,
            opened(tmp_path / "one", online=False) as one,
        ):
            await take(laptop, tmp_path / "first.jsonl", halves[0])
            await take(phone, tmp_path / "second.jsonl", halves[1])
            await take(one, tmp_path / "all.jsonl", union)
            await pair(laptop, phone)
            await phone.mind.sync(address=laptop.address)
            await agree(laptop, phone)
            digests = {
                name: await device.mind.digest()
                for name, device in (("laptop", laptop), ("phone", phone), ("one", one))
            }
            assert digests["laptop"].memories == digests["one"].memories > 60
            assert len({digest.digest for digest in digests.values()}) == 1
            # Importing all of it again changes nothing anywhere.
            await take(laptop, tmp_path / "again.jsonl", union)
            assert (await laptop.mind.digest()).digest == digests["one"].digest

    run(main)
