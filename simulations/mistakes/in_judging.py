"""Wrong rules of who belongs to a group: what `simulations.bugs` plants.

Each returns what to swap in the product for the length of a run, as in `simulations.mistakes.in_folding`.
"""

from collections.abc import Iterable, Sequence

from replica import membership
from replica.ids import DeviceId
from replica.membership import IntroducedMember, Judgment, Revocation
from simulations.patching import Swap
from simulations.world import World


def any_revocation(world: World) -> Sequence[Swap]:
    """A revocation counts whoever signed it: a thief's, too."""
    right = membership.judge

    def judge(
        root: DeviceId, introductions: Iterable[IntroducedMember], revocations: Iterable[Revocation]
    ) -> Judgment:
        judged = right(root, introductions, ())
        by: dict[DeviceId, tuple[DeviceId, ...]] = {}
        for each in revocations:
            by[each.device] = (*by.get(each.device, ()), each.by)
        return judged._replace(standing=judged.standing - by.keys(), revoked_by=by)

    return [(membership, "judge", judge)]


def any_root(world: World) -> Sequence[Swap]:
    """Whoever says that it is the root is followed."""

    def new_roots(
        self: membership.Membership, told: Iterable[IntroducedMember], by: DeviceId | None
    ) -> list[IntroducedMember]:
        return [each for each in told if membership.names_root(each) and each not in self.further][:1]

    return [(membership.Membership, "_new_roots", new_roots)]
