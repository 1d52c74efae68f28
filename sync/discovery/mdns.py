"""Find peers on the local network by multicast DNS, and let them find this device.

What is announced is as little as finding needs: a random instance name that changes every hour and with
every network, the addresses and the port; the TXT record repeats the port and the protocol's version. No
host name, no device id.

zeroconf runs on an asyncio loop, so everything that touches it is a coroutine function handed to the
AsyncioHost, and everything decided about it is decided here on the trio side. Registering takes a second
and a half and is left to the background. When the machine's addresses change, or the name is due to change,
the whole station is built anew: its sockets belong to interfaces that may be gone. What was seen before is
then reported as vanished, and comes again if it is still there.

A machine without any network has no station, and that is not an error: it gets one when a network comes.
"""

import ipaddress
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Final, Self

import trio
from zeroconf import Error as ZeroconfError
from zeroconf import InterfaceChoice, IPVersion, ServiceStateChange, Zeroconf
from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf

from replica.asyncio_host import AsyncioHost
from sync.address import Address
from sync.discovery.sightings import News, Service, Sighting, Vanished
from sync.network import addresses_now

VERSION: Final = "1"

# Often enough that a network does not come to know a device by a name, seldom enough that its peers,
# which take each new name for news, have little to do.
RENAME_SECONDS: Final = 3600.0

# A laptop that is opened in another network is found within this time. Listing interfaces takes half a
# millisecond.
ADDRESS_CHECK_SECONDS: Final = 5.0

# How long to ask for addresses of what was announced: the answer comes in milliseconds or is lost.
RESOLVE_MS: Final = 3_000

# Saying goodbye takes a quarter of a second; a network that is gone must not hold up the end.
GOODBYE_SECONDS_MAX: Final = 2.0

# More than a household ever announces. What does not fit is dropped: it is only a hint, and comes again.
NEWS_MAX: Final = 256
RESOLVING_MAX: Final = 32

_NAME_BYTES: Final = 8

# What zeroconf raises when the network, or the station itself, went in the middle of something.
_STATION_GONE: Final = (OSError, ZeroconfError, trio.ClosedResourceError)


def random_name() -> str:
    """A name that says nothing."""
    return secrets.token_hex(_NAME_BYTES)


@dataclass(eq=False, slots=True)
class _Announcement:
    service: Service
    port: int
    info: AsyncServiceInfo | None = None


@dataclass(eq=False, slots=True)
class _Watch:
    service: Service
    give: "trio.MemorySendChannel[News]"
    seen: dict[str, Sighting] = field(default_factory=dict)
    browser: AsyncServiceBrowser | None = None

    def tell(self, news: News) -> None:
        try:
            self.give.send_nowait(news)
        except trio.WouldBlock:
            pass  # nobody reads, or somebody floods: a lost hint costs a later link, not a wrong one


class MdnsFinder:
    """Announces this device and watches for others, never for itself; `async with MdnsFinder.open(host) as finder`."""

    def __init__(
        self,
        host: AsyncioHost,
        nursery: trio.Nursery,
        *,
        name: Callable[[], str],
        addresses: Callable[[frozenset[str]], frozenset[str]],
    ) -> None:
        self._host = host
        self._nursery = nursery
        self._name = name
        self._addresses = addresses
        self._current: frozenset[str] = frozenset()
        self._station: AsyncZeroconf | None = None
        self._own_names: set[str] = set()
        self._announcements: list[_Announcement] = []
        self._watches: list[_Watch] = []
        self._resolving: dict[tuple[_Watch, str], bool] = {}  # True: changed again meanwhile
        self._changing = trio.Lock()  # building and taking down cross over otherwise
        self._token = trio.lowlevel.current_trio_token()

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        host: AsyncioHost,
        *,
        name: Callable[[], str] = random_name,
        addresses: Callable[[frozenset[str]], frozenset[str]] = addresses_now,
    ) -> AsyncIterator[Self]:
        """Join the multicast group of every interface, and keep up with the interfaces."""
        async with trio.open_nursery() as nursery:
            finder = cls(host, nursery, name=name, addresses=addresses)
            try:
                await finder._build()
                nursery.start_soon(finder._keep_up)
                yield finder
            finally:
                with trio.move_on_after(GOODBYE_SECONDS_MAX, shield=True):
                    await finder._take_down()
                nursery.cancel_scope.cancel()

    @asynccontextmanager
    async def watch(self, service: Service) -> AsyncIterator["trio.MemoryReceiveChannel[News]"]:
        """Everything seen from now on, and what is in sight already. The channel ends with the context."""
        give, take = trio.open_memory_channel[News](NEWS_MAX)
        watch = _Watch(service, give)
        with give, take:
            async with self._changing:
                self._watches.append(watch)
                await self._browse(watch)
            try:
                yield take
            finally:
                self._watches.remove(watch)
                with trio.move_on_after(GOODBYE_SECONDS_MAX, shield=True):
                    await self._stop_browsing(watch)

    @asynccontextmanager
    async def announce(self, service: Service, port: int) -> AsyncIterator[None]:
        """Be found at this port for as long as the context lasts. Does not wait until others have heard."""
        announcement = _Announcement(service, port)
        self._announcements.append(announcement)
        self._nursery.start_soon(self._register_soon, announcement)
        try:
            yield
        finally:
            self._announcements.remove(announcement)
            with trio.move_on_after(GOODBYE_SECONDS_MAX, shield=True):
                async with self._changing:
                    await self._unregister(announcement)

    # --- the station -------------------------------------------------------------------------------

    async def _keep_up(self) -> None:
        renamed_at = trio.current_time()
        while True:
            await trio.sleep(ADDRESS_CHECK_SECONDS)
            due = trio.current_time() - renamed_at >= RENAME_SECONDS
            if due or self._addresses(self._current) != self._current:
                await self._take_down()
                await self._build()
                renamed_at = trio.current_time()

    async def _build(self) -> None:
        async with self._changing:
            self._current = self._addresses(self._current)
            if not self._current:
                return
            try:
                self._station = await self._host.run(_open_station, self._current)
            except OSError:
                self._current = frozenset()  # the network went while we looked: seen again at the next check
                return
            for watch in self._watches:
                await self._browse(watch)
        for announcement in self._announcements:
            self._nursery.start_soon(self._register_soon, announcement)

    async def _take_down(self) -> None:
        async with self._changing:
            station, self._station = self._station, None
            for watch in self._watches:
                watch.browser = None  # closed with its station
                for name in watch.seen:
                    watch.tell(Vanished(name))
                watch.seen.clear()
            for announcement in self._announcements:
                announcement.info = None
            if station is not None:
                with suppress(*_STATION_GONE):
                    await self._host.run(_close_station, station)

    # --- being found -------------------------------------------------------------------------------

    async def _register_soon(self, announcement: _Announcement) -> None:
        station = self._station
        if station is None or announcement not in self._announcements or announcement.info is not None:
            return
        name, kind = self._name(), announcement.service.value
        info = announcement.info = AsyncServiceInfo(
            kind,
            f"{name}.{kind}",
            parsed_addresses=sorted(self._current),
            port=announcement.port,
            properties={"v": VERSION, "p": str(announcement.port)},
            server=f"{name}.local.",
        )
        self._own_names.add(info.name)
        try:
            await self._host.run(_register, station, info)
            if announcement not in self._announcements:
                await self._host.run(_unregister, station, info)  # taken back before it was out
        except _STATION_GONE:
            self._current = frozenset()  # so that the next check builds another

    async def _unregister(self, announcement: _Announcement) -> None:
        if self._station is not None and announcement.info is not None:
            with suppress(*_STATION_GONE):
                await self._host.run(_unregister, self._station, announcement.info)

    # --- finding -----------------------------------------------------------------------------------

    async def _browse(self, watch: _Watch) -> None:
        if self._station is None:
            return
        station = self._station.zeroconf

        def changed(
            *, zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange
        ) -> None:
            # On the asyncio thread: carry it over, decide there.
            try:
                self._token.run_sync_soon(self._heard, watch, station, name, state_change)
            except trio.RunFinishedError:
                pass

        watch.browser = await self._host.run(_open_browser, station, watch.service.value, changed)

    async def _stop_browsing(self, watch: _Watch) -> None:
        async with self._changing:
            if watch.browser is not None:
                await self._host.run(watch.browser.async_cancel)

    def _heard(self, watch: _Watch, station: Zeroconf, name: str, change: ServiceStateChange) -> None:
        if not self._is_current(watch, station) or name in self._own_names:
            return
        if change is ServiceStateChange.Removed:
            if watch.seen.pop(name, None) is not None:
                watch.tell(Vanished(name))
        elif (watch, name) in self._resolving:
            self._resolving[watch, name] = True
        elif len(self._resolving) < RESOLVING_MAX:
            self._resolving[watch, name] = True
            self._nursery.start_soon(self._resolve, watch, station, name)

    async def _resolve(self, watch: _Watch, station: Zeroconf, name: str) -> None:
        try:
            while self._resolving[watch, name]:
                self._resolving[watch, name] = False
                info = AsyncServiceInfo(watch.service.value, name)
                try:
                    answered = await self._host.run(info.async_request, station, RESOLVE_MS)
                except _STATION_GONE:
                    return
                if not self._is_current(watch, station):
                    return
                sighting = _sighting(info) if answered else None
                if sighting is not None and watch.seen.get(name) != sighting:
                    watch.seen[name] = sighting
                    watch.tell(sighting)
        finally:
            del self._resolving[watch, name]

    def _is_current(self, watch: _Watch, station: Zeroconf) -> bool:
        return watch in self._watches and self._station is not None and self._station.zeroconf is station


def _sighting(info: AsyncServiceInfo) -> Sighting | None:
    """What an answer comes to, if anything could be dialled; the likeliest address first."""
    hosts = sorted(set(info.parsed_scoped_addresses(IPVersion.All)), key=_promise)
    if not info.port:
        return None
    addresses = tuple(Address(host, info.port) for host in hosts if _promise(host)[0] < _HOPELESS)
    return Sighting(info.name, addresses) if addresses else None


_HOPELESS: Final = 3


def _promise(host: str) -> tuple[int, str]:
    address = ipaddress.ip_address(host.partition("%")[0])
    if address.is_multicast or address.is_unspecified or address.is_loopback:
        return _HOPELESS, host
    if address.version == 4:
        return 0, host
    return (2 if address.is_link_local else 1), host


# --- on the asyncio loop ---------------------------------------------------------------------------


async def _open_station(addresses: frozenset[str]) -> AsyncZeroconf:
    # One socket for each IPv4 address, and one for each interface that speaks IPv6: every such has a
    # link-local address. Loopback is left out: multicast does not leave it, and sending there fails.
    where = sorted(each for each in addresses if _is_base(ipaddress.ip_address(each)))
    return AsyncZeroconf(interfaces=where or InterfaceChoice.All, ip_version=IPVersion.All)


def _is_base(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    return address.version == 4 or address.is_link_local


async def _close_station(station: AsyncZeroconf) -> None:
    await station.async_unregister_all_services()
    await station.async_close()


async def _register(station: AsyncZeroconf, info: AsyncServiceInfo) -> None:
    await (await station.async_register_service(info))


async def _unregister(station: AsyncZeroconf, info: AsyncServiceInfo) -> None:
    await (await station.async_unregister_service(info))


async def _open_browser(station: Zeroconf, kind: str, changed: Callable[..., None]) -> AsyncServiceBrowser:
    return AsyncServiceBrowser(station, kind, handlers=[changed])
