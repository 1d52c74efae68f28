"""Nothing is accepted that its origin did not sign.

Whatever a relay did to a frame, an op in a log is byte for byte what its author wrote: its id says so for the header,
and the payload is compared. Only a proof of erasure may have taken the payload away.
"""

from collections.abc import Sequence

from replica.oplog import LogEntry
from replica.ops import Op
from simulations.device import Device
from simulations.household import Arrival, Checker, Household


class Authorship(Checker):
    """Compare every op that enters a log with what was written."""

    name = "authorship"

    def __init__(self) -> None:
        self._right: dict[bytes, Op] = {}
        """Ops that were compared with what was written: replicas of one process share such values."""

    def took(self, world: Household, device: Device, arrivals: Sequence[Arrival]) -> None:
        """An op that nobody wrote, or that differs from what was written, must not enter a log."""
        origin_of, right = device.core.feeds.origin_of, self._right
        for entry, written in arrivals:
            _, feed, taken, _, _ = entry
            if written is None:
                world.violate(self.name, f"{_told(device, taken)}, which nobody wrote")
                continue
            if right.get(taken.id) is taken and origin_of(feed) == taken.origin:
                continue
            _, seq, hlc, _, kind, _, _, rid, _, _, payload, _ = taken
            op = written.op
            if (
                seq != op.seq
                or hlc != op.hlc
                or kind != op.kind
                or rid != op.rid
                or payload != op.payload
                or origin_of(feed) != op.origin
            ):
                self._differs(world, device, entry, op)
            elif taken.origin == op.origin:
                right[op.id] = taken

    def _differs(self, world: Household, device: Device, entry: LogEntry, op: Op) -> None:
        taken, origin = entry.op, device.core.feeds.origin_of(entry.feed)
        told = (taken.seq, taken.hlc, taken.kind, taken.rid, origin)
        if told != (op.seq, op.hlc, op.kind, op.rid, op.origin):
            world.violate(self.name, f"{_told(device, taken)}, which its author wrote otherwise")
        if taken.payload is None:
            if op.rid not in world.proven:
                what = _told(device, taken)
                world.violate(self.name, f"{what} without its payload, and no proof of erasure exists")
        elif taken.payload != op.payload:
            world.violate(self.name, f"{_told(device, taken)} with another payload than its author's")


def _told(device: Device, op: Op) -> str:
    return f"{device.name} took op {op.id.hex()[:8]} (kind {op.kind}, seq {op.seq})"
