"""A cluster of three NATS servers as a mailbox: each is killed in turn while both devices write."""

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest
import trio

from sync.mailbox.keeping import Keeper
from sync.mailbox.places import Place, check_place, open_box
from tests.support.daemons import agree, until
from tests.support.devices import Device, devices
from tests.support.mailbox_servers import free_port, needs_package, needs_program, wait_for

GROUP_S = 0.2
# A cluster that lost its leader chooses another within some ten seconds.
DOWN_S, UP_S = 6.0, 10.0
WRITTEN_S = 60.0
AGREE_SECONDS_MAX = 90.0


@dataclass
class Cluster:
    """Three servers on loopback."""

    folder: Path
    program: str
    ports: list[int] = field(default_factory=lambda: [free_port() for _ in range(3)])
    routes: list[int] = field(default_factory=lambda: [free_port() for _ in range(3)])
    running: dict[int, "subprocess.Popen[bytes]"] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return "nats://" + ",".join(f"127.0.0.1:{port}" for port in self.ports) + "/group?replicas=3"

    def start(self, n: int) -> None:
        routes = ", ".join(f"nats://127.0.0.1:{port}" for port in self.routes)
        config = self.folder / f"{n}.conf"
        config.write_text(
            f"server_name: n{n}\nlisten: 127.0.0.1:{self.ports[n]}\n"
            f"jetstream {{ store_dir: {self.folder}/{n}, max_file: 2GB }}\n"
            f"cluster {{ name: meet, listen: 127.0.0.1:{self.routes[n]}, routes: [ {routes} ] }}\n"
        )
        with (self.folder / f"{n}.log").open("ab") as log:
            self.running[n] = subprocess.Popen([self.program, "-c", str(config)], stdout=log, stderr=log)
        wait_for(self.ports[n], self.running[n], self.folder / f"{n}.log")

    def kill(self, n: int) -> None:
        self.running[n].kill()
        self.running[n].wait()


@contextmanager
def cluster(folder: Path) -> Iterator[Cluster]:
    needs_package("nats")
    found = Cluster(folder, needs_program("nats-server"))
    with ExitStack() as stack:
        for n in range(3):
            found.start(n)
            stack.callback(found.kill, n)
        yield found


def keeper(device: Device, url: str) -> Keeper:
    async def took() -> None:
        """Nobody is linked."""

    box = open_box(check_place(Place(url)), device.host)
    return Keeper(
        box,
        device.replica,
        device.identity,
        "box",
        group_s=GROUP_S,
        bytes_max=None,
        random=Random(1),
        took=took,
    )


@pytest.mark.slow
def test_no_memory_is_lost_while_each_server_of_a_cluster_is_killed_in_turn(tmp_path: Path) -> None:
    """A follower, the leader and whichever the devices are connected to: all three are killed, one after the other."""

    async def main() -> None:
        with cluster(tmp_path) as servers:
            async with devices(tmp_path, "laptop", "phone") as both, trio.open_nursery() as nursery:
                written: list[str] = []
                keepers = [keeper(device, servers.url) for device in both]
                for each in keepers:
                    nursery.start_soon(each.run)
                over, began = trio.Event(), trio.current_time()

                async def write(device: Device) -> None:
                    while not over.is_set():
                        text = f"note {len(written)} of {device.name}"
                        await device.remember(text)
                        written.append(text)
                        await trio.sleep(0.25)

                for device in both:
                    nursery.start_soon(write, device)
                for n in range(3):
                    await trio.sleep(UP_S)
                    await trio.to_thread.run_sync(servers.kill, n)
                    await trio.sleep(DOWN_S)
                    await trio.to_thread.run_sync(servers.start, n)
                await trio.sleep_until(max(began + WRITTEN_S, trio.current_time() + UP_S))
                over.set()
                for each in keepers:
                    each.poke()

                async def all_there() -> bool:
                    found = [await device.texts() for device in both]
                    return all(set(written) <= texts for texts in found)

                await until(all_there, seconds_max=AGREE_SECONDS_MAX)
                await agree(*both)
                print(f"{len(written)} written; {[each.standing for each in keepers]}")
                nursery.cancel_scope.cancel()
                for each in keepers:
                    with trio.CancelScope(shield=True):
                        await each.aclose()

    trio.run(main)
