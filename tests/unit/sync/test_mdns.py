"""What the mDNS finder makes of what it hears, and of a machine whose addresses change."""

import asyncio
import itertools
import os
import socket
from collections.abc import Callable, Collection
from types import SimpleNamespace

import pytest
import trio
import trio.testing
from zeroconf._protocol.incoming import DNSIncoming
from zeroconf.asyncio import AsyncZeroconf
from zeroconf.const import _MAX_CACHE_RECORDS

from replica.asyncio_host import AsyncioHost
from sync.discovery import mdns
from sync.discovery.mdns import (
    ADDRESSES_MAX,
    MdnsFinder,
    Told,
    Unsayable,
    _host,
    _origin,
    _sighting,
    _spelled,
    random_name,
)
from sync.discovery.sightings import ServiceType, Sighting, Vanished
from sync.network import own_hosts
from tests.support.loops import run_awaited
from tests.support.mdns_packets import (
    PTR,
    SERVICE,
    SRV,
    TXT,
    A,
    announcement,
    answer_alone,
    labels,
    packet,
    record,
)

KIND = ServiceType.SYNC.value


def heard(*addresses: str, port: int = 7411) -> Sighting | None:
    return _sighted(*((address, port) for address in addresses))


def _sighted(
    *places: tuple[str, int], own: Collection[str] = (), origin: str = "", before: Sighting | None = None
) -> Sighting | None:
    return _sighting(f"x.{KIND}", Told(places, [_spelled(origin)]), frozenset(own), before)


def test_the_likeliest_address_comes_first() -> None:
    seen = heard("fe80::1", "2001:db8::1", "10.0.0.1")
    assert seen is not None
    assert [str(each) for each in seen.addresses] == ["10.0.0.1:7411", "[2001:db8::1]:7411", "[fe80::1]:7411"]


@pytest.mark.skipif(os.name == "nt", reason="there interfaces have no other name than a number")
def test_an_address_on_the_link_is_kept_with_the_name_of_its_interface() -> None:
    """Its number, which zeroconf tells, is another one after a restart; whoever calls from there is told by name."""
    index, name = socket.if_nameindex()[0]
    seen = heard(f"fe80::1%{index}")
    assert seen is not None
    assert [each.host for each in seen.addresses] == [f"fe80::1%{name}"]


@pytest.mark.parametrize("hopeless", ["127.0.0.1", "0.0.0.0", "224.0.0.251", "::1", "::", "ff02::fb"])
def test_an_announcement_cannot_send_us_to_ourselves_or_to_everybody(hopeless: str) -> None:
    assert heard(hopeless) is None
    seen = heard(hopeless, "10.0.0.1")
    assert seen is not None
    assert [each.host for each in seen.addresses] == ["10.0.0.1"]


@pytest.mark.parametrize(
    "disguised",
    ["::ffff:127.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "240.0.0.1", "::ffff:0.0.0.0"],
)
def test_an_address_in_disguise_cannot_send_us_to_ourselves_either(disguised: str) -> None:
    assert heard(disguised) is None


def test_an_ipv4_address_in_ipv6_clothes_is_dialled_once_as_what_it_is() -> None:
    for said in (["::ffff:10.0.0.1"], ["::ffff:10.0.0.1", "10.0.0.1"]):
        seen = heard(*said)
        assert seen is not None
        assert [each.host for each in seen.addresses] == ["10.0.0.1"]


def test_an_address_of_our_own_counts_only_where_this_machine_announced_it() -> None:
    """Or anybody could have us knock at services that only we reach; the name and the port are proven."""
    proven = _origin(f"x.{KIND}", 7411)
    assert proven is not None

    def sighted_at(port: int, origin: str) -> list[str]:
        addresses = ["10.0.0.1", "::ffff:10.0.0.1", "10.0.0.2"]
        seen = _sighted(*((each, port) for each in addresses), own={"10.0.0.1"}, origin=origin)
        assert seen is not None
        return [each.host for each in seen.addresses]

    assert sighted_at(7411, "") == ["10.0.0.2"]
    assert sighted_at(7411, "00" * 8) == ["10.0.0.2"]
    assert sighted_at(22, proven) == ["10.0.0.2"], "a proof for one port is none for another"
    assert sighted_at(7411, proven) == ["10.0.0.1", "10.0.0.2"]


def test_an_announcement_names_so_many_addresses_and_no_more() -> None:
    seen = heard(*(f"10.0.{n}.1" for n in range(200)))
    assert seen is not None
    assert len(seen.addresses) == ADDRESSES_MAX


def test_an_announcement_without_a_port_is_no_sighting() -> None:
    assert heard("10.0.0.1", port=0) is None


def test_a_name_says_nothing_and_never_comes_twice() -> None:
    names = {random_name() for _ in range(100)}
    assert len(names) == 100
    assert all(len(name) == 16 and set(name) <= set("0123456789abcdef") for name in names)


def fast(main: Callable[[], object]) -> None:
    """Real threads and a real network, by a clock that runs twenty times as fast."""
    trio.run(main, clock=trio.testing.MockClock(rate=20))  # type: ignore[arg-type]


async def sighted(news: trio.MemoryReceiveChannel[Sighting | Vanished], name: str) -> Sighting:
    """Wait for somebody by a name that begins so; a busy machine may tell of others, or twice, before."""
    while True:
        each = await news.receive()
        if isinstance(each, Sighting) and each.name.startswith(name):
            return each


async def vanished(news: trio.MemoryReceiveChannel[Sighting | Vanished], name: str) -> None:
    """Wait until somebody goes."""
    while await news.receive() != Vanished(name):
        pass


@pytest.mark.slow
@pytest.mark.skipif(not own_hosts(), reason="this machine has no network interface to multicast on")
def test_a_machine_whose_addresses_change_comes_back_under_another_name() -> None:
    """Others see a new name come; what it saw itself is taken back and found anew."""
    first = own_hosts()[0]
    ours: frozenset[str] = frozenset()
    names = (f"name{n}" for n in itertools.count())

    async def main() -> None:
        nonlocal ours
        async with AsyncioHost.open() as host:
            async with (
                MdnsFinder.open(host) as other,
                MdnsFinder.open(host, name=lambda: next(names), addresses=lambda before: ours) as moving,
                other.watch(ServiceType.SYNC) as others_news,
                moving.watch(ServiceType.SYNC) as own_news,
                other.announce(ServiceType.SYNC, 7002),
                moving.announce(ServiceType.SYNC, 7001),
            ):
                with trio.fail_after(400):
                    ours = frozenset({first})  # there was no network before
                    seen = await sighted(others_news, "name0.")
                    assert {each.host for each in seen.addresses} == {first}
                    before = await own_news.receive()
                    assert isinstance(before, Sighting)
                    ours = frozenset()
                    await vanished(own_news, before.name)
                    ours = frozenset({first})
                    again = await sighted(others_news, "name1.")
                    assert again.addresses == seen.addresses
                    await sighted(own_news, before.name)

    fast(main)


def test_an_interface_that_goes_while_the_station_is_built_is_no_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A container or a tunnel ends, and its address with it: the next check finds what is there."""

    async def open_station(_: frozenset[str]) -> AsyncZeroconf:
        raise RuntimeError("No adapter found for IP address fe80::1")  # as zeroconf says it

    monkeypatch.setattr(mdns, "_open_station", open_station)

    async def main() -> None:
        async with (
            AsyncioHost.open() as host,
            MdnsFinder.open(host, addresses=lambda _: frozenset({"fe80::1"})) as finder,
        ):
            assert finder._station is None
            assert not finder._current

    trio.run(main)


@pytest.mark.slow
@pytest.mark.skipif(not own_hosts(), reason="this machine has no network interface to multicast on")
def test_whoever_listens_is_seen_by_all_who_watch_and_nobody_sees_itself() -> None:
    own, count = random_name()[:8], itertools.count()

    async def main() -> None:
        async with (
            AsyncioHost.open() as host,
            MdnsFinder.open(host) as finder,
            MdnsFinder.open(host, name=lambda: f"{own}{next(count)}") as other,
            other.announce(ServiceType.SYNC, 7411),
            other.announce(ServiceType.PAIRING, 7411),
        ):
            names = set()
            with trio.fail_after(400):
                for service in ServiceType:
                    async with finder.watch(service) as news, finder.watch(service) as news_too:
                        for channel in (news, news_too):
                            seen = await sighted(channel, own)  # daemons of this machine are seen, too
                            assert {address.port for address in seen.addresses} == {7411}
                            names.add((service, seen.name))
                    with pytest.raises(trio.ClosedResourceError):
                        await news.receive()
            assert len(names) == 2

            # Its own announcement is never told, and does not make the caller wait.
            async with finder.announce(ServiceType.SYNC, 999), finder.watch(ServiceType.SYNC) as news:
                assert await probed(other, 999)
                with trio.move_on_after(1):
                    while True:
                        told = await news.receive()
                        assert not isinstance(told, Sighting) or 999 not in {
                            each.port for each in told.addresses
                        }

    fast(main)


@pytest.mark.slow
@pytest.mark.skipif(not own_hosts(), reason="this machine has no network interface to multicast on")
@pytest.mark.parametrize("too_many", [False, True])
def test_after_a_flood_of_names_nothing_is_left_of_it(
    monkeypatch: pytest.MonkeyPatch, too_many: bool
) -> None:
    """Each name that a stranger announced for decades was kept as long, however many there were: 70 MB in 12 s."""
    count = 40
    monkeypatch.setattr(mdns, "HEARD_MAX", count - 1 if too_many else count + 60)
    packets = [announcement(b"flood%d" % n, ["192.0.2.1"], 7500 + n) for n in range(count)]

    async def flood(station: AsyncZeroconf) -> None:
        for each in packets:
            station.zeroconf.record_manager.async_updates_from_response(
                DNSIncoming(each, ("192.0.2.1", 5353))
            )
            await asyncio.sleep(0.01)

    async def main() -> None:
        async with (
            AsyncioHost.open() as host,
            MdnsFinder.open(host) as finder,
            finder.watch(ServiceType.SYNC) as news,
        ):
            flooded = finder._station
            assert flooded is not None
            with trio.fail_after(400):
                await host.run(flood, flooded)
                await sighted(news, f"flood{count - 1}.")
                await trio.sleep(8 * mdns.ADDRESS_CHECK_SECONDS)
                of_flood = [
                    name for watch in finder._watches for name in watch.seen if name.startswith("flood")
                ]
                assert bool(of_flood) is not too_many
                assert (finder._station is flooded) is not too_many
                async with MdnsFinder.open(host, name=lambda: "friend") as other:
                    async with other.announce(ServiceType.SYNC, 7002):
                        await sighted(news, "friend.")

    fast(main)


@pytest.mark.slow
@pytest.mark.skipif(not own_hosts(), reason="this machine has no network interface to multicast on")
def test_who_was_missed_in_a_crowd_is_seen_when_that_has_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was not looked up, and not before its name changed, an hour later: a minute's flood hid it for that long."""
    monkeypatch.setattr(mdns, "CROWD_MIN", 4)
    monkeypatch.setattr(mdns, "RESOLVING_MAX", 4)
    pointers = [packet([record(labels(SERVICE), PTR, labels([b"flood%d" % n, *SERVICE]))]) for n in range(8)]

    async def flood(station: AsyncZeroconf) -> None:
        for each in pointers:
            station.zeroconf.record_manager.async_updates_from_response(
                DNSIncoming(each, ("192.0.2.1", 5353))
            )

    async def main() -> None:
        async with (
            AsyncioHost.open() as host,
            MdnsFinder.open(host) as finder,
            finder.watch(ServiceType.SYNC) as news,
            MdnsFinder.open(host, name=lambda: "friend") as other,
        ):
            assert finder._station is not None
            await host.run(flood, finder._station)
            while len(finder._resolving) < 4:
                await trio.testing.wait_all_tasks_blocked()
            async with other.announce(ServiceType.SYNC, 7002):
                with trio.fail_after(1_000):
                    await sighted(news, "friend.")

    fast(main)


@pytest.mark.slow
@pytest.mark.skipif(not own_hosts(), reason="this machine has no network interface to multicast on")
@pytest.mark.parametrize("first", ["friend", "stranger"])
def test_a_name_stands_for_all_places_that_anybody_said_of_it(first: str) -> None:
    """A stranger's word that it is elsewhere, and nowhere else, and gone, was taken instead of the device's own."""
    friend = announcement(b"friend", ["192.0.2.1"], 7411)
    full, host = labels([b"friend", *SERVICE]), labels([b"host7411", b"local"])
    places = [record(host, A, bytes([192, 0, 2, 66])), record(full, SRV, bytes([0, 0, 0, 0, 0, 9]) + host)]
    stranger = packet([record(labels(SERVICE), PTR, full), *map(answer_alone, places)])
    gone = packet([record(labels(SERVICE), PTR, full, ttl=0)])

    async def hear(station: AsyncZeroconf, said: bytes) -> None:
        station.zeroconf.record_manager.async_updates_from_response(DNSIncoming(said, ("192.0.2.1", 5353)))

    async def main() -> None:
        async with (
            AsyncioHost.open() as loop,
            MdnsFinder.open(loop) as finder,
            finder.watch(ServiceType.SYNC) as news,
        ):
            assert finder._station is not None
            with trio.fail_after(400):
                for said in (friend, stranger) if first == "friend" else (stranger, friend):
                    await loop.run(hear, finder._station, said)
                    # What is said alone ends what is a second old: by the clock of zeroconf, which runs as ever.
                    await trio.sleep(1.1 * 20)
                await loop.run(hear, finder._station, gone)
                while "192.0.2.1:7411" not in map(str, (seen := await sighted(news, "friend.")).addresses):
                    pass
                while {"192.0.2.1:7411", "192.0.2.66:9"} - {str(each) for each in seen.addresses}:
                    seen = await sighted(news, "friend.")
            with trio.move_on_after(40):
                assert not isinstance(await news.receive(), Vanished)

    fast(main)


def test_of_a_name_the_places_that_were_said_first_stay_first_and_no_more_than_so_many() -> None:
    before = heard("10.0.9.1", "10.0.8.1")
    assert before is not None
    seen = _sighted(*((f"10.0.{n}.1", 7411) for n in range(200)), before=before)
    assert seen is not None
    assert seen.addresses[:2] == before.addresses
    assert len(seen.addresses) == len(set(seen.addresses)) == ADDRESSES_MAX


@pytest.mark.parametrize("cut", [b"", b"\0\0\0"])
def test_an_address_that_was_cut_short_is_none(cut: bytes) -> None:
    assert _host(SimpleNamespace(address=cut, scope_id=None)) is None


async def probed(finder: MdnsFinder, port: int) -> bool:
    """Wait until a port is announced to others."""
    async with finder.watch(ServiceType.SYNC) as news:
        with trio.fail_after(400):
            while True:
                seen = await news.receive()
                if isinstance(seen, Sighting) and port in {each.port for each in seen.addresses}:
                    return True


async def cached_after(*packets: bytes) -> list[str]:
    """What a station keeps of services of ours after these packets."""
    station = AsyncZeroconf(interfaces=["127.0.0.1"])
    try:
        station.zeroconf.async_add_listener(Unsayable(), None)
        for packet in packets:
            heard_of = DNSIncoming(packet, ("127.0.0.1", 5353))
            station.zeroconf.record_manager.async_updates_from_response(heard_of)
        cache = station.zeroconf.cache
        return [each.alias for each in cache.get_all_by_details(ServiceType.SYNC.value, PTR, 1)]  # type: ignore[attr-defined]
    finally:
        await station.async_close()


def test_a_name_that_no_question_could_list_is_not_kept() -> None:
    """Known answers go into each question: such a name would end all asking."""
    unsayable, longest = (
        run_awaited(cached_after(announcement(label, ["192.0.2.1"], 7411)))
        for label in (b"\xff" * 30, b"a" * 63)
    )
    assert unsayable == []
    (kept,) = longest
    assert kept.startswith("a" * 63 + ".")


def test_a_name_that_is_said_twice_or_dropped_by_a_full_cache_does_not_deafen_the_station() -> None:
    """zeroconf raises for a record that is not there; whatever came after such a packet was then heard by nobody."""
    unsayable = announcement(b"\xff" * 30, ["192.0.2.1"], 7411)
    pointer = record(labels(SERVICE), PTR, labels([b"\xfe" * 30, *SERVICE]))
    crowd = [packet([record(labels([b"%d" % n, b"local"]), TXT, b"\0") for n in range(at, at + 100)])
             for at in range(0, _MAX_CACHE_RECORDS, 100)]  # fmt: skip
    for before in ([packet([pointer, pointer])], [*crowd, *([unsayable] * 3)]):
        kept = run_awaited(cached_after(*before, announcement(b"friend", ["192.0.2.2"], 7411)))
        assert [each.partition(".")[0] for each in kept] == ["friend"]
