"""mDNS between two machines, which here are two network namespaces joined by a cable."""

import json
import queue
import socket
import subprocess
import sys
import threading
import time
from typing import Any, Self

import pytest

from tests.support.netns import Host, needs_netns, two_hosts

pytestmark = pytest.mark.endtoend

A_FEW_SECONDS = 15


class Peer:
    """A finder in its own process on one of the hosts, and the lines that it prints."""

    def __init__(self, host: Host, port: int) -> None:
        command = [sys.executable, "-W", "error", "-m", "tests.support.mdns_peer", str(port)]
        self.process = host.popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._lines: queue.Queue[dict[str, Any]] = queue.Queue()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(json.loads(line))

    def hears(self, key: str, value: object, *, seconds: float = A_FEW_SECONDS) -> dict[str, Any]:
        """The next line in which `key` is `value`."""
        deadline = time.monotonic() + seconds
        while True:
            line = self._lines.get(timeout=max(0.01, deadline - time.monotonic()))
            if line.get(key) == value:
                return line

    def hears_nothing_of(self, port: int, *, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            try:
                line = self._lines.get(timeout=left)
            except queue.Empty:
                return
            assert not any(each.endswith(f":{port}") for each in line.get("addresses", ())), line

    def leave(self) -> None:
        """End in good manners."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        assert self.process.wait(A_FEW_SECONDS) == 0
        self._reader.join(A_FEW_SECONDS)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(A_FEW_SECONDS)
        self._reader.join(A_FEW_SECONDS)


@needs_netns
def test_two_devices_find_each_other() -> None:
    with two_hosts() as (left, right), Peer(left, 7001) as ann:
        with Peer(right, 7002) as bob:
            seen = ann.hears("saw", "SYNC")
            # A busy system gives an interface that came up its own address late, and then Bob is seen again.
            while not any("fe80::" in each and "%" in each for each in seen["addresses"]):
                seen = ann.hears("saw", "SYNC")
            assert f"{right.address}:7002" == seen["addresses"][0]
            assert f"{left.address}:7001" == bob.hears("saw", "SYNC")["addresses"][0]
            bob.leave()
        ann.leave()


@needs_netns
def test_what_is_announced_does_not_name_the_machine() -> None:
    with two_hosts() as (left, right), Peer(left, 7001), Peer(right, 7002) as bob:
        name = bob.hears("saw", "SYNC")["name"]
        label = name.removesuffix("._samemind._tcp.local.")
        assert len(label) == 16
        assert set(label) <= set("0123456789abcdef")
        assert socket.gethostname().lower() not in name.lower()


@needs_netns
def test_a_device_does_not_find_itself() -> None:
    with two_hosts() as (left, _), Peer(left, 7001) as ann:
        ann.hears("started", 7001)
        ann.hears_nothing_of(7001, seconds=4)


@needs_netns
@pytest.mark.slow
def test_a_device_that_comes_to_a_network_later_is_found() -> None:
    """Started without any address: no network at all is not an error, and a network is noticed."""
    with two_hosts() as (left, right):
        for host in (left, right):
            host.unplug()
            host.run(["ip", "address", "flush", "dev", host.interface])
        with Peer(left, 7001) as ann, Peer(right, 7002) as bob:
            ann.hears("started", 7001)
            bob.hears("started", 7002)
            for host in (left, right):
                host.plug()
                host.run(["ip", "address", "add", f"{host.address}/24", "dev", host.interface])
            assert ann.hears("saw", "SYNC", seconds=40)["addresses"]
            assert bob.hears("saw", "SYNC", seconds=40)["addresses"]


@needs_netns
def test_devices_on_a_network_without_ipv4_find_each_other() -> None:
    with two_hosts() as (left, right):
        for host in (left, right):
            host.run(["ip", "-4", "address", "flush", "dev", host.interface])
        with Peer(left, 7001) as ann, Peer(right, 7002):
            (address,) = ann.hears("saw", "SYNC")["addresses"]
            assert address.startswith("[fe80::")
            assert "%" in address


@needs_netns
def test_a_device_is_told_that_it_can_announce_itself_wherever_one_kind_of_address_can() -> None:
    asked = "from samemind.commands.device._surroundings import why_no_multicast; print(why_no_multicast())"
    with two_hosts() as (left, _):
        for wanted, change in (
            ("None", ["ip", "link", "set", "lo", "up"]),
            ("None", ["ip", "-4", "address", "flush", "dev", left.interface]),
            ("No such device", ["ip", "link", "set", left.interface, "down"]),
        ):
            left.run(change)
            said = left.run([sys.executable, "-c", asked], capture_output=True, text=True).stdout
            assert said.strip() == wanted, change
