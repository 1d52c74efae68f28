"""Put devices of a world at addresses, and let each call whom its roster says, when it says so.

The roster is the product's own (`sync.roster`), and so is the rule for two links to one peer; what is played is the
network: who answers at an address today, who cannot be called from where, and what is announced. A link that comes
up is a whole conversation, and one more whenever somebody has written; one that stands keeps its ends from calling.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from simulations.device import Device
from simulations.world import World
from sync.address import Address
from sync.roster import DialTarget, Roster

# Two devices that are both up and know where the other is are linked within this.
RECONNECT_MS_MAX: Final = 5_000


@dataclass(slots=True, eq=False)
class Neighbourhood:
    """Some devices, each behind an address or several, and the links that stand between them."""

    world: World
    behind: dict[Address, list[str]] = field(default_factory=dict)
    """Who answers at an address: the first that is up and reached; a router may have several behind it."""
    walls: set[tuple[str, str]] = field(default_factory=set)
    """Who cannot call whom."""
    off: set[str] = field(default_factory=set)
    calls: dict[str, int] = field(default_factory=dict)
    rosters: dict[str, Roster] = field(default_factory=dict)
    _links: set[frozenset[str]] = field(default_factory=set)
    _announced: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for device in self.world.devices:
            roster = self.rosters[device.name] = Roster(device.key.device)
            roster.admit(device.core.membership.members.keys(), now_ms=self.world.now_ms)

    # -- what changes ----------------------------------------------------------------------------------------

    def move(self, name: str, *addresses: Address) -> None:
        """Put a device at other addresses; what stood there is gone from it, and so are its links."""
        for names in self.behind.values():
            if name in names:
                names.remove(name)
        for address in addresses:
            self.behind.setdefault(address, []).append(name)
        self.lose(name)
        self.world.say(name, "moves", f"to {', '.join(map(str, addresses)) or 'nowhere'}")

    def announce(self, name: str, *, to: str) -> None:
        """Let one device hear where another is, as mDNS says it: a name that means nothing, and an address."""
        places = [address for address, names in self.behind.items() if name in names]
        said = f"{name} {self.world.now_ms}"
        self._announced.setdefault(to, []).append(said)
        self.rosters[to].sight(said, places, now_ms=self.world.now_ms)

    def hush(self, to: str) -> None:
        """Let everything that was announced to a device run out."""
        for said in self._announced.pop(to, []):
            self.rosters[to].lose_sight(said)

    def lose(self, name: str) -> None:
        """Cut every link of a device: both ends notice, as TCP does in the end."""
        for link in [link for link in self._links if name in link]:
            self._links.discard(link)
            for end in link:
                (other,) = link - {end}
                self.rosters[end].lost(
                    self._device(other).key.device, now_ms=self.world.now_ms, random=self._device(end).random
                )

    def are_linked(self, one: str, other: str) -> bool:
        """Whether a link stands between two devices."""
        return frozenset((one, other)) in self._links

    def refresh(self) -> None:
        """Carry what is new over every link that stands."""
        for link in sorted(self._links, key=sorted):
            one, other = sorted(link)
            self.world.converse(self._device(one), self._device(other))

    # -- what goes on ----------------------------------------------------------------------------------------

    def pass_time(self, ms: int) -> None:
        """Let time pass, and everybody call whom they want to call meanwhile."""
        until = self.world.now_ms + ms
        for _ in range(100_000):
            now = self.world.now_ms
            due = [(name, contact) for name in self._up() for contact in self.rosters[name].due(now_ms=now)]
            for name, contact in due:
                self._call(name, contact)
            wakes = [self.rosters[name].next_wake_ms(now_ms=self.world.now_ms) for name in self._up()]
            wake = min((at for at in wakes if at is not None), default=until)
            if wake >= until:
                break
            self.world.pass_time(max(1, wake - self.world.now_ms))
        else:
            self.world.violate("script", "the rosters call without end")
        self.world.pass_time(until - self.world.now_ms)

    def _up(self) -> Iterator[str]:
        return (name for name in self.rosters if name not in self.off)

    def _call(self, name: str, contact: DialTarget) -> None:
        """Call a contact as `sync.syncer` does: whoever is missing may answer, at any of its places."""
        world, roster, own = self.world, self.rosters[name], self._device(name)
        roster.calling(contact.key, now_ms=world.now_ms)
        self.calls[name] = self.calls.get(name, 0) + 1
        answered = False
        for address in contact.addresses:
            for other in self.behind.get(address, []):
                if other in self.off or (name, other) in self.walls or other == name:
                    continue
                answered = True
                peer = self._device(other)
                if self.are_linked(name, other) or not world.admitted(own, peer):
                    continue
                world.say(name, "calls", f"{address}: {other}", other=other)
                roster.reached(contact.key, peer.key.device, address, now_ms=world.now_ms, random=own.random)
                self.rosters[other].linked(own.key.device, now_ms=world.now_ms)
                self._links.add(frozenset((name, other)))
                world.converse(own, peer)
                return
        said = "somebody else" if answered else "nobody"
        world.say(name, "calls", f"{', '.join(map(str, contact.addresses))}: {said}")
        roster.failed(contact.key, now_ms=world.now_ms, random=own.random, by_other=answered)

    def _device(self, name: str) -> Device:
        return next(device for device in self.world.devices if device.name == name)
