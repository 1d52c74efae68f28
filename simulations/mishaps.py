"""What happens to one device, or between two: what the events of a plan are made of."""

from collections.abc import Callable
from random import Random
from typing import Final

from replica.compaction import compact
from simulations import workload
from simulations.device import Device
from simulations.disk import Failure
from simulations.network import Conversation
from simulations.world import World

DEVICES_MORE_MAX: Final = 4


def crash(world: World, device: Device) -> None:
    """Let a process die between two writes."""
    world.say(device.name, "crash", "")
    world.count("crashes")
    world.restart(device)


def fill(world: World, device: Device) -> None:
    """Let a disk refuse its next write."""
    device.disk.failing = Failure.FULL
    world.say(device.name, "disk full", "")


def fold_down(world: World, device: Device) -> None:
    """Let a device fold what everybody has into its base."""
    now = device.now(world.now_ms)
    moved: list[int] = []
    if world.attempt(device, lambda: moved.append(compact(device.core, now))):
        world.say(device.name, "compacts", f"{moved[0]} ops")
        world.count("compactions", moved[0] > 0)


def write(world: World, device: Device, kind: str) -> None:
    """Let somebody write one thing of this kind on a device."""
    now = device.now(world.now_ms)
    device.core.begin(now)
    world.write(device, workload.WRITERS[kind](device.core, device.name, world.memo, device.random, now))


def join(world: World, random: Random) -> None:
    """A new device is paired with one of the group."""
    if len(world.devices) >= world.options.replicas + DEVICES_MORE_MAX:
        return
    host = world.pick(random)
    guest = world.add_device(random)
    world.say(guest.name, "joins", f"through {host.name}")
    world.count("joins")
    world.pair(host, guest)


def may_talk(world: World, a: Device, b: Device) -> bool:
    """Whether two devices let each other in, are in reach, and are honest."""
    honest = not a.lies and not b.lies
    return honest and world.admitted(a, b) and world.can_hear(a, b) and world.can_hear(b, a)


def talk(
    world: World,
    a: Device,
    b: Device,
    cut_at: Callable[[bytes, Conversation], bool] = lambda message, hearer: False,
) -> None:
    """Let two devices talk at one moment, if they may."""
    if may_talk(world, a, b):
        world.converse(a, b, cut_at=cut_at)
