"""Nothing is accepted that its origin did not sign.

Whatever a relay did to a frame, an op in a log is byte for byte what its author wrote: its id says so for the header,
and the payload is compared. Only a proof of erasure may have taken the payload away.
"""

from typing import TYPE_CHECKING

from replica.oplog import Row
from replica.ops import Op
from simulations.checkers.base import Arrival, Checker

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulations.device import Device
    from simulations.household import Household


class Authorship(Checker):
    """Compare every op that enters a log with what was written."""

    name = "authorship"

    def took(self, world: "Household", device: "Device", arrivals: "Sequence[Arrival]") -> None:
        """An op that nobody wrote, or that differs from what was written, must not enter a log."""
        origin_of = device.core.feeds.origin_of
        for row, written in arrivals:
            if written is None:
                world.violate(self.name, f"{_told(device, row)}, which nobody wrote")
                continue
            _, _, seq, hlc, kind, _, _, rid, _, payload, *_ = row
            op = written.op
            if (
                seq != op.seq
                or hlc != op.hlc
                or kind != op.kind
                or rid != op.rid
                or payload != op.payload
                or origin_of(row.feed) != op.origin
            ):
                self._differs(world, device, row, op)

    def _differs(self, world: "Household", device: "Device", row: Row, op: Op) -> None:
        origin = device.core.feeds.origin_of(row.feed)
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
