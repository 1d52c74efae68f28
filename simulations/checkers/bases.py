"""A base ends, for each feed, at an op that ends a commit, with its author's signature at hand.

Below the last signature nothing could be checked by anybody, and a commit is applied whole or not at all.
"""

from collections.abc import Sequence

from simulations.device import Device
from simulations.household import Checker, Household


class Bases(Checker):
    """Look at where each feed's base ends."""

    name = "bases"

    def audited(self, world: Household, device: Device) -> None:
        """The last op of a base ends a commit, and is held with a good signature.

        Where a branch leaves, a base that was handed over may end at an op that nobody here has a signature of: it came
        in a batch that went on along the other branch, signed at that branch's end only. Nothing goes unchecked by it:
        the first header of each branch names the whole id of the op that it leaves, and the end of that branch is
        signed, which is asked for here like any other's.
        """
        forks = {(feed.parent, feed.fork) for feed in device.core.feeds}
        for feed in device.core.feeds:
            if feed.base_seq <= feed.fork:
                continue
            written = None if feed.base_head is None else world.observer.by_id.get(feed.base_head)
            where = f"on {device.name} the base of feed {feed.no} at {feed.base_seq}"
            if written is None or not written.op.ends:
                world.violate(self.name, f"{where} does not end at the end of a commit")
                continue
            if (feed.no, feed.base_seq) in forks and feed.base_signature is None:
                continue
            key = device.core.membership.public_key(feed.origin.device)
            if (
                key is None
                or feed.base_signature is None
                or not world.verify(key, written.op.id, feed.base_signature)
            ):
                world.violate(self.name, f"{where} is not signed")

    def settled(self, world: Household, groups: Sequence[Sequence[Device]]) -> None:
        """Likewise at the end."""
        for group in groups:
            for device in group if world.is_small else group[:1]:
                self.audited(world, device)
                for peer in group if world.is_small else ():
                    if world.admitted(device, peer) and device.core.store.parts(peer.key.device):
                        world.violate(
                            self.name, f"{device.name} keeps parts of a snapshot that are of no use"
                        )
