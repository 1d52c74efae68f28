"""Syncing because somebody asked, while two links to one peer cross."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path

import trio
import trio.testing

from replica.supervision import Supervisor
from sync.errors import LinkLost
from sync.group import Group
from sync.links import Links
from sync.sync_requests import CROSSING_SECONDS_MAX, SyncRequests
from sync.tls import SecureStream
from tests.support.devices import Device, devices, run
from tests.support.links import meet_paired


@asynccontextmanager
async def asked(device: Device) -> AsyncIterator[tuple[Links, SyncRequests, Callable[[], Awaitable[None]]]]:
    """The links of a device that nobody dials or listens for, and what may be asked of them."""
    news = trio.Event()

    def stir(*_: object) -> None:
        nonlocal news
        news.set()
        news = trio.Event()

    async def something() -> None:
        await news.wait()

    async with trio.open_nursery() as nursery:
        group = Group(device.replica, device.identity.device_id)
        await group.look()
        tasks = Supervisor(nursery)
        links = Links(device.replica, group, tasks, changed=stir, grown=stir, linked=stir, lost=stir)
        never: Callable[..., bool] = lambda *_: False  # noqa: E731
        requests = SyncRequests(
            device.identity,
            group,
            links,
            tasks,
            wanted=lambda _: nullcontext(),
            something=something,
            is_hopeless=never,
        )
        yield links, requests, something
        nursery.cancel_scope.cancel()


async def link_that_stays_silent(
    nearer: Device, links: Links, farther: Device, nursery: trio.Nursery
) -> SecureStream:
    """Hold a link whose other end says nothing, and return that end."""
    a, b = nearer.identity, farther.identity
    dialling, answering = await meet_paired(a, b)
    assert dialling.stream is not None
    assert answering.stream is not None
    kept = links.admit(dialling.stream, b.device_id, None)
    assert kept is not None
    nursery.start_soon(links.hold, kept)
    return answering.stream


def test_a_sync_whose_link_gives_way_goes_on_over_the_one_that_crossed_it(tmp_path: Path) -> None:
    async def main() -> None:
        async with (
            devices(tmp_path, "laptop", "phone") as (laptop, phone),
            asked(laptop) as (near, requests, near_news),
            asked(phone) as (far, _, _),
            trio.open_nursery() as nursery,
        ):
            silent = await link_that_stays_silent(laptop, near, phone, nursery)
            reports = []

            async def sync() -> None:
                reports.extend(await requests.sync_with([phone.identity.device_id]))

            async def cross() -> None:
                await trio.testing.wait_all_tasks_blocked()
                await trio.aclose_forcefully(silent)  # in favour of one that is not here yet
                while phone.identity.device_id in near:
                    await near_news()
                await trio.testing.wait_all_tasks_blocked()
                a, b = phone.identity, laptop.identity
                dialling, answering = await meet_paired(a, b)
                for links, end in ((far, dialling), (near, answering)):
                    assert end.stream is not None
                    assert end.peer is not None
                    kept = links.admit(end.stream, end.peer, None)
                    assert kept is not None
                    nursery.start_soon(links.hold, kept)

            await phone.remember("the key is under the mat")
            async with trio.open_nursery() as both:
                both.start_soon(sync)
                both.start_soon(cross)
            assert [report.error for report in reports] == [None]
            assert await laptop.texts() == {"the key is under the mat"}
            nursery.cancel_scope.cancel()

    run(main)


def test_a_sync_whose_peer_went_away_says_so_soon(tmp_path: Path) -> None:
    async def main() -> None:
        async with (
            devices(tmp_path, "laptop", "phone") as (laptop, phone),
            asked(laptop) as (near, requests, _),
            trio.open_nursery() as nursery,
        ):
            silent = await link_that_stays_silent(laptop, near, phone, nursery)
            nursery.start_soon(trio.aclose_forcefully, silent)
            started = trio.current_time()
            (report,) = await requests.sync_with([phone.identity.device_id])
            assert isinstance(report.error, LinkLost)
            assert trio.current_time() - started < 2 * CROSSING_SECONDS_MAX + 5
            nursery.cancel_scope.cancel()

    run(main)
