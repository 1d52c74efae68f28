"""Who shows a notification, when, and by which program; the program is a real one on the PATH."""

import os
import stat
from datetime import UTC, datetime, time, timedelta
from pathlib import Path

import pytest

from cognition.days import DAY_MS
from replica import DeviceId
from samemind.daemon.notifying import (
    PROGRAMS,
    SHOWN_AT_ONCE_MAX,
    TURN_SECONDS,
    CommandNotifier,
    NotifyLoop,
    find_notifier,
    is_quiet,
    may_go_first,
    turn_of,
)
from sync.neighbours import LinkLimits
from sync.reports import PeerState, State
from tests.support.devices import run
from tests.support.doors import opened

PAST = datetime(2020, 1, 1, tzinfo=UTC)


def program(folder: Path, name: str, script: str = 'printf "%s\\0" "$@" >> "$(dirname "$0")/told"\n') -> Path:
    folder.mkdir(exist_ok=True)
    made = folder / name
    made.write_text(f"#!/bin/sh\n{script}", encoding="utf-8")
    made.chmod(made.stat().st_mode | stat.S_IXUSR)
    return made


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A desktop: `notify-send` alone is on the PATH, and writes down what it was given."""
    program(tmp_path / "bin", "notify-send")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}/usr/bin{os.pathsep}/bin")
    monkeypatch.setattr("samemind.daemon.notifying.PROGRAMS", {"notify-send": PROGRAMS["notify-send"]})
    return tmp_path / "bin" / "told"


def words(told: Path) -> list[str]:
    return told.read_text(encoding="utf-8").split("\0")[:-1] if told.exists() else []


@pytest.mark.parametrize(
    ("hours", "now", "quiet"),
    [
        ("", time(3), False),
        ("22:00-07:00", time(21, 59), False),
        ("22:00-07:00", time(22), True),
        ("22:00-07:00", time(3), True),
        ("22:00-07:00", time(7), False),
        ("12:30-14:00", time(13), True),
        ("12:30-14:00", time(14), False),
        ("12:30-14:00", time(3), False),
        ("00:00-00:00", time(0), False),
    ],
)
def test_quiet_hours_hold_their_first_minute_and_not_their_last(hours: str, now: time, quiet: bool) -> None:
    assert is_quiet(hours, now) is quiet


def test_each_device_has_a_turn_of_its_own() -> None:
    devices = [DeviceId(bytes([number]) * 32) for number in (3, 1, 2)]
    turns = [turn_of(own, [other for other in devices if other != own]) for own in devices]
    assert sorted(turns) == [0, TURN_SECONDS, 2 * TURN_SECONDS]
    assert turn_of(devices[0], []) == 0


def test_in_a_large_group_whoever_was_met_within_a_day_may_be_up_and_takes_turns() -> None:
    """Several would go first at once, each the smallest of those that it is linked to."""
    now_ms = 10 * DAY_MS
    ids = [DeviceId(bytes([number]) * 32) for number in range(40)]

    def peer(number: int, state: State, synced_ms: int | None) -> PeerState:
        return PeerState(ids[number], "", state, synced_ms, None, None, None, None)

    some = [
        peer(0, "linked", None),
        peer(1, "away", now_ms - DAY_MS + 1),
        peer(2, "away", now_ms - DAY_MS),
        peer(3, "dialling", None),
        peer(4, "revoked", now_ms),
    ]
    assert may_go_first(some, now_ms) == ids[:1]
    large = [*some, *(peer(number, "away", None) for number in range(5, LinkLimits().mesh + 2))]
    assert may_go_first(large, now_ms) == ids[:2]
    assert may_go_first(large[:-1], now_ms) == ids[:1], "who is out is none of the group"


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_no_text_becomes_an_option_markup_or_a_script(name: str, tmp_path: Path) -> None:
    """The real program is run by each line of words; what it is given stands in its own arguments."""

    async def main() -> None:
        made = program(tmp_path / "bin", name)
        hostile = '--urgency=critical <b>"; do shell script "rm -rf ~"'
        assert await CommandNotifier(str(made), PROGRAMS[name]).show("samemind", hostile) is None
        given = words(tmp_path / "bin" / "told")
        shown = hostile.replace("<", "&lt;").replace(">", "&gt;") if name == "notify-send" else hostile
        assert given[-1] == shown
        assert given.count(shown) == 1
        if name == "notify-send":
            assert given[-3] == "--", "what follows is no option"

    run(main)


def test_a_program_that_fails_or_is_gone_is_told_of(tmp_path: Path) -> None:
    async def main() -> None:
        broken = program(tmp_path / "bin", "notify-send", "echo no bus >&2; exit 3\n")
        line = PROGRAMS["notify-send"]
        assert await CommandNotifier(str(broken), line).show("a", "b") == "it ended with 3: no bus"
        gone = CommandNotifier(str(tmp_path / "nothing"), line)
        assert "No such file" in str(await gone.show("a", "b"))

    run(main)


def test_a_reminder_is_shown_once_when_it_is_due(told: Path, tmp_path: Path) -> None:
    async def main() -> None:
        async with opened(tmp_path / "laptop", online=False) as laptop:
            loop = NotifyLoop(laptop.device)
            await laptop.mind.remember("call the dentist", type="prospective", event_start=PAST)
            later = datetime.now(UTC) + timedelta(days=3)
            await laptop.mind.remember("renew the passport", type="prospective", event_start=later)
            for _ in range(3):
                await loop.look()
            assert words(told)[-1] == "“call the dentist”"
            assert words(told).count("--") == 1
            (trigger,) = await laptop.mind.triggers()
            assert (trigger.status, trigger.delivered_by_name) == ("delivered", "laptop")
            await laptop.mind.think()
            await loop.look()
            assert words(told).count("--") == 1, "thinking finds that it was raised"

    run(main)


def test_what_is_put_off_is_shown_again_then(
    told: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        async with opened(tmp_path / "laptop", online=False) as laptop:
            loop = NotifyLoop(laptop.device)
            await laptop.mind.remember("call the dentist", type="prospective", event_start=PAST)
            await loop.look()
            (trigger,) = await laptop.mind.triggers()
            put_off = await laptop.mind.snooze(trigger, datetime.now(UTC) + timedelta(hours=1))
            assert (put_off.status, put_off.changed) == ("snoozed", True)
            assert len(await laptop.mind.triggers()) == 0
            await loop.look()
            assert words(told).count("--") == 1
            then = laptop.device.now_ms() + 3_600_000
            monkeypatch.setattr(laptop.device.replica, "now_ms", lambda: then)
            await loop.look()
            assert words(told).count("--") == 2

    run(main)


def test_no_more_than_a_few_are_shown_at_once(told: Path, tmp_path: Path) -> None:
    async def main() -> None:
        async with opened(tmp_path / "laptop", online=False) as laptop:
            for number in range(SHOWN_AT_ONCE_MAX + 2):
                await laptop.mind.remember(f"call number {number}", type="prospective", event_start=PAST)
            loop = NotifyLoop(laptop.device)
            await loop.look()
            assert words(told).count("--") == SHOWN_AT_ONCE_MAX
            await loop.look()
            assert words(told).count("--") == SHOWN_AT_ONCE_MAX + 2

    run(main)


@pytest.mark.parametrize("silent", ["quiet", "off", "none"])
def test_a_silent_device_raises_what_is_due_and_leaves_showing_it_to_others(
    silent: str, told: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if silent == "none":
        monkeypatch.setenv("PATH", str(tmp_path / "empty"))
        assert find_notifier() is None

    async def main() -> None:
        async with opened(tmp_path / "laptop", online=False) as laptop:
            if silent == "quiet":  # all day but one minute that is over
                object.__setattr__(
                    laptop.device.settings, "quiet_hours", _around(datetime.now().astimezone())
                )
            if silent == "off":
                object.__setattr__(laptop.device.settings, "notify", "off")
            await laptop.mind.remember("call the dentist", type="prospective", event_start=PAST)
            loop = NotifyLoop(laptop.device)
            for _ in range(2):
                await loop.look()
            assert words(told) == []
            assert [each.status for each in await laptop.mind.triggers()] == ["pending"]

    run(main)


def _around(now: datetime) -> str:
    return f"{now - timedelta(hours=1):%H:%M}-{now + timedelta(hours=1):%H:%M}"
