"""Networks as they are: addresses that change, cables that are pulled, no IPv4; real devices in namespaces."""

import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.support.netns import Host, named, needs_netns, two_hosts
from tests.support.processes import Process

pytestmark = pytest.mark.endtoend

# A look at the network every three seconds, an announcement of one to two, a back-off of one; and a busy machine.
BACK_SECONDS_MAX = 30.0


@contextmanager
def two_devices(folder: Path, left: Host, right: Host) -> Iterator[tuple[Process, Process]]:
    """A device on each host; they find each other by mDNS alone."""
    with ExitStack() as ends:
        laptop = Process(folder, "laptop", "--knows", "phone", "--listen", "", "--mdns", start=left.popen)
        ends.callback(laptop.end)
        phone = Process(folder, "phone", "--knows", "laptop", "--listen", "", "--mdns", start=right.popen)
        ends.callback(phone.end)
        yield laptop, phone


def travels(writer: Process, reader: Process, text: str) -> float:
    """Have one device remember something, and return after how long the other knew."""
    started = time.monotonic()
    writer.ask(f"remember 1 {text}")
    assert reader.ask(f"wait {text}")["seen"] == text
    took = time.monotonic() - started
    print(f"{text}: {took:.1f} s", file=sys.stderr)
    return took


def links_all(device: Process) -> None:
    """Wait until a device has a link to each that it knows: one may just be taking the place of another."""
    deadline = time.monotonic() + BACK_SECONDS_MAX
    while set((peers := device.ask("peers")["peers"]).values()) != {"linked"}:
        assert time.monotonic() < deadline, (
            f"expected all to be linked within {BACK_SECONDS_MAX} s, found {peers}"
        )
        time.sleep(0.1)


@needs_netns
@pytest.mark.slow
def test_a_device_whose_address_changed_is_back_within_seconds(tmp_path: Path) -> None:
    with two_hosts() as (left, right), two_devices(tmp_path, left, right) as (laptop, phone):
        travels(laptop, phone, "first")
        for host in (
            left,
            right,
        ):  # or they would go on over link-local addresses, as if nothing had happened
            host.run(["sysctl", "-qw", f"net.ipv6.conf.{host.interface}.disable_ipv6=1"])
        travels(laptop, phone, "over IPv4")
        right.run(["ip", "-4", "address", "flush", "dev", right.interface])
        right.run(["ip", "address", "add", "10.77.0.99/24", "dev", right.interface])
        assert travels(laptop, phone, "after the move") < BACK_SECONDS_MAX
        assert travels(phone, laptop, "and back") < BACK_SECONDS_MAX


@needs_netns
@pytest.mark.slow
def test_a_cable_that_was_pulled_for_a_while_costs_seconds_when_it_is_back(tmp_path: Path) -> None:
    with two_hosts() as (left, right), two_devices(tmp_path, left, right) as (laptop, phone):
        travels(laptop, phone, "first")
        right.unplug()
        laptop.ask("remember 1 while apart")
        phone.ask("remember 1 on the other side")
        time.sleep(12)
        right.plug()
        started = time.monotonic()
        phone.ask("wait while apart")
        laptop.ask("wait on the other side")
        assert time.monotonic() - started < BACK_SECONDS_MAX


@needs_netns
@pytest.mark.slow
def test_devices_without_ipv4_sync(tmp_path: Path) -> None:
    with two_hosts() as (left, right):
        for host in (left, right):
            host.run(["ip", "-4", "address", "flush", "dev", host.interface])
        with two_devices(tmp_path, left, right) as (laptop, phone):
            assert travels(laptop, phone, "over IPv6") < BACK_SECONDS_MAX
            assert travels(phone, laptop, "and back") < BACK_SECONDS_MAX


@needs_netns
@pytest.mark.slow
def test_devices_behind_one_name_are_all_reached(tmp_path: Path) -> None:
    """The first of its addresses always answers, and is another device's."""
    with (
        two_hosts() as (left, right),
        named(left, "home.test", right.address, "10.77.0.3"),
        ExitStack() as ends,
    ):
        right.run(["ip", "address", "add", "10.77.0.3/24", "dev", right.interface])
        others = []
        for name, at in (("phone", right.address), ("tablet", "10.77.0.3")):
            listens = ("--listen", at, "--port", "7411")
            others.append(Process(tmp_path, name, "--knows", "laptop", *listens, start=right.popen))
            ends.callback(others[-1].end)
        calls = ("--knows", "phone", "--knows", "tablet", "--call", "home.test:7411")
        laptop = Process(tmp_path, "laptop", *calls, start=left.popen)
        ends.callback(laptop.end)
        for number, each in enumerate(others):
            travels(laptop, each, f"to number {number}")
            travels(each, laptop, f"from number {number}")
        links_all(laptop)


@needs_netns
@pytest.mark.slow
def test_an_address_that_is_now_anothers_leads_there_and_those_behind_it_call_from_one_place(
    tmp_path: Path,
) -> None:
    """A router sends its port on to the tablet first, then to the phone; the tablet stays, and calls from behind it."""
    with two_hosts() as (left, right), ExitStack() as ends:
        knows = ("--knows", "laptop")
        at = ("--listen", right.address, "--port", "7411")
        tablet = Process(tmp_path, "tablet", *knows, *at, start=right.popen)
        ends.callback(tablet.end)
        laptop = Process(
            tmp_path, "laptop", "--knows", "phone", "--knows", "tablet", "--listen", left.address,
            "--call", f"{right.address}:7411", start=left.popen,
        )  # fmt: skip
        ends.callback(laptop.end)
        travels(laptop, tablet, "where the tablet answers")
        tablet.end()
        tablet = Process(tmp_path, "tablet", *knows, "--call", laptop.up["address"], start=right.popen)
        ends.callback(tablet.end)
        travels(laptop, tablet, "the tablet calls by itself")
        phone = Process(tmp_path, "phone", *knows, *at, start=right.popen)
        ends.callback(phone.end)
        travels(laptop, phone, "where the phone answers now")
        travels(phone, tablet, "and all agree")
        links_all(laptop)
        right.unplug()
        phone.ask("remember 1 behind a router that is off")
        right.plug()
        assert laptop.ask("wait behind a router that is off")["seen"]
