"""Two devices that never met are paired, and are linked and in agreement right after."""

from pathlib import Path

import pytest
import trio

from replica import DeviceId
from replica.oplog import Changes
from replica.storage.store import SqliteStore
from sync import peers, syncer
from sync.address import Address
from sync.errors import LinkLost, WrongCode
from sync.meeting import CodeOffered, PairingRefusal, Partner
from sync.reports import SyncReport
from sync.syncer import Syncer
from tests.support.daemons import address_of, agree, online, until
from tests.support.devices import devices, run


async def pair(
    offerer: Syncer, joiner: Syncer, *, scanned: bool = False, replacing: DeviceId | None = None
) -> tuple[Partner, Partner]:
    """Pair two devices as two people do: one reads the code, the other types it."""
    partners: list[Partner] = []
    tell, told = trio.open_memory_channel[CodeOffered | PairingRefusal](10)

    async def offer() -> None:
        partners.append(await offerer.offer_pairing(tell.send_nowait, replacing=replacing))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(offer)
        shown = await told.receive()
        assert isinstance(shown, CodeOffered)
        if scanned:
            joined = await joiner.join_pairing(shown.invitation)
        else:
            joined = await joiner.join_pairing(shown.code.upper(), address=shown.addresses[0])
    return partners[0], joined


def test_who_is_replaced_is_revoked_in_the_commit_that_takes_the_new_one_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever ends the program then, a phone that was lost is not left in the group beside its successor."""
    commits: list[tuple[set[str], set[DeviceId]]] = []
    write = SqliteStore.write

    def noted(store: SqliteStore, changes: Changes, now_ms: int) -> None:
        commits.append(
            ({each.name for each in changes.members}, {each.device for each in changes.revocations})
        )
        write(store, changes, now_ms)

    async def main() -> None:
        async with (
            devices(tmp_path, "laptop", "lost") as (laptop, lost),
            devices(tmp_path, "fresh") as (fresh,),
            online(laptop) as one,
            online(fresh) as two,
        ):
            async with online(lost) as old:
                await pair(one, old)
                await agree(laptop, lost)
                monkeypatch.setattr(SqliteStore, "write", noted)
                await pair(one, old, replacing=lost.identity.device_id)
                assert all(not out for _, out in commits), "it came back itself"
            await pair(one, two, replacing=lost.identity.device_id)
            assert ({"fresh"}, {lost.identity.device_id}) in commits
            await agree(laptop, fresh)

    run(main)


@pytest.mark.parametrize("scanned", [False, True], ids=["typed", "scanned"])
def test_pairing_makes_two_groups_one_and_links_them_at_once(tmp_path: Path, scanned: bool) -> None:
    async def main() -> None:
        async with (
            devices(tmp_path, "laptop", "server") as (laptop, server),
            devices(tmp_path, "phone", "tablet") as (phone, tablet),
        ):
            for device in (laptop, server, phone, tablet):
                await device.remember(f"from the {device.name}")
            async with online(server) as one, online(laptop, calls=[one]) as two:
                await agree(laptop, server)
                async with online(tablet) as three, online(phone, calls=[three]) as four:
                    await agree(phone, tablet)
                    offered, joined = await pair(two, four, scanned=scanned)
                    assert (offered.name, joined.name) == ("phone", "laptop")
                    assert offered.words == joined.words
                    await agree(laptop, phone, server, tablet)
                    assert len(await server.texts()) == 4
                    names = {peer.name for peer in one.peers()}
                    assert names == {"laptop", "phone", "tablet"}

    run(main)


def test_who_syncs_right_after_pairing_waits_for_the_link_that_is_coming(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one that showed the code has no address of the other, which is about to call; neither gives up on it."""
    monkeypatch.setattr(syncer, "PARTNER_RETRY_SECONDS", (0.3,))

    async def main() -> None:
        async with devices(tmp_path, "laptop") as (laptop,), devices(tmp_path, "phone") as (phone,):
            await laptop.remember("the key is under the mat")
            async with online(laptop) as one, online(phone) as two:
                await pair(one, two)
                reports: list[SyncReport] = []

                async def sync(device: Syncer) -> None:
                    reports.extend(await device.sync_now())

                async with trio.open_nursery() as nursery:
                    nursery.start_soon(sync, one)
                    nursery.start_soon(sync, two)
                assert [report.error for report in reports] == [None, None]
                assert await phone.texts() == {"the key is under the mat"}

    run(main)


def test_devices_that_were_just_paired_call_each_other_again_when_the_first_link_ends(tmp_path: Path) -> None:
    """Where mDNS does not reach, nobody did until a daemon was started anew: the address was forgotten."""

    async def main() -> None:
        async with devices(tmp_path, "laptop") as (laptop,), devices(tmp_path, "phone") as (phone,):
            async with online(laptop) as one, online(phone) as two:
                await pair(one, two)
                await agree(laptop, phone)

                async def linked() -> bool:
                    return [peer.state for peer in (*one.peers(), *two.peers())] == ["linked"] * 2

                await until(linked)
                one._links.revalidate(frozenset(), all_of_them=True)  # as after a night's sleep
                await laptop.remember("told while nobody was linked")
                await agree(laptop, phone)
                await until(linked)

    run(main)


def test_a_device_that_moved_and_is_paired_again_is_called_where_it_is_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its old place was called, and written down again over the new one, until a daemon was started anew."""
    monkeypatch.setattr(
        syncer, "PARTNER_RETRY_SECONDS", ()
    )  # nobody greets: the first link may be the other's

    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, phone):
            async with online(laptop) as one:
                async with online(phone) as before:
                    await one.sync_now(address=address_of(before))
                async with online(phone) as two:
                    await pair(one, two)
                    await until(lambda: is_linked(one), seconds_max=10)
                    assert one.peers()[0].address == two.address

    async def is_linked(syncer: Syncer) -> bool:
        return syncer.peers()[0].state == "linked"

    run(main)


def test_a_wrong_code_pairs_nobody_and_a_new_one_is_shown(tmp_path: Path) -> None:
    async def main() -> None:
        async with devices(tmp_path, "laptop") as (laptop,), devices(tmp_path, "phone") as (phone,):
            async with online(laptop) as one, online(phone) as two:
                tell, told = trio.open_memory_channel[CodeOffered | PairingRefusal](10)
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(one.offer_pairing, tell.send_nowait)
                    shown = await told.receive()
                    assert isinstance(shown, CodeOffered)
                    wrong = "100-acorn-album" if shown.code != "100-acorn-album" else "100-acorn-amber"
                    with pytest.raises(WrongCode):
                        await two.join_pairing(wrong, address=shown.addresses[0])
                    assert isinstance(await told.receive(), PairingRefusal)
                    again = await told.receive()
                    assert isinstance(again, CodeOffered)
                    assert again.code != shown.code
                    nursery.cancel_scope.cancel()
                assert one.peers() == two.peers() == []

    run(main)


def test_nobody_who_shows_a_code_is_said_so(tmp_path: Path) -> None:
    async def main() -> None:
        async with devices(tmp_path, "phone") as (phone,), online(phone) as syncer:
            with pytest.raises(LinkLost, match=r"nobody is pairing at 127\.0\.0\.1:9"):
                await syncer.join_pairing("100-acorn-album", address=Address("127.0.0.1", 9))
            with pytest.raises(LinkLost, match="no device on this network shows a pairing code"):
                await syncer.join_pairing("100-acorn-album")

    run(main)


def test_both_keep_where_the_other_listens_though_it_stops_at_once(tmp_path: Path) -> None:
    """Whoever asks for a sync then hears that nobody answers there, not that no address is known."""

    async def main() -> None:
        async with devices(tmp_path, "laptop") as (laptop,), devices(tmp_path, "phone") as (phone,):
            async with online(laptop) as one:
                async with online(phone) as two:
                    partners = await pair(one, two)
                    assert (partners[0].address, partners[1].address) == (address_of(two), address_of(one))
                for device, other, where in (
                    (laptop, phone, partners[0].address),
                    (phone, laptop, partners[1].address),
                ):
                    kept = await device.replica.run(peers.load_records)
                    assert kept[other.identity.device_id].last == where
                (report,) = await one.sync_now(phone.identity.device_id)
                assert isinstance(report.error, LinkLost)
                assert "nobody answers" in str(report.error)

    run(main)
