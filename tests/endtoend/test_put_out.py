"""A device that was put out while it was off hears so when it calls, once, and then calls nobody any more."""

from pathlib import Path

import pytest
import trio

from replica import Core, revoke
from replica.membership import name_root, revoking
from sync.dialling import connect
from sync.errors import Untrusted
from sync.neighbours import LinkLimits
from sync.tls import secure
from sync.wire.messages import Bye, Hello
from tests.support.daemons import address_of, agree, online, until
from tests.support.devices import Device, devices, introduced, run
from tests.support.hostile import speaking


async def is_out(device: Device, whom: Device) -> bool:
    """Whether a device knows that another one is out."""
    return await device.replica.run(lambda core, _: whom.identity.device_id in core.membership.revoked)


def test_who_was_put_out_while_away_is_told_once_and_by_whom(tmp_path: Path) -> None:
    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, phone):
            await laptop.remember("before")
            async with online(laptop) as server:
                async with online(phone, calls=[server]):
                    await agree(laptop, phone)
                out = revoke(laptop.identity.sign, laptop.identity.device_id, phone.identity.device_id)
                await laptop.replica.run(lambda core, _: core.learn([], [out]))
                await server.refresh()
                await laptop.remember("after")
                assert not await is_out(phone, phone)
                async with online(phone, calls=[server]) as caller:
                    await until(lambda: is_out(phone, phone))
                    (revocation,) = await phone.replica.run(lambda core, _: core.membership.revocations)
                    assert revocation.by == laptop.identity.device_id
                    (report,) = await caller.sync_now(laptop.identity.device_id, address=address_of(server))
                    assert isinstance(report.error, Untrusted), "once: now the door is closed"
                assert await phone.texts() == {"before"}

    run(main)


def test_who_was_put_out_is_told_by_a_device_that_has_no_room_for_links(tmp_path: Path) -> None:
    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, phone):
            out = revoke(laptop.identity.sign, laptop.identity.device_id, phone.identity.device_id)
            await laptop.replica.run(lambda core, _: core.learn([], [out]))
            async with (
                online(laptop, limits=LinkLimits(most=0)) as server,
                speaking(server, phone.identity, laptop.identity.certificate) as caller,
            ):
                assert isinstance(await caller.hear(), Hello)

    run(main)


def test_who_was_told_is_not_told_again_by_the_next_daemon(tmp_path: Path) -> None:
    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, phone):
            out = revoke(laptop.identity.sign, laptop.identity.device_id, phone.identity.device_id)
            await laptop.replica.run(lambda core, _: core.learn([], [out]))
            async with online(laptop) as server:
                async with speaking(server, phone.identity, laptop.identity.certificate) as caller:
                    assert isinstance(await caller.hear(), Hello)
                    while not isinstance(await caller.hear(), Bye):
                        pass

                async def kept() -> bool:
                    return await laptop.replica.read(
                        lambda connection: connection.execute("SELECT told FROM peer").fetchall() == [(1,)]
                    )

                await until(kept)
            async with online(laptop) as server:
                with pytest.raises(Untrusted, match="not paired, or revoked"):
                    async with speaking(server, phone.identity, laptop.identity.certificate):
                        pass

    run(main)


def test_whose_link_broke_is_told_by_the_next_daemon(tmp_path: Path) -> None:
    """In one run it is tried once; but what nobody heard is not written down as told."""

    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, phone):
            out = revoke(laptop.identity.sign, laptop.identity.device_id, phone.identity.device_id)
            await laptop.replica.run(lambda core, _: core.learn([], [out]))
            pins = [laptop.identity.certificate]
            async with online(laptop) as server:
                raw = await connect(address_of(server))
                stream, _ = await secure(raw, identity=phone.identity, pins=pins, server_side=False)
                await trio.aclose_forcefully(stream)
                with pytest.raises(Untrusted, match="not paired, or revoked"):
                    async with speaking(server, phone.identity, *pins):
                        pass
            async with online(laptop) as server:
                async with speaking(server, phone.identity, *pins) as caller:
                    assert isinstance(await caller.hear(), Hello)

    run(main)


def test_who_was_put_out_learns_nothing_else(tmp_path: Path) -> None:
    """Not even how much there is: no other member, and no digest."""

    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, phone):
            async with online(laptop) as server:
                async with devices(tmp_path, "tablet"):
                    pass
                out = revoke(laptop.identity.sign, laptop.identity.device_id, phone.identity.device_id)
                await laptop.replica.run(lambda core, _: core.learn([], [out]))
                await server.refresh()
                before = await phone.replica.run(lambda core, _: set(core.membership.members))
                async with online(phone, calls=[server]):
                    await until(lambda: is_out(phone, phone))
                assert await phone.replica.run(lambda core, _: set(core.membership.members)) == before
                assert await phone.texts() == set()
                assert not await is_out(laptop, laptop)

    run(main)


def test_who_is_out_because_its_introducer_is_hears_that_one_s_revocation(tmp_path: Path) -> None:
    """Nobody revoked the phone itself; but the tablet, through which it joined, is out with all that it did."""

    async def main() -> None:
        async with (
            devices(tmp_path, "laptop", "tablet") as (laptop, tablet),
            devices(tmp_path, "phone") as (phone,),
        ):
            ours, theirs = laptop.identity, tablet.identity
            root = name_root(ours.sign, ours.device_id, public_key=ours.public_key, name="laptop")
            acts = [root, introduced("tablet", by="laptop"), introduced("phone", by="tablet")]

            def joins(core: Core) -> None:
                core.expect_root(theirs.device_id, None)
                core.learn([introduced("tablet", by="phone")], [])
                core.learn([introduced("laptop", by="tablet"), *acts], [], by=theirs.device_id)

            def puts_out(core: Core) -> None:
                core.follow(root)
                core.learn(acts, [])
                core.learn(
                    *revoking(core.membership, ours.sign, ours.device_id, [theirs.device_id], undo=True)
                )

            await phone.replica.run(lambda core, _: joins(core))
            await laptop.replica.run(lambda core, _: puts_out(core))
            assert await is_out(laptop, phone)
            assert not await is_out(phone, phone)
            async with online(laptop) as server, online(phone, calls=[server]):
                await until(lambda: is_out(phone, phone))
            heard = await phone.replica.run(lambda core, _: core.membership.revocations)
            assert [(each.device, each.by) for each in heard] == [(theirs.device_id, ours.device_id)]

    run(main)
