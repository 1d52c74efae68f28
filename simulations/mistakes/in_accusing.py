"""Wrong rules of what a device holds against others: what `simulations.bugs` plants.

Each returns what to swap in the product for the length of a run, as in `simulations.mistakes.in_folding`.
"""

from collections.abc import Sequence

from replica.core import Core
from replica.evidence import Fault
from replica.ids import DeviceId
from simulations.patching import Swap
from simulations.world import World


def nobody_accused(world: World) -> Sequence[Swap]:
    return [(Core, "accuse", lambda self, device, fault, now_ms: None)]


def somebody_accused(world: World) -> Sequence[Swap]:
    """Who relayed a forgery goes free, and another is named."""
    right = Core.accuse

    def accuse(self: Core, device: DeviceId, fault: Fault, now_ms: int) -> None:
        others = [each for each in sorted(self.membership.members) if each not in (device, self.device)]
        right(self, others[0] if others and fault is Fault.FORGED_OP else device, fault, now_ms)

    return [(Core, "accuse", accuse)]
