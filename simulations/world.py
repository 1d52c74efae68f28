"""Run devices against each other in one thread, on one queue of simulated time, from one seed.

Two phases. While faults are on, the plan is played: devices write, dial each other, crash, are copied and rolled back;
links carry bytes late or not at all. Then everything is healed, every pair that may talk talks until nobody has
anything left to say, and the checkers look.

Each event of the plan draws from a generator of its own, so that the shrinker can leave events out and the others stay
what they were. The layers below hold the rest of a world: `timeline` (time, findings), `household` (devices), `links`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Final

from simulations import carrying, faults, hostile
from simulations.checkers import Violation
from simulations.checkers.no_wedge import ROUNDS_SLACK
from simulations.device import Device
from simulations.hostile import politics
from simulations.hostile.politics import Restored
from simulations.links import Links
from simulations.mailboxes import Box
from simulations.network import STALL_MS
from simulations.observer import Bits, bits
from simulations.options import Options
from simulations.trace import Event

# Beyond this many devices the whole state is compared on one device of a group, and digests on all.
SMALL_MAX: Final = 16


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run came to."""

    options: Options
    violations: tuple[Violation, ...]
    converged: bool
    ops: int
    lost_ops: int
    deliveries: int
    ticks: int
    messages: int
    bytes: int
    counts: dict[str, int]
    trace_hash: str
    events: tuple[Event, ...]


@dataclass(slots=True, eq=False)
class World(Links):
    """One world. `keep`: which events of the plan are played (all, unless the shrinker says otherwise)."""

    keep: frozenset[int] | None = None
    lost: Bits = 0
    is_quiet: bool = False
    rounds: int = 0
    sticks: list[bytes] = field(default_factory=list)
    """Files that somebody carries about."""
    box: Box = field(init=False)
    """A mailbox that all know, in worlds where somebody looks into it."""
    restored: Restored | None = None
    """Who ended the politics of hostile members."""

    def __post_init__(self) -> None:
        super(World, self).__post_init__()
        self.box = carrying.new_box(self.options.seed)

    # -- phases ----------------------------------------------------------------------------------------------

    def run(self, script: Callable[[], None] | None = None) -> Outcome:
        """Play the plan, or a script in its place; then heal, settle and check."""
        self.play(script)
        self.settle()
        groups = self.groups()
        for checker in self.checkers:
            self.guarded(lambda checker=checker: checker.settled(self, groups))  # type: ignore[misc]
        self.say("", "settled", f"{len(groups)} group(s) after {self.rounds} rounds")
        return self.outcome()

    def play(self, script: Callable[[], None] | None = None) -> None:
        """Play the plan, or a script in its place, to the end of all faults."""
        for line in self.options.lines():
            self.say("", "options", line)
        self.populate()
        if script is not None:
            self.guarded(script)
        for at, name in enumerate(self.options.plan):
            if self.keep is None or at in self.keep:
                random = Random(f"{self.options.seed} event {at}")
                self.pass_time(1 + int(random.expovariate(1 / 400)))
                self.guarded(lambda name=name, random=random: faults.EVENTS[name](self, random))  # type: ignore[misc]
        self.heal()

    def populate(self) -> None:
        """Make the first devices and introduce them to each other."""
        random = Random(f"{self.options.seed} devices")
        for _ in range(self.options.replicas):
            device = self.add_device(random)
            faults.draw_clock(self, device, random)
        first, *others = self.devices
        introductions = [first.found(), *(first.introduce(other) for other in others)]
        first.core.learn(introductions, [])
        for other in others:
            other.found()
            other.core.learn([*introductions, other.introduce(first)], [])
        if hostile.has_politics(self.options.hostility):
            self._found(first)
        for device in random.sample(self.devices, self.options.liars):
            device.lies = True
            self.guilty.add(device.key.device)

    def _found(self, first: Device) -> None:
        """Let all follow the first device, and in half of the worlds the code that it prints."""
        self.founder = first.key.device
        own, *further = politics.founds(self, Random(f"{self.options.seed} founder"))
        for device in self.devices:
            device.core.follow(own)
            device.core.learn(further, [])

    def heal(self) -> None:
        """End the weather: everything is reachable, clocks are right, nobody lies, disks work.

        Before everybody runs the later version, a last look at what the earlier one makes of what it holds.
        """
        for device in self.devices if self.is_small else ():
            if not device.upgraded:
                self.guarded(partial(self.look_at, device))
        self.say("", "heal", "")
        self.healed = True
        if self.hostiles:
            self.count("honest ops held", self._honest_progress())
        self.blocked.clear()
        for link in list(self.links):
            self.lose(link, "healed")
        for device in self.devices:
            device.lies = False
            device.disk.failing = None
            device.clock.correct()
            self.upgrade(device)

    def _honest_progress(self) -> int:
        """Return how far what honest devices wrote has come: on how many devices each op is, added up."""
        bad = politics.bad_devices(self)
        honest = bits(each for each in self.observer.ops if each.op.origin.device not in bad)
        return sum((device.held & honest).bit_count() for device in self.devices)

    def look_at(self, device: Device) -> None:
        """Let every checker look at one device."""
        for checker in self.checkers:
            checker.audited(self, device)

    def settle(self) -> None:
        """Let all pairs that may talk do so, round after round, until nothing changes."""
        limit = 2 * len(self.devices) + ROUNDS_SLACK
        if self.founder is not None:
            limit *= 2  # once before the group is put right, and once after
        for self.rounds in range(1, limit + 1):
            self.last_refusals.clear()
            self.now_ms += STALL_MS
            before = [self.mark(device) for device in self.devices]
            for a, b in self.pairs():
                if self.founder is not None and not self.admitted(a, b):
                    self.guarded(partial(politics.hear_out, a, b))
                    self.guarded(partial(politics.hear_out, b, a))
                if self.admitted(a, b):
                    self.guarded(partial(self.converse, a, b))
            for (
                device
            ) in self.devices:  # a proof may arrive in any round, and its words are in the pages until then
                self.guarded(partial(self.purge, device))
            if before == [self.mark(device) for device in self.devices] and not self._put_right():
                self.is_quiet = True
                return

    def _put_right(self) -> bool:
        """Let somebody end the politics, once; say whether anybody did."""
        if self.founder is None or self.restored is not None:
            return False
        self.restored = politics.restore(self)
        return self.restored is not None

    def outcome(self) -> Outcome:
        """Return what this run came to."""
        return Outcome(
            options=self.options,
            violations=tuple(self.violations),
            converged=not any(
                each.checker in ("convergence", "durability", "no_wedge") for each in self.violations
            ),
            ops=len(self.observer.ops),
            lost_ops=self.lost.bit_count(),
            deliveries=self.wire.ops,
            ticks=self.trace.count,
            messages=self.wire.messages,
            bytes=self.wire.size,
            counts=dict(sorted(self.counts.items())),
            trace_hash=self.trace.digest(),
            events=tuple(self.trace.events),
        )

    # -- who is who ------------------------------------------------------------------------------------------

    def groups(self) -> list[list[Device]]:
        """Return the devices in groups of those that still talk to each other, directly or through others."""
        waiting, groups = list(self.devices), []
        while waiting:
            group, edge = [], [waiting.pop(0)]
            while edge:
                device = edge.pop()
                group.append(device)
                near = [other for other in waiting if self.admitted(device, other)]
                waiting = [other for other in waiting if other not in near]
                edge += near
            groups.append(group)
        return groups

    @property
    def is_small(self) -> bool:
        """Whether everything can be compared with everything."""
        return len(self.devices) <= SMALL_MAX

    def pick(self, random: Random) -> Device:
        """Return any device."""
        return random.choice(self.devices)

    def peer_of(self, device: Device, random: Random) -> Device:
        """Return another device that this one dials: any, or a neighbour, as the topology says."""
        at, count = self.devices.index(device), len(self.devices)
        match self.options.topology:
            case "ring":
                return self.devices[(at + random.choice([1, -1])) % count]
            case "star":
                return self.devices[0] if at else random.choice(self.devices[1:])
            case "line":
                return self.devices[max(0, min(count - 1, at + random.choice([1, -1])))]
        return random.choice(self.devices)

    def pairs(self) -> Iterator[tuple[Device, Device]]:
        """Return who talks to whom in one round: all pairs of a small world; a tree, up and down, in a large one."""
        devices = self.devices
        if self.is_small:
            yield from ((a, b) for i, a in enumerate(devices) for b in devices[i + 1 :])
        else:
            for group in self.groups():
                tree = self._tree(group)
                yield from reversed(tree)
                yield from tree

    def _tree(self, group: list[Device]) -> list[tuple[Device, Device]]:
        """Return pairs that join a group: nearly all with the first device, whose twins talk to somebody else."""
        joined, tree = group[:1], []
        for device in group[1:]:
            tree.append((next(each for each in joined if self.admitted(each, device)), device))
            joined.append(device)
        return tree

    def mark(self, device: Device) -> tuple[int, ...]:
        """Return what changes when a device hears news."""
        core, group = device.core, device.core.membership
        return (
            core.position,
            device.held.bit_count(),
            group.size,
            len(core.proofs),
        )
