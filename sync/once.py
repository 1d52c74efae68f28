"""Sync once, for a program that ends afterwards: the daemon's code, without the daemon."""

from collections.abc import Iterable

from replica.asyncio_host import AsyncioHost
from replica.ids import DeviceId
from replica.replica import Replica
from sync.address import Address
from sync.identity import Identity
from sync.reports import SyncReport
from sync.syncer import open_syncer


async def sync_once(
    replica: Replica,
    identity: Identity,
    host: AsyncioHost,
    *,
    name: str,
    peer: DeviceId | None = None,
    address: Address | None = None,
    mdns: bool = True,
    fixed: Iterable[Address] = (),
) -> list[SyncReport]:
    """Sync once without a daemon: dial, wait until quiet, say goodbye."""
    async with open_syncer(
        replica,
        identity,
        host,
        name=name,
        mdns=mdns and address is None,
        fixed=fixed,
        dials=address is None,
    ) as syncer:
        return await syncer.sync_now(peer, address=address)
