"""A daemon keeps its log short by itself, and says how far back it still tells."""

import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import trio

from replica import compact
from samemind import housekeeping
from samemind.catalog import verb_named
from samemind.commands.device.compact import Compact
from samemind.config import Home, Settings
from samemind.housekeeping import _runs_ahead, fold_away, keep_house
from samemind.performing import result_of
from tests.support.daemons import until
from tests.support.devices import run
from tests.support.doors import opened
from tests.support.published import published


@published("ML-10")
def test_history_says_up_to_when_it_may_lack_something(tmp_path: Path) -> None:
    async def main() -> None:
        async with opened(tmp_path / "laptop", online=False) as laptop:
            rid = await laptop.mind.remember("v1 of the plan")
            await laptop.mind.edit(rid, "v2 of the plan")
            told = await laptop.mind.history(rid)
            assert [version.text for version in told.versions] == ["v1 of the plan", "v2 of the plan"]
            assert told.horizon is None
            assert (await laptop.mind.stats()).horizon is None
            assert await fold_away(laptop.device, before_ms=laptop.device.now_ms() - 86_400_000) == 0
            digest = await laptop.mind.digest()
            done = await laptop.mind.compact()
            assert done.compacted >= 2
            assert done.ops == 0
            told = await laptop.mind.history(rid)
            assert told.versions == []
            assert told.horizon == done.horizon == (await laptop.mind.stats()).horizon
            assert done.horizon is not None
            assert (await laptop.mind.digest()).digest == digest.digest
            assert (await laptop.mind.get(rid)).text == "v2 of the plan"
            assert (await laptop.mind.verify()).ok

    run(main)


def test_compacting_says_how_far_it_is_and_what_is_done_by_then_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(housekeeping, "compact", partial(compact, ops_max=2))
    said: list[Mapping[str, Any]] = []

    async def main() -> None:
        async with opened(tmp_path / "laptop", online=False) as laptop:
            for number in range(6):
                await laptop.mind.remember(f"line {number} of the poem", no_facts=True)
            held = (await laptop.mind.stats()).ops
            with trio.CancelScope() as scope:

                async def say(told: Mapping[str, Any]) -> None:
                    said.append(told)
                    scope.cancel()

                await result_of(laptop.device, verb_named("compact"), Compact(), say)
            assert said == [{"progress": {"done": 2, "total": held}}]
            assert (await laptop.mind.stats()).ops == held - 2
            done = await laptop.mind.compact()
            assert (done.compacted, done.ops) == (held - 2, 0)
            assert (await laptop.mind.verify()).ok

    run(main)


def test_ops_older_than_the_owner_looks_back_leave_the_log_by_themselves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(housekeeping, "FIRST_SECONDS", 0.01)

    async def main() -> None:
        async with opened(tmp_path / "laptop", online=False) as laptop:
            await laptop.mind.remember("something")
            laptop.device.settings = Settings(history_days=0)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(keep_house, laptop.device)

                async def is_empty() -> bool:
                    return (await laptop.mind.stats()).ops == 0

                await until(is_empty)
                nursery.cancel_scope.cancel()
            assert (await laptop.mind.list()).total == 1

    run(main)


def heard(days: float, *, state: str = "away", ago_days: float = 1.0) -> SimpleNamespace:
    """A phone whose clock was so many days ahead of this device's when the two last met, so many days ago."""
    return SimpleNamespace(
        state=state,
        last_sync_ms=int(time.time() * 1_000) - int(ago_days * 86_400_000),
        offset_ms=int(days * 86_400_000),
    )


class Linked:
    """Links to one phone, whose clock is a year behind this device's."""

    def peers(self) -> list[SimpleNamespace]:
        return [heard(-365, state="linked", ago_days=0)]


@pytest.mark.parametrize(
    ("peers", "is_ahead"),
    [
        ([], False),
        ([heard(-2)], True),
        ([heard(-0.5)], False),
        ([heard(2)], False),
        ([heard(-2, state="revoked")], False),
        ([heard(-2, ago_days=91)], False),
        ([heard(-365, ago_days=-365)], False),
        ([heard(-365, state="linked", ago_days=365)], True),
        ([heard(-2), heard(0)], True),
        ([heard(-2), heard(0), heard(0)], False),
        ([heard(-2), heard(-2), heard(0)], True),
        ([heard(-2), heard(0), heard(0, ago_days=91), heard(0, state="revoked")], True),
    ],
)
def test_a_clock_is_ahead_where_as_many_as_not_said_so_lately(
    peers: list[SimpleNamespace], is_ahead: bool
) -> None:
    """One phone with a wrong clock, or one that was lost or put out, kept the log long for ever."""
    now_ms = int(time.time() * 1_000)
    device: Any = SimpleNamespace(syncer=SimpleNamespace(peers=lambda: peers), now_ms=lambda: now_ms)
    assert _runs_ahead(device) == is_ahead


def test_a_clock_that_leapt_a_year_ahead_lets_nothing_leave_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It did, within a minute of a daemon's start: all history seemed to be older than its owner looks back."""
    monkeypatch.setattr(housekeeping, "FIRST_SECONDS", 0.0)

    async def main() -> None:
        async with opened(tmp_path / "laptop", online=False) as laptop:
            await laptop.mind.remember("something")
            laptop.device.settings = Settings(history_days=0)
            with pytest.MonkeyPatch.context() as patched:
                patched.setattr(laptop.device, "syncer", Linked())
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(keep_house, laptop.device)

                    async def is_told() -> bool:
                        return "a day or more ahead" in caplog.text

                    await until(is_told)
                    nursery.cancel_scope.cancel()
            assert (await laptop.mind.stats()).ops == 1

    run(main)


def test_the_days_to_look_back_are_a_setting(tmp_path: Path) -> None:
    home = Home.at(tmp_path)
    home.settings.write_text("history_days = 7\n")
    assert Settings.load(home).history_days == 7


def test_a_disk_that_refuses_keeps_the_log_long_and_ends_no_daemon(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(housekeeping, "FIRST_SECONDS", 0.0)
    monkeypatch.setattr(housekeeping, "COMPACT_SECONDS", 0.01)

    async def main() -> None:
        async with opened(tmp_path / "laptop", online=False) as laptop:
            await laptop.mind.remember("something")
            laptop.device.settings = Settings(history_days=0)
            replica = laptop.device.replica

            async def refuse(refuses: bool) -> None:
                await replica.run(lambda _, store: store.execute(f"PRAGMA query_only = {refuses}").close())

            await refuse(True)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(keep_house, laptop.device)

                async def was_refused() -> bool:
                    return any("no op left the log" in record.message for record in caplog.records)

                async def is_empty() -> bool:
                    return (await laptop.mind.stats()).ops == 0

                await until(was_refused)
                assert not await is_empty()
                await refuse(False)
                await until(is_empty)
                nursery.cancel_scope.cancel()

    run(main)
