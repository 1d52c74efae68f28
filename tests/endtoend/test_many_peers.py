"""One daemon with fifty peers at once, and with peers that flood it or stall."""

import resource
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

import pytest
import trio

from replica import AsyncioHost, Core, open_replica
from sync.dialling import connect
from sync.exchange import Exchange
from sync.states import Phase
from sync.syncer import Syncer, open_syncer
from sync.tls import secure
from sync.wire.frames import encode_frame
from tests.support.daemons import address_of, online, until
from tests.support.devices import Device, devices, devices_on, introduce_to, introduced, run
from tests.support.links import identity

PEERS = 50


def found(name: str, core: Core, _: object) -> None:
    """Let a device begin a group of its own."""
    core.found(introduced(name))


@pytest.mark.slow
def test_fifty_peers_at_once_are_linked_and_hear_of_everything(tmp_path: Path) -> None:
    async def main() -> None:
        async with AsyncioHost.open() as host, AsyncExitStack() as stack:
            (hub,) = await stack.enter_async_context(devices_on(host, tmp_path, "hub"))
            names = [f"peer{n}" for n in range(PEERS)]
            await hub.replica.run(
                lambda core, _: core.learn([introduced(name, by="hub") for name in names], [])
            )
            server = await stack.enter_async_context(online(hub))
            peers: list[Device] = []
            for name in names:
                who = identity(name)
                replica = await stack.enter_async_context(
                    open_replica(tmp_path / f"{name}.db", host=host, device=who.device_id, sign=who.sign)
                )
                peer = Device(name, who, replica, host)
                await replica.run(partial(found, name))
                await introduce_to(peer, "hub")
                await peer.remember(f"by {name}")
                peers.append(peer)
            started = trio.current_time()
            for peer in peers:
                await stack.enter_async_context(
                    open_syncer(
                        peer.replica, peer.identity, host,
                        name=peer.name, listen_on=None, mdns=False, fixed=[address_of(server)],
                    )
                )  # fmt: skip

            async def all_linked() -> bool:
                return sum(state.state == "linked" for state in server.peers()) == PEERS

            await until(all_linked, seconds_max=100)

            async def all_equal() -> bool:
                if hub.replica.position < PEERS or any(peer.replica.position < PEERS for peer in peers):
                    return False
                return len({await device.digests() for device in (hub, *peers)}) == 1

            await until(all_equal, seconds_max=100)
            print(f"{PEERS} peers agree after {trio.current_time() - started:.1f} s")
            await hub.remember("to all of them")

            async def all_told() -> bool:
                return all(peer.replica.position == PEERS + 1 for peer in peers)

            await until(all_told, seconds_max=60)
            print(f"at most {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MB for all of them")

    run(main)


def test_a_peer_that_stalls_keeps_nobody_else_waiting(tmp_path: Path) -> None:
    """It opens a link, says hello, asks for everything, and reads nothing more."""

    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone", "staller") as (laptop, phone, staller):
            for start in range(0, 3_000, 1_000):
                await laptop.remember(*(f"memory {n} {'word ' * 100}" for n in range(start, start + 1_000)))
            async with online(laptop) as server:
                stalled = await stalling(staller, server)
                try:
                    with trio.fail_after(60):
                        async with online(phone, calls=[server]):
                            await until(lambda: _has(phone, 3_000))
                            await laptop.remember("news")
                            await until(lambda: _has(phone, 3_001))
                finally:
                    await trio.aclose_forcefully(stalled)

    run(main)


async def stalling(device: Device, server: Syncer) -> trio.abc.Stream:
    """Open a link as a member, ask for everything, and never read an answer."""
    laptop = identity("laptop")
    stream, _ = await secure(
        await connect(address_of(server)),
        identity=device.identity,
        pins=[laptop.certificate],
        server_side=False,
    )

    def words(core: Core) -> list[bytes]:
        exchange = Exchange(core, laptop.device_id, 0)
        said = exchange.more(0)
        exchange.session.phase = Phase.OPEN  # without waiting for the other's hello
        exchange.ask()
        return said + exchange.more(0)

    for message in await device.replica.run(lambda core, _: words(core)):
        await stream.send_all(encode_frame(message))
    return stream


async def _has(device: Device, ops: int) -> bool:
    return device.replica.position >= ops
