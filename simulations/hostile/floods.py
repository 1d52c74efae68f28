"""Hostile floods: more chains, bytes, introductions and erasures than any honest device comes up with."""

from collections.abc import Mapping
from random import Random
from typing import Final

from replica.codec import SALT_BYTES
from replica.evidence import Fault
from replica.quotas import CHAINS_AN_HOUR
from simulations.crafting import UNHEARD_OF, craft
from simulations.device import Device
from simulations.hostile.behaviour import Behaviour, hand
from simulations.hostile.ordinary import remembering
from simulations.world import World

# More than are taken in an hour, so that some wait; not many more, for a world to stay quick.
_CHAINS: Final = CHAINS_AN_HOUR + 6
# So many zeros pack to nothing: enough for the quota to see it, little enough for a world's disks.
_ZEROS: Final = 60_000
_FRAMES_OF_ZEROS: Final = 3


def _chains(world: World, hostile: Device, victim: Device, random: Random) -> bool:
    frames = [remembering(world, hostile, random, f"flood {random.random()}") for _ in range(_CHAINS)]
    return hand(world, hostile, victim, frames, sound=True)


def _zeros(world: World, hostile: Device, victim: Device, random: Random) -> bool:
    frames = [
        craft(
            hostile,
            feed=f"zeros {random.random()}",
            kind=UNHEARD_OF,
            version=1,
            rid=None,
            payload=random.randbytes(SALT_BYTES) + bytes(_ZEROS),
            hlc=world.stamp(hostile),
        )
        for _ in range(_FRAMES_OF_ZEROS)
    ]
    return hand(world, hostile, victim, frames, sound=False)


BEHAVIOURS: Final[Mapping[str, Behaviour]] = {
    "floods with chains": Behaviour("begins more chains than are taken in an hour", _chains, Fault.CHAINS),
    "floods with zeros": Behaviour("signs ops of a kind that nobody knows, full of zeros", _zeros),
}
