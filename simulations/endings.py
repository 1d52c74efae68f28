"""End a plan with what random writes seldom get to: many people on one question, or two versions on one memory.

A bug may need four things in the right order on one memory. Where everything is drawn anew for every event, that is
one world in a thousand. So some worlds end on a theme: which devices, in which order, and what comes of it is drawn.
"""

from collections.abc import Callable
from random import Random
from typing import Final

from replica.ids import MemoryId, derived_memory_id, new_memory_id
from replica.ops import Claim, Forget, Propose, Remember, Set, Write
from replica.state.cells import memory_key
from simulations import workload
from simulations.crafting import craft, newer_payload
from simulations.device import Device
from simulations.world import World

# Among how many memories proposals are made: few enough that they overlap.
_GATHERED: Final = 9
# Items of an importer that both versions know; apart from those of the workload.
_ITEMS: Final = 3


def argue(world: World, random: Random) -> None:
    """Somebody says where Ann lives, changes their mind about it, settles it, or forgets that it was ever said."""
    device = world.pick(random)
    core, memo, slot = device.core, world.memo, workload.SLOTS[0]
    now = device.now(world.now_ms)
    core.begin(now)
    match random.choice(["claim", "change", "change", "forget", "resolve"]):
        case "forget":
            held = workload.held_claims(core, memo, slot)
            writes = [Write(Forget((random.choice(held)[0],)))] if held else []
        case "resolve":
            writes = workload.WRITERS["resolve"](core, device.name, memo, random, now)
        case how:
            replaces = workload.replaced_claims(core, memo, slot) if how == "change" else ()
            rid = new_memory_id(now, random)
            claim = Claim(*slot, random.choice(workload.CITIES), replaces, None)
            writes = [Write(Remember(f"{memo.word(device.name)} about Ann", {}), rid), Write(claim, rid)]
    world.write(device, writes)


def gather(world: World, random: Random) -> None:
    """Somebody proposes to sum memories up, takes that back, raises a trigger about some, or forgets one."""
    device = world.pick(random)
    core, memo = device.core, world.memo
    now = device.now(world.now_ms)
    core.begin(now)
    kind = random.choice(["remember", "remember", "propose", "propose", "withdraw", "trigger", "forget"])
    if kind == "propose":
        recent = memo.rids[-_GATHERED:]
        held = core.store.load([memory_key(rid) for rid in recent])
        living = [rid for rid in recent if memory_key(rid) in held]
        writes = [Write(Propose(tuple(sorted(random.sample(living, 3)))))] if len(living) >= 3 else []
    else:
        writes = workload.WRITERS[kind](core, device.name, memo, random, now)
    world.write(device, writes)


def versions(world: World, random: Random) -> None:
    """Devices of both versions import one item, each in its own, and change what they hold of it."""
    item = random.randrange(_ITEMS)
    rid = derived_memory_id("two versions", str(item))
    device = world.pick(random)
    now = device.now(world.now_ms)
    device.core.begin(now)
    if device.core.store.tombstoned([rid]):
        return
    if device.core.store.load([memory_key(rid)]):
        world.write(device, [Write(Set("topic", random.choice(["work", "home"])), rid)])
        return
    write = Write(Remember(f"item {item} of both", {}), rid)
    if device.upgraded:
        _import_in_the_later_version(world, device, write, rid, random)
    else:
        world.write(device, [write])


def _import_in_the_later_version(
    world: World, device: Device, write: Write, rid: MemoryId, random: Random
) -> None:
    kind, payload = newer_payload(write.body, random)
    hlc = world.stamp(device)
    frame = craft(
        device, feed=f"{device.name} later", kind=kind, version=2, rid=rid, payload=payload, hlc=hlc
    )
    world.take_crafted(device, frame, write, honest=True)
    world.count("newer ops")


EVENTS: Final[dict[str, Callable[[World, Random], None]]] = {
    "argue": argue,
    "gather": gather,
    "versions": versions,
}
"""What happens in endings only."""
THINKING: Final = frozenset({"argue", "gather"})
"""Endings in which the tables of cognition are kept in step."""

# Each ending: which faults it needs, and what is shuffled into it.
ENDINGS: Final[dict[str, tuple[frozenset[str], tuple[str, ...]]]] = {
    "": (frozenset(), ()),
    "argue": (frozenset({"forget"}), ("argue",) * 24 + ("sync",) * 10),
    "gather": (frozenset({"forget"}), ("gather",) * 30 + ("sync",) * 10),
    "versions": (frozenset({"future", "importer"}), ("versions",) * 20 + ("sync",) * 10),
}


def draw_ending(seed: int, faults: tuple[str, ...]) -> tuple[str, ...]:
    """Return the events that a seed's plan ends with, in their order."""
    random = Random(f"ending {seed}")
    name = random.choice(list(ENDINGS))
    needs, events = ENDINGS[name]
    return tuple(random.sample(events, len(events))) if needs <= set(faults) else ()


# What devices that think go through at the end: few conversations, so that most of it happens while they are apart.
_THOUGHTS: Final = ("think",) * 8 + ("react",) * 6 + ("teach",) * 3 + ("write",) * 6 + ("sync",) * 7
_FAULTS_AMONG_THOUGHTS: Final = 6
# Feedback needs no mind: any world may be taught by people.
_LESSONS: Final = ("teach",) * 6 + ("sync",) * 5 + ("write",) * 2
_TAUGHT: Final = 0.2


def draw_thoughts(seed: int, *, thinks: bool, faults: tuple[str, ...]) -> tuple[str, ...]:
    """Return how a seed's plan goes on after its ending: with devices that think, or with people who teach."""
    random = Random(f"thoughts {seed}")
    if not thinks and random.random() >= _TAUGHT:
        return ()
    events = [*(_THOUGHTS if thinks else _LESSONS)]
    events += random.choices(faults, k=_FAULTS_AMONG_THOUGHTS) if thinks and faults else []
    random.shuffle(events)
    return tuple(events)


# Newcomers, and who lost everything, get snapshots; their makers and they meet all that goes wrong in the midst of one.
_HANDED_OVER: Final = 0.4
_HAND_OVER: Final = ("hand over",) * 5 + ("sync", "dial", "tick", "write", "wipe", "compact") * 2
_FAULTS_AMONG_PARTS: Final = ("crash", "torn", "full", "erase", "images", "partition")


def draw_hand_over(seed: int, faults: tuple[str, ...]) -> tuple[str, ...]:
    """Return how a seed's plan ends where devices fold their logs: with devices that need the whole of it."""
    random = Random(f"hand over {seed}")
    if "compact" not in faults or random.random() >= _HANDED_OVER:
        return ()
    events = [*_HAND_OVER]
    wrong = [name for name in _FAULTS_AMONG_PARTS if name in faults]
    events += random.choices(wrong, k=8) if wrong else []
    random.shuffle(events)
    return tuple(events)


# On one link, or on several that stay up, bases grow between two parts of a snapshot, and devices ask again.
_GROWN: Final = 0.3
_GROW: Final = (
    ("grow",) * 3 + ("ask",) * 8 + ("dial",) * 5 + ("tick",) * 3 + ("write",) * 3 + ("compact",) * 2
)


def draw_growth(seed: int, faults: tuple[str, ...]) -> tuple[str, ...]:
    """Return how a seed's plan ends where devices fold their logs: while a base is on its way, it grows."""
    random = Random(f"growth {seed}")
    if "compact" not in faults or random.random() >= _GROWN:
        return ()
    return tuple(random.sample(_GROW, len(_GROW)))
