"""Whoever turned is out, and nobody else: once the founder, or whoever holds the code, has put a group right."""

from collections.abc import Sequence

from simulations.device import Device
from simulations.hostile.politics import bad_devices
from simulations.household import Checker, Household


class Politics(Checker):
    """Look at who belongs to the group, in the eyes of each honest device."""

    name = "politics"

    def settled(self, world: Household, groups: Sequence[Sequence[Device]]) -> None:
        """No act of a bad device counts, all that were to stay talk to each other, and all say the same."""
        if world.founder is None:
            return
        right = {world.founder, None if world.code is None else world.code.device}
        right |= world.founded - {each.key.device for each in world.hostiles}
        for group in (each for each in groups if len(each) > 1):
            for device in group:
                root = device.core.membership.root
                if root in right or device.key.device in world.misled | world.decided:
                    continue
                if root is None and _was_never_told(device, group):
                    continue
                name = "nobody" if root is None else root.hex()[:8]
                world.violate(self.name, f"{device.name} follows {name}, who did not found the group")
        if world.restored is None:
            return
        holder, kept = world.restored.by, world.restored.kept
        group = next(group for group in groups if holder in group)
        standing, bad = holder.core.membership.standing, bad_devices(world)
        alone = {holder.key.device} == kept  # its twins have nobody through whom to hear of it
        for device in world.devices:
            if device.key.device in kept and device not in group and not alone:
                world.violate(
                    self.name, f"{device.name} was to stay in the group of {holder.name}, and is not"
                )
        for device in group:
            if device.key.device not in kept:
                continue
            if device.core.membership.standing & bad:
                world.violate(self.name, f"a bad device stands in the eyes of {device.name}")
            if device.core.membership.standing != standing:
                world.violate(
                    self.name, f"{device.name} and {holder.name} disagree on who belongs to the group"
                )


def _was_never_told(device: Device, group: Sequence[Device]) -> bool:
    """Whether whom it was paired with is gone, or wiped, before it could say who founded the group.

    So it is for whoever was paired with a device that was never told itself.
    """
    by_key = {each.key.device: each for each in group}
    asked = set[str]()
    while device.core.membership.root is None and device.name not in asked:
        asked.add(device.name)
        awaited = device.core.membership.awaits
        if awaited is None:
            return False
        if awaited not in by_key:
            return True
        device = by_key[awaited]
    return device.core.membership.root is None
