"""Say who is who in a world: who may be picked, who is whose neighbour, and who still talks to whom.

All that happens in a world (`simulations.faults`) acts on it through the methods of this class and of the layers below:
`timeline` (time, findings), `household` (devices), `links`. What knows the plan and its phases is above
(`simulations.playing`).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from simulations.device import Device
from simulations.links import Links


@dataclass(slots=True, eq=False)
class World(Links):
    """Devices that meet over links and by files, in groups and along a topology."""

    sticks: list[bytes] = field(default_factory=list)
    """Files that somebody carries about."""

    def look_at(self, device: Device) -> None:
        """Let every checker look at one device."""
        for checker in self.checkers:
            checker.audited(self, device)

    def groups(self) -> list[list[Device]]:
        """Return the devices in groups of those that still talk to each other, directly or through others."""
        waiting, groups = list(self.devices), []
        while waiting:
            group, edge = [], [waiting.pop(0)]
            while edge:
                device = edge.pop()
                group.append(device)
                near = [other for other in waiting if self.admitted(device, other)]
                waiting = [other for other in waiting if other not in near]
                edge += near
            groups.append(group)
        return groups

    def pick(self, random: Random) -> Device:
        """Return any device."""
        return random.choice(self.devices)

    def peer_of(self, device: Device, random: Random) -> Device:
        """Return another device that this one dials: any, or a neighbour, as the topology says."""
        at, count = self.devices.index(device), len(self.devices)
        match self.options.topology:
            case "ring":
                return self.devices[(at + random.choice([1, -1])) % count]
            case "star":
                return self.devices[0] if at else random.choice(self.devices[1:])
            case "line":
                return self.devices[max(0, min(count - 1, at + random.choice([1, -1])))]
        return random.choice(self.devices)

    def pairs(self) -> Iterator[tuple[Device, Device]]:
        """Return who talks to whom in one round: all pairs of a small world; a tree, up and down, in a large one."""
        devices = self.devices
        if self.is_small:
            yield from ((a, b) for i, a in enumerate(devices) for b in devices[i + 1 :])
        else:
            for group in self.groups():
                tree = self._tree(group)
                yield from reversed(tree)
                yield from tree

    def _tree(self, group: list[Device]) -> list[tuple[Device, Device]]:
        """Return pairs that join a group: nearly all with the first device, whose twins talk to somebody else."""
        joined, tree = group[:1], []
        for device in group[1:]:
            tree.append((next(each for each in joined if self.admitted(each, device)), device))
            joined.append(device)
        return tree

    def mark(self, device: Device) -> tuple[int, ...]:
        """Return what changes when a device hears news."""
        core, group = device.core, device.core.membership
        return (
            core.position,
            device.held.bit_count(),
            group.size,
            len(core.proofs),
        )
