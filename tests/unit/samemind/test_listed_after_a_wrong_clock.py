"""What was told while a clock was years ahead is not listed first for as many years."""

from datetime import UTC, datetime
from pathlib import Path

import trio

from tests.unit.samemind.test_past import DAY_MS, START_MS, Clock, device_at


def test_what_a_clock_stamped_that_was_years_ahead_is_listed_last_or_where_it_was_told(
    tmp_path: Path,
) -> None:
    async def main() -> None:
        clock = Clock()
        async with device_at(tmp_path / "home", clock) as (_, mind):
            await mind.remember("told before")
        clock.now_ms = START_MS + 1_000 * DAY_MS
        async with device_at(tmp_path / "home", clock) as (_, mind):
            await mind.remember("told by a wrong clock")
            rid = await mind.remember("told by it, too")
        clock.now_ms = START_MS + 2 * DAY_MS
        async with device_at(tmp_path / "home", clock) as (_, mind):
            await mind.remember("told afterwards")
            clock.now_ms += DAY_MS

            async def listed(*, each: bool) -> list[str]:
                page = await mind.list(each=each)
                return [memory.text for memory in page.memories]

            for each in (False, True):
                assert set((await listed(each=each))[:2]) == {"told afterwards", "told before"}
                assert (await listed(each=each))[0] == "told afterwards"
            await mind.set(rid, told_at=datetime.fromtimestamp((START_MS + DAY_MS) / 1_000, UTC).isoformat())
            for each in (False, True):
                assert await listed(each=each) == [
                    "told afterwards",
                    "told by it, too",
                    "told before",
                    "told by a wrong clock",
                ]

    trio.run(main)
