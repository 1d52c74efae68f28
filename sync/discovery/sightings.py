"""What may be found on a network: somebody who listens for one of two services.

A sighting is a hint: somebody listens there. It carries no identity, because whoever can announce can
announce anything, and because a name that stays the same would let others follow a device from network to
network. Who it is, the link says. A name is only good for taking a sighting back. The network cannot do so: whoever can
announce can say goodbye for others, too, and liveness comes from the link.
"""

import enum
from dataclasses import dataclass

from sync.address import Address


class ServiceType(enum.Enum):
    """What is listened for; the value is its DNS-SD type."""

    SYNC = "_samemind._tcp.local."
    PAIRING = "_samemind-pair._tcp.local."  # there only while a person is pairing


@dataclass(frozen=True, slots=True)
class Sighting:
    """Somebody listens at one of these addresses, those that were said first and then the most promising first."""

    name: str
    addresses: tuple[Address, ...]


@dataclass(frozen=True, slots=True)
class Vanished:
    """What was seen under this name counts no more: the finder begins anew."""

    name: str


News = Sighting | Vanished
