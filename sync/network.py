"""Notice that this machine is in another network than a moment ago, or was asleep.

TCP finds out late: a connection whose address is gone looks quiet for minutes. So the machine's own addresses and both
clocks are looked at every few seconds, which takes half a millisecond: the wall clock goes on while a machine sleeps,
the one by which the program waits does not. Only the look is done here; what follows is the syncer's to do.
"""

import ipaddress
import math
import os
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

import ifaddr
import trio

from sync.beat import next_beat

# How long a device may take to come back after its network did; an announcement takes as long.
LOOK_SECONDS: Final = 3.0
# More than a busy machine is late, and more than a clock is corrected by in one step, as a rule.
SLEPT_SECONDS_MIN: Final = 10.0
# Everything that looks by the clock wakes on one beat (`sync.beat`), and is done within this time as a rule.
SAME_LOOK_SECONDS: Final = 0.5
# As much as peers call a difference (`samemind doctor`). A clock that is slowed down to be right takes a day for it.
SET_BACK_SECONDS_MIN: Final = 60.0


class Change(Enum):
    """What is different from the last look."""

    NOTHING = auto()
    ADDRESSES = auto()
    """Addresses came or went: some links may have lost theirs."""
    SLEPT = auto()
    """The machine was asleep: every link is in doubt."""
    SET_BACK = auto()
    """Its clock was set back, or stands still: how far it is from those of the peers has to be found out anew."""


@dataclass(slots=True)
class Looks:
    """What was seen last. `behind`: how far the wall clock has fallen behind since then, a little at a time."""

    addresses: frozenset[str]
    wall_seconds: float
    seconds: float
    behind: float = 0.0

    def look(self, addresses: frozenset[str], *, wall_seconds: float, seconds: float) -> Change:
        """Say what has changed since the last look."""
        slept = (wall_seconds - self.wall_seconds) - (seconds - self.seconds)
        moved = addresses != self.addresses
        self.addresses, self.wall_seconds, self.seconds = addresses, wall_seconds, seconds
        self.behind = max(0.0, self.behind - slept)
        if slept >= SLEPT_SECONDS_MIN:
            return Change.SLEPT
        if self.behind >= SET_BACK_SECONDS_MIN:
            self.behind = 0.0
            return Change.SET_BACK
        return Change.ADDRESSES if moved else Change.NOTHING


class AddressesNow:
    """This machine's addresses, asked of the system once for all who look on the same beat.

    Asking takes half a millisecond, which is most of what a look costs a resting machine.

    Args:
        clock: Seconds that only go forward.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._asked_seconds = -math.inf
        self._addresses: frozenset[str] = frozenset()

    def __call__(self, before: frozenset[str]) -> frozenset[str]:
        """Return the addresses, or those of before while the system cannot say: the question takes a descriptor."""
        now_seconds = self._clock()
        if now_seconds - self._asked_seconds >= SAME_LOOK_SECONDS:
            try:
                self._addresses = own_addresses()
            except OSError:
                return before
            self._asked_seconds = now_seconds
        return self._addresses


# One for the process: links follow the network, and so does what is announced.
addresses_now: Final = AddressesNow()


async def follow(
    tell: Callable[[Change, frozenset[str]], None],
    *,
    addresses: Callable[[frozenset[str]], frozenset[str]] = addresses_now,
) -> None:
    """Look for as long as this runs; tell of each change, with the addresses there are now."""
    looks = Looks(addresses(frozenset()), time.time(), trio.current_time())
    while True:
        await next_beat(LOOK_SECONDS)
        now = addresses(looks.addresses)
        change = looks.look(now, wall_seconds=time.time(), seconds=trio.current_time())
        if change is not Change.NOTHING:
            tell(change, now)


def own_addresses() -> frozenset[str]:
    """Return the addresses of this machine at which others could reach it, without scope."""
    texts = (
        ip.ip if isinstance(ip.ip, str) else ip.ip[0]
        for adapter in ifaddr.get_adapters()
        for ip in adapter.ips
    )
    hosts = {text.partition("%")[0] for text in texts}
    return frozenset(host for host in hosts if not ipaddress.ip_address(host).is_loopback)


def own_hosts() -> list[str]:
    """Return the same, the likeliest first."""
    return sorted(own_addresses(), key=lambda host: (":" in host, host))


def url_hosts() -> list[str]:
    """Return those that a URL can name: one of the link alone is none without its interface, which no URL has."""
    return [host for host in own_hosts() if not host.startswith("fe80:")]


def on_interface(host: str) -> str:
    """Return a link-local host with its interface by name, as the system names whoever calls from there.

    An interface's number is another one after a restart, or once something was plugged in, and then leads elsewhere.
    Windows tells by number who calls, and understands no other name.
    """
    plain, _, scope = host.partition("%")
    if os.name == "nt" or not (scope.isascii() and scope.isdecimal()):
        return host
    try:
        return f"{plain}%{socket.if_indextoname(int(scope))}"
    except (OSError, OverflowError):  # it is gone, or nobody's
        return host
