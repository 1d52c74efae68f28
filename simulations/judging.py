"""Let devices whose readers differ claim things under names that resemble each other, and judge which are one thing.

A device has one reader, or none: a list of words, that of another language, one of two models, an agent or a person.
Each judges what it can, of claims that it holds, and holds its own opinion; nobody sees what another would say. An
earlier version understands no judgment, and passes them on.
"""

from collections.abc import Callable
from random import Random
from typing import Final, NamedTuple

from cognition.contradictions.values import words_of
from replica.core import Core
from replica.ids import MemoryId, OpRef, new_memory_id
from replica.ops import Claim, Forget, Remember, SameSlot, Write
from replica.state.cells import memory_key
from replica.state.memories import MemoryCell
from simulations.device import Device
from simulations.workload import CITIES
from simulations.world import World

# A ring in which each shares a word with the next, two who share more, and one of another type.
NAMED: Final = (
    ("Ann Bo", "lives_in"),
    ("Bo Cy", "lives_in"),
    ("Cy Di", "lives_in"),
    ("Di Ann", "lives_in"),
    ("Bo Cy Di", "lives_in"),
    ("Bo Cy", "works_at"),
)
# Claims that are looked at for two that are held.
LOOKS: Final = 24
# Most judgments are on a few claims.
FIRST: Final = 4


class Reader(NamedTuple):
    """How one device judges: by which rank, and how often it says that two are one, are two, or nothing (per cent)."""

    name: str
    by: int
    same: int
    different: int
    knows: str = ""
    """The word that has to be in both names; any, where it is empty."""
    wavers: bool = False
    """Whether it may say another thing tomorrow, or nothing."""


READERS: Final = (
    Reader("nobody", 1, 0, 0),
    Reader("words", 1, 100, 0, "bo"),
    Reader("words of another language", 1, 50, 50, "cy"),
    Reader("a model", 2, 60, 20),
    Reader("another model", 2, 40, 40),
    Reader("an agent", 3, 50, 40, wavers=True),
    Reader("a person", 4, 50, 40, wavers=True),
)


def reader_of(world: World, device: Device) -> Reader:
    """Return how a device judges."""
    return Random(f"{world.options.seed} reads {device.name}").choice(READERS)


def judge(world: World, random: Random) -> None:
    """Somebody claims something, forgets, or says of two claims whether they are of one thing."""
    device = world.pick(random)
    device.core.begin(device.now(world.now_ms))
    reader = reader_of(world, device)
    match random.choice(["claim", "claim", "judge", "judge", "judge", "judge", "judge", "forget"]):
        case "forget" if "forget" in world.options.faults and random.random() < 0.3:
            held = _held(world, device.core, random, 1)
            world.write(device, [Write(Forget((rid,))) for rid, _, _ in held])
        case "judge" if device.upgraded:
            pair = _held(world, device.core, random, 2)
            if len(pair) == 2:
                said = _said(world, reader, random, *pair)
                if said is not None:
                    world.count("judgments")
                    world.write(device, [Write(said)])
        case _:
            rid = new_memory_id(device.now(world.now_ms), random)
            text = f"{world.memo.word(device.name)} {world.memo.word(device.name)}"
            claim = Claim(*random.choice(NAMED), random.choice(CITIES), (), None)
            world.write(device, [Write(Remember(text, {}), rid), Write(claim, rid)])


def _said(
    world: World,
    reader: Reader,
    random: Random,
    one: tuple[MemoryId, OpRef, tuple[str, str]],
    other: tuple[MemoryId, OpRef, tuple[str, str]],
) -> SameSlot | None:
    """Return what a reader says of two claims; None where it cannot tell."""
    words = words_of(one[2][0]) & words_of(other[2][0])
    if reader.knows and reader.knows not in words:
        return None
    names = sorted((one[2], other[2]))
    r = random if reader.wavers else Random(f"{world.options.seed} {reader.name} {names}")
    drawn, sureness = r.randrange(100), r.randint(1, 100)
    same: bool | None = drawn < reader.same
    if not same and drawn >= reader.same + reader.different:
        if not reader.wavers:
            return None
        same = None
    return SameSlot.of(one[:2], other[:2], same, by=reader.by, sureness=sureness)


def _held(
    world: World, core: Core, random: Random, count: int
) -> list[tuple[MemoryId, OpRef, tuple[str, str]]]:
    """Return some claims of these names that a device holds."""
    told = [each for each in world.memo.claims if each[2] in NAMED]
    if random.random() < 0.7:
        told = told[:FIRST]  # so that several judge the same ones, apart
    found = []
    for rid, place, names in random.sample(told, min(LOOKS, len(told))):
        cell = core.store.load([memory_key(rid)]).get(memory_key(rid))
        if isinstance(cell, MemoryCell) and core.feeds.locate(place) in cell.claims:
            found.append((rid, place, names))
    return found[:count]


EVENTS: Final[dict[str, Callable[[World, Random], None]]] = {"judge": judge}

_JUDGED: Final = 0.25
_JUDGING: Final = ("judge",) * 60 + ("sync",) * 10 + ("dial", "tick", "compact", "think") * 2
_FAULTS_AMONG_JUDGMENTS: Final = 4


def draw_judging(seed: int, faults: tuple[str, ...]) -> tuple[str, ...]:
    """Return how a seed's plan ends where devices judge what is one thing."""
    random = Random(f"judging {seed}")
    if random.random() >= _JUDGED:
        return ()
    events = [each for each in _JUDGING if each != "compact" or "compact" in faults]
    events += random.choices(faults, k=_FAULTS_AMONG_JUDGMENTS) if faults else []
    random.shuffle(events)
    return tuple(events)
