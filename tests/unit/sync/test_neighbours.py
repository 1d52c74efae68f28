"""Whom a device of a large group calls, and whose link it ends for another."""

from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final

import trio

from replica.ids import DEVICE_ID_BYTES, DeviceId
from sync.neighbours import LinkLimits, gives_way, wanted
from sync.syncer import Syncer
from tests.support.daemons import address_of, agree, online, until
from tests.support.devices import devices, run

LIMITS = LinkLimits(most=4, enough=3, standing_s=600)


def at(place: int) -> DeviceId:
    """The device at one of a hundred places around the ring."""
    return DeviceId((place * (1 << 8 * DEVICE_ID_BYTES) // 100).to_bytes(DEVICE_ID_BYTES))


def places(*found: int) -> frozenset[DeviceId]:
    return frozenset(map(at, found))


def test_while_everybody_fits_everybody_is_called() -> None:
    assert wanted(at(0), places(1, 2, 50, 99), places(1, 2, 99), LIMITS) == places(50)


def test_in_a_large_group_links_that_are_enough_leave_only_those_who_are_nearer_to_be_called() -> None:
    members = places(1, 2, 3, 50, 97, 98, 99)
    assert wanted(at(0), members, places(2, 50), LIMITS) == places(1, 3, 97, 98, 99)
    assert wanted(at(0), members, places(2, 50, 98), LIMITS) == places(1, 99)
    assert wanted(at(0), members, places(1, 50, 99), LIMITS) == frozenset()
    assert wanted(at(0), members, places(1, 2, 3), LIMITS) == places(50, 97, 98, 99), "nobody on that side"


def test_a_full_device_makes_room_for_one_that_is_nearer_but_not_with_the_nearest() -> None:
    young = {at(5): 9.0, at(40): 3.0, at(60): 5.0, at(90): 9.0}
    assert gives_way(at(0), at(4), young, LIMITS) == at(5), "the nearest on that side is another now"
    assert gives_way(at(0), at(4), {**young, at(5): 1.0}, LIMITS) == at(60)
    assert gives_way(at(0), at(10), young, LIMITS) is None
    assert gives_way(at(0), at(1), {at(99): 9_000.0}, LinkLimits(most=1)) is None


def test_a_link_that_stood_for_long_gives_its_place_to_anybody_unless_it_is_to_the_nearest() -> None:
    stood = {at(5): 9_000.0, at(40): 600.0, at(60): 599.0, at(90): 9_000.0}
    assert gives_way(at(0), at(10), stood, LIMITS) == at(40)
    assert gives_way(at(0), at(10), {**stood, at(40): 599.0}, LIMITS) is None


def test_who_answers_while_somebody_else_is_sought_is_known_then_and_not_linked(tmp_path: Path) -> None:
    async def main() -> None:
        async with devices(tmp_path, *(f"device {n}" for n in range(5))) as (own, *others):
            start = int.from_bytes(own.identity.device_id)
            first, second, third, _ = sorted(
                others,
                key=lambda each: (
                    (int.from_bytes(each.identity.device_id) - start) % 2 ** (8 * DEVICE_ID_BYTES)
                ),
            )
            limits = LinkLimits(most=3, enough=1)
            async with online(first) as one, online(second) as two, online(third) as three:
                async with online(own, calls=[one, three], limits=limits) as syncer:

                    async def linked() -> bool:
                        return {*syncer._links._kept} == {each.identity.device_id for each in (first, third)}

                    async def is_known() -> bool:
                        entry = syncer._roster._entries[f"fixed {address_of(two)}"]
                        return entry.member == second.identity.device_id

                    await until(linked)
                    assert syncer._roster.wanted, "the fourth is nearer than the third on that side"
                    syncer._roster.fix(address_of(two), now_ms=syncer._now_ms())
                    syncer.news.stir()
                    await until(is_known)
                    await trio.sleep(0.2)
                    assert await linked()

    run(main)


# Ten devices of one process on a busy machine take some seconds.
SECONDS_MAX: Final = 90


def test_a_group_larger_than_a_device_can_link_is_in_one_piece_and_stops_calling(tmp_path: Path) -> None:
    """Those who came first were full of each other; the others called them for ever, and heard nothing of them."""

    class Calls(trio.abc.Instrument):
        """Counts the calls to devices."""

        count = 0

        def task_spawned(self, task: trio.lowlevel.Task) -> None:
            self.count += task.name == "calling a device"

    names = [f"device {n}" for n in range(10)]

    async def main() -> None:
        async with devices(tmp_path, *names) as found, AsyncExitStack() as stack:
            syncers: list[Syncer] = []

            for device in found:
                up = online(device, calls=tuple(syncers), limits=LinkLimits(most=4, enough=2))
                syncers.append(await stack.enter_async_context(up))
            for n, device in enumerate(found):
                await device.remember(f"the boat leaves at {n}")
            calls = Calls()
            trio.lowlevel.add_instrument(calls)
            with trio.fail_after(SECONDS_MAX):
                await agree(*found)
                before = -1
                while calls.count != before or any(syncer._roster.wanted for syncer in syncers):
                    before = calls.count
                    await trio.sleep(2.5)
            assert all(len(syncer._links._all()) <= 4 for syncer in syncers)

    run(main)
