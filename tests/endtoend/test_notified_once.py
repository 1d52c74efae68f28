"""Of devices that are in touch exactly one shows what is due, by the program that is on its PATH."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import trio

from samemind.daemon import notifying
from samemind.daemon.notifying import PROGRAMS, CommandNotifier, Notifier, NotifyLoop
from tests.endtoend.test_two_devices import agree
from tests.support.daemons import until
from tests.support.devices import run
from tests.support.doors import opened, pair

PAST = datetime(2020, 1, 1, tzinfo=UTC)


def desktop(folder: Path) -> tuple[Callable[[], Notifier], Callable[[], int]]:
    """A program that writes a line for each notification, how to find it, and how many it has shown."""
    folder.mkdir()
    made = folder / "notify-send"
    made.write_text('#!/bin/sh\necho "$4" >> "$(dirname "$0")/shown"\n', encoding="utf-8")
    made.chmod(0o700)
    shown = folder / "shown"

    def count() -> int:
        return len(shown.read_text(encoding="utf-8").splitlines()) if shown.exists() else 0

    return lambda: CommandNotifier(str(made), PROGRAMS["notify-send"]), count


def test_one_of_two_devices_in_touch_shows_a_reminder_and_what_both_put_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notifying, "LOOK_SECONDS", 0.2)
    monkeypatch.setattr(notifying, "TURN_SECONDS", 60.0)  # beyond what a busy machine takes to show three
    find_ours, ours = desktop(tmp_path / "one")
    find_theirs, theirs = desktop(tmp_path / "other")

    async def shown(count: int) -> bool:
        return ours() + theirs() >= count

    async def main() -> None:
        async with opened(tmp_path / "laptop") as laptop:
            async with opened(tmp_path / "phone") as phone:
                await pair(laptop, phone)

                async def linked() -> bool:
                    return all(
                        each.device.syncer is not None
                        and [peer.state for peer in each.device.syncer.peers()] == ["linked"]
                        for each in (laptop, phone)
                    )

                await until(linked)
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(NotifyLoop(laptop.device, find_ours).run)
                    nursery.start_soon(NotifyLoop(phone.device, find_theirs).run)
                    for number in range(3):
                        await laptop.mind.remember(f"call {number}", type="prospective", event_start=PAST)
                    await until(lambda: shown(3))
                    nursery.cancel_scope.cancel()
                assert 0 in (ours(), theirs()), "the same device goes first each time"
                await agree(laptop, phone)
                monkeypatch.setattr(notifying, "TURN_SECONDS", 0.0)
                for each, find in ((laptop, find_ours), (phone, find_theirs)):
                    await NotifyLoop(each.device, find).look()
                assert ours() + theirs() == 3, (ours(), theirs())
            trigger = (await laptop.mind.triggers()).triggers[0]
            until_when = datetime.now(UTC) + timedelta(seconds=1)
            async with opened(tmp_path / "phone", online=False) as phone:  # apart
                await phone.mind.snooze(trigger, until_when)
                await laptop.mind.snooze(trigger, until_when + timedelta(seconds=1))
                await phone.mind.sync(address=laptop.address)
                await agree(laptop, phone)
                await trio.sleep(2.5)
                for each in (laptop, phone):
                    await each.mind.think()
                await phone.mind.sync(address=laptop.address)
                await agree(laptop, phone)
                for each in (laptop, phone):
                    followed = [one for one in await each.mind.triggers() if one.status == "pending"]
                    assert [one.reason for one in followed] == [trigger.reason], "one follow-up, not two"
                    assert followed[0].id != trigger.id

    run(main)
