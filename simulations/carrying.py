"""Let devices of a world also meet by files: through a bad mailbox, or on a stick that somebody carries about.

`simulations.mailboxes` plays groups that meet by files only. Here files come beside links, snapshots on their way,
wiped and restored disks, revoked devices and clocks that are off by centuries; and what all of that means is compared
with its definition (`simulations.checkers`). A revoked device still knows the mailbox's password. A file that was
carried away comes back at any time, to anybody, also after what is in it was erased.
"""

import io
from collections.abc import Callable, Generator
from functools import lru_cache, partial
from random import Random
from typing import Any, Final

from replica.core import Core
from replica.errors import ReplicaError, StoreFailed
from replica.keys import Ed25519PrivateKey
from simulations.clock import YEAR_MS
from simulations.device import Device
from simulations.household import Household
from simulations.world import World
from sync.carrier.cargo import Taking, check, export, messages
from sync.carrier.shelf import Shelf
from sync.carrier.visit import GetFile, Looked, Names, Put, Remove, Run, Save, Step, Visitor, VisitUnderWay
from sync.errors import SyncError
from sync.identity import Identity

# Files on sticks that lie about; more of them are only more of the same.
STICKS_MAX: Final = 6
# What a clock may be off by beyond a year: the first stamps that there are, and nearly the last.
FAR_OFFSETS_MS: Final = (-100 * YEAR_MS, -20 * YEAR_MS, 3 * YEAR_MS, 40 * YEAR_MS, 4_300 * YEAR_MS)


class _Died(Exception):
    """The process of whoever was reading died; it starts again, and has forgotten that it was reading."""


@lru_cache(maxsize=256)
def identity_of(private: Ed25519PrivateKey) -> Identity:
    """Return a device's key with its certificate."""
    return Identity.of(private)


def visit(world: World, random: Random) -> None:
    """A device looks into the mailbox, whose owner then does as he likes."""
    look(world, world.pick(random), random)
    world.box.meddle()


def look(world: Household, device: Device, random: Random) -> Looked | None:
    """Let a device look into the mailbox once; None where it could not do all it wanted."""
    shelf = Shelf(device.disk.rows.items(), merge_at=random.choice([2, 5]))
    now = device.now(world.now_ms)
    visitor = Visitor(shelf, identity_of(device.key.private), now_ms=lambda: now, entropy=random.randbytes)
    try:
        looked = _make(world, visitor.visit(), device)
    except (SyncError, ReplicaError, _Died) as error:
        world.say(device.name, "mailbox", f"broken off: {type(error).__name__}")
        return None
    world.say(device.name, "mailbox", f"takes {looked.taken} files, writes {len(looked.wrote)}")
    world.count("mailbox files taken", looked.taken)
    return looked


def carry(world: World, random: Random) -> None:
    """Somebody takes a device's memory along on a stick, or a device reads a stick that somebody left."""
    device = world.pick(random)
    if not world.sticks or random.random() < 0.4:
        file = io.BytesIO()
        export(device.core, {}, device.now(world.now_ms), file, entropy=random.randbytes)
        world.sticks.append(file.getvalue())
        del world.sticks[:-STICKS_MAX]
        world.say(device.name, "carries out", "")
        return
    with_luck = random.random() < 0.8  # or the stick is pulled out
    try:
        ops = _read(world, device, random.choice(world.sticks), lambda: with_luck or random.random() < 0.7)
    except (SyncError, StoreFailed, _Died) as error:  # not for this device, or its maker is a stranger to it
        world.say(device.name, "carries in", f"nothing: {type(error).__name__}")
        return
    world.say(device.name, "carries in", f"{ops} ops", ops=ops)
    world.count("sticks read")


def far_clock(world: World, random: Random) -> None:
    """A clock is off by more than a year: a battery that is empty, or somebody who typed a wrong century."""
    device = world.pick(random)
    device.clock.correct()
    device.clock.step(random.choice(FAR_OFFSETS_MS))
    world.say(device.name, "clock", f"now {device.now(world.now_ms) - world.now_ms} ms off")
    world.count("far clocks")


def _read(world: Household, device: Device, data: bytes, is_in: Callable[[], bool]) -> int:
    identity = identity_of(device.key.private)
    taking = Taking(check(device.core, identity, io.BytesIO(data)), is_handed_over=True)
    now = device.now(world.now_ms)
    for message in messages(identity, io.BytesIO(data)):
        if not is_in():
            return taking.brought.ops
        _run(world, device, partial(taking.take, message=message, now_ms=now))
    _run(world, device, partial(taking.done, now_ms=now))
    return taking.brought.ops


def _make(world: Household, steps: Generator[Step, Any, Looked], device: Device) -> Looked:
    under_way = VisitUnderWay(steps)
    while (step := under_way.proceed()) is not None:
        with under_way.trying():
            under_way.result = _do(world, device, step)
    return under_way.looked


def _do(world: Household, device: Device, step: Step) -> Any:
    match step:
        case Names():
            return world.box.names(device.name)
        case GetFile(name, size):
            return io.BytesIO(world.box.get(name)[:size])
        case Put(name, data):
            return world.box.put(name, data)
        case Remove(name):
            return world.box.remove(name)
        case Run(fn):
            return _run(world, device, fn)
        case Save(new, gone):
            device.disk.rows |= new
            for name in gone:
                device.disk.rows.pop(name, None)
            return None


def _run(world: Household, device: Device, fn: Callable[[Core], Any]) -> Any:
    """Call something with a device's core; what came of it in its log is noticed as what comes over a link is."""
    core, told, group = device.core, list[Any](), device.group_size()
    if not world.attempt(device, lambda: told.append(fn(core)), "while reading a file"):
        raise StoreFailed("the simulated disk is full") if device.core is core else _Died
    world.learned(device)
    world.notice(device)
    if device.group_size() != group:
        world.flush(device)
    return told[0]


EVENTS: Final[dict[str, Callable[[World, Random], None]]] = {
    "visit": visit,
    "carry": carry,
    "far clock": far_clock,
}

_CARRIED: Final = 0.25
_TAIL: Final = ("visit",) * 24 + ("carry",) * 8 + ("write",) * 10 + ("sync",) * 3 + ("dial", "tick") * 2
_AMONG_THEM: Final = {
    "compact": ("compact",) * 3 + ("hand over", "grow"),
    "skew": ("far clock",) * 3,
    "images": ("images",) * 4,
    "wipe": ("wipe",),
    "join": ("join",),
    "revoke": ("revoke",) * 2,
    "erase": ("erase",),
    "sleep": ("sleep",),
    "crash": ("crash",) * 2,
    "torn": ("torn",) * 2,
    "full": ("full",),
}


def draw_carrying(seed: int, faults: tuple[str, ...]) -> tuple[str, ...]:
    """Return how a seed's plan ends where devices meet by files too; what comes before is as it was without."""
    random = Random(f"carrying {seed}")
    if random.random() >= _CARRIED:
        return ()
    events = [*_TAIL]
    for name, further in _AMONG_THEM.items():
        events += further if name in faults else ()
    random.shuffle(events)
    return tuple(events)
