"""A cluster of three NATS servers as a mailbox: each is killed in turn while both devices write."""

import shlex
import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest
import trio

from sync.mailbox.keeping import Keeper
from sync.mailbox.nkeys import new_seed, public_nkey, read_seed
from sync.mailbox.places import MailboxAddress, check_place, open_box
from sync.mailbox.serving import Cluster, certificate_command, server_settings
from tests.support.daemons import agree, until
from tests.support.devices import Device, devices
from tests.support.mailbox_servers import needs_package, needs_program, wait_for
from tests.support.ports import free_port

SEED = new_seed(bytes(range(32)))
GROUP_S = 0.2
# A cluster that lost its leader chooses another within some ten seconds.
AGREE_SECONDS_MAX = 90.0
# Notes that have to arrive before the next server goes: some of each device.
NOTES = 6


@dataclass
class Servers:
    """Three servers on loopback."""

    folder: Path
    program: str
    ports: list[int] = field(default_factory=lambda: [free_port() for _ in range(3)])
    routes: list[int] = field(default_factory=lambda: [free_port() for _ in range(3)])
    running: dict[int, "subprocess.Popen[bytes]"] = field(default_factory=dict)

    @property
    def place(self) -> MailboxAddress:
        url = "nats+tls://" + ",".join(f"127.0.0.1:{port}" for port in self.ports) + "/group?replicas=3"
        return check_place(MailboxAddress(url, SEED, (self.folder / "box.crt").read_text()))

    def certify(self) -> None:
        command = certificate_command(
            ["127.0.0.1"], certificate=f"{self.folder}/box.crt", key=f"{self.folder}/box.key"
        )
        subprocess.run(shlex.split(command), check=True, capture_output=True)

    def start(self, n: int) -> None:
        """As whoever runs `samemind mailbox serve-config` is told, but for ports and folders."""
        routes = tuple(f"127.0.0.1:{port}" for port in self.routes)
        config = self.folder / f"{n}.conf"
        config.write_text(
            server_settings(
                public_nkey(read_seed(SEED)),
                listen=f"127.0.0.1:{self.ports[n]}",
                store=f"{self.folder}/{n}",
                cluster=Cluster(f"n{n}", routes, f"127.0.0.1:{self.routes[n]}"),
                certificate=f"{self.folder}/box.crt",
                key=f"{self.folder}/box.key",
            )
        )
        with (self.folder / f"{n}.log").open("ab") as log:
            self.running[n] = subprocess.Popen([self.program, "-c", str(config)], stdout=log, stderr=log)
        wait_for(self.ports[n], self.running[n], self.folder / f"{n}.log")

    def kill(self, n: int) -> None:
        self.running[n].kill()
        self.running[n].wait()


@contextmanager
def cluster(folder: Path) -> Iterator[Servers]:
    needs_package("nats")
    needs_program("openssl")
    found = Servers(folder, needs_program("nats-server"))
    found.certify()
    with ExitStack() as stack:
        for n in range(3):
            found.start(n)
            stack.callback(found.kill, n)
        yield found


def keeper(device: Device, place: MailboxAddress, folder: Path) -> Keeper:
    async def took() -> None:
        """Nobody is linked."""

    box = open_box(place, device.host)
    return Keeper(
        box,
        device.replica,
        device.identity,
        "box",
        group_s=GROUP_S,
        bytes_max=None,
        folder=folder,
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
                keepers = [keeper(device, servers.place, tmp_path) for device in both]
                for each in keepers:
                    nursery.start_soon(each.run)
                over = trio.Event()

                async def write(device: Device) -> None:
                    while not over.is_set():
                        text = f"note {len(written)} of {device.name}"
                        await device.remember(text)
                        written.append(text)
                        await trio.sleep(0.25)

                async def arrive() -> None:
                    """Wait until what is written from now on is on both devices."""
                    first = len(written)

                    async def there() -> bool:
                        wanted = {*written[first : first + NOTES]}
                        found = [await device.texts() for device in both]
                        return len(wanted) == NOTES and all(wanted <= texts for texts in found)

                    await until(there, seconds_max=AGREE_SECONDS_MAX)

                for device in both:
                    nursery.start_soon(write, device)
                for n in range(3):
                    await arrive()
                    await trio.to_thread.run_sync(servers.kill, n)
                    await arrive()
                    await trio.to_thread.run_sync(servers.start, n)
                await arrive()
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


@pytest.mark.slow
def test_who_has_not_the_key_of_the_servers_does_not_join_them(tmp_path: Path) -> None:
    """A route is a server's way to all accounts of all others; nothing but the certificate keeps strangers from it."""
    with cluster(tmp_path) as servers, socket.create_connection(("127.0.0.1", servers.routes[0])) as line:
        line.settimeout(10)
        line.recv(4096)  # who it is, in the clear
        with pytest.raises((ssl.SSLError, ConnectionError)):
            speak_as_a_stranger(line)


def speak_as_a_stranger(line: socket.socket) -> None:
    """Say what a server says, without a certificate, until the other hangs up."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with context.wrap_socket(line) as inside:
        inside.sendall(b'CONNECT {"name":"mallory"}\r\nPING\r\n')
        while inside.recv(4096):
            pass
    raise ConnectionError("it hung up")
