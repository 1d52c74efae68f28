"""Devices that are online: replicas with a syncer each, on loopback, told of each other by address."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager

import trio

from sync.address import Address
from sync.neighbours import LinkLimits
from sync.reports import SyncReport
from sync.syncer import Syncer, open_syncer
from tests.support.devices import Device


@asynccontextmanager
async def online(
    device: Device,
    *,
    calls: Iterable[Syncer] = (),
    listen_on: tuple[str, int] | None = ("127.0.0.1", 0),
    limits: LinkLimits = LinkLimits(),
) -> AsyncIterator[Syncer]:
    """A device that listens on loopback and calls those that it is told of."""
    async with open_syncer(
        device.replica,
        device.identity,
        device.host,
        name=device.name,
        listen_on=listen_on,
        mdns=False,
        fixed=[address_of(each) for each in calls],
        limits=limits,
    ) as syncer:
        yield syncer


async def sync_once(device: Device, address: Address) -> SyncReport:
    """Sync with whoever is at an address, as a program does that ends afterwards: dial, settle, say goodbye."""
    async with open_syncer(
        device.replica, device.identity, device.host, name=device.name, mdns=False, dials=False
    ) as syncer:
        (report,) = await syncer.sync_now(address=address)
        return report


def address_of(syncer: Syncer) -> Address:
    """Where it listens."""
    assert syncer.address is not None
    return syncer.address


async def until(holds: Callable[[], Awaitable[bool]], *, seconds_max: float = 60) -> None:
    """Wait for something that becomes true by itself, a few milliseconds at a time."""
    with trio.fail_after(seconds_max):
        while not await holds():  # noqa: ASYNC110 -- another device's state raises no event here
            await trio.sleep(0.005)


async def agree(*devices: Device) -> None:
    """Wait until these devices hold the same."""

    async def equal() -> bool:
        return len({await device.digests() for device in devices}) == 1

    await until(equal)
