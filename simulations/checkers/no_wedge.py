"""Devices always come to rest, and honest devices never accuse each other.

The world counts: rounds until nobody has anything left to say, messages of one session. What goes beyond a budget is
stuck in a loop, or waits for something that never comes. The world itself reports what it meets on the way (a session
that does not end, an accusation between honest devices, an exception that is nobody's fault) under this name.
"""

from collections.abc import Sequence

from simulations.device import Device
from simulations.household import Checker, Household
from simulations.timeline import WEDGE


class NoWedge(Checker):
    """Judge how the settling phase ended."""

    name = WEDGE

    def settled(self, world: Household, groups: Sequence[Sequence[Device]]) -> None:
        """Nothing is left to say, and nothing was refused in the last round."""
        if not world.is_quiet:
            world.violate(WEDGE, f"not settled after {world.rounds} rounds")
        for reason in sorted(set(world.last_refusals)):
            world.violate(WEDGE, f"still refused when everything had settled: {reason}")
