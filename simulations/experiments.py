"""Measure how news spreads where nothing goes wrong: rounds, messages and bytes until everybody holds everything.

Everybody writes, and then gossips: in each round every device talks once to a device drawn at random, from all or from
the three that it knows. Both protocols meet the same pairs. The ideal is what nobody can beat: news that doubles with
every round, and every op's words sent once to everybody else.
"""

import math
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from random import Random
from typing import Final

from replica.collector import collector_paused
from replica.ids import new_memory_id
from replica.ops import Remember, Write
from simulations.contestant import CursorWorld
from simulations.device import Device
from simulations.drawing import bare, draw
from simulations.options import Options
from simulations.playing import PlayedWorld

# Rounds after which a protocol that has not converged is not going to.
ROUNDS_MAX: Final = 64
# One draw serves: both protocols meet the same pairs.
SEED: Final = 1
WORDS: Final = "Ann said that the boat leaves at eight on Friday from the old pier"


@dataclass(frozen=True, slots=True)
class Measure:
    """What one experiment came to. `rounds` is None where somebody never got everything."""

    protocol: str
    replicas: int
    ops: int
    rounds: int | None
    missing: int
    messages: int
    bytes: int
    deliveries: int
    took_s: float
    """Processor time, so that a busy machine changes nothing."""
    ideal_rounds: int
    ideal_bytes: int


def gossip(
    *,
    replicas: int,
    ops_each: int,
    protocol: str = "frontier",
    late: bool = False,
    acquainted: bool = False,
) -> Measure:
    """Let everybody write and gossip.

    `late`: everybody writes once more, under slow clocks, after the third round. `acquainted`: nobody ever talks to
    others than their two neighbours on a ring and one device across it, so that most news comes second-hand.
    """
    kind = CursorWorld if protocol == "hlc-cursor" else PlayedWorld
    world = kind(bare(SEED, replicas=replicas, protocol=protocol))
    random = Random(f"gossip {SEED}")
    with collector_paused(), world.wire.shared():
        world.populate()
        for device in world.devices:
            _write(world, device.name, ops_each, random)
        circles = _acquaintances(world, Random(f"acquaintances {SEED}"))
        total = replicas * (ops_each + late)
        began = time.process_time()
        rounds, complete = 0, False
        while rounds < ROUNDS_MAX and not complete:
            rounds += 1
            if late and rounds == 3:
                for device in world.devices:
                    device.clock.step(-random.randrange(3_600_000))
                    _write(world, device.name, 1, random)
            for at, device in enumerate(world.devices):
                peer = random.choice(circles[at] if acquainted else world.devices)
                if peer is not device:
                    world.converse(device, peer)
            complete = all(device.core.position == total for device in world.devices)
        took = time.process_time() - began
    missing = sum(total - device.core.position for device in world.devices)
    payload = sum(len(each.op.payload or b"") for each in world.observer.ops)
    return Measure(
        protocol,
        replicas,
        total,
        rounds if complete else None,
        missing,
        world.wire.messages,
        world.wire.size,
        world.wire.ops,
        took,
        math.ceil(math.log2(replicas)),
        payload * (replicas - 1),
    )


def _acquaintances(world: PlayedWorld, random: Random) -> list[list[Device]]:
    """Return for each device whom it knows: its neighbours on a ring, and one across."""
    devices = world.devices
    return [
        [devices[at - 1], devices[(at + 1) % len(devices)], random.choice(devices)]
        for at in range(len(devices))
    ]


def _write(world: PlayedWorld, name: str, count: int, random: Random) -> None:
    device = next(device for device in world.devices if device.name == name)
    now = device.now(world.now_ms)
    for n in range(count):
        world.write(device, [Write(Remember(f"{WORDS} {name} {n}", {}), new_memory_id(now, random))])
    world.pass_time(10)


def beside_the_hostile(seeds: Iterable[int]) -> tuple[int, int]:
    """Return how far what honest devices write gets beside a hostile member, and where it syncs like anybody.

    Counted when faults end, before everything is healed: on how many devices each of their ops is by then, over all of
    the seeds in whose worlds somebody turns hostile.
    """
    beside = alone = 0
    for seed in seeds:
        options = draw(seed)
        if options.hostility:
            beside += _honest_progress(options)
            alone += _honest_progress(replace(options, provoked=False))
    return beside, alone


def _honest_progress(options: Options) -> int:
    world = PlayedWorld(options, checkers=[])
    with collector_paused(), world.wire.shared():
        world.play()
    return world.counts.get("honest ops held", 0)
