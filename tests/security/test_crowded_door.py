"""Strangers who knock and say nothing, and more peers than a device holds links to."""

from pathlib import Path

import pytest
import trio

from sync import tls
from sync.acceptor import HANDSHAKES_MAX
from sync.dialling import connect
from sync.errors import Crowded
from sync.neighbours import LinkLimits
from sync.syncer import Syncer
from sync.tls import secure
from tests.support.daemons import address_of, agree, online, until
from tests.support.devices import devices, run


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody goes because a handshake takes too long: neither strangers, nor, on a busy machine, a peer."""
    monkeypatch.setattr(tls, "HANDSHAKE_SECONDS_MAX", 3_600.0)


def test_strangers_who_hold_the_door_make_room_for_a_peer(tmp_path: Path) -> None:
    """The one that waited longest goes; nobody waits for the ten seconds that a handshake may take."""

    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, phone):
            await laptop.remember("the key is under the mat")
            async with online(laptop) as server:
                strangers = [await connect(address_of(server)) for _ in range(HANDSHAKES_MAX + 4)]
                async with online(phone, calls=[server]):
                    await agree(laptop, phone)
                for stranger in strangers:
                    await trio.aclose_forcefully(stranger)

    run(main)


def test_one_machine_that_knocks_without_end_does_not_push_out_a_call_from_another(tmp_path: Path) -> None:
    """Whoever is far away takes a moment longer, and was the one that waited longest."""

    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, phone):
            async with online(laptop) as server:
                at = address_of(server)
                slow = await trio.open_tcp_stream(at.host, at.port, local_address="127.0.0.2")
                await trio.sleep(0.2)
                strangers = [await connect(at) for _ in range(3 * HANDSHAKES_MAX)]
                await trio.sleep(0.2)
                secured, peer = await secure(
                    slow,
                    identity=phone.identity,
                    pins=(laptop.identity.certificate,),
                    server_side=False,
                )
                assert peer == laptop.identity.device_id
                await trio.aclose_forcefully(secured)
                for stranger in strangers:
                    await trio.aclose_forcefully(stranger)

    run(main)


def test_a_device_that_is_full_takes_nobody_else_and_keeps_whom_it_has(tmp_path: Path) -> None:
    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone", "tablet") as (laptop, phone, tablet):
            async with online(laptop, limits=LinkLimits(most=1)) as server, online(phone, calls=[server]):
                await until(lambda: states(server, "phone", "linked"))
                async with online(tablet, calls=[server]) as third:
                    reports = {each.device_id: each for each in await third.sync_now()}
                    error = reports[laptop.identity.device_id].error
                    assert isinstance(error, Crowded)
                    assert error.peer == laptop.identity.device_id
                await laptop.remember("still served")
                await agree(laptop, phone)

    async def states(server: Syncer, name: str, state: str) -> bool:
        return any((peer.name, peer.state) == (name, state) for peer in server.peers())

    run(main)
