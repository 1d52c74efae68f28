import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import combinations
from pathlib import Path

import trio
from trio.testing import MockClock, memory_stream_pair

from sync.errors import SyncError
from sync.link import Link
from sync.relay_backoff import HELD_MAX, WAIT_MS_MAX, WAIT_MS_MIN, LinkUse, RelayBackoff
from tests.support.devices import Device, devices

HEARD_SECONDS_MAX = 60  # on a busy machine; it takes milliseconds
Mesh = dict[tuple[str, str], Link]


def test_what_a_peer_held_already_waits_longer_each_time_and_no_more_once_it_did_not() -> None:
    relaying = RelayBackoff(first=False)
    waits = [relaying.wait_ms]
    for _ in range(8):
        relaying.answered(passed_on=3, taken=0)
        waits.append(relaying.wait_ms)
    assert waits[:3] == [0, WAIT_MS_MIN, 2 * WAIT_MS_MIN]
    assert waits[-2:] == [WAIT_MS_MAX, WAIT_MS_MAX]
    relaying.answered(passed_on=3, taken=1)  # the last one was still on its way
    assert relaying.wait_ms == WAIT_MS_MAX
    relaying.answered(passed_on=2, taken=1)  # half of it is as much news as not
    assert relaying.wait_ms == 0


def test_of_two_that_pass_on_to_each_other_one_waits_half_as_long() -> None:
    first, second = RelayBackoff(first=True), RelayBackoff(first=False)
    for each in (first, second):
        each.answered(passed_on=1, taken=0)
    assert (first.wait_ms, second.wait_ms) == (WAIT_MS_MIN // 2, WAIT_MS_MIN)


def test_a_link_that_carried_nothing_is_not_needed_and_one_that_did_is_until_all_was_there_time_and_again() -> (
    None
):
    use = LinkUse()
    told = [use.carries_news]
    for news in (1, *[0] * (HELD_MAX - 1), 1, *[0] * HELD_MAX):
        use.carried(2, news, own=False)
        told.append(use.carries_news)
    assert told == [False, *[True] * (2 * HELD_MAX), False]


def test_what_a_peer_wrote_itself_may_come_by_no_other_way_but_does_not_outweigh_what_does() -> None:
    use = LinkUse()
    told = []
    frames = [(0, True), *[(0, False)] * HELD_MAX, *[(1, False), (0, True)] * HELD_MAX, (1, False)]
    for passed_on, own in frames:
        use.carried(passed_on, 0, own=own)
        told.append(use.carries_news)
    assert told == [*[True] * (len(frames) - 3), False, True, False]
    use.carried_snapshot()
    assert use.carries_news


@asynccontextmanager
async def linked(pairs: list[tuple[Device, Device]]) -> AsyncIterator[Mesh]:
    """Links between these, settled; whatever ends one is swallowed."""
    mesh: Mesh = {}
    async with trio.open_nursery() as nursery:

        async def ended(link: Link) -> None:
            try:
                await link.run()
            except SyncError:
                pass

        for one, other in pairs:
            near, far = memory_stream_pair()
            for stream, own, peer in ((near, one, other), (far, other, one)):
                link = Link(stream, replica=own.replica, peer=peer.identity.device_id)
                mesh[own.name, peer.name] = link
                nursery.start_soon(ended, link)
        for link in mesh.values():
            await link.settle()
        yield mesh
        for link in mesh.values():
            link.drop()


async def heard(device: Device, text: str) -> None:
    """Wait until a device holds what was written somewhere. The clock of these tests stands still, so this looks at
    the real one."""
    deadline = time.monotonic() + HEARD_SECONDS_MAX
    while text not in await device.texts():
        assert time.monotonic() < deadline, f"{device.name} did not hear of {text!r} in {HEARD_SECONDS_MAX} s"
    await device.replica.run(lambda core, connection: None)  # its links are woken after it is stored


async def tell(writer: Device, text: str, others: list[Device]) -> None:
    """Write something, and wait until all others hold it, however often they hear of it."""
    await writer.remember(text)
    for other in others:
        await heard(other, text)


async def accustomed(writer: Device, others: list[Device], mesh: Mesh, clock: MockClock) -> list[Link]:
    """Let a device write until the others have learnt that it needs no help; return the links between those."""
    between = [link for ends, link in mesh.items() if writer.name not in ends]
    for n in range(100):
        if all(link.progress.wait_ms for link in between):
            return between
        await tell(writer, f"{len(mesh)} links, {n}", others)
        clock.jump(WAIT_MS_MAX / 1000)
        for link in mesh.values():  # which says all that waits
            await link.ask()
        for link in mesh.values():
            await link.settle()
    raise AssertionError("what the others pass on never waits")


def test_where_everybody_is_linked_news_is_told_by_its_writer_alone(tmp_path: Path) -> None:
    clock = MockClock()

    async def main() -> None:
        async with devices(tmp_path, "ann", "ben", "cleo", "dan", "eve") as everybody:
            ann, *others = everybody
            async with linked(list(combinations(everybody, 2))) as mesh:
                between = await accustomed(ann, others, mesh, clock)
                before = sum(link.traffic.bytes_out for link in between)
                await tell(ann, "the key is under the mat", others)
                await trio.testing.wait_all_tasks_blocked()
                assert sum(link.traffic.bytes_out for link in between) == before

    trio.run(main, clock=clock)


def test_along_a_chain_news_never_waits(tmp_path: Path) -> None:
    clock = MockClock()  # stands still

    async def main() -> None:
        async with devices(tmp_path, "ann", "ben", "cleo") as (ann, ben, cleo):
            async with linked([(ann, ben), (ben, cleo)]):
                for n in range(4):
                    await tell(ann, f"from one end {n}", [ben, cleo])
                    await tell(cleo, f"from the other {n}", [ben, ann])

    trio.run(main, clock=clock)


def test_what_waits_is_told_in_seconds_where_the_link_that_was_to_carry_it_is_gone(tmp_path: Path) -> None:
    clock = MockClock()

    async def main() -> None:
        async with devices(tmp_path, "ann", "ben", "cleo") as (ann, ben, cleo):
            async with linked([(ann, ben), (ben, cleo), (ann, cleo)]) as mesh:
                await accustomed(ann, [ben, cleo], mesh, clock)
                mesh["ann", "cleo"].drop()
                await tell(ann, "the first", [ben])
                await trio.testing.wait_all_tasks_blocked()
                assert "the first" not in await cleo.texts()
                clock.jump(WAIT_MS_MAX / 1000)
                await heard(cleo, "the first")
                await tell(ann, "and the second at once: the first was news", [ben, cleo])

    trio.run(main, clock=clock)


def test_what_waits_is_told_at_once_when_somebody_may_be_gone_or_goes_or_with_words_of_ones_own(
    tmp_path: Path,
) -> None:
    clock = MockClock()

    async def main() -> None:
        async with devices(tmp_path, "ann", "ben", "cleo") as (ann, ben, cleo):
            for how in ("hurried", "goodbye", "own words"):
                async with linked([(ann, ben), (ben, cleo), (ann, cleo)]) as mesh:
                    await accustomed(ann, [ben, cleo], mesh, clock)
                    mesh["ann", "cleo"].drop()
                    await tell(ann, f"the last, {how}", [ben])
                    await trio.testing.wait_all_tasks_blocked()
                    match how:
                        case "hurried":
                            mesh["ben", "cleo"].flush()
                        case "goodbye":
                            await mesh["ben", "cleo"].leave("going offline")
                        case _:
                            await ben.remember("my own")
                    await heard(cleo, f"the last, {how}")

    trio.run(main, clock=clock)
