"""A device that was put out while it was off hears so when it calls, once, and then calls nobody any more."""

from pathlib import Path

from replica import revoke
from sync.errors import Untrusted
from tests.support.daemons import address_of, agree, online, until
from tests.support.devices import Device, devices, run


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
