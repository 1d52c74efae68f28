"""What the log says about an op (folded, not understood, or made wrong) is what is true of it.

`verify` compares statuses with those of a log that is taken anew, and lets one case pass: an op that was made wrong and
then erased is marked by what it was, or by what is left of it, whichever came first. Here the observer knows what each
op was, so every row is judged, and in that case only the two that can be right are let through.
"""

from collections.abc import Sequence

from replica.oplog import FoldStatus, LogRow
from simulations.crafting import UNHEARD_OF
from simulations.device import Device
from simulations.household import Checker, Household
from simulations.observer import Written, name_of


class Statuses(Checker):
    """Compare the status of every row with what its author wrote."""

    name = "statuses"

    def audited(self, world: Household, device: Device) -> None:
        """Look at the whole log of one device."""
        for row in device.core.store.rows():
            written = world.observer.by_id.get(row.id)
            if written is not None and FoldStatus(row.status) not in (right := _right(device, row, written)):
                names = " or ".join(status.name for status in right)
                world.violate(
                    self.name,
                    f"{device.name} marks {name_of(written.op)} {FoldStatus(row.status).name}, and it is {names}",
                )

    def settled(self, world: Household, groups: Sequence[Sequence[Device]]) -> None:
        """Likewise at the end, on every device of a small world."""
        for group in groups:
            for device in group if world.is_small else group[:1]:
                self.audited(world, device)


def _right(device: Device, row: LogRow, written: Written) -> tuple[FoldStatus, ...]:
    if row.kind == UNHEARD_OF or (written.newer and not device.upgraded):
        return (FoldStatus.UNKNOWN,)
    if written.honest:
        return (FoldStatus.FOLDED,)
    return (FoldStatus.UNFOLDABLE,) if row.payload is not None else (FoldStatus.UNFOLDABLE, FoldStatus.FOLDED)
