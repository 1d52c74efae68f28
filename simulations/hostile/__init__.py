"""A hostile member as a role: one device of a world turns on the others, and the others must not notice in the end.

From then on it is nobody's device: the plan does not write on it, checkers do not count on it, and when faults are
healed it is not. What it does is drawn from `BEHAVIOURS`, of which each world has a few. Every module beside this one
holds some: `Behaviour` says what one does, how, and what whoever met it must be able to say of the device afterwards.
"""

from collections.abc import Callable, Mapping
from random import Random
from typing import Final

from replica.ids import DeviceId
from simulations.hostile import edits, floods, lying_makers, ordinary, politics, proofs
from simulations.hostile.behaviour import Behaviour, is_accused, may_reach, mingle
from simulations.world import World

# Of these each world is given a few; what is drawn apart leaves the others as they were.
_COMMON: Final[Mapping[str, Behaviour]] = {
    **ordinary.BEHAVIOURS,
    **lying_makers.BEHAVIOURS,
    **floods.BEHAVIOURS,
}
BEHAVIOURS: Final[Mapping[str, Behaviour]] = {
    **_COMMON,
    **politics.BEHAVIOURS,
    **proofs.BEHAVIOURS,
    **edits.BEHAVIOURS,
}

# The share of worlds in which a member turns hostile.
HOSTILE: Final = 0.4
# Of some behaviours in a world each is met more often, and together with few others.
_BEHAVIOURS_OF_ONE_WORLD: Final = (1, 2, 4)
# The share of hostile worlds with politics, and likewise with crooked proofs, and with crooked updates.
_DRAWN_APART: Final = 0.4
_TAIL: Final = ("hostile",) * 14 + ("write",) * 10 + ("sync",) * 10 + ("dial", "tick") * 3
_FAULTS_AMONG_THEM: Final = 4
# A device that turns was somebody's; one that joins leaves all the others to be compared.
_JOINS: Final = 0.75
# With fewer there would be nobody left to agree with: then somebody hostile joins.
_DEVICES_MIN: Final = 3


def draw_hostility(seed: int, faults: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return how a seed's world behaves badly, and how its plan ends; neither where nobody does.

    `faults`: those that have an event of their own.
    """
    random = Random(f"hostile {seed}")
    if random.random() >= HOSTILE:
        return (), ()
    chosen = random.sample(sorted(_COMMON), random.choice(_BEHAVIOURS_OF_ONE_WORLD))
    apart = Random(f"politics and proofs {seed}")
    for names in (sorted(politics.BEHAVIOURS), sorted(proofs.BEHAVIOURS), sorted(edits.BEHAVIOURS)):
        if apart.random() < _DRAWN_APART:
            chosen += apart.sample(names, apart.choice(range(1, len(names) + 1)))
    events = [*_TAIL, *(random.choices(faults, k=_FAULTS_AMONG_THEM) if faults else ())]
    random.shuffle(events)
    return tuple(sorted(chosen)), ("turn", *events)


def has_politics(hostility: tuple[str, ...]) -> bool:
    """Whether somebody plays politics in a world: its group has a founder then."""
    return not politics.BEHAVIOURS.keys().isdisjoint(hostility)


def turn(world: World, random: Random) -> None:
    """A member turns hostile, or somebody hostile joins."""
    if len(world.devices) < _DEVICES_MIN or random.random() < _JOINS:
        device = world.add_device(random)
        world.pair(random.choice(world.devices[:-1]), device)
    else:
        device = random.choice(world.devices)
    world.drop_links(device, "it turned hostile")
    # Whoever shares its key is the same device to everybody else.
    world.devices[:] = [each for each in world.devices if each.key.device != device.key.device]
    world.images[:] = [each for each in world.images if each[0].key.device != device.key.device]
    world.hostiles.append(device)
    world.misled |= _misled_by(world, device.key.device)
    device.lies = True
    world.guilty.add(device.key.device)
    world.say(device.name, "turns", ", ".join(world.options.hostility))
    world.count("hostile worlds")


def _misled_by(world: World, hostile: DeviceId) -> set[DeviceId]:
    """Return who takes a device that turned for the founder, or takes it on its word who that is.

    Whose group it had founded itself, beside the one that all others are in; whoever was paired with it, and has not
    heard yet who founded the group; and whoever waits for one of those to say so.
    """
    has_founded = hostile in world.founded - {world.founder}
    groups = {each.key.device: each.core.membership for each in world.devices}
    found = {device for device, group in groups.items() if has_founded and group.root == hostile}
    news = {hostile}
    while news := {device for device, group in groups.items() if group.awaits in found | news} - found:
        found |= news
    return found


def act(world: World, random: Random) -> None:
    """A hostile device does one of the things that it does to somebody who lets it in."""
    name = random.choice(world.options.hostility)
    victim = world.pick(random)
    for hostile in world.hostiles:
        if not may_reach(hostile, victim):
            continue
        if not world.options.provoked:
            mingle(world, hostile, victim)
            continue
        behaviour = BEHAVIOURS[name]
        world.say(hostile.name, "harms", name, other=victim.name)
        world.count("hostile acts")
        heard = behaviour.act(world, hostile, victim, random)
        if heard and behaviour.fault is not None and not is_accused(victim, hostile, behaviour.fault):
            world.violate(
                "evidence",
                f"{victim.name} holds nothing against hostile {hostile.name}, which {behaviour.says}",
            )


EVENTS: Final[dict[str, Callable[[World, Random], None]]] = {"turn": turn, "hostile": act}
