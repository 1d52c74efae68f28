"""Let people tell few things over and over, on all devices, and forget or unlink what is shown as one.

A telling is written as `samemind remember` writes it: by what the product finds that it says again. What was told is
noted, so that it can be looked for later (`simulations.checkers.tellings`), also where nothing was written.
"""

from collections.abc import Callable
from random import Random
from typing import Final

from cognition.ingest import linking
from cognition.tellings import tellings_with
from replica.ids import MemoryId, new_memory_id
from replica.ops import Forget, Remember, Unlink, Write
from replica.storage.links import links_of
from simulations.disk import SqliteDisk
from simulations.world import World

# Each line says one thing, in some wordings; no two lines say the same.
SAYINGS: Final = (
    ("Milk is in the fridge", "The milk is in the fridge.", "milk is really in the fridge"),
    ("Dentist on Monday at 10", "On Monday at 10 dentist", "Dentist, on Monday at 10!"),
    ("Dentist on Tuesday at 10", "On Tuesday at 10 dentist"),
    ("Ann manages Bob",),
    ("Bob manages Ann",),
    ("The rent is 950 euros", "Rent is €950"),
    ("Bob has three dogs", "Bob has 3 dogs"),
)


def retell(world: World, random: Random) -> None:
    """Somebody tells something, forgets what is shown for it, or takes it apart."""
    device = world.pick(random)
    disk = device.disk
    if not isinstance(disk, SqliteDisk) or not disk.thinks:
        return
    now = device.now(world.now_ms)
    device.core.begin(now)
    held = [MemoryId(rid) for (rid,) in disk.connection.execute("SELECT rid FROM memory ORDER BY rid")]
    match random.choice(["tell", "tell", "tell", "tell", "forget", "unlink"]):
        case "forget" if held and "forget" in world.options.faults:
            covered = tellings_with(disk.connection, random.choice(held))
            world.write(device, [Write(Forget(tuple(sorted(covered))))])
        case "unlink" if held:
            links = sorted(links_of(disk.connection, [random.choice(held)]))
            world.write(device, [Write(Unlink(tuple(links)))] if links else [])
        case _:
            text = random.choice(random.choice(SAYINGS))
            rid = new_memory_id(now, random)
            again = linking.Linker().find(disk.connection, text, {})
            writes = linking.as_told([Write(Remember(text, {}), rid)], again, rid)
            if world.write(device, writes) or not writes:
                world.memo.tellings[rid] = tuple(writes)
                world.count("tellings")


EVENTS: Final[dict[str, Callable[[World, Random], None]]] = {"retell": retell}

_RETOLD: Final = 0.25
_RETELLING: Final = ("retell",) * 16 + ("sync",) * 7 + ("dial", "tick", "compact", "write") * 2
_FAULTS_AMONG_TELLINGS: Final = 4


def draw_retelling(seed: int, faults: tuple[str, ...]) -> tuple[str, ...]:
    """Return how a seed's plan ends where people tell things over again."""
    random = Random(f"retelling {seed}")
    if random.random() >= _RETOLD:
        return ()
    events = [each for each in _RETELLING if each != "compact" or "compact" in faults]
    events += random.choices(faults, k=_FAULTS_AMONG_TELLINGS) if faults else []
    random.shuffle(events)
    return tuple(events)
