"""Whatever a revoked member signed, with stamps at every limit, and whatever was sent before: told again, to anybody.

Frames come again in any order, to the same and to other devices, after compaction and after a revocation; clocks are
days and years off. In the end the honest devices hold and show the same, and nothing that is replayed changes anything.
"""

from dataclasses import dataclass, field
from random import Random

import pytest

from replica import Core, Forget, Remember, Set, Write
from replica.compaction import compact
from replica.frame import Frame
from replica.hlc import AHEAD_MS_MAX, HLC_MAX
from replica.ops import Body, Tag, Untag
from replica.verify import verify_replica
from tests.support.exchanges import ExchangePair
from tests.support.groups import founded, hear, put_out
from tests.support.replicas import DAY_MS, NOW_MS, Hand, everything, take

SEEDS = 25
NAMES = ("ann", "ben", "cleo")
RIDS = [bytes([number]) * 16 for number in range(4)]
LIMIT = NOW_MS + AHEAD_MS_MAX << 16
STAMPS = [1, 0xFFFF, NOW_MS << 16 | 0xFFFF, LIMIT, LIMIT + 1, 1 << 48, 1 << 62, HLC_MAX - 1, HLC_MAX]
OFF_MS = [0, 0, 3_600_000, -3_600_000, 30 * 3_600_000, -30 * 3_600_000, 400 * DAY_MS]


@dataclass
class World:
    """Three devices, and eve, who signs by hand and was cloned; from a seed."""

    seed: int
    random: Random = field(init=False)
    devices: dict[str, Core] = field(init=False)
    clocks: dict[str, int] = field(init=False)
    hands: list[Hand] = field(default_factory=lambda: [Hand("eve")])
    frames: list[Frame] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.random = Random(f"replays {self.seed}")
        cores = founded(*NAMES, "eve")
        self.devices = dict(zip(NAMES, cores, strict=False))
        self.clocks = {name: NOW_MS + self.random.choice(OFF_MS) for name in NAMES}
        for core in self.devices.values():
            for other in cores:
                hear(core, other)

    def step(self) -> None:
        """Let one thing happen."""
        name = self.random.choice(NAMES)
        self.clocks[name] += self.random.choice([0, 1_000, DAY_MS, 40 * DAY_MS])
        core, now_ms, what = self.devices[name], self.clocks[name], self.random.random()
        if what < 0.3:
            core.commit([self.write()], now_ms)
        elif what < 0.5:
            take(core, self.forged(core), now_ms)
        elif what < 0.75:
            self.meet(core, self.devices[self.random.choice([each for each in NAMES if each != name])])
        elif what < 0.85 and self.frames:
            take(core, self.random.choice(self.frames), now_ms)
        elif what < 0.95:
            compact(core, now_ms, before_ms=self.random.choice([None, now_ms - 30 * DAY_MS]))
        elif self.devices["ann"] is core:
            put_out(core, "ann", "eve")

    def write(self) -> Write:
        rid, body = self.random.choice(RIDS), self.body()
        return Write(body, None if isinstance(body, Forget) else rid)  # type: ignore[arg-type]

    def body(self) -> Body:
        rid = self.random.choice(RIDS)
        bodies: list[Body] = [
            Remember(f"text {self.random.randrange(3)}", {}),
            Set("importance", self.random.random()),
            Tag(("a", "b")),
            Untag(("a",)),
            Forget((rid,)),  # type: ignore[arg-type]
        ]
        return self.random.choices(bodies, [5, 5, 5, 5, 1])[0]

    def forged(self, core: Core) -> Frame:
        hand = self.random.choice(self.hands)
        if self.random.random() < 0.1:
            hand = hand.fork()
            self.hands.append(hand)
        heads = [each for each in core.frontier().heads if each.origin != hand.origin]
        seen = sorted(self.random.sample(heads, self.random.randint(0, len(heads))))
        write = self.write()
        op = hand.write(write.body, write.rid, seen=seen, hlc=self.random.choice(STAMPS))
        self.frames.append(hand.frame(op))
        return self.frames[-1]

    def meet(self, one: Core, other: Core) -> None:
        """Let two devices talk, perhaps not to the end; what one of them holds may be told again one day."""
        if list(one.store.rows()):
            self.frames.append(everything(one))
        pair = ExchangePair(one, other, max(self.clocks.values()))
        for _ in range(self.random.choice([5, 20, 10_000])):
            if not (pair.step(self.random.random() < 0.5) or pair.step(True) or pair.step(False)):
                break

    def replay(self) -> None:
        """Hand every frame to everybody, in another order to each, until nobody takes anything."""
        for name, core in self.devices.items():
            before = -1
            while core.position != before:
                before = core.position
                for frame in self.random.sample(self.frames, len(self.frames)):
                    take(core, frame, self.clocks[name])

    def settle(self) -> None:
        """Let everybody meet everybody."""
        for one in self.devices.values():
            for other in self.devices.values():
                if one is not other:
                    ExchangePair(one, other, max(self.clocks.values())).settle()


@pytest.mark.parametrize("seed", range(SEEDS))
def test_what_is_told_again_changes_nothing_in_any_order(seed: int) -> None:
    world = World(seed)
    for _ in range(world.random.randint(20, 50)):
        world.step()
    for _ in range(3):
        world.replay()
        world.settle()
    cores = world.devices.values()
    assert len({core.digests() for core in cores}) == 1
    held = [(core.digests(), core.position) for core in cores]
    world.replay()
    assert [(core.digests(), core.position) for core in cores] == held
    assert all(verify_replica(core).ok for core in cores)
    world.devices["ann"].commit([Write(Set("profile.name", "after it all"))], NOW_MS - 500 * DAY_MS)
    world.settle()
    assert len({core.digests() for core in cores}) == 1
