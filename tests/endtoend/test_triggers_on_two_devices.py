"""What one device brings up, and what became of it, on the other."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

import samemind
from cognition.recall.feedback import learned_weights
from tests.endtoend.test_two_devices import agree
from tests.support.devices import run
from tests.support.doors import opened, pair
from tests.support.published import published

PAST = datetime(2020, 1, 1, tzinfo=UTC)


@published("YD-72")
def test_a_trigger_raised_on_both_is_one_and_dismissed_on_one_is_dismissed_on_the_other(
    tmp_path: Path,
) -> None:
    """YD-80: the host decides; nothing is delivered by thinking, and what one host took another does not get."""

    async def main() -> None:
        async with opened(tmp_path / "laptop") as laptop:
            async with opened(tmp_path / "phone") as phone:
                await pair(laptop, phone)
                for text in ("call the dentist", "pay the rent"):
                    await laptop.mind.remember(text, type="prospective", event_start=PAST)
                await laptop.mind.set_profile(name="Ann")
                await agree(laptop, phone)
            async with opened(tmp_path / "phone", online=False) as phone:
                for each in (laptop, phone):  # apart
                    await each.mind.think()
                    assert {trigger.status for trigger in await each.mind.triggers()} == {"pending"}
                    await each.mind.edit_block("persona", f"written on the {each.device.name}")
                ours = {trigger.reason: trigger for trigger in await laptop.mind.triggers()}
                assert {trigger.id for trigger in await phone.mind.triggers()} == {
                    trigger.id for trigger in ours.values()
                }
                rent, dentist = ours["“pay the rent” is due"], ours["“call the dentist” is due"]
                await phone.mind.dismiss(rent)
                assert (await laptop.mind.deliver(dentist)).changed
                assert (await laptop.mind.deliver(rent)).changed
                await phone.mind.sync(address=laptop.address)
                await agree(laptop, phone)
                for each in (laptop, phone):
                    (left,) = await each.mind.triggers()
                    assert (left.id, left.status, left.delivered_by_name) == (
                        dentist.id,
                        "delivered",
                        "laptop",
                    )
                    assert (await each.mind.deliver(dentist)).changed is False, "never twice after they met"
                    with pytest.raises(samemind.Failed):
                        await each.mind.deliver(rent)
                    assert (await each.mind.think()).triggers.count == 0
                    text = (await each.mind.block("persona")).text
                    assert "laptop" in text
                    assert "phone" in text
                    assert (await each.mind.profile()).static == {"name": "Ann"}
                    assert (await each.mind.verify()).ok

    run(main)


def test_feedback_given_apart_weighs_the_same_on_both(tmp_path: Path) -> None:
    async def main() -> None:
        async with opened(tmp_path / "laptop") as laptop, opened(tmp_path / "phone") as phone:
            await pair(laptop, phone)
            rid = await laptop.mind.remember("Ann moved to Lisbon", importance=0.9)
            await agree(laptop, phone)
            for each, relevant in ((laptop, True), (phone, True), (laptop, False), (phone, True)):
                await each.mind.feedback(rid, relevant=relevant)
            await agree(laptop, phone)
            ours, theirs = [await each.device.replica.read(learned_weights) for each in (laptop, phone)]
            assert ours == theirs
            assert ours["similarity"] < 0.4, "without a question, only what stands in the memory is taught"

    run(main)
