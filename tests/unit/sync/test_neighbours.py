"""Whom a device of a large group calls, and whose link it ends for another."""

from collections.abc import Iterable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final

import pytest
import trio

from replica.ids import DEVICE_ID_BYTES, DeviceId
from sync.neighbours import LinkLimits, gives_way, spare, wanted
from sync.syncer import Syncer
from tests.support.daemons import address_of, agree, online, until
from tests.support.devices import Device, devices, run

LIMITS = LinkLimits(most=4, mesh=3, standing_s=600)


def at(place: int) -> DeviceId:
    """The device at one of a hundred places around the ring."""
    return DeviceId((place * (1 << 8 * DEVICE_ID_BYTES) // 100).to_bytes(DEVICE_ID_BYTES))


def places(*found: int) -> frozenset[DeviceId]:
    return frozenset(map(at, found))


def test_in_a_small_group_everybody_is_called_and_nobody_is_spare() -> None:
    limits = LinkLimits(most=4, mesh=4)
    assert wanted(at(0), places(1, 2, 50, 99), places(1, 2, 99), places(50), limits) == places(50)
    assert spare(at(0), places(1, 2, 50, 99), places(1, 2, 99), limits) == frozenset()
    assert not limits.is_mesh(5)
    assert not LinkLimits(most=3, mesh=4).is_mesh(4)


# One, two and three, and four steps away; in the other direction one, two and three.
MEMBERS = places(10, 20, 30, 40, 70, 80, 90)


def test_one_link_is_made_into_each_place_the_nearest_first() -> None:
    limits = LinkLimits(mesh=3)
    assert wanted(at(0), MEMBERS, places(), MEMBERS, limits) == places(10, 20, 40, 80, 90)
    assert wanted(at(0), MEMBERS, places(10, 30, 40, 70, 90), MEMBERS, limits) == frozenset()


def test_whoever_does_not_answer_leaves_a_place_to_the_next_and_is_called_again_until_that_is_linked() -> (
    None
):
    limits = LinkLimits(mesh=3)
    answers = MEMBERS - places(10, 20, 40)
    assert wanted(at(0), MEMBERS, places(), answers, limits) == places(10, 20, 30, 40, 80, 90)
    linked = places(30, 80, 90)
    assert wanted(at(0), MEMBERS, linked, answers, limits) == places(10, 20, 40), (
        "nearer, or in another place"
    )
    nobody = wanted(at(0), MEMBERS, places(80, 90), places(), limits)
    assert nobody == places(10, 20, 30, 40, 70)


def test_the_nearest_that_answers_is_sought_beyond_the_places_next_to_it() -> None:
    limits = LinkLimits(mesh=3)
    answers = places(40, 70)
    assert wanted(at(0), MEMBERS, places(), answers, limits) == MEMBERS
    assert wanted(at(0), MEMBERS, places(40, 70), answers, limits) == MEMBERS - places(40, 70)


def test_a_full_device_calls_only_who_is_nearer_than_its_nearest() -> None:
    assert wanted(at(0), MEMBERS, places(10, 40, 80, 90), MEMBERS, LIMITS) == frozenset()
    assert wanted(at(0), MEMBERS, places(20, 40, 80, 90), MEMBERS, LIMITS) == places(10)


def test_links_that_are_not_the_first_of_any_place_are_spare() -> None:
    limits = LinkLimits(mesh=3)
    assert spare(at(0), MEMBERS, MEMBERS, limits) == places(30, 70)
    assert spare(at(0), MEMBERS, places(30, 70, 90), limits) == frozenset(), "they stand in for others"
    assert spare(at(0), MEMBERS, places(70, 80), limits) == frozenset(), "the next one ahead, far as it is"
    assert spare(at(0), MEMBERS, places(70, 80, 10), limits) == places(70)
    assert spare(at(0), MEMBERS, places(), limits) == frozenset()


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
            limits = LinkLimits(most=2, mesh=1)
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


async def each_calls_those_before(
    stack: AsyncExitStack, group: Iterable[Device], limits: LinkLimits
) -> list[Syncer]:
    """Have devices go online, each of which knows where those before it are, until the stack ends."""
    syncers: list[Syncer] = []
    for device in group:
        up = online(device, calls=tuple(syncers), limits=limits)
        syncers.append(await stack.enter_async_context(up))
    return syncers


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
            syncers = await each_calls_those_before(stack, found, LinkLimits(most=4, mesh=2))
            for n, device in enumerate(found):
                await device.remember(f"the boat leaves at {n}")
            calls = Calls()
            trio.lowlevel.add_instrument(calls)
            with trio.fail_after(SECONDS_MAX):
                await agree(*found)
                before = -1
                while calls.count != before:  # each waits for no longer than this after a few calls in vain
                    before = calls.count
                    await trio.sleep(4)
            assert all(len(syncer._links._all()) <= 4 for syncer in syncers)

    run(main)


def test_a_device_of_a_large_group_meets_everybody_in_turn_and_is_linked_to_some(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sync.syncer.TEND_SECONDS", 0.25)
    monkeypatch.setattr("sync.links.SPARE_SECONDS_MIN", 0.1)
    names = [f"device {n}" for n in range(10)]

    async def main() -> None:
        async with devices(tmp_path, *names) as found, AsyncExitStack() as stack:
            syncers = await each_calls_those_before(stack, found, LinkLimits(mesh=3, look_s=0))
            last = syncers[-1]  # it knows where all of the others are
            others = {device.identity.device_id for device in found[:-1]}
            met: set[DeviceId] = set()

            async def has_met_all() -> bool:
                met.update(last._links._kept)
                return met == others

            async def has_ended_some() -> bool:
                return len(last._links._kept) < len(others) - 1

            await until(has_met_all)
            await until(has_ended_some)
            await found[0].remember("the boat leaves at eight")
            await agree(*found)

    run(main)
