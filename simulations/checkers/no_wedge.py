"""Devices always come to rest, and honest devices never accuse each other.

The world counts: rounds until nobody has anything left to say, messages of one session. What goes beyond a budget is
stuck in a loop, or waits for something that never comes. The world itself reports what it meets on the way (a session
that does not end, an accusation between honest devices, an exception that is nobody's fault) under this name.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from simulations.checkers.base import Checker

if TYPE_CHECKING:
    from simulations.device import Device
    from simulations.world import World

NAME: Final = "no_wedge"
# A round lets every pair of a group talk; news needs one round to reach all, and what was refused one more.
ROUNDS_SLACK: Final = 6
# Greeting, trust, heads, locators both ways, then a frame and its acknowledgement for each batch.
SESSION_MESSAGES_MAX: Final = 2_000
# A link may live as long as its world writes: each op a frame of its own, and an acknowledgement, both ways.
LINK_MESSAGES_PER_OP_MAX: Final = 8


class NoWedge(Checker):
    """Judge how the settling phase ended."""

    name = NAME

    def settled(self, world: "World", groups: "Sequence[Sequence[Device]]") -> None:
        """Nothing is left to say, and nothing was refused in the last round."""
        if not world.is_quiet:
            world.violate(NAME, f"not settled after {world.rounds} rounds")
        for reason in sorted(set(world.last_refusals)):
            world.violate(NAME, f"still refused when everything had settled: {reason}")
