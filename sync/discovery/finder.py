"""What a way of finding peers has to offer, whatever it is made of.

A sighting is a hint: somebody listens there. It carries no identity, because whoever can announce can
announce anything, and because a name that stays the same would let others follow a device from network to
network. Who it is, the link says. A name is only good for taking a sighting back.
"""

import enum
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

import trio

from sync.address import Address


class Service(enum.Enum):
    """What is listened for; the value is its DNS-SD type."""

    SYNC = "_samemind._tcp.local."
    PAIRING = "_samemind-pair._tcp.local."  # there only while a person is pairing


@dataclass(frozen=True, slots=True)
class Sighting:
    """Somebody listens at one of these addresses, the most promising first."""

    name: str
    addresses: tuple[Address, ...]


@dataclass(frozen=True, slots=True)
class Vanished:
    """What was seen under this name said goodbye. Whoever crashes does not: liveness comes from the link."""

    name: str


News = Sighting | Vanished


class Finder(Protocol):
    """Announces this device and watches for others. Never reports its own announcements."""

    def watch(self, service: Service) -> AbstractAsyncContextManager["trio.MemoryReceiveChannel[News]"]:
        """Everything seen from now on, and what is in sight already. The channel ends with the context."""
        ...

    def announce(self, service: Service, port: int) -> AbstractAsyncContextManager[None]:
        """Be found at this port for as long as the context lasts. Does not wait until others have heard."""
        ...
