"""A label that was put on shows until somebody takes it off who had seen that.

This is what was promised to whoever put it on. It is asked of the ops alone, by true pasts, and of what shows: how
labels are folded is no part of it.
"""

from collections import defaultdict
from collections.abc import Sequence

from replica.ops import Remember, Tag, Untag
from simulations.device import Device
from simulations.household import Checker, Household
from simulations.observer import Written


class Labels(Checker):
    """Look for labels that are gone though nobody who knew of them took them off."""

    name = "labels"

    def audited(self, world: Household, device: Device) -> None:
        """Of every memory that shows, at any moment."""
        held = [each for each in world.observer.among(device.held) if device.upgraded or not each.newer]
        adds: dict[bytes, int] = defaultdict(int)
        said: dict[bytes, list[Written]] = defaultdict(list)
        for each in held:
            if each.op.rid is not None:
                if isinstance(each.body, Remember):
                    adds[each.op.rid] |= 1 << each.index
                elif isinstance(each.body, Tag | Untag):
                    said[each.op.rid].append(each)
        if not said:
            return
        for rid, shown in device.shown():
            acting = [each for each in said.get(rid, ()) if each.past & adds[rid]]
            lost = _put_on(acting) - set(shown.fields.get("tags", ()))
            if lost:
                world.violate(self.name, f"{device.name}: {rid.hex()[:8]} lost its labels {sorted(lost)}")

    def settled(self, world: Household, groups: Sequence[Sequence[Device]]) -> None:
        """Likewise at the end."""
        for group in groups:
            for device in group if world.is_small else group[:1]:
                self.audited(world, device)


def _put_on(said: Sequence[Written]) -> set[str]:
    """Return the labels of every op that put some on, less what an op took off whose author held that op."""
    return {
        label
        for each in said
        if isinstance(each.body, Tag)
        for label in each.body.labels
        if not any(
            isinstance(other.body, Untag) and label in other.body.labels and other.past >> each.index & 1
            for other in said
        )
    }
