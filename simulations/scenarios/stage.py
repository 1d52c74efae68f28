"""A world that follows a script: devices by name, one step a line, and expectations that are checked at once."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from replica.compaction import compact
from replica.ids import MemoryId, derived_memory_id, new_memory_id
from replica.membership import revoke
from replica.ops import Access, Body, Forget, Remember, Set, Write
from replica.state.cells import memory_key
from replica.state.memories import Memory, MemoryCell, show
from simulations.bugs import planted
from simulations.clock import DAY_MS
from simulations.device import Device
from simulations.disk import Disk
from simulations.drawing import bare
from simulations.observer import Bits
from simulations.playing import Outcome, PlayedWorld
from simulations.trace import Say, Trace


@dataclass(frozen=True, slots=True)
class Scenario:
    """One script: who got it wrong before, and what happens."""

    name: str
    story: str
    play: "Callable[[Stage], None]"
    devices: int = 2


class Stage:
    """What a script may do. `__getitem__` finds a device by its name: A, B, C in the order of the group."""

    def __init__(self, world: PlayedWorld) -> None:
        self.world = world
        self.random = Random(f"{world.options.seed} script")

    def __getitem__(self, name: str) -> Device:
        return next(device for device in self.world.devices if device.name == name)

    def write(self, name: str, *bodies: Body, rid: MemoryId | None = None) -> None:
        """Let a device commit."""
        device = self[name]
        device.core.begin(device.now(self.world.now_ms))
        self.world.pass_time(1_000)
        self.world.write(device, [Write(body, rid) for body in bodies])

    def remember(self, name: str, text: str, *, item: str = "") -> MemoryId:
        """Let a device remember something; `item` makes it an import, whose id every device derives alike."""
        now = self[name].now(self.world.now_ms)
        rid = derived_memory_id("script", item) if item else new_memory_id(now, self.random)
        self.write(name, Remember(text, {}), rid=rid)
        return rid

    def edit(self, name: str, rid: MemoryId, text: str) -> None:
        """Let a device change a memory's text."""
        self.world.write(self[name], self[name].core.edits_of(rid, text))

    def set(self, name: str, rid: MemoryId, topic: str) -> None:
        """Let a device set the field that scripts set."""
        self.write(name, Set("topic", topic), rid=rid)

    def forget(self, name: str, *rids: MemoryId) -> None:
        """Let a device forget."""
        self.write(name, Forget(tuple(sorted(rids))))

    def recalled(self, name: str, rid: MemoryId, times: int) -> None:
        """Let a device state how often its present origin has recalled a memory."""
        self.write(name, Access(((rid, times, self[name].now(self.world.now_ms)),)))

    def meet(self, a: str, b: str) -> None:
        """Let two devices talk to the end."""
        self.world.pass_time(60_000)
        if self.world.admitted(self[a], self[b]):
            self.world.converse(self[a], self[b])

    def wait(self, days: float) -> None:
        """Let time pass."""
        self.world.pass_time(int(days * DAY_MS))

    def image(self, name: str) -> tuple[Disk, Bits]:
        """Copy a device's disk."""
        return self[name].disk.image(), self[name].held

    def roll_back(self, name: str, image: tuple[Disk, Bits]) -> None:
        """Put a device's disk back to what it was; the device does not know."""
        self.world.swap_disk(self[name], image[0].image(), image[1])
        self.world.say(name, "rolled back", "")

    def twin(self, name: str, image: tuple[Disk, Bits]) -> str:
        """Start a copy of a device beside it; return its name."""
        twin = self.world.add_twin(self[name], image[0].image(), image[1])
        self.world.say(twin.name, "twin", f"of {name}")
        return twin.name

    def wipe(self, name: str, by: str) -> None:
        """Empty a device's disk, and pair it again with another one."""
        empty = self.world.new_disk()
        self.world.swap_disk(self[name], empty, 0)
        self.world.say(name, "wiped", "")
        self.world.pair(self[by], self[name])

    def revoke(self, by: str, target: str) -> None:
        """Put a device out of the group."""
        device = self[by]
        device.core.learn([], [revoke(device.key.private.sign, device.key.device, self[target].key.device)])
        self.world.say(by, "revokes", target, other=target)

    def compact(self, name: str) -> int:
        """Let a device fold what everybody has into its base."""
        moved = compact(self[name].core, self[name].now(self.world.now_ms))
        self.world.say(name, "compacts", f"{moved} ops")
        return moved

    def memory(self, name: str, rid: MemoryId) -> Memory | None:
        """Return what shows of a memory on a device."""
        cell = self[name].core.store.load([memory_key(rid)]).get(memory_key(rid))
        return show(rid, cell) if isinstance(cell, MemoryCell) else None

    def topic(self, name: str, rid: MemoryId) -> Any:
        """Return the field that scripts set."""
        memory = self.memory(name, rid)
        return None if memory is None else memory.fields.get("topic")

    def audit(self, name: str) -> None:
        """Let every checker look at a device, on the way."""
        for checker in self.world.checkers:
            checker.audited(self.world, self[name])

    def expect(self, what: str, found: object, expected: object) -> None:
        """Report what is not as the script says it must be."""
        if found != expected:
            self.world.violate("script", f"{what}: expected {expected!r}, got {found!r}")


def run_scenario(scenario: Scenario, *, bug: str = "", say: Say | None = None) -> Outcome:
    """Play a script, then heal, settle and check as every world does."""
    options = bare(sum(scenario.name.encode()), replicas=scenario.devices, faults=("compact",))
    world = PlayedWorld(options, Trace(say=say))
    stage = Stage(world)

    def play() -> None:
        scenario.play(stage)

    with planted(bug, world), world.wire.shared():
        return world.run(play)
