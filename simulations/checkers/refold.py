"""State is the refold of the log: the product's own `verify` finds nothing, on any device, at any time.

The log is sent to an empty replica through the door that peers use, so this also holds the wire codec, admission and
signatures to what is stored (YD-51: every mutation is in the log).
"""

from collections.abc import Sequence

from replica.verify import verify_replica
from simulations.device import Device
from simulations.household import Checker, Household


class Refold(Checker):
    """Run `verify` on devices."""

    name = "refold"

    def audited(self, world: Household, device: Device) -> None:
        """What is stored is what the log folds to."""
        for problem in verify_replica(device.core, verify=world.verify).problems:
            world.violate(self.name, f"{device.name}: {problem}")

    def settled(self, world: Household, groups: Sequence[Sequence[Device]]) -> None:
        """Likewise at the end, on every device of a small world."""
        for group in groups:
            for device in group if world.is_small else group[:1]:
                self.audited(world, device)
