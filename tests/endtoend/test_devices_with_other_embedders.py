"""Two devices of one group may embed by different models: what they hold is one, and both answer from it."""

from pathlib import Path

from tests.endtoend.test_clones import agree
from tests.support.devices import run
from tests.support.doors import opened, pair

TOLD = ("The boiler was serviced in September", "My dentist is Dr Okafor", "I just started at Stripe")


def test_a_small_device_and_a_large_one_sync_and_both_answer(tmp_path: Path) -> None:
    async def main() -> None:
        async with (
            opened(tmp_path / "laptop") as laptop,
            opened(tmp_path / "phone", embedder="small") as phone,
        ):
            for text in TOLD:
                await laptop.mind.remember(text)
            await phone.mind.remember("The tent is in the attic")
            await pair(laptop, phone)
            await agree(laptop, phone)
            for each in (laptop, phone):
                await each.mind.wait_for_queue()
                for question, answer in (
                    ("where do I work?", TOLD[2]),
                    ("who is my dentist?", TOLD[1]),
                    ("when was the boiler serviced?", TOLD[0]),
                    ("where is the tent?", "The tent is in the attic"),
                ):
                    (best, *_) = (await each.mind.recall(question)).results
                    assert best.text == answer, (each.device.name, question)
                    assert any(reason["channel"] == "vectors" for reason in await found(each, question))
                assert (await each.mind.verify()).ok
            names = {each.device.mind.embedding.embedder.name for each in (laptop, phone)}
            assert len(names) == 2

    async def found(each: object, question: str) -> list[dict[str, object]]:
        (best, *_) = (await each.mind.recall(question, explain=True)).results  # type: ignore[attr-defined]
        reasons: list[dict[str, object]] = best.why["found"]
        return reasons

    run(main)
