"""An op enters a log only after everything that its writer had seen, and vectors say exactly what that was.

Judged by true pasts, which no device can read.
"""

from collections.abc import Sequence

from simulations.device import Device
from simulations.household import Arrival, Checker, Household
from simulations.observer import Bits, name_of


class Causality(Checker):
    """Compare order and vectors with true pasts."""

    name = "causality"

    def took(self, world: Household, device: Device, arrivals: Sequence[Arrival]) -> None:
        """Everything that an op's writer held is held here before the op is."""
        held = device.held
        for _, written in arrivals:
            if written is None:
                continue
            if written.past & held != written.past:
                names = world.observer.names(written.past & ~held)
                world.violate(
                    self.name, f"{device.name} took {name_of(written.op)} before {names}, which it has seen"
                )
            held |= 1 << written.index

    def settled(self, world: Household, groups: Sequence[Sequence[Device]]) -> None:
        """At the end each feed's vector is the true past of its head."""
        for group in groups:
            for device in group:
                self.audited(world, device)

    def audited(self, world: Household, device: Device) -> None:
        """A feed's vector covers its head and the true past of it, no more and no less."""
        chains: dict[tuple[int, int], Bits] = {}
        for feed in device.core.feeds:
            written = world.observer.by_id.get(feed.head)
            if written is None:
                continue
            covered = 0
            for entry in feed.vector.items():
                if entry not in chains:
                    chains[entry] = _chain(world, device, *entry)
                covered |= chains[entry]
            covered &= device.held
            if covered != written.past | 1 << written.index:
                more = world.observer.names(covered & ~written.past & ~(1 << written.index))
                less = world.observer.names(written.past & ~covered)
                world.violate(
                    self.name,
                    f"on {device.name} the vector of {name_of(written.op)} is not its true past: "
                    f"too much: {more or 'nothing'}; missing: {less or 'nothing'}",
                )


def _chain(world: Household, device: Device, no: int, seq: int) -> Bits:
    """Return the ops of a device's feed up to a seq, without those of the stem that the feed left."""
    feeds = device.core.feeds
    feed = feeds[no]
    if seq <= feed.fork:
        return 0
    last = world.observer.by_place.get(feeds.place(no, min(seq, feed.seq)))
    stem = world.observer.by_place.get(feeds.place(no, feed.fork)) if feed.fork else None
    return (0 if last is None else last.chain) & ~(0 if stem is None else stem.chain)
