"""Two links to one peer, as either end may see them come up."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import trio
import trio.testing

from replica.supervision import Supervisor
from sync.address import Address
from sync.group import Group
from sync.links import LINKS_OF_A_PEER_MAX, Links, LinkSlot
from sync.neighbours import LinkLimits
from sync.syncer import open_syncer
from sync.tls import SecureStream
from tests.support.daemons import agree, until
from tests.support.devices import Device, devices, run
from tests.support.links import End, meet_paired, part


@asynccontextmanager
async def links_of(device: Device) -> AsyncIterator[Links]:
    """The links of a device that nobody dials or listens for."""
    async with trio.open_nursery() as nursery:
        group = Group(device.replica, device.identity.device_id)
        await group.look()

        def nothing(*_: object) -> None:
            pass

        yield Links(
            device.replica,
            group,
            Supervisor(nursery),
            changed=nothing,
            grown=nothing,
            linked=nothing,
            lost=nothing,
        )
        nursery.cancel_scope.cancel()


async def take(links: Links, end: End, nursery: trio.Nursery, *, dialled: bool) -> LinkSlot | None:
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
    return [await meet_paired(one.identity, other.identity) for _ in range(2)]


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
            for _ in range(LINKS_OF_A_PEER_MAX):
                for dialling, answering in await twice(laptop, phone):
                    await take(far, answering, nursery, dialled=False)
                    assert dialling.stream is not None
                    open_ends.append(dialling.stream)
            assert len(far._all()) == LINKS_OF_A_PEER_MAX
            for stream in open_ends:
                await trio.aclose_forcefully(stream)
            nursery.cancel_scope.cancel()

    run(main)


def test_when_one_peer_is_gone_the_others_are_told_at_once_what_waited_for_it(tmp_path: Path) -> None:
    async def main() -> None:
        async with (
            devices(tmp_path, "laptop", "phone", "tablet") as (laptop, phone, tablet),
            links_of(laptop) as laptops,
            links_of(phone) as phones,
            links_of(tablet) as tablets,
            trio.open_nursery() as nursery,
        ):
            kept = []
            for other, links in ((laptop, laptops), (tablet, tablets)):
                dialling, answering = await meet_paired(phone.identity, other.identity)
                await take(links, answering, nursery, dialled=False)
                kept.append(await take(phones, dialling, nursery, dialled=True))
            first, second = kept
            assert first is not None
            assert second is not None
            await second.link.settle()
            assert second.link._exchange is not None
            second.link._exchange.relaying._wait_ms = 1_000_000  # longer than this test may last
            await second.link.ask()
            await second.link.settle()
            await laptop.remember("the key is under the mat")
            await agree(laptop, phone)
            await trio.testing.wait_all_tasks_blocked()
            assert await tablet.texts() == set(), "it waits for the laptop to tell the tablet itself"
            first.link.drop()
            await agree(phone, tablet)
            assert await tablet.texts() == {"the key is under the mat"}
            nursery.cancel_scope.cancel()

    run(main)


def test_a_link_is_ended_for_being_spare_by_who_made_it_once_nothing_needs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        async with (
            devices(tmp_path, "laptop", "phone") as (laptop, phone),
            links_of(laptop) as near,
            links_of(phone) as far,
            trio.open_nursery() as nursery,
        ):
            a, b = laptop.identity, phone.identity
            dialling, answering = await meet_paired(a, b)
            made, taken = (
                await take(near, dialling, nursery, dialled=True),
                await take(far, answering, nursery, dialled=False),
            )
            assert made is not None
            assert taken is not None
            await made.link.settle()
            await taken.link.settle()
            near.end_spare([b.device_id])
            assert not made.leaves, "it is young"
            monkeypatch.setattr("sync.links.SPARE_SECONDS_MIN", 0)
            far.end_spare([a.device_id])
            assert not taken.leaves, "the other made it"
            await laptop.remember("only you hear this from me")
            await agree(laptop, phone)
            await made.link.settle()
            near.end_spare([b.device_id])
            assert not made.leaves, "there was news"
            exchange = made.link._exchange
            assert exchange is not None
            exchange.use.carries_news = False
            await made.link.ask()
            await made.link.settle()
            rests = made.link.progress
            for busy in ({"quiet": False}, {"unsent": 1}):
                made.link.progress = replace(rests, **busy)
                near.end_spare([b.device_id])
            made.link.progress = rests
            assert not made.leaves
            near.end_spare([b.device_id])
            await made.gone.wait()
            await taken.gone.wait()
            assert taken.link.progress.goodbye == "this device is linked to enough others"
            nursery.cancel_scope.cancel()

    run(main)


@pytest.mark.parametrize("dialled", [True, False])
@pytest.mark.parametrize("leaves", [True, False])
def test_whether_a_lost_link_was_needed_is_told(tmp_path: Path, dialled: bool, leaves: bool) -> None:
    lost = []

    async def main() -> None:
        async with (
            devices(tmp_path, "laptop", "phone") as (laptop, phone),
            links_of(laptop) as near,
            links_of(phone) as far,
            trio.open_nursery() as nursery,
        ):
            near._lost = lambda _, needed: lost.append(needed)
            a, b = laptop.identity, phone.identity
            client, server = (a, b) if dialled else (b, a)
            ends = await meet_paired(client, server)
            ours, theirs = ends if dialled else ends[::-1]
            await take(near, ours, nursery, dialled=dialled)
            await take(far, theirs, nursery, dialled=not dialled)
            await laptop.remember("news")
            await agree(laptop, phone)
            slot = near.get(b.device_id)
            assert slot is not None
            await slot.link.settle()
            slot.leaves = leaves
            slot.link.drop()
            await slot.gone.wait()
            nursery.cancel_scope.cancel()

    run(main)
    assert lost == [dialled and not leaves]


def test_a_link_that_broke_before_it_had_its_place_ends_alone(tmp_path: Path) -> None:
    """Some systems refuse to tell the address of a socket, or to set anything, once the other end has gone."""

    async def main() -> None:
        async with (
            devices(tmp_path, "laptop", "phone") as (laptop, phone),
            links_of(laptop) as links,
            trio.open_nursery() as nursery,
        ):
            a, b = laptop.identity, phone.identity
            dialling, answering = await meet_paired(a, b)
            assert dialling.stream is not None
            assert isinstance(dialling.stream.transport_stream, trio.SocketStream)
            dialling.stream.transport_stream.socket.close()
            kept = await take(links, dialling, nursery, dialled=True)
            assert kept is not None
            await kept.gone.wait()
            assert phone.identity.device_id not in links
            await part(answering)

    run(main)


@pytest.mark.parametrize("greets", [True, False], ids=["a peer that greets", "a silent one"])
def test_where_a_peer_answered_is_noted_once_both_have_greeted_or_a_while_has_passed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, greets: bool
) -> None:
    """The note would hold up the first words: both need the store's thread."""
    monkeypatch.setattr("sync.links.SAVE_WAITS_SECONDS_MAX", 60 if greets else 0.2)

    async def main() -> None:
        async with (
            devices(tmp_path, "laptop", "phone") as (laptop, phone),
            links_of(laptop) as far,
            links_of(phone) as near,
            trio.open_nursery() as nursery,
        ):
            said: list[str] = []
            await phone.replica.run(lambda _, connection: connection.set_trace_callback(said.append))
            dialling, answering = await meet_paired(phone.identity, laptop.identity)
            await take(near, dialling, nursery, dialled=True)
            await trio.testing.wait_all_tasks_blocked(0.05)
            assert not any("INTO peer" in sql for sql in said)
            if greets:
                await take(far, answering, nursery, dialled=False)

            async def is_noted() -> bool:
                return any("INTO peer" in sql for sql in said)

            await until(is_noted, seconds_max=20)
            await phone.replica.run(lambda _, connection: connection.set_trace_callback(None))
            nursery.cancel_scope.cancel()
            if not greets:
                await part(answering)

    run(main)


def test_a_device_that_can_hold_no_more_links_waits_without_looking(tmp_path: Path) -> None:
    """It woke a thousand times a second: somebody was due to be called, and nobody could be."""

    class Looks(trio.abc.Instrument):
        """Counts how often the task that dials wakes."""

        count = 0

        def before_task_step(self, task: trio.lowlevel.Task) -> None:
            self.count += task.name == "calling devices"

    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, _):
            looks = Looks()
            trio.lowlevel.add_instrument(looks)
            async with open_syncer(
                laptop.replica,
                laptop.identity,
                laptop.host,
                name="laptop",
                mdns=False,
                fixed=[Address("127.0.0.1", 9)],
                limits=LinkLimits(most=0, mesh=0),
            ):
                await trio.sleep(0.1)
            assert 0 < looks.count < 20

    run(main)
