"""Run devices against each other in one thread, on one queue of simulated time, from one seed.

Two phases. While faults are on, the plan is played: devices write, dial each other, crash, are copied and rolled back;
links carry bytes late or not at all. Then everything is healed, every pair that may talk talks until nobody has
anything left to say, and the checkers look.

Each event of the plan draws from a generator of its own, so that the shrinker can leave events out and the others stay
what they were.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Final

from simulations import faults, hostile
from simulations.checkers import all_checkers
from simulations.device import Device
from simulations.hostile import politics
from simulations.household import Checker
from simulations.network import STALL_MS
from simulations.observer import bits
from simulations.options import Options
from simulations.timeline import Violation
from simulations.trace import Event
from simulations.world import World

# A round lets every pair of a group talk; news needs one round to reach all, and what was refused one more.
ROUNDS_SLACK: Final = 6


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
class PlayedWorld(World):
    """A world that plays its plan. `keep`: which events of it (all, unless the shrinker says otherwise)."""

    checkers: list[Checker] = field(default_factory=all_checkers)
    keep: frozenset[int] | None = None

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
