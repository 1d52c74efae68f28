"""Devices that keep in touch by themselves, over TLS and TCP on this machine."""

import statistics
from pathlib import Path

import pytest
import trio

import samemind
from replica import revoke
from replica.storage.store import SqliteStore
from sync.address import Address
from sync.errors import LinkLost, Untrusted
from sync.meeting import Partner
from sync.reports import SyncReport
from sync.syncer import Syncer, open_syncer
from sync.tls import _reused_context
from tests.support.daemons import address_of, agree, online, sync_once, until
from tests.support.devices import devices, introduce_to, remember, run
from tests.support.doors import opened, pair
from tests.support.links import identity
from tests.support.published import published

FULL = "PRAGMA synchronous = FULL"


@published("YD-56")
def test_one_session_moves_both_ways_and_ends_in_equal_states(tmp_path: Path) -> None:
    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, phone):
            await laptop.remember("the key is under the mat", "Ann likes tea")
            await phone.remember("Bob likes coffee")
            async with online(laptop) as syncer:
                report = await sync_once(phone, address_of(syncer))
            assert report.error is None
            assert (report.sent, report.received) == (1, 2)
            assert report.device_id == laptop.identity.device_id
            assert await laptop.digests() == await phone.digests()

    run(main)


def test_a_link_waits_for_no_tls_context_that_could_be_made_before(tmp_path: Path) -> None:
    """Made at both ends at once, one that is the first of its process takes two milliseconds, as the handshake does."""

    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, phone):
            async with (
                online(laptop) as there,
                open_syncer(
                    phone.replica, phone.identity, phone.host, name="phone", mdns=False, dials=False
                ) as here,
            ):
                made = _reused_context.cache_info().misses
                (report,) = await here.sync_now(address=address_of(there))
            assert report.error is None
            assert _reused_context.cache_info().misses == made

    run(main)


def test_a_device_that_holds_nothing_makes_room_for_what_comes_before_it_is_linked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[SqliteStore] = []
    monkeypatch.setattr(SqliteStore, "make_room", lambda store: made.append(store))

    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, phone):
            await laptop.remember("the key is under the mat")
            store = await phone.replica.run(lambda core, _: core.store)
            async with online(laptop) as there:
                async with online(phone):
                    assert made == [store]
                assert (await sync_once(phone, address_of(there))).received == 1
                made.clear()
                await sync_once(phone, address_of(there))  # now something is held
            assert not made

    run(main)


def test_where_a_new_device_listens_is_on_the_disk_with_its_introduction(tmp_path: Path) -> None:
    """The note alone waits for no disk, and a device that is off for now could not be found again."""

    async def main() -> None:
        async with devices(tmp_path, "laptop") as (laptop,):
            said: list[str] = []
            async with open_syncer(
                laptop.replica, laptop.identity, laptop.host, name="laptop", mdns=False, dials=False
            ) as syncer:
                await laptop.replica.run(lambda _, connection: connection.set_trace_callback(said.append))
                new = identity("tablet")
                there = Address("192.0.2.1", 7411)
                await syncer.take_in(
                    Partner(new.device_id, new.certificate, new.public_key, "tablet", (), there),
                    shows_code=False,
                )
                await laptop.replica.run(lambda _, connection: connection.set_trace_callback(None))
            noted = next(n for n, sql in enumerate(said) if "INTO peer" in sql)
            durable = [sql for sql in said[noted:] if "synchronous" in sql or sql == "COMMIT"]
            assert durable[:4] == ["COMMIT", FULL, FULL, "COMMIT"]

    run(main)


@published("YD-53")
def test_a_second_sync_moves_no_ops_in_one_round_trip(tmp_path: Path) -> None:
    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, phone):
            await laptop.remember(*(f"memory {n}" for n in range(100)))
            reports: list[SyncReport] = []
            async with online(laptop) as syncer:
                for expected in (100, 0):
                    report = await sync_once(phone, address_of(syncer))
                    assert (report.error, report.sent, report.received) == (None, 0, expected)
                    reports.append(report)
            assert reports[-1].round_trips == 1
            assert reports[-1].bytes_in + reports[-1].bytes_out < 1_000

    run(main)


@published("YD-44")
def test_devices_work_while_apart_and_agree_once_they_meet(tmp_path: Path) -> None:
    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, phone):
            async with online(laptop) as server:
                async with online(phone, calls=[server]):
                    await laptop.remember("together")
                    await agree(laptop, phone)
                for device in (laptop, phone):
                    for n in range(20):
                        await device.remember(f"{device.name} alone {n}")
                assert len(await laptop.texts()) == len(await phone.texts()) == 21
                async with online(phone, calls=[server]):
                    await agree(laptop, phone)
                    assert len(await phone.texts()) == 41

    run(main)


@published("YD-57")
def test_ops_travel_through_a_device_in_between_even_late_and_stamped_earlier(tmp_path: Path) -> None:
    """E-6: the tablet wrote before everybody, and is heard last: a cursor by time would pass it over."""

    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone", "tablet") as (laptop, phone, tablet):
            long_ago = tablet.replica.now_ms() - 7 * 86_400_000
            await tablet.replica.run(lambda core, _: remember(core, ["written long ago"], long_ago))
            async with online(phone) as middle:
                await laptop.remember("from the laptop")
                async with online(laptop, calls=[middle]):
                    await agree(laptop, phone)
                async with online(tablet, calls=[middle]):
                    await agree(tablet, phone)
                assert "written long ago" not in await laptop.texts()
                async with online(laptop, calls=[middle]):
                    await agree(laptop, phone, tablet)
                assert await laptop.texts() == {"written long ago", "from the laptop"}

    run(main)


@published("YD-54")
def test_a_wiped_device_gets_its_own_ops_back_and_goes_on_without_reusing_a_place(
    tmp_path: Path,
) -> None:
    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, phone):
            await phone.remember("before the loss")
            async with online(laptop) as server, online(phone, calls=[server]):
                await agree(laptop, phone)
            wipe(tmp_path, "phone")
            async with devices(tmp_path, "phone") as (anew,):
                await introduce_to(anew, "laptop")
                await anew.remember("written before it heard")
                async with online(laptop) as server, online(anew, calls=[server]):
                    await agree(laptop, anew)
                    await anew.remember("after the loss")
                    await agree(laptop, anew)
                texts = {"before the loss", "written before it heard", "after the loss"}
                assert await anew.texts() == await laptop.texts() == texts
                heads = await laptop.replica.run(lambda core, _: core.frontier().heads)
                places = [(head.origin, head.seq) for head in heads]
                assert len(places) == len(set(places)), "two ops claim one place"

    run(main)


@published("YD-55")
def test_ops_that_arrive_again_by_another_way_change_nothing(tmp_path: Path) -> None:
    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone", "tablet") as (laptop, phone, tablet):
            await laptop.remember(*(f"memory {n}" for n in range(50)))
            async with online(laptop) as one, online(phone, calls=[one]) as two:
                await agree(laptop, phone)
                async with online(tablet, calls=[one, two]):
                    await agree(laptop, phone, tablet)
                    assert tablet.replica.position == 50

    run(main)


def test_what_is_committed_here_shows_there_within_a_moment(tmp_path: Path) -> None:
    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, phone):
            async with online(laptop) as server, online(phone, calls=[server]):
                await until(lambda: is_linked(server))
                took: list[float] = []
                for n in range(20):
                    position = phone.replica.position
                    started = trio.current_time()
                    await laptop.remember(f"news {n}")
                    await phone.replica.changed(position)
                    took.append(trio.current_time() - started)
                assert statistics.median(took) < 1, (
                    "a second is a fault: a busy machine delays some, and a timer all"
                )

    run(main)


def wipe(folder: Path, name: str) -> None:
    """Take a device's store away; its identity stays."""
    for path in folder.glob(f"{name}.db*"):
        path.unlink()


async def is_linked(syncer: Syncer) -> bool:
    return any(peer.state == "linked" for peer in syncer.peers())


def test_peers_say_how_it_stands_with_them(tmp_path: Path) -> None:
    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, phone):
            async with online(laptop) as server:
                (before,) = server.peers()
                assert (before.name, before.state, before.last_sync_ms, before.behind) == (
                    "phone",
                    "away",
                    None,
                    None,
                )
                async with online(phone, calls=[server]) as caller:
                    await agree(laptop, phone)
                    await caller.sync_now()
                    await until(
                        lambda: in_step(caller)
                    )  # a second link may just have taken the place of the first
                    (seen,) = caller.peers()
                    assert (seen.state, seen.address) == ("linked", server.address)
                    assert seen.last_sync_ms is not None
                    assert seen.offset_ms is not None
                    assert abs(seen.offset_ms) < 5_000
                await until(lambda: gone(server))
                await laptop.remember("one", "two")
                assert server.peers()[0].behind == 2
            async with online(laptop) as server:
                (known,) = server.peers()
                assert (known.state, known.behind) == ("away", 2), "survives a restart"
                assert known.last_sync_ms is not None
            async with online(phone, listen_on=None) as caller:
                assert caller.peers()[0].address == seen.address

    async def gone(syncer: Syncer) -> bool:
        return not await is_linked(syncer)

    async def in_step(syncer: Syncer) -> bool:
        return syncer.peers()[0].behind == 0

    run(main)


def test_a_sync_that_is_asked_for_over_a_standing_link_proves_that_the_peer_is_there(tmp_path: Path) -> None:
    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, phone):
            await laptop.remember("the key is under the mat")
            async with online(laptop) as server, online(phone, calls=[server]) as caller:
                await agree(laptop, phone)
                await until(lambda: is_linked(caller))
                (report,) = await caller.sync_now()
                (report,) = await caller.sync_now()
                assert (report.error, report.round_trips, report.sent, report.received) == (None, 1, 0, 0)

    run(main)


def test_a_peer_that_cannot_be_reached_is_reported_and_keeps_nobody_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Whoever waits for that waits for ever.
    monkeypatch.setattr("sync.sync_requests.REACH_SECONDS_MAX", 3_600.0)

    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone", "tablet") as (laptop, phone, tablet):
            await laptop.remember("the key is under the mat")
            async with online(laptop) as server, online(phone, calls=[server]) as caller:
                with trio.fail_after(60):
                    reports = {each.device_id: each for each in await caller.sync_now()}
                assert reports[laptop.identity.device_id].error is None
                assert isinstance(reports[tablet.identity.device_id].error, LinkLost)
                assert await phone.texts() == await laptop.texts()

    run(main)


def test_a_sync_that_is_asked_for_before_an_address_was_called_waits_for_whoever_answers_there(
    tmp_path: Path,
) -> None:
    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, phone):
            async with online(laptop) as server, online(phone, calls=[server]) as caller:
                (report,) = await caller.sync_now(laptop.identity.device_id)
                assert report.error is None

    run(main)


def test_nobody_at_an_address_is_said_so(tmp_path: Path) -> None:
    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, phone):
            async with online(laptop) as server:
                address = address_of(server)
            report = await sync_once(phone, address)
            assert isinstance(report.error, LinkLost)
            assert str(address) in str(report.error)

    run(main)


def test_an_unpaired_device_gets_nothing(tmp_path: Path) -> None:
    async def main() -> None:
        async with devices(tmp_path, "laptop") as (laptop,), devices(tmp_path, "stranger") as (stranger,):
            await laptop.remember("a secret")
            await introduce_to(stranger, "laptop")
            async with online(laptop) as server:
                report = await sync_once(stranger, address_of(server))
            assert isinstance(report.error, Untrusted)
            assert report.received == 0
            assert await stranger.texts() == set()

    run(main)


def test_two_devices_that_call_each_other_end_with_one_link(tmp_path: Path) -> None:
    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, phone):
            async with online(laptop) as one, online(phone) as two:
                await one.fix_address(phone.identity.device_id, address_of(two))
                await two.fix_address(laptop.identity.device_id, address_of(one))
                for n in range(5):
                    await laptop.remember(f"laptop {n}")
                    await phone.remember(f"phone {n}")
                    await agree(laptop, phone)
                (a,), (b,) = one.peers(), two.peers()
                assert a.state == b.state == "linked"

    run(main)


def test_a_device_that_is_revoked_is_put_out_at_once(tmp_path: Path) -> None:
    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, phone):
            async with online(laptop) as server, online(phone, calls=[server]) as caller:
                await until(lambda: is_linked(caller))
                out = revoke(laptop.identity.sign, laptop.identity.device_id, phone.identity.device_id)
                await laptop.replica.run(lambda core, _: core.learn([], [out]))
                await server.refresh()

                async def is_out() -> bool:
                    return server.peers()[0].state == "revoked" and not await is_linked(caller)

                await until(is_out)
                await laptop.remember("not for the thief")
                (report,) = await caller.sync_now(laptop.identity.device_id, address=address_of(server))
                assert isinstance(report.error, Untrusted)
                assert await phone.texts() == set()

    run(main)


def test_an_error_in_the_block_comes_out_as_it_is(tmp_path: Path) -> None:
    async def main() -> None:
        async with devices(tmp_path, "laptop") as (laptop,):
            with pytest.raises(ValueError, match="mine"):
                async with open_syncer(
                    laptop.replica, laptop.identity, laptop.host, name="laptop", mdns=False
                ):
                    raise ValueError("mine")

    run(main)


def test_a_device_that_dials_another_several_times_at_once_ends_with_one_link(tmp_path: Path) -> None:
    """A sighting, the last address and a person's `sync` may all dial at once; the ends once dropped each other's."""

    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, phone):
            await laptop.remember("the key is under the mat")
            async with online(laptop) as server, online(phone) as caller:
                reports: list[SyncReport] = []

                async def sync() -> None:
                    reports.extend(await caller.sync_now(address=address_of(server)))

                async with trio.open_nursery() as nursery:
                    for _ in range(4):
                        nursery.start_soon(sync)
                assert [report.error for report in reports] == [None] * 4
                assert await phone.texts() == {"the key is under the mat"}
                for syncer in (server, caller):
                    assert [peer.state for peer in syncer.peers()] == ["linked"]
                await laptop.remember("news")
                await agree(laptop, phone)

    run(main)


def test_who_is_linked_and_answers_where_another_was_keeps_its_link(tmp_path: Path) -> None:
    """The tablet's address is the phone's now: to call there must not cost the link that the phone has."""

    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone", "tablet") as (laptop, phone, tablet):
            async with online(phone) as server, online(laptop, calls=[server]) as caller:
                await laptop.remember("before")
                await agree(laptop, phone)
                links = [
                    syncer._links.get(each.identity.device_id)
                    for syncer, each in ((server, laptop), (caller, phone))
                ]
                await caller.fix_address(tablet.identity.device_id, address_of(server))
                (report,) = await caller.sync_now(tablet.identity.device_id)
                assert "another device answers" in str(report.error)
                (report,) = await caller.sync_now(tablet.identity.device_id, address=address_of(server))
                assert "another device answers" in str(report.error)
                await laptop.remember("after")
                await agree(laptop, phone)
                again = [
                    syncer._links.get(each.identity.device_id)
                    for syncer, each in ((server, laptop), (caller, phone))
                ]
                assert again == links, "neither end has dropped it"

    run(main)


def test_two_devices_of_one_name_are_told_apart_by_the_names_that_they_get_here(tmp_path: Path) -> None:
    """Machines are called alike more often than their owners expect, and a device's own name stays."""
    (tmp_path / "mailbox").mkdir()

    async def main() -> None:
        async with opened(tmp_path / "one" / "pi") as one, opened(tmp_path / "two" / "pi") as two:
            await pair(one, two)
            here, there = one.device.device_id.hex(), two.device.device_id.hex()
            with pytest.raises(samemind.Ambiguous, match="several devices are called pi") as several:
                await one.mind.rename_peer("pi", "study")
            assert several.value.candidates == tuple(sorted([here, there]))
            with pytest.raises(samemind.Usage, match="another device") as own:
                await one.mind.revoke_peer(here[:12])
            assert own.value.hint == f"run it on another device, where this one is {here[:12]}"
            await one.mind.rename_peer(there[:12], "study")
            for each in (two, one):
                await each.mind.add_mailbox(f"folder://{tmp_path / 'mailbox'}")
                await each.mind.look_into_mailboxes()
            (mailbox,) = (await one.mind.mailboxes()).mailboxes
            assert [peer.name for peer in mailbox.peers] == ["study"]

    run(main)
