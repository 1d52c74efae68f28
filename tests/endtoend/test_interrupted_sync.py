"""A sync that is interrupted, by the wire or by a kill, goes on where it was and ends in agreement."""

import random
import signal
from pathlib import Path

import pytest

from replica.limits import COMMIT_OPS_MAX
from replica.verify import verify_replica
from sync.syncer import open_syncer
from tests.support.cutting import breaking_wire
from tests.support.daemons import address_of, agree, online
from tests.support.devices import Device, devices, run
from tests.support.processes import Process

OPS = 20_000


async def remember_many(device: Device, count: int) -> None:
    for start in range(0, count, COMMIT_OPS_MAX // 5):
        await device.remember(*(f"memory {n}" for n in range(start, start + COMMIT_OPS_MAX // 5)))


@pytest.mark.slow
def test_a_wire_that_breaks_at_any_byte_only_delays_agreement(tmp_path: Path) -> None:
    chance = random.Random()
    # All of it is some 500,000 bytes, a frame some 130,000: every cut falls before the end.
    cuts = [chance.randrange(2_000, 150_000) for _ in range(2)]
    print("cuts after", cuts)

    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, phone):
            await remember_many(laptop, OPS)
            async with online(laptop) as server, breaking_wire(address_of(server), list(cuts)) as wire:
                assert wire.address is not None
                async with open_syncer(
                    phone.replica,
                    phone.identity,
                    phone.host,
                    name="phone",
                    mdns=False,
                    fixed=[wire.address],
                ):
                    await agree(laptop, phone)
            assert len(wire.was_cut) == 2
            assert phone.replica.position == OPS, "nothing twice, nothing missing"

    run(main)


@pytest.mark.slow
def test_a_device_that_is_killed_while_it_receives_ends_equal_once_it_is_back(tmp_path: Path) -> None:
    """SIGKILL after each of several amounts received; the log is intact each time it opens."""

    async def fill() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, _):
            await remember_many(laptop, OPS)

    run(fill)
    server = Process(tmp_path, "laptop", "--knows", "phone", "--listen", "127.0.0.1")
    try:
        seen: list[int] = []
        for wanted in (1, 8_000):
            phone = Process(tmp_path, "phone", "--knows", "laptop", "--call", server.up["address"])
            while (ops := phone.ask("digest")["ops"]) < wanted:
                pass
            phone.end(signal.SIGKILL)
            seen.append(ops)

            async def intact() -> None:
                async with devices(tmp_path, "phone") as (device,):
                    found = await device.replica.run(lambda core, _: verify_replica(core))
                    assert found.ok, found.problems
                    assert device.replica.position >= seen[-1]

            run(intact)
        phone = Process(tmp_path, "phone", "--knows", "laptop", "--call", server.up["address"])
        try:
            assert phone.ask("sync")["errors"] == []
            assert phone.ask("digest") == server.ask("digest")
            assert phone.ask("digest")["ops"] == OPS
        finally:
            phone.end()
    finally:
        server.end()
    assert seen[0] < OPS, "the kill came after everything: nothing was tried"
