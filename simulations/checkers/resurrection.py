"""What was forgotten stays forgotten: on this device from now on, and on all of them in the end.

A tombstone that a device has folded hides the memory there at once and for ever, whatever arrives later: an older
edit, an importer that adds it anew, a peer restored from a backup.
"""

from collections.abc import Sequence

from replica.ops import Erase, Forget
from replica.state.cells import memory_key
from simulations.device import Device
from simulations.household import Checker, Household


class Resurrection(Checker):
    """Compare what shows with what was forgotten."""

    name = "resurrection"

    def audited(self, world: Household, device: Device) -> None:
        """No memory shows that an op held here has forgotten."""
        forgotten: set[bytes] = set(device.core.erased)
        for written in world.observer.forgetting:
            if device.held >> written.index & 1 and not (written.newer and not device.upgraded):
                assert isinstance(written.body, Forget | Erase)
                forgotten.update(written.body.rids)
        for key in sorted(device.core.store.load([memory_key(rid) for rid in forgotten])):
            world.violate(self.name, f"{device.name} shows {key.name.hex()[:8]}, which was forgotten")
        for rid in sorted(forgotten - device.core.store.all_tombstones()):
            world.violate(self.name, f"{device.name} has no tombstone for {rid.hex()[:8]}")

    def settled(self, world: Household, groups: Sequence[Sequence[Device]]) -> None:
        """Likewise at the end, on every device."""
        for group in groups:
            for device in group:
                self.audited(world, device)
