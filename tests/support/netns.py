"""Two machines in one: Linux network namespaces joined by a cable that can be pulled.

    with two_hosts() as (left, right):
        peer = right.popen([sys.executable, "-m", "..."], stdout=subprocess.PIPE, text=True)
        left.run(["ping", "-c1", right.address])
        right.unplug(); right.plug()

Each host sees its own interfaces only, and its own loopback, so ports, mDNS and firewalls do not meet those
of the machine. Needs root and iproute2; mark tests with `@needs_netns`.
"""

import functools
import itertools
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest

_NUMBERS = itertools.count()

# How long a child that was asked to end may take.
END_SECONDS_MAX: Final = 10.0


@functools.cache
def why_not() -> str | None:
    """The reason for which namespaces cannot be made here; None if they can."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return "network namespaces need root on Linux"
    if shutil.which("ip") is None:
        return "network namespaces need iproute2 (ip)"
    name = f"samemind-{os.getpid()}-try"
    made = subprocess.run(
        ["ip", "netns", "add", name], capture_output=True, text=True, check=False, timeout=60
    )
    if made.returncode:
        return f"network namespaces are not permitted here: {made.stderr.strip()}"
    _ip("netns", "del", name)
    return None


def needs_netns(test: Any) -> Any:
    """Mark a test that needs namespaces; it is skipped elsewhere, with the reason."""
    return pytest.mark.netns(pytest.mark.skipif(why_not() is not None, reason=str(why_not()))(test))


@dataclass
class Host:
    """One namespace: where to run things, and the addresses at which the other finds it."""

    namespace: str
    interface: str
    address: str
    _children: list["subprocess.Popen[Any]"] = field(default_factory=list)

    def command(self, arguments: Sequence[str]) -> list[str]:
        """The arguments, as run on this host."""
        return ["ip", "netns", "exec", self.namespace, *arguments]

    def popen(self, arguments: Sequence[str], **options: Any) -> "subprocess.Popen[Any]":
        """Start a process here; it is ended with the hosts at the latest."""
        child = subprocess.Popen(self.command(arguments), **options)
        self._children.append(child)
        return child

    def run(self, arguments: Sequence[str], **options: Any) -> "subprocess.CompletedProcess[Any]":
        """Run a process here to its end; a failure is an error unless check=False."""
        return subprocess.run(self.command(arguments), **({"check": True, "timeout": 60} | options))

    def unplug(self) -> None:
        """Pull the cable: both ends lose their carrier."""
        self.run(["ip", "link", "set", self.interface, "down"])

    def plug(self) -> None:
        """Put the cable back."""
        self.run(["ip", "link", "set", self.interface, "up"])

    def end(self) -> None:
        """End what was started here."""
        for child in self._children:
            if child.poll() is None:
                child.terminate()
        for child in self._children:
            try:
                child.wait(END_SECONDS_MAX)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait(END_SECONDS_MAX)
            for pipe in (child.stdin, child.stdout, child.stderr):
                if pipe is not None:
                    pipe.close()


@contextmanager
def two_hosts() -> Iterator[tuple[Host, Host]]:
    """Two hosts on one cable, 10.77.0.1 and 10.77.0.2, link-local IPv6 included."""
    stem = f"sm{os.getpid() % 100_000}{next(_NUMBERS)}"  # an interface name has 15 characters
    hosts = tuple(Host(f"samemind-{stem}-{n}", f"{stem}v{n}", f"10.77.0.{n + 1}") for n in range(2))
    try:
        for host in hosts:
            _ip("netns", "add", host.namespace)
        _ip("link", "add", hosts[0].interface, "type", "veth", "peer", "name", hosts[1].interface)
        for host in hosts:
            _ip("link", "set", host.interface, "netns", host.namespace)
            # Otherwise IPv6 spends the first two seconds making sure that nobody else has its address.
            host.run(["sysctl", "-qw", f"net.ipv6.conf.{host.interface}.accept_dad=0"], check=False)
            host.run(["ip", "address", "add", f"{host.address}/24", "dev", host.interface])
            host.run(["ip", "link", "set", "lo", "up"])
            host.plug()
        yield hosts[0], hosts[1]
    finally:
        for host in hosts:
            host.end()
        for host in hosts:
            _ip("netns", "del", host.namespace, check=False)  # the cable goes with its ends
        _ip("link", "del", hosts[0].interface, check=False)


@contextmanager
def hub_and_hosts(count: int) -> Iterator[tuple[Host, list[Host]]]:
    """A hub with a cable to each host, which reaches the hub and nobody else.

    Host n has 10.78.n.2, and knows the hub as 10.78.n.1.
    """
    stem = f"sm{os.getpid() % 100_000}{next(_NUMBERS)}"
    hub = Host(f"samemind-{stem}-hub", "lo", "127.0.0.1")
    hosts = [Host(f"samemind-{stem}-{n}", f"{stem}h{n}", f"10.78.{n}.2") for n in range(count)]
    try:
        for host in (hub, *hosts):
            _ip("netns", "add", host.namespace)
            host.run(["ip", "link", "set", "lo", "up"])
        for n, host in enumerate(hosts):
            end = f"{stem}x{n}"
            _ip("link", "add", end, "type", "veth", "peer", "name", host.interface)
            _ip("link", "set", end, "netns", hub.namespace)
            _ip("link", "set", host.interface, "netns", host.namespace)
            host.run(["ip", "address", "add", f"{host.address}/24", "dev", host.interface])
            hub.run(["ip", "address", "add", f"10.78.{n}.1/24", "dev", end])
            hub.run(["ip", "link", "set", end, "up"])
            host.plug()
        hub.run(["sysctl", "-qw", "net.ipv4.ip_forward=0"])
        yield hub, hosts
    finally:
        for host in (*hosts, hub):
            host.end()
        for host in (*hosts, hub):
            _ip("netns", "del", host.namespace, check=False)


@contextmanager
def named(host: Host, name: str, *addresses: str) -> Iterator[None]:
    """Let a name stand for these addresses on a host; for processes that start meanwhile."""
    folder = Path("/etc/netns") / host.namespace  # what `ip netns exec` puts over the files in /etc
    folder.mkdir(parents=True)
    try:
        lines = ("127.0.0.1 localhost", *(f"{address} {name}" for address in addresses))
        (folder / "hosts").write_text("".join(f"{line}\n" for line in lines))
        yield
    finally:
        shutil.rmtree(folder)


def _ip(*arguments: str, check: bool = True) -> None:
    done = subprocess.run(["ip", *arguments], capture_output=True, text=True, check=False, timeout=60)
    if check and done.returncode:
        raise RuntimeError(f"ip {' '.join(arguments)}: {done.stderr.strip()}")
