"""An op enters a log only after everything that its writer had seen, and vectors say exactly what that was.

Judged by true pasts, which no device can read. Stamps keep the order too, as long as clocks are less than a day apart:
who writes after having read, writes a later stamp.
"""

from typing import TYPE_CHECKING

from replica.hlc import AHEAD_MS_MAX, COUNTER_BITS
from replica.oplog import Row
from simulations.checkers.base import Checker
from simulations.observer import bits, name_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulations.device import Device
    from simulations.household import Household
    from simulations.observer import Written
    from simulations.world import World


class Causality(Checker):
    """Compare order and vectors with true pasts."""

    name = "causality"

    def took(self, world: "Household", device: "Device", row: Row, written: "Written | None") -> None:
        """Everything that an op's writer held is held here before the op is."""
        if written is None:
            return
        missing = written.past & ~device.held
        if missing:
            names = world.observer.names(missing)
            world.violate(
                self.name, f"{device.name} took {name_of(written.op)} before {names}, which it has seen"
            )

    def settled(self, world: "World", groups: "Sequence[Sequence[Device]]") -> None:
        """At the end each feed's vector is the true past of its head."""
        for group in groups:
            for device in group:
                self.audited(world, device)

    def audited(self, world: "Household", device: "Device") -> None:
        """A feed's vector covers its head and the true past of it, no more and no less."""
        feeds = device.core.feeds
        for feed in feeds:
            written = world.observer.by_id.get(feed.head)
            if written is None:
                continue
            covered = bits(
                each
                for each in world.observer.among(device.held)
                if (dot := feeds.locate(each.op.place)) is not None
                and feed.vector.get(dot.feed, 0) >= dot.seq
            )
            if covered != written.past | 1 << written.index:
                more = world.observer.names(covered & ~written.past & ~(1 << written.index))
                less = world.observer.names(written.past & ~covered)
                world.violate(
                    self.name,
                    f"on {device.name} the vector of {name_of(written.op)} is not its true past: "
                    f"too much: {more or 'nothing'}; missing: {less or 'nothing'}",
                )


def stamps_keep_order(earlier: int, later: int, writer_ms: int) -> bool:
    """Say whether a stamp may follow another that its writer, whose clock showed `writer_ms`, had seen."""
    return later > earlier or earlier > (writer_ms + AHEAD_MS_MAX) << COUNTER_BITS
