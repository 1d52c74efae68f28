"""Nothing is accepted that its origin did not sign.

Whatever a relay did to a frame, an op in a log is byte for byte what its author wrote: its id says so for the header,
and the payload is compared. Only a proof of erasure may have taken the payload away.
"""

from typing import TYPE_CHECKING

from replica.oplog import Row
from simulations.checkers.base import Checker

if TYPE_CHECKING:
    from simulations.device import Device
    from simulations.household import Household
    from simulations.observer import Written


class Authorship(Checker):
    """Compare every op that enters a log with what was written."""

    name = "authorship"

    def took(self, world: "Household", device: "Device", row: Row, written: "Written | None") -> None:
        """An op that nobody wrote, or that differs from what was written, must not enter a log."""
        if written is None:
            world.violate(self.name, f"{_told(device, row)}, which nobody wrote")
            return
        op = written.op
        origin = device.core.feeds[row.feed].origin
        if (row.seq, row.hlc, row.kind, row.rid) != (op.seq, op.hlc, op.kind, op.rid) or origin != op.origin:
            world.violate(self.name, f"{_told(device, row)}, which its author wrote otherwise")
        if row.payload is None:
            if op.rid not in world.proven:
                what = _told(device, row)
                world.violate(self.name, f"{what} without its payload, and no proof of erasure exists")
        elif row.payload != op.payload:
            world.violate(self.name, f"{_told(device, row)} with another payload than its author's")


def _told(device: "Device", row: Row) -> str:
    return f"{device.name} took op {row.id.hex()[:8]} (kind {row.kind}, seq {row.seq})"
