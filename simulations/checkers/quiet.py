"""Whoever says that all is there is right: two devices that have nothing under way between them hold the same.

A session that is quiet promises it both ways, and `unsent` of nothing promises it one way: of these `status` makes
"0 ops behind", and people put a device away by it. What a device says is held against what the other one's log
really holds, whenever nothing is under way on a link: not only at the end, where a new conversation would mend it.

Not judged: what was refused, which is told (`doctor` names it) and asked for again; and what a liar says.
"""

from collections.abc import Iterable

from simulations.device import Device
from simulations.household import Checker, Household
from simulations.observer import Bits
from sync.exchange import REFUSALS_MAX, Exchange
from sync.wire.messages import Refused


class Quiet(Checker):
    """Judge what both ends of a link say while nothing is under way on it."""

    name = "quiet"

    def rested(
        self, world: Household, ours: tuple[Device, Exchange], theirs: tuple[Device, Exchange]
    ) -> None:
        """Compare what each end says of the other with what the other holds."""
        refused = [*ours[1].refusals, *theirs[1].refusals]
        if (
            any(end.lies or exchange.is_over for end, exchange in (ours, theirs))
            or len(refused) >= REFUSALS_MAX
        ):
            return
        for (device, exchange), (peer, _) in ((ours, theirs), (theirs, ours)):
            quiet = exchange.session.is_quiet
            if (quiet or exchange.unsent() == 0) and (
                lacking := _untold(world, device.held & ~peer.held, refused)
            ):
                what = "is quiet" if quiet else "has nothing unsent"
                self._wrong(world, f"{device.name} {what}", peer, lacking)
            if quiet and (lacking := _untold(world, peer.held & ~device.held, refused)):
                self._wrong(world, f"{device.name} is quiet", device, lacking)
        (one, here), (other, there) = ours, theirs
        if refused or not (here.session.is_quiet and there.session.is_quiet):
            return
        if one.core.frontier() != other.core.frontier():
            world.violate(self.name, f"{one.name} and {other.name} are quiet, and their frontiers differ")
        if _group(one) != _group(other) and not (_awaits_a_root(one, other) or _have_two_roots(one, other)):
            world.violate(
                self.name, f"{one.name} and {other.name} are quiet, and know of different groups or erasures"
            )
        world.count("links at rest")

    def _wrong(self, world: Household, what: str, who: Device, lacking: Bits) -> None:
        world.violate(self.name, f"{what}, and {who.name} lacks {world.observer.names(lacking)}")


def _group(device: Device) -> tuple[object, ...]:
    known = device.core.membership
    return set(known.members), set(known.revocations), set(device.core.proofs)


def _awaits_a_root(one: Device, other: Device) -> bool:
    """Whether one of two has no root yet, and waits for its partner alone to name it: till then it keeps less."""
    ours, theirs = one.core.membership, other.core.membership
    return any(
        here.root is None and here.awaits is not None and there.root is not None
        for here, there in ((ours, theirs), (theirs, ours))
    )


def _have_two_roots(one: Device, other: Device) -> bool:
    """Whether two follow different founders: each leaves out whom only the other's let in. `Politics` judges roots."""
    roots = {one.core.membership.root, other.core.membership.root}
    return None not in roots and len(roots) > 1


def _untold(world: Household, lacking: Bits, refused: Iterable[Refused]) -> Bits:
    """Return what is lacking and follows from no refusal: of a feed that none of them names."""
    if not lacking or not refused:
        return lacking
    if any(each.seq == 0 for each in refused):  # a whole base
        return 0
    origins = {each.origin for each in refused}
    return sum(1 << each.index for each in world.observer.among(lacking) if each.op.origin not in origins)
