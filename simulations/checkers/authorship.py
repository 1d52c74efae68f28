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
        what = f"{device.name} took op {row.id.hex()[:8]} (kind {row.kind}, seq {row.seq})"
        if written is None:
            world.violate(self.name, f"{what}, which nobody wrote")
            return
        op = written.op
        feed = device.core.feeds[row.feed]
        if (feed.origin, row.seq, row.hlc, row.kind, row.rid) != (op.origin, op.seq, op.hlc, op.kind, op.rid):
            world.violate(self.name, f"{what}, which its author wrote otherwise")
        if row.payload is None:
            if op.rid not in world.proven:
                world.violate(self.name, f"{what} without its payload, and no proof of erasure exists")
        elif row.payload != op.payload:
            world.violate(self.name, f"{what} with another payload than its author's")
