"""Traps about peers that cost more than they should: a flood, one that never answers, fifty at once."""

import tracemalloc
from collections import deque
from collections.abc import Iterable
from typing import Final

import replica.outbox
from replica.ids import new_memory_id
from replica.ops import Remember, Write
from simulations.device import Device
from simulations.patching import swapped
from simulations.scenarios.stage import Scenario, Stage
from sync.errors import RemoteProtocolError
from sync.exchange import REFUSALS_MAX, Exchange
from sync.session import CREDITS
from sync.wire.messages import Ack, Base, Heads, Ops, Refused, decode_message, encode_message

# What a flood of one peer may make a device hold: its reasons, and the hundred memories that are told meanwhile.
PEER_BYTES_MAX: Final = 4_000_000
PEERS: Final = 50
# Frames are made small, so that a dozen of them cost little.
FRAMES: Final = 12
FRAME_OPS: Final = 10
ROUNDS_MAX: Final = 200


class Line:
    """One conversation, of which each side says something when it is its turn, and no more than one frame of ops."""

    def __init__(self, stage: Stage, ours: Device, theirs: Device) -> None:
        self._stage = stage
        self.ends = tuple(
            Exchange(a.core, b.key.device, stage.world.now_ms, frames_per_turn=1)
            for a, b in ((ours, theirs), (theirs, ours))
        )
        self.devices = ours, theirs
        self.waiting = tuple(deque(end.more(stage.world.now_ms)) for end in self.ends)
        """What each side has said that the other has not heard yet."""
        self.most_frames = 0
        """How many frames of ops one turn brought at most."""

    def turn(self, side: int) -> bool:
        """Let one side hear one message, or go on by itself; False if it has nothing to hear or to say."""
        heard, own = self.waiting[1 - side], self.ends[side]
        now = self._stage.world.now_ms
        if heard:
            said = own.receive(heard.popleft(), now)
            self._stage.world.notice(self.devices[side])
        elif not (said := own.more(now)):
            return False
        self.most_frames = max(self.most_frames, frames(said))
        self.waiting[side].extend(said)
        return True

    def talk(self) -> None:
        """Let both talk to the end."""
        while self.turn(0) or self.turn(1):
            pass


def _a_flood(stage: Stage) -> None:
    stage.remember("A", "a note")
    line = Line(stage, stage["A"], stage["B"])
    line.talk()
    end, origin, now = line.ends[0], stage["A"].core.origin, stage.world.now_ms
    ask = encode_message(Heads(stage["A"].core.frontier()))
    tracemalloc.start()
    try:
        for n in range(1_000):  # it asks over and over, and refuses whatever it is told, with many words
            end.receive(ask, now)
            if n % 10 == 0:
                stage.remember("A", f"news {n}")
                end.more(now)
                end.receive(encode_message(Ack(0, (Refused(origin, n + 1, f"{n} " * 50, gap=False),))), now)
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    stage.expect("what it costs is bounded", held <= PEER_BYTES_MAX, True)
    stage.expect("so are the reasons that it gives", len(end.refusals), REFUSALS_MAX)
    ahead = 0
    try:
        while ahead < 10 * CREDITS:
            end.session.hear(Ops(b"", last=False))
            ahead += 1
    except RemoteProtocolError:
        pass
    stage.expect("who sends more ahead than was granted is let go", ahead, CREDITS)
    stage.meet("A", "C")
    stage.expect("another one hears of everything", stage["C"].held, stage["A"].held)


def _a_stall(stage: Stage) -> None:
    with swapped(replica.outbox, "FRAME_OPS_TARGET", FRAME_OPS):
        _many(stage, "A")
        line = Line(stage, stage["A"], stage["B"])
        unheard = line.waiting[0]
        while line.turn(0) or (unheard and not frames(unheard) and line.turn(1)):
            pass  # from the first frame on, it hears and says nothing
        stage.expect("it is sent what it was granted, and no more", frames(unheard), CREDITS)
        rid = stage.remember("A", "news")
        stage.expect("nor news", line.turn(0), False)
    stage.meet("A", "C")
    stage.expect("the next one waits for nobody", stage["C"].held, stage["A"].held)
    stage.expect("and hears the news", stage.memory("C", rid) is not None, True)


def _fifty_at_once(stage: Stage) -> None:
    hub, greedy, *others = stage.world.devices
    _many(stage, greedy.name)
    modest = [stage.remember(other.name, f"by {other.name}") for other in others]
    with swapped(replica.outbox, "FRAME_OPS_TARGET", FRAME_OPS):
        lines = [Line(stage, hub, other) for other in (greedy, *others)]
        rounds = waited = 0
        while sum(line.turn(side) for line in lines for side in (0, 1)):  # everybody, in turn
            rounds += 1
            if not waited and all(stage.memory(hub.name, rid) is not None for rid in modest):
                waited = rounds
                stage.expect(
                    "none of them waited for the one with much to say", hub.held == greedy.held, False
                )
    stage.expect("no turn is longer than a frame", max(line.most_frames for line in lines), 1)
    stage.expect("the modest ones are heard in a few rounds", 0 < waited <= 10, True)
    stage.expect("everybody has everything", {other.held for other in (greedy, *others)}, {hub.held})
    stage.expect("soon", rounds <= ROUNDS_MAX, True)


def _many(stage: Stage, name: str) -> None:
    """Let a device remember what fills a dozen frames."""
    for n in range(FRAMES):
        texts = (Remember(f"note {n} {i}", {}) for i in range(FRAME_OPS))
        now = stage[name].now(stage.world.now_ms)
        stage.world.write(stage[name], [Write(each, new_memory_id(now, stage.random)) for each in texts])


def frames(said: Iterable[bytes]) -> int:
    """Return how many of these messages bring ops."""
    return sum(isinstance(decode_message(each), Ops | Base) for each in said)


SCENARIOS = (
    Scenario(
        "a_flood",
        "A peer that asks without end and refuses whatever it gets fills the memory of one that notes it all, and so "
        "does one that sends ahead of every answer. What one peer may cost is bounded here, and others notice nothing.",
        _a_flood,
        devices=3,
    ),
    Scenario(
        "a_stall",
        "A peer that asks for everything and then reads nothing makes a server hold the whole answer, and the next in "
        "line wait. Here it gets what it was granted ahead of its receipts, and nobody stands behind it.",
        _a_stall,
        devices=3,
    ),
    Scenario(
        "fifty_at_once",
        "A server that lets each peer finish makes fifty wait for the one with the most to say. Here a turn is a frame "
        "at most, so whoever has one thing to say is heard within a few rounds.",
        _fifty_at_once,
        devices=PEERS + 1,
    ),
)
