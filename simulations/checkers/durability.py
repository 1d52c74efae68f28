"""An acknowledged write is somewhere, for ever.

A commit that returned is in the log after any crash that the disk survived. An op that any device of a group holds
when the faults end is held by every device of the group when they have settled. (What was only on a disk that was
wiped or rolled back is gone with it, and nobody else ever heard of it.)
"""

from collections.abc import Sequence

from simulations.device import Device
from simulations.household import Checker, Household


class Durability(Checker):
    """Compare logs with what was acknowledged."""

    name = "durability"

    def restarted(self, world: Household, device: Device) -> None:
        """After a crash, the log holds what it held before, and nothing else."""
        lost = device.held & ~world.held_by(device)
        if lost:
            world.violate(self.name, f"{device.name} lost {world.observer.names(lost)} in a crash")
        more = world.held_by(device) & ~device.held
        if more:
            world.violate(
                self.name, f"{device.name} kept {world.observer.names(more)} of a write that failed"
            )

    def settled(self, world: Household, groups: Sequence[Sequence[Device]]) -> None:
        """What anybody in a group held, everybody in it holds."""
        for group in groups:
            union = 0
            for device in group:
                union |= device.held
            for device in group:
                lost = union & ~world.held_by(device)
                world.lost |= lost
                if lost:
                    world.violate(
                        self.name, f"{device.name} never got {world.observer.names(lost)}, held in its group"
                    )
