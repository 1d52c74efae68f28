"""Find peers on the local network by multicast DNS, and let them find this device.

What is announced is as little as finding needs: a random instance name that changes every hour and with
every network, the addresses and the port; the TXT record repeats the port and the protocol's version. No
host name, no device id. What is heard comes from anybody: whatever it holds, it must end in a sighting or in nothing.

Anybody may say of any name that it is elsewhere, that nothing else which was said of it is true, or that it has gone.
So of each name all places count that were ever said of it, until the station is built anew: a wrong one costs a call.

An announcement may not send us to ourselves, or a stranger could have us knock at services that only this machine
reaches. Two devices may share a machine, though, so an address of our own counts where the announcement shows that it
was made on this machine: it holds a keyed hash, by a key that the system draws when it starts, of its name and port.

zeroconf runs on an asyncio loop, so everything that touches it is a coroutine function handed to the
AsyncioHost, and everything decided about it is decided here on the trio side. Announcing takes a second and is
left to the background. When the machine's addresses change, or the name is due to change, the whole station is
built anew: its sockets belong to interfaces that may be gone. What was seen before is then reported as vanished,
and comes again if it is still there.

A machine without any network has no station, and that is not an error: it gets one when a network comes.
"""

import hashlib
import ipaddress
import secrets
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Final, Self, cast

import trio
from zeroconf import Error as ZeroconfError
from zeroconf import (
    InterfaceChoice,
    IPVersion,
    RecordUpdate,
    RecordUpdateListener,
    ServiceStateChange,
    Zeroconf,
)
from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf
from zeroconf.const import _CLASS_IN, _TYPE_A, _TYPE_AAAA, _TYPE_SRV, _TYPE_TXT

from replica.asyncio_host import AsyncioHost
from replica.supervision import Supervisor
from sync.address import Address
from sync.beat import next_beat
from sync.discovery.sightings import News, ServiceType, Sighting, Vanished
from sync.network import addresses_now, on_interface

VERSION: Final = "1"

# Often enough that a network does not come to know a device by a name, seldom enough that its peers,
# which take each new name for news, have little to do.
RENAME_SECONDS: Final = 3600.0

# A laptop that is opened in another network is found within this time. Listing interfaces takes half a
# millisecond.
ADDRESS_CHECK_SECONDS: Final = 6.0

# How long to ask for addresses of what was announced: the answer comes in milliseconds or is lost.
RESOLVE_MS: Final = 3_000

# Saying goodbye takes a quarter of a second; a network that is gone must not hold up the end.
GOODBYE_SECONDS_MAX: Final = 2.0

# More than a household ever announces. What does not fit is dropped: it is only a hint, and comes again.
NEWS_MAX: Final = 256
RESOLVING_MAX: Final = 32
# Names that are heard before the station is built anew: the library beneath keeps something of each for as long as its
# announcement says it lasts, which may be decades. It keeps this many records of all of them itself.
HEARD_MAX: Final = 10_000
# More than a household has. Of a crowd some are missed, here and by whoever is told of them, and nobody is announced
# again before its name changes: so the station is built anew when the crowd may have gone, and later each time.
CROWD_MIN: Final = 64
CROWD_SECONDS_MIN: Final = 60.0
# A machine with some bridges has a dozen, and others may say something of its name, too. Each is dialled, so a name
# must not stand for a thousand; those that were said first stay.
ADDRESSES_MAX: Final = 32
# Drawn anew whenever the system starts; programs of this machine read it, and nobody else. Linux has it.
BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")

_NAME_BYTES: Final = 8

# What one part of a name may have in a packet (RFC 1035).
LABEL_BYTES_MAX: Final = 63
# What zeroconf raises when the network, or the station itself, went in the middle of something.
_STATION_GONE: Final = (OSError, ZeroconfError, trio.ClosedResourceError)


def random_name() -> str:
    """A name that says nothing."""
    return secrets.token_hex(_NAME_BYTES)


@dataclass(eq=False, slots=True)
class _Announcement:
    service: ServiceType
    port: int
    info: AsyncServiceInfo | None = None


@dataclass(eq=False, slots=True)
class _Watch:
    service: ServiceType
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
        self._tasks = Supervisor(nursery)
        self._name = name
        self._addresses = addresses
        self._current: frozenset[str] = frozenset()
        self._station: AsyncZeroconf | None = None
        self._own_names: set[str] = set()
        self._heard_count = 0
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
                finder._tasks.keep("following the network's addresses", finder._keep_up)
                yield finder
            finally:
                with trio.move_on_after(GOODBYE_SECONDS_MAX, shield=True):
                    await finder._take_down()
                nursery.cancel_scope.cancel()

    @asynccontextmanager
    async def watch(self, service: ServiceType) -> AsyncIterator["trio.MemoryReceiveChannel[News]"]:
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
    async def announce(self, service: ServiceType, port: int) -> AsyncIterator[None]:
        """Be found at this port for as long as the context lasts. Does not wait until others have heard."""
        announcement = _Announcement(service, port)
        self._announcements.append(announcement)
        self._tasks.once("announcing this device", self._register_soon, announcement)
        try:
            yield
        finally:
            self._announcements.remove(announcement)
            with trio.move_on_after(GOODBYE_SECONDS_MAX, shield=True):
                async with self._changing:
                    await self._unregister(announcement)

    # --- the station -------------------------------------------------------------------------------

    async def _keep_up(self) -> None:
        renamed_at, crowd_seconds = trio.current_time(), CROWD_SECONDS_MIN
        while True:
            await next_beat(ADDRESS_CHECK_SECONDS)
            is_crowd = self._heard_count > CROWD_MIN
            lasts = crowd_seconds if is_crowd else RENAME_SECONDS
            due = trio.current_time() - renamed_at >= lasts or self._heard_count > HEARD_MAX
            if due or self._addresses(self._current) != self._current:
                crowd_seconds = min(2 * crowd_seconds, RENAME_SECONDS) if is_crowd else CROWD_SECONDS_MIN
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
            except (OSError, RuntimeError):  # zeroconf's word for an address that no interface has any more
                self._current = frozenset()  # the network went while we looked: seen again at the next check
                return
            for watch in self._watches:
                await self._browse(watch)
        for announcement in self._announcements:
            self._tasks.once("announcing this device", self._register_soon, announcement)

    async def _take_down(self) -> None:
        async with self._changing:
            station, self._station = self._station, None
            self._heard_count = 0
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
        origin = _origin(f"{name}.{kind}", announcement.port)
        info = announcement.info = AsyncServiceInfo(
            kind,
            f"{name}.{kind}",
            parsed_addresses=sorted(self._current),
            port=announcement.port,
            properties={"v": VERSION, "p": str(announcement.port)}
            | ({} if origin is None else {_ORIGIN: origin}),
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
        self._heard_count += change is ServiceStateChange.Added
        if change is ServiceStateChange.Removed:
            return  # anybody can say so; where it is true, calls there become rare by themselves
        if (watch, name) in self._resolving:
            self._resolving[watch, name] = True
        elif len(self._resolving) < RESOLVING_MAX:
            self._resolving[watch, name] = True
            self._tasks.once("looking up what was announced", self._resolve, watch, station, name)

    async def _resolve(self, watch: _Watch, station: Zeroconf, name: str) -> None:
        try:
            while self._resolving[watch, name]:
                self._resolving[watch, name] = False
                try:
                    info = AsyncServiceInfo(
                        watch.service.value, name
                    )  # refuses names that no program of ours makes
                    await self._host.run(info.async_request, station, RESOLVE_MS)
                    told = await self._host.run(_told, station, name)
                except (*_STATION_GONE, ValueError):
                    return
                if not self._is_current(watch, station):
                    return
                before = watch.seen.get(name)
                sighting = _sighting(name, told, self._current, before)
                if sighting is not None and before != sighting:
                    watch.seen[name] = sighting
                    watch.tell(sighting)
        finally:
            del self._resolving[watch, name]

    def _is_current(self, watch: _Watch, station: Zeroconf) -> bool:
        return watch in self._watches and self._station is not None and self._station.zeroconf is station


@dataclass(frozen=True, slots=True)
class Told:
    """What anybody said of one name: hosts and ports, and its TXT records."""

    places: Sequence[tuple[str, int]]
    texts: Sequence[bytes] = ()


def _sighting(
    name: str, told: Told, own: frozenset[str] = frozenset(), before: Sighting | None = None
) -> Sighting | None:
    """What was told comes to, if anything could be dialled: what was said before, then the likeliest first."""
    found = []
    for said, port in told.places:
        origin = _origin(name, port)
        is_ours = origin is not None and any(_spelled(origin) in text for text in told.texts)
        host = on_interface(_unmapped(said))
        promise = _promise(host, frozenset() if is_ours else own)
        if port and promise[0] < _HOPELESS:
            found.append((promise, Address(host, port)))
    found.sort(key=lambda each: each[0])
    addresses = dict.fromkeys([*(before.addresses if before else ()), *(each for _, each in found)])
    return Sighting(name, tuple(addresses)[:ADDRESSES_MAX]) if addresses else None


_HOPELESS: Final = 3
_ORIGIN: Final = "o"


def _origin(name: str, port: int) -> str | None:
    """What shows that an announcement was made on this machine, to whoever is on it; None where that is unknown."""
    try:
        key = BOOT_ID.read_bytes()
    except OSError:
        return None
    said = f"announcement {name} {port}".encode()
    return hashlib.blake2b(said, key=key[:64], digest_size=8).hexdigest()


def _spelled(origin: str) -> bytes:
    """Return an origin as it stands in a TXT record (RFC 6763, 6.1)."""
    said = f"{_ORIGIN}={origin}".encode()
    return bytes([len(said)]) + said


def _unmapped(host: str) -> str:
    """Return the IPv4 address that an IPv6 address stands for; any other host as it is."""
    address = ipaddress.ip_address(host.partition("%")[0])
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return host if mapped is None else str(mapped)


def _promise(host: str, own: frozenset[str]) -> tuple[int, str]:
    plain = host.partition("%")[0]
    address = ipaddress.ip_address(plain)
    if address.is_multicast or address.is_unspecified or address.is_loopback or str(address) in own:
        return _HOPELESS, host
    if address.is_reserved or (isinstance(address, ipaddress.IPv6Address) and address.sixtofour is not None):
        return _HOPELESS, host  # other ways to write an IPv4 address, which no device announces
    if address.version == 4:
        return 0, host
    return (2 if address.is_link_local else 1), host


# --- on the asyncio loop ---------------------------------------------------------------------------


class Unsayable(RecordUpdateListener):
    """Have zeroconf forget what was announced under a name that cannot be said again.

    Whoever asks for a service lists what is known of it. A name whose bytes are no text is longer as zeroconf keeps it
    than a packet may hold, and fails that question each time: one packet would end all asking, for as long as it lives.
    """

    def __init__(self) -> None:
        self._found: list[RecordUpdate] = []
        self._station: Zeroconf | None = None

    def async_update_records(self, zc: Zeroconf, now: float, records: list[RecordUpdate]) -> None:
        """Hear of records that are about to be kept."""
        self._station = zc
        self._found += [each for each in records if not _can_be_said(each)]

    def async_update_records_complete(self) -> None:
        """Hear that they are kept: all but what is there twice in a packet, and what a full cache dropped at once."""
        found, self._found = self._found, []
        if self._station is None:
            return
        cache = self._station.cache
        for each in found:
            kept = cache.async_get_unique(cast("Any", each.new))
            if kept is not None:
                cache.async_remove_records([kept])


def _can_be_said(update: RecordUpdate) -> bool:
    record = update.new
    names = (record.name, getattr(record, "alias", ""), getattr(record, "server", ""))
    return all(len(label.encode()) <= LABEL_BYTES_MAX for name in names for label in name.split("."))


async def _open_station(addresses: frozenset[str]) -> AsyncZeroconf:
    # One socket for each IPv4 address, and one for each interface that speaks IPv6: every such has a
    # link-local address. Loopback is left out: multicast does not leave it, and sending there fails.
    where = sorted(each for each in addresses if _is_base(ipaddress.ip_address(each)))
    station = AsyncZeroconf(interfaces=where or InterfaceChoice.All, ip_version=IPVersion.All)
    station.zeroconf.async_add_listener(Unsayable(), None)
    return station


def _is_base(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    return address.version == 4 or address.is_link_local


async def _close_station(station: AsyncZeroconf) -> None:
    await station.async_unregister_all_services()
    await station.async_close()


async def _register(station: AsyncZeroconf, info: AsyncServiceInfo) -> None:
    # Nobody is asked first whether the name is free: it is never drawn twice by chance, and a stranger who always said
    # that it was taken kept this device from being found.
    await (await station.async_register_service(info, cooperating_responders=True))


async def _unregister(station: AsyncZeroconf, info: AsyncServiceInfo) -> None:
    await (await station.async_unregister_service(info))


async def _told(station: Zeroconf, name: str) -> Told:
    """All that is kept of a name, of which its AsyncServiceInfo takes what came last."""

    def kept(name: str, kind: int) -> list[Any]:
        return station.cache.async_all_by_details(name, kind, _CLASS_IN)[:ADDRESSES_MAX]

    places = (
        (host, service.port)
        for service in kept(name, _TYPE_SRV)
        for kind in (_TYPE_A, _TYPE_AAAA)
        for record in kept(service.server, kind)
        if (host := _host(record)) is not None
    )
    return Told(list(islice(places, ADDRESSES_MAX)), [each.text for each in kept(name, _TYPE_TXT)])


def _host(record: Any) -> str | None:
    try:
        address = ipaddress.ip_address(record.address)
    except ValueError:  # cut short
        return None
    return f"{address}%{record.scope_id}" if address.is_link_local and record.scope_id else str(address)


async def _open_browser(station: Zeroconf, kind: str, changed: Callable[..., None]) -> AsyncServiceBrowser:
    return AsyncServiceBrowser(station, kind, handlers=[changed])
