"""Sync now because somebody asked: with a peer, with all, or with whoever is at an address, until it is quiet.

A link that stands is asked anew, which also proves that the peer is there; otherwise one is waited for, as long
as there is hope. A report always comes, with the error where there was one: a peer that is away keeps nobody
from syncing with the others.
"""

from collections.abc import Awaitable, Callable, Iterable
from contextlib import AbstractContextManager
from typing import Final

import trio

from replica.errors import ReplicaError
from replica.ids import DeviceId
from replica.supervision import Supervisor
from sync.address import Address
from sync.dialling import reach
from sync.errors import LinkLost, SomebodyElse, SyncError, Untrusted
from sync.group import Group
from sync.identity import Identity
from sync.link import Link, Traffic
from sync.links import Links, LinkSlot
from sync.reports import SyncReport

# How long to wait for a peer to turn up: mDNS needs two seconds, an address where nobody is five.
REACH_SECONDS_MAX: Final = 6.0
# A link that crossed ours has its handshake behind it at the other end, so it is here within moments.
CROSSING_SECONDS_MAX: Final = 2.0


class SyncRequests:
    """What was asked of a syncer and takes a while.

    `wanted` has a peer called for as long as its block lasts; `something` waits until anything has changed;
    `is_hopeless` says whether a peer can still turn up, given when the waiting began.
    """

    def __init__(
        self,
        identity: Identity,
        group: Group,
        links: Links,
        tasks: Supervisor,
        *,
        wanted: Callable[[DeviceId], AbstractContextManager[None]],
        something: Callable[[], Awaitable[object]],
        is_hopeless: Callable[[DeviceId, float], bool],
    ) -> None:
        self._identity = identity
        self._group = group
        self._links = links
        self._tasks = tasks
        self._wanted = wanted
        self._something = something
        self._is_hopeless = is_hopeless

    async def sync_with(self, devices: Iterable[DeviceId]) -> list[SyncReport]:
        """Sync with all of these at once."""
        reports: list[SyncReport] = []

        async def sync_one(device: DeviceId) -> None:
            reports.append(await self._sync_with(device))

        async with trio.open_nursery() as nursery:
            for device in devices:
                nursery.start_soon(sync_one, device)
        return sorted(reports, key=lambda report: report.device_id or b"")

    async def sync_at(self, address: Address, expected: DeviceId | None) -> SyncReport:
        """Sync with whoever of the group is at an address; where somebody is `expected`, with nobody else."""
        started = trio.current_time()
        try:
            self._check_own()
            among = None if expected is None else {expected, self._identity.device_id}
            pins = self._group.trust.pins(among)
            reached = await reach([address], identity=self._identity, pins=pins)
        except SomebodyElse as error:
            told = error if expected is None else SomebodyElse(f"another device answers at {address}")
            return _report(expected, Traffic(), (), started, told)
        except SyncError as error:
            return _report(expected, Traffic(), (), started, error)
        kept = self._links.admit(reached.stream, reached.peer, address)
        if kept is None:
            await trio.aclose_forcefully(reached.stream)
        else:
            self._tasks.once("holding a link", self._links.hold, kept)
        return await self._sync_with(reached.peer, started)

    async def _sync_with(self, device: DeviceId, started: float | None = None) -> SyncReport:
        started = trio.current_time() if started is None else started
        before, link = Traffic(), None
        try:
            kept = self._links.get(device)
            if kept is not None and kept.since < started:
                link, before = kept.link, kept.link.traffic
                await link.ask()
            else:
                link = (await self._linked(device, started)).link
            settled = await self._settled(device, link, started)
        except (SyncError, ReplicaError) as error:
            traffic = Traffic() if link is None else link.traffic.since(before)
            told = self._own_revocation() or error  # perhaps that was what ended it
            return _report(device, traffic, () if link is None else _refused(link), started, told)
        traffic = settled.traffic.since(before) if settled is link else settled.traffic
        return _report(device, traffic, _refused(settled), started, None)

    async def _linked(self, device: DeviceId, since: float) -> LinkSlot:
        self._check_own()
        if not self._group.trust.admits(device):
            raise Untrusted(f"{device.hex()[:8]} is not a member of this group, or was revoked")
        with self._wanted(device), trio.move_on_after(REACH_SECONDS_MAX):
            while device not in self._links and not self._is_hopeless(device, since):
                await self._something()
        if (kept := self._links.get(device)) is not None:
            return kept
        for key in (device, None):
            if (failure := self._group.failure(key, since=since)) is not None:
                raise failure
        raise LinkLost("it was not found on this network, and no address is known where it could be reached")

    def _check_own(self) -> None:
        if (out := self._own_revocation()) is not None:
            raise out

    def _own_revocation(self) -> Untrusted | None:
        own = self._identity.device_id
        if own not in self._group.trust.revoked:
            return None
        if self._group.grounds(own):
            return Untrusted("this device was revoked: no other device talks to it")
        return Untrusted(
            "this device is not a member of the group that it holds: pair it with one of its devices"
        )

    async def _settled(self, device: DeviceId, link: Link, started: float) -> Link:
        """Wait until a link is settled; if another takes its place, until that one is.

        Of two links that crossed, the peer may close ours before we have seen its own, which is then on its way here.
        """
        while True:
            try:
                await link.settle()
                return link
            except LinkLost:
                if trio.current_time() - started >= REACH_SECONDS_MAX:
                    raise
                kept = await self._another(device, link)
                if kept is None:
                    raise
                link = kept.link
            except (SyncError, ReplicaError):
                kept = self._links.get(device)
                if kept is None or kept.link is link:
                    raise
                link = kept.link

    async def _another(self, device: DeviceId, lost: Link) -> LinkSlot | None:
        """Wait a moment for a link to a peer other than the one that was lost."""
        with trio.move_on_after(CROSSING_SECONDS_MAX):
            while (kept := self._links.get(device)) is None or kept.link is lost:
                await self._something()
            return kept
        return None


def _refused(link: Link) -> tuple[str, ...]:
    return tuple(each.reason for each in link.progress.refusals)


def _report(
    device: DeviceId | None,
    traffic: Traffic,
    refused: tuple[str, ...],
    started: float,
    error: SyncError | ReplicaError | None,
) -> SyncReport:
    return SyncReport(
        device,
        traffic.sent,
        traffic.received,
        traffic.bytes_out,
        traffic.bytes_in,
        (trio.current_time() - started) * 1000,
        traffic.round_trips,
        refused,
        error,
    )
