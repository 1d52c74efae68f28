"""What a stranger on the network can do to a device that looks for another: nothing that lasts.

Once a single packet of 70 bytes, whose service name held a control character, ended the whole daemon. A device is
looking while one of its peers is away, and a stranger needs no code and no key to be heard.
"""

import ipaddress
import json
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import pytest
from zeroconf import Error as ZeroconfError
from zeroconf._dns import DNSAddress, DNSPointer
from zeroconf._protocol.incoming import DNSIncoming

from sync.discovery.mdns import Told, _host, _sighting
from tests.support.hearing import next_line
from tests.support.mdns_packets import GROUP, ODD_NAMES, announcement, odd
from tests.support.netns import Host, needs_netns, two_hosts
from tests.support.processes import Process

FLOOD_SECONDS = 5
FOUND_SECONDS_MAX = 30

# In a namespace: listen at these places on one port, and print what comes there.
LISTENER = """
import json, select, socket, sys
places = [(host, socket.AF_INET6 if ":" in host else socket.AF_INET) for host in sys.argv[2:]]
sockets = []
for host, family in places:
    one = socket.socket(family)
    one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    one.bind((host, int(sys.argv[1])))
    one.listen()
    sockets.append(one)
print(json.dumps("ready"), flush=True)
while True:
    for one in select.select(sockets, [], [])[0]:
        taken, _ = one.accept()
        print(json.dumps(one.getsockname()[0]), flush=True)
        taken.close()
"""


def test_whatever_an_announcement_holds_it_comes_to_a_place_out_there_or_to_nothing() -> None:
    """Thousands of crooked packets, as zeroconf reads them: names, ports, addresses and properties of any kind."""
    seed = 20
    random = Random(seed)
    sighted = 0
    for turn in range(3000):
        try:
            answers = list(DNSIncoming(odd(random), (GROUP[0], 5353)).answers())
        except ZeroconfError:  # read on its own thread, where it is logged: no part of this
            continue
        places = [each.address for each in answers if isinstance(each, DNSAddress)] + [b"\x0a\0\0\1"]
        for answer in answers:
            if not isinstance(answer, DNSPointer):
                continue
            hosts = (_host(SimpleNamespace(address=each, scope_id=None)) for each in places)
            seen = _sighting(answer.alias, Told([(host, 7411) for host in hosts if host is not None]))
            assert seen is not None, f"seed {seed}, packet {turn}"
            sighted += 1
            for address in seen.addresses:
                host = ipaddress.ip_address(address.host)
                odd_ones = (host.is_loopback, host.is_unspecified, host.is_reserved, host.is_multicast)
                assert not any(odd_ones), f"seed {seed}, packet {turn}: {address}"
    assert sighted > 500


def shout(host: Host, seconds: float, seed: int) -> int:
    """Have a host multicast crooked packets for some seconds; return how many it sent."""
    command = [sys.executable, "-m", "tests.support.mdns_packets", host.address, str(seconds), str(seed)]
    said = host.run(command, capture_output=True, text=True, timeout=seconds + 60)
    return int(said.stdout)


@needs_netns
@pytest.mark.slow
def test_crooked_packets_do_not_end_a_device_that_looks_for_another(tmp_path: Path) -> None:
    """Then the other comes back, and the two find each other as ever."""
    with two_hosts() as (left, right):
        start = partial(Process, tmp_path)
        laptop = start("laptop", "--knows", "phone", "--listen", "", "--mdns", start=left.popen)
        time.sleep(3)  # it joins the group, and asks for who is there
        sent = shout(right, FLOOD_SECONDS, seed=1)
        assert sent > 100
        assert laptop.ask("remember 1 the key is under the mat")["remembered"] == 1
        phone = start("phone", "--knows", "laptop", "--listen", "", "--mdns", start=right.popen)
        phone.ask("wait the key is under the mat")
        for device in (laptop, phone):
            device.end()


@needs_netns
@pytest.mark.slow
def test_one_packet_with_an_odd_name_ends_nothing(tmp_path: Path) -> None:
    with two_hosts() as (left, right):
        laptop = Process(tmp_path, "laptop", "--knows", "phone", "--listen", "", "--mdns", start=left.popen)
        time.sleep(3)
        code = (
            "import sys; from tests.support.mdns_packets import GROUP, sender\n"
            "with sender(sys.argv[1]) as out: out.sendto(bytes.fromhex(sys.argv[2]), GROUP)"
        )
        for name in ODD_NAMES[:4]:
            packet = announcement(name, [right.address], 7411)
            right.run([sys.executable, "-c", code, right.address, packet.hex()])
            time.sleep(0.5)
            assert laptop.ask("remember 1 still here")["remembered"] == 1, name
        time.sleep(2)
        assert laptop.ask("remember 1 still here at the end")["remembered"] == 1
        laptop.end()


@needs_netns
@pytest.mark.slow
def test_an_announcement_cannot_have_a_device_knock_at_itself(tmp_path: Path) -> None:
    """At its loopback, at its own address, or at either in IPv6 clothes; at the stranger's own place it does knock."""
    port = 9100
    with two_hosts() as (left, right):
        inside = left.popen(
            [sys.executable, "-c", LISTENER, str(port), "127.0.0.1", "::1", left.address],
            stdout=-1,
            text=True,
        )
        outside = right.popen(
            [sys.executable, "-c", LISTENER, str(port), right.address], stdout=-1, text=True
        )
        for each in (inside, outside):
            assert json.loads(cast("Any", each.stdout).readline()) == "ready"
        laptop = Process(tmp_path, "laptop", "--knows", "phone", "--listen", "", "--mdns", start=left.popen)
        time.sleep(3)
        code = (
            "import sys, time; from tests.support.mdns_packets import GROUP, sender\n"
            "with sender(sys.argv[1]) as out:\n"
            "    for _ in range(3):\n"
            "        for one in sys.argv[2:]:\n"
            "            out.sendto(bytes.fromhex(one), GROUP)\n"
            "        time.sleep(1)\n"
        )
        there = [
            "::ffff:127.0.0.1",
            "127.0.0.1",
            "::1",
            left.address,
            f"::ffff:{left.address}",
            "::127.0.0.1",
        ]
        packets = [
            announcement(b"into%d" % n, [host], port).hex() for n, host in enumerate([*there, right.address])
        ]
        right.run([sys.executable, "-c", code, right.address, *packets])
        assert json.loads(cast("Any", outside.stdout).readline()) == right.address
        time.sleep(2)
        inside.terminate()
        knocked = cast("Any", inside.stdout).read()
        assert knocked == "", f"it knocked at {knocked}"
        laptop.end()


@needs_netns
@pytest.mark.slow
@pytest.mark.parametrize("how", ["taken", "gone"])
def test_a_stranger_who_answers_for_all_names_keeps_nobody_from_being_found(tmp_path: Path, how: str) -> None:
    """Each device asked whether its name was free before it announced it, and a stranger could always say no."""
    with two_hosts() as (left, right):
        command = [sys.executable, "-m", "tests.support.mdns_impostor", right.address, how]
        stranger = right.popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert next_line(stranger) == "ready\n"
        laptop = Process(tmp_path, "laptop", "--knows", "phone", "--listen", "", "--mdns", start=left.popen)
        phone = Process(tmp_path, "phone", "--knows", "laptop", "--listen", "", "--mdns", start=right.popen)
        deadline = time.monotonic() + FOUND_SECONDS_MAX
        while (peers := laptop.ask("peers")["peers"]) != {"phone": "linked"}:
            assert time.monotonic() < deadline, peers
            time.sleep(0.2)
        for device in (laptop, phone):
            device.end()
        said, _ = stranger.communicate(timeout=10)
        assert int(said) > 0


@needs_netns
@pytest.mark.slow
@pytest.mark.parametrize("found", ["phone", "laptop"])
def test_a_stranger_who_gives_an_own_address_for_each_name_keeps_nobody_from_being_found(
    tmp_path: Path, found: str
) -> None:
    """What was said last was believed alone. Only one of the two listens, so it cannot find the other by itself."""
    with two_hosts() as (left, right):
        command = [sys.executable, "-m", "tests.support.mdns_impostor", right.address, "here"]
        stranger = right.popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert next_line(stranger) == "ready\n"
        listens = {found: ("--listen", "")}
        phone = Process(
            tmp_path, "phone", "--knows", "laptop", *listens.get("phone", ()), "--mdns", start=right.popen
        )
        time.sleep(3)  # the stranger has heard its name, and speaks for it before it is asked
        laptop = Process(
            tmp_path, "laptop", "--knows", "phone", *listens.get("laptop", ()), "--mdns", start=left.popen
        )
        deadline = time.monotonic() + FOUND_SECONDS_MAX
        while (peers := laptop.ask("peers")["peers"]) != {"phone": "linked"}:
            assert time.monotonic() < deadline, peers
            time.sleep(0.2)
        for device in (laptop, phone):
            device.end()
        said, _ = stranger.communicate(timeout=10)
        assert int(said) > 0
