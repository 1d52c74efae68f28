"""A device that is busy with a message for long is waited for, and not for ever."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import cast

import trio
from trio.testing import MockClock

from replica import Replica
from sync.exchange import STILL_HERE
from sync.link import (
    ANSWER_SECONDS_MAX,
    PROOF_SECONDS_MAX,
    STILL_HERE_SECONDS,
    STILL_HERE_TIMES_MAX,
    Link,
)
from sync.wire.frames import encode_frame
from tests.support.daemons import agree
from tests.support.devices import Device, devices
from tests.support.imaginary import linked
from tests.support.quirks import Slow


@asynccontextmanager
async def busy(laptop: Device, phone: Device) -> AsyncIterator[tuple[Link, Slow]]:
    """A link of the laptop's to a phone that takes what the laptop wrote, and does not come back from it."""
    slow = Slow(phone.replica)
    async with linked(laptop, replace(phone, replica=cast(Replica, slow))) as (near, far):
        await near.settle()
        await far.settle()
        slow.works = True
        await laptop.remember("much to take")
        await slow.waiting.wait()
        yield near, slow


def test_a_device_that_takes_long_over_a_message_is_waited_for(tmp_path: Path) -> None:
    """A slow phone merges the last part of a snapshot: it was let go after a minute, and began anew."""
    clock = MockClock()

    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, phone):
            async with busy(laptop, phone) as (near, slow):
                before = near.traffic.bytes_in
                for _ in range(60):
                    await trio.testing.wait_all_tasks_blocked()
                    clock.jump(ANSWER_SECONDS_MAX / 6)
                words = int(10 * ANSWER_SECONDS_MAX / STILL_HERE_SECONDS)
                expected = before + words * len(encode_frame(STILL_HERE))
                for _ in range(100_000):  # each word is taken on a thread, for which the clock does not wait
                    if near.traffic.bytes_in >= expected or near.ended.is_set():
                        break
                    await trio.testing.wait_all_tasks_blocked()
                assert not near.ended.is_set(), "it was let go"
                assert near.traffic.bytes_in == expected
                slow.works = False
                slow.done.set()
                await agree(laptop, phone)
                await near.settle()

    trio.run(main, clock=clock)


def test_a_device_that_never_comes_back_from_a_message_is_let_go_in_the_end(tmp_path: Path) -> None:
    clock = MockClock()

    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, phone):
            async with busy(laptop, phone) as (near, slow):
                for _ in range(10 * STILL_HERE_TIMES_MAX):
                    before = near.traffic.bytes_in
                    for _ in range(4):
                        await trio.testing.wait_all_tasks_blocked()
                        clock.jump(STILL_HERE_SECONDS / 4)
                    for _ in range(
                        10_000
                    ):  # each word is taken on a thread, for which the clock does not wait
                        if near.traffic.bytes_in > before or near.ended.is_set():
                            break
                        await trio.testing.wait_all_tasks_blocked()
                    if near.ended.is_set():
                        break
                assert near.ended.is_set(), "half an hour and a minute are over"
                slow.works = False
                slow.done.set()

    trio.run(main, clock=clock)


async def proved(link: Link, clock: MockClock, *, seconds: float) -> bool:
    """Have a link prove itself while so many seconds go by; say whether it still stands."""
    async with trio.open_nursery() as nursery:
        said = link.traffic.bytes_out
        nursery.start_soon(link.probe)
        while (
            link.traffic.bytes_out == said
        ):  # its question is made on a thread, for which the clock does not wait
            await trio.testing.wait_all_tasks_blocked()
        for _ in range(10):
            for _ in range(100):  # nor for what is answered
                await trio.testing.wait_all_tasks_blocked()
            clock.jump(seconds / 10)
    return not link.ended.is_set()


def test_a_device_that_is_busy_with_what_we_sent_is_not_given_up_when_the_network_changes(
    tmp_path: Path,
) -> None:
    """It was to answer within five seconds, and says only every twenty that it is still there."""
    clock = MockClock()

    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, phone):
            async with busy(laptop, phone) as (near, slow):
                assert await proved(near, clock, seconds=1.25 * STILL_HERE_SECONDS)
                slow.works = False
                slow.done.set()
                await agree(laptop, phone)

    trio.run(main, clock=clock)


def test_a_device_that_owes_nothing_and_does_not_answer_is_given_up_within_seconds(tmp_path: Path) -> None:
    clock = MockClock()

    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, phone):
            slow = Slow(phone.replica)
            async with linked(laptop, replace(phone, replica=cast(Replica, slow))) as (near, far):
                await near.settle()
                await far.settle()
                slow.works = True
                assert not await proved(near, clock, seconds=2 * PROOF_SECONDS_MAX)
                slow.works = False
                slow.done.set()

    trio.run(main, clock=clock)
