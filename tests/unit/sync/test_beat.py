from itertools import pairwise

import trio
import trio.testing

from samemind.daemon import notifying
from samemind.panel import events
from sync import network, syncer
from sync.beat import next_beat
from sync.discovery import mdns
from sync.mailbox import folder

# All that looks at something by the clock while a device rests.
PERIODS = (
    network.LOOK_SECONDS,
    mdns.ADDRESS_CHECK_SECONDS,
    notifying.LOOK_SECONDS,
    folder.GLANCE_SECONDS,
    events.HEARTBEAT_S,
    syncer.TEND_SECONDS,
)
WAKES_A_MINUTE_MAX = 20


def test_a_device_at_rest_wakes_every_three_seconds_and_no_oftener() -> None:
    assert len({turn * period % 60 for period in PERIODS for turn in range(60)}) <= WAKES_A_MINUTE_MAX


def test_looks_of_periods_that_divide_each_other_fall_together() -> None:
    woken: dict[float, list[float]] = {3.0: [], 6.0: []}

    async def look(period: float, since: float) -> None:
        await trio.sleep(since)
        while True:
            await next_beat(period)
            woken[period].append(trio.current_time())

    async def main() -> None:
        with trio.move_on_after(100):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(look, 3.0, 1.25)
                nursery.start_soon(look, 6.0, 2.5)

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))
    assert set(woken[6.0]) <= set(woken[3.0])
    for period, times in woken.items():
        assert len(times) >= 100 // period - 2
        assert all(after - before == period for before, after in pairwise(times))
