"""Two links to one peer, as either end may see them come up."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio
import trio.testing

from sync.address import Address
from sync.group import Group
from sync.links import RIVALS_MAX, Kept, Links
from sync.tls import SecureStream
from tests.support.daemons import agree
from tests.support.devices import Device, devices, run
from tests.support.links import End, meet


@asynccontextmanager
async def links_of(device: Device) -> AsyncIterator[Links]:
    """The links of a device that nobody dials or listens for."""
    async with trio.open_nursery() as nursery:
        group = Group(device.replica, device.identity.device_id)
        await group.look()

        def nothing(*_: object) -> None:
            pass

        yield Links(
            device.replica, group, nursery, changed=nothing, grown=nothing, linked=nothing, lost=nothing
        )
        nursery.cancel_scope.cancel()


async def take(links: Links, end: End, nursery: trio.Nursery, *, dialled: bool) -> Kept | None:
    """Give a link its place, and close it where it has none, as the syncer does."""
    assert end.stream is not None
    assert end.peer is not None
    kept = links.admit(end.stream, end.peer, Address("127.0.0.1", 7411) if dialled else None)
    if kept is None:
        await trio.aclose_forcefully(end.stream)
    else:
        nursery.start_soon(links.hold, kept)
    return kept


async def twice(one: Device, other: Device) -> list[tuple[End, End]]:
    """Two links between two devices, each as (dialling end, answering end)."""
    a, b = one.identity, other.identity
    return [await meet(a, [b.certificate], b, [a.certificate]) for _ in range(2)]


@pytest.mark.parametrize("seen_by_the_other", [(0, 1), (1, 0)], ids=["in one order", "in two orders"])
def test_of_two_links_that_one_end_dialled_at_once_one_stands_at_both(
    tmp_path: Path, seen_by_the_other: tuple[int, int]
) -> None:
    async def main() -> None:
        async with (
            devices(tmp_path, "laptop", "phone") as (laptop, phone),
            links_of(laptop) as near,
            links_of(phone) as far,
            trio.open_nursery() as nursery,
        ):
            pairs = await twice(laptop, phone)
            for dialling, _ in pairs:
                await take(near, dialling, nursery, dialled=True)
            for n in seen_by_the_other:
                await take(far, pairs[n][1], nursery, dialled=False)
            await laptop.remember("the key is under the mat")
            await agree(laptop, phone)
            for links, device in ((near, phone), (far, laptop)):
                kept = links.get(device.identity.device_id)
                assert kept is not None
                await kept.link.settle()
            await trio.testing.wait_all_tasks_blocked()
            assert len(near._all()) == len(far._all()) == 1
            nursery.cancel_scope.cancel()

    run(main)


def test_a_peer_that_dials_without_end_holds_few_links(tmp_path: Path) -> None:
    async def main() -> None:
        async with (
            devices(tmp_path, "laptop", "phone") as (laptop, phone),
            links_of(phone) as far,
            trio.open_nursery() as nursery,
        ):
            open_ends: list[SecureStream] = []
            for _ in range(RIVALS_MAX):
                for dialling, answering in await twice(laptop, phone):
                    await take(far, answering, nursery, dialled=False)
                    assert dialling.stream is not None
                    open_ends.append(dialling.stream)
            assert len(far._all()) == RIVALS_MAX
            for stream in open_ends:
                await trio.aclose_forcefully(stream)
            nursery.cancel_scope.cancel()

    run(main)
