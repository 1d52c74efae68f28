"""The loop of a daemon that thinks by itself, on a clock that jumps."""

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
import trio
from trio.testing import MockClock

from cognition import ModelUnavailable
from cognition.thinking.cycle import Cycle
from replica import DeviceId, StoreCorrupt
from samemind.thinking import ThinkingOutlook, ThinkLoop
from tests.support.published import published

LAPTOP, PHONE = DeviceId(b"l" * 32), DeviceId(b"p" * 32)


@dataclass
class World:
    """What a loop sees, and when it thought, in minutes."""

    position: int = 0
    linked: list[DeviceId] = field(default_factory=list)
    fails: Exception | None = None
    writes: int = 0
    leaves: int = 0
    """How many cycles leave something to the next one."""
    takes_s: float = 0.0
    thought: list[int] = field(default_factory=list)
    seconds: list[int] = field(default_factory=list)
    last: Cycle | None = None

    async def think(self) -> Cycle:
        self.seconds.append(round(trio.current_time() - self.began))
        self.thought.append(self.seconds[-1] // 60)
        self.position += self.writes
        if self.fails is not None:
            raise self.fails
        await trio.sleep(self.takes_s)
        self.leaves -= 1
        self.last = Cycle({}, more=self.leaves >= 0, began_ms=0, took_ms=self.takes_s * 1_000)
        return self.last

    def __post_init__(self) -> None:
        self.began = 0.0


def thinks(
    world: World, minutes: int, change: Callable[[int], None] = lambda minute: None
) -> tuple[str | None, ThinkingOutlook]:
    """Let a laptop's loop run for some minutes; `change` is told of each. Returns its trouble, and what comes next."""
    loop: list[ThinkLoop] = []
    outlook: list[ThinkingOutlook] = []

    async def main() -> None:
        world.began = trio.current_time()
        loop.append(
            ThinkLoop(
                LAPTOP,
                think=world.think,
                position=lambda: world.position,
                linked=lambda: world.linked,
                last=lambda: world.last,
            )
        )
        async with trio.open_nursery() as nursery:
            nursery.start_soon(loop[0].run)
            for minute in range(minutes):
                change(minute)
                await trio.sleep(60)
            outlook.append(loop[0].outlook())
            nursery.cancel_scope.cancel()

    trio.run(main, clock=MockClock(autojump_threshold=0))
    return loop[0].trouble, outlook[0]


@published("YD-59")
def test_a_daemon_thinks_every_five_minutes_when_busy_and_thirty_when_idle() -> None:
    world = World()
    thinks(world, 91)
    assert world.thought == [30, 60, 90]
    busy = World()

    def write(minute: int) -> None:
        busy.position += 10

    thinks(busy, 31, write)
    assert busy.thought == [5, 10, 15, 20, 25, 30]


def test_what_thinking_writes_is_no_reason_to_think_again() -> None:
    world = World(writes=1_000)
    thinks(world, 61)
    assert world.thought == [30, 60]


def test_a_device_that_is_linked_to_the_one_that_thinks_stands_by() -> None:
    world = World(linked=[DeviceId(b"a" * 32)])
    thinks(world, 125)
    assert world.thought == [60, 120]
    first = World(linked=[PHONE])
    _, outlook = thinks(first, 31)
    assert first.thought == [30]
    assert outlook == ThinkingOutlook(LAPTOP, next_ms=29 * 60_000)


@pytest.mark.parametrize(
    ("failure", "told"),
    [
        (ModelUnavailable("no model here"), "no model here"),
        (StoreCorrupt("expected a whole store"), "expected a whole store"),
        (KeyError("sure"), "an error of ours ended the cycle: KeyError('sure')"),
    ],
)
def test_a_cycle_that_fails_is_told_and_tried_again(
    failure: Exception, told: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Whatever it fails on: a damaged page ended the loop, and with it the daemon."""
    world = World(fails=failure)
    trouble, _ = thinks(world, 45)
    assert trouble == told
    assert str(failure) in caplog.text

    def mend(minute: int) -> None:
        world.fails = failure if minute < 31 else None

    trouble, _ = thinks(world, 65, mend)
    assert trouble is None
    assert world.thought == [30, 30, 60]


@pytest.mark.parametrize("linked", [[], [DeviceId(b"a" * 32)]])
def test_what_a_cycle_left_is_gone_on_with_after_as_long_a_rest(linked: list[DeviceId]) -> None:
    """Whoever thinks for all: it is this device's own work that is left."""
    world = World(linked=linked, leaves=3, takes_s=4.0)
    _, outlook = thinks(world, 70)
    first = 3_600 if linked else 1_800
    assert world.seconds[:4] == [first, first + 8, first + 16, first + 24]
    assert len(world.seconds) == (4 if linked else 5), "then it rests as ever"
    assert outlook.next_ms > 60_000


def test_a_cycle_that_took_no_time_is_not_followed_at_once() -> None:
    world = World(leaves=2)
    thinks(world, 31)
    assert world.seconds == [1_800, 1_801, 1_802]


def test_what_a_cycle_that_somebody_asked_for_left_is_gone_on_with() -> None:
    world = World(last=Cycle({}, more=True, began_ms=0, took_ms=4_000.0))
    thinks(world, 1)
    assert world.seconds == [4]


def test_a_cycle_that_fails_is_no_reason_to_go_on_sooner() -> None:
    world = World(last=Cycle({}, more=True, began_ms=0, took_ms=4_000.0), fails=KeyError("sure"))
    thinks(world, 29)
    assert world.seconds == [4]
