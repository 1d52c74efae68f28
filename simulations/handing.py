"""Hand the whole of a log to a device that lacks it, while all goes wrong that can in the midst of a snapshot."""

from collections.abc import Callable
from random import Random
from typing import Final

from replica.compaction import LEASE_MS
from simulations import mishaps
from simulations.device import Device
from simulations.disk import Failure
from simulations.mishaps import may_talk, talk
from simulations.network import Conversation
from simulations.world import World
from sync.exchange import Exchange
from sync.wire.messages import Base, decode_message

# A base that grew again before each snapshot of it has come would be sent without end.
GROWN_MAX: Final = 3

# What may happen to a device between two short talks, and the fault that it belongs to.
_BETWEEN: Final[dict[str, Callable[[World, Device], None]]] = {
    "crash": mishaps.crash,
    "full": mishaps.fill,
    "torn": lambda world, device: setattr(device.disk, "failing", Failure.TORN),
    "compact": mishaps.fold_down,
    "erase": lambda world, device: mishaps.write(world, device, "erase"),
}


def hand_over(world: World, random: Random) -> None:
    """A device folds its log, and one that lacks it gets it in short talks: its program is ended every few minutes."""
    met = _meet(world, random)
    if met is None:
        return
    a, b, others = met
    wrong = [name for name in _BETWEEN if name in world.options.faults]
    for _ in range(random.randint(2, 6)):
        talk(world, a, b, lambda said, _: isinstance(decode_message(said), Base) and random.random() < 0.3)
        if wrong and random.random() < 0.3:
            _BETWEEN[random.choice(wrong)](world, random.choice([a, b]))
        if random.random() < 0.1:
            talk(world, random.choice(others), b)
        world.pass_time(1_000)
        world.look_at(b)


def grow(world: World, random: Random) -> None:
    """A device folds its log, and while another gets it over one link, its base grows, and it is asked again."""
    met = _meet(world, random)
    if met is None:
        return
    a, b, others = met
    cores, grown = (a.core, b.core), 0

    def between(message: bytes, hearer: Conversation) -> bool:
        nonlocal grown
        if isinstance(decode_message(message), Base):
            if grown < GROWN_MAX and random.random() < 0.4:
                grown += 1
                _grow(world, a, [each for each in others if each is not b], random)
            if isinstance(hearer, Exchange) and random.random() < 0.3:
                hearer.ask()
        return (a.core, b.core) != cores or not may_talk(
            world, a, b
        )  # one of them died, or was put out, meanwhile

    talk(world, a, b, between)
    world.look_at(b)


def ask(world: World, random: Random) -> None:
    """Somebody asks on an open link what the other holds, as `sync` does and whoever wakes from a sleep."""
    if world.links:
        link = random.choice(world.links)
        end = random.choice(link.ends)
        if isinstance(end.conversation, Exchange):
            end.conversation.ask()
            world.send(link, end, end.conversation.more(end.device.now(world.now_ms)))


def _meet(world: World, random: Random) -> tuple[Device, Device, list[Device]] | None:
    """Return a device that has folded its log, one that lacks the most of it, and with whom the first may talk."""
    if random.random() < 0.5:
        mishaps.join(world, random)
    a = world.pick(random)
    if random.random() < 0.8:  # then nobody holds compaction back
        world.pass_time(LEASE_MS)
    mishaps.fold_down(world, a)
    others = [each for each in world.devices if may_talk(world, a, each)]
    return (a, min(others, key=lambda each: each.held.bit_count()), others) if others else None


def _grow(world: World, device: Device, others: list[Device], random: Random) -> None:
    """Let the base of a device grow: by what is written there, or by the base of another that it meets."""
    writer = random.choice([device, *others])
    mishaps.write(world, writer, "remember")
    world.pass_time(LEASE_MS)  # or who was heard of just now would hold it back
    mishaps.fold_down(world, writer)
    if writer is not device:
        talk(world, writer, device)


EVENTS: Final[dict[str, Callable[[World, Random], None]]] = {
    "hand over": hand_over,
    "grow": grow,
    "ask": ask,
}
