"""Whom a device accuses did it: evidence names nobody who kept the rules.

That whoever broke them is named is asked where it happens (`simulations.hostile`), of the device that met it.
"""

from collections.abc import Sequence

from simulations.device import Device
from simulations.household import Checker, Household


class Evidence(Checker):
    """Compare whom devices accuse with who was hostile, lied, or signed nonsense."""

    name = "evidence"

    def settled(self, world: Household, groups: Sequence[Sequence[Device]]) -> None:
        """No honest device is accused of anything."""
        for group in groups:
            for device in group:
                for accused, seen in device.core.evidence.items():
                    if accused.device not in world.guilty:
                        name = accused.device.hex()[:8]
                        what = f"{accused.fault.value}, {seen.times} times"
                        world.violate(self.name, f"{device.name} accuses honest {name} of {what}")
