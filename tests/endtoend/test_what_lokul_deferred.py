"""What Lokul put off for later and this project set out with, in one household."""

from pathlib import Path

from tests.endtoend.test_clones import agree, meet
from tests.support.devices import run
from tests.support.doors import opened, pair
from tests.support.published import published


@published("LO-41")
def test_vectors_import_and_export_devices_conversations_and_insights(tmp_path: Path) -> None:
    async def main() -> None:
        async with opened(tmp_path / "laptop") as laptop, opened(tmp_path / "phone") as phone:
            await pair(laptop, phone)
            await laptop.mind.remember("The physician moved my appointment", session="chat-1")
            for day in range(5):
                await laptop.mind.remember(f"Ann flew to Lisbon, for the {day}. time", session="chat-2")
            await meet(laptop, phone)
            await phone.device.mind.settle()
            # Vector search, over what came from another device, by a word that no text holds.
            (hit,) = await phone.mind.recall("doctor", k=1)
            assert hit.text == "The physician moved my appointment"
            # Memory of one conversation.
            assert {
                each.text for each in await phone.mind.recall("Lisbon appointment", session="chat-1")
            } == {hit.text}
            sessions = {each.session: each.memories for each in (await phone.mind.sessions()).sessions}
            assert sessions == {"chat-1": 1, "chat-2": 5}
            # An insight: who was mentioned again and again, and how often.
            assert (await phone.mind.think()).patterns.count > 0
            reasons = [each.reason for each in (await phone.mind.triggers()).triggers]
            assert any(reason.startswith("5 memories share a theme: ann") for reason in reasons), reasons
            # Out and in again, elsewhere.
            exported = await phone.mind.export(tmp_path / "all.jsonl")
            await agree(laptop, phone)
            async with opened(tmp_path / "elsewhere", online=False) as elsewhere:
                assert (await elsewhere.mind.import_(tmp_path / "all.jsonl")).imported == exported.count
                assert (await elsewhere.mind.digest()).memories == (await phone.mind.digest()).memories

    run(main)
