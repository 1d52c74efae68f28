"""Let devices think: embed what is due and run the product's own steps, and let people answer what came of it.

The daemon does this in the background (`cognition.background.worker`, `cognition.thinking.cycle`); here each call is
one event of the plan, on one thread. What a step writes reaches the observer as any commit does, so thinking on devices
that are apart is judged like people's words: one record a contradiction, one summary a cluster, one trigger a subject.
"""

from collections.abc import Callable
from random import Random
from typing import Final

from cognition.background import queue
from cognition.embedding.hashed import HashedEmbedder
from cognition.recall.feedback import lesson
from cognition.thinking.cycle import StepOutcome
from cognition.triggers.lattice import joined
from replica.fields import Value
from replica.ids import MemoryId
from replica.ops import Forget, Relate, Set, Trigger, Withdraw, Write
from replica.storage.proposals import proposals_of
from replica.storage.triggers import read_triggers
from simulations.device import Device
from simulations.disk import SqliteDisk
from simulations.world import World

# The same for every world, so that a word is hashed once.
EMBEDDER: Final = HashedEmbedder()
# A step that still has more after so many calls has nothing to say in a world of a hundred memories: it loops.
CALLS_MAX: Final = 20
STATUS_MAX: Final = 3
SIGNALS: Final = ("words", "graph", "recency", "use")
MARKS: Final[tuple[dict[str, Value], ...]] = (
    {"goal": "open"},
    {"goal": "done"},
    {"type": "prospective", "event_start": 0},
    {"type": "prospective", "event_start": 4_000_000_000_000},
    {"archived": True},
    {"archived": False},
    {"apart": True},
)


def think(world: World, random: Random) -> None:
    """A device embeds what is due and runs one cycle; a crash in a step loses what that step was about to write."""
    device = world.pick(random)
    disk = device.disk
    if not isinstance(disk, SqliteDisk):
        return
    now_ms = device.now(world.now_ms)
    _embed(disk, now_ms)
    for step in device.mind:
        for _ in range(CALLS_MAX):
            outcomes: list[StepOutcome] = []
            if not world.attempt(
                device,
                lambda step=step, told=outcomes: told.append(step.run(device.core, disk.connection, now_ms)),  # type: ignore[misc]
                f"while it thinks of {step.name}",
            ):
                return
            world.note_own(device)
            if not outcomes[0].more:
                break
        else:
            world.violate("no_wedge", f"{step.name} on {device.name} has more to say after {CALLS_MAX} calls")
    world.count("cycles")


def teach(world: World, random: Random) -> None:
    """Somebody says whether what was recalled was any good: a lesson for the ranking."""
    device = world.pick(random)
    device.core.begin(device.now(world.now_ms))
    for rid, _ in world.memo.living(device.core, random, 1):
        given = {signal: random.random() for signal in random.sample(SIGNALS, 2)}
        world.write(device, [Write(lesson(rid, given, relevant=random.random() < 0.5))])


def react(world: World, random: Random) -> None:
    """Somebody answers a trigger, sets a goal or a date, or takes back all that one device told."""
    device = world.pick(random)
    if isinstance(device.disk, SqliteDisk):
        device.core.begin(device.now(world.now_ms))
        how = random.choice([_answer, _answer, _mark, _mark, _retract])
        world.write(device, how(world, device, device.disk, random))


def _embed(disk: SqliteDisk, now_ms: int) -> None:
    space = queue.enter_space(disk.connection, EMBEDDER.name, now_ms=now_ms)
    while jobs := queue.due(disk.connection, now_ms=now_ms, limit=queue.BATCH_MAX):
        queue.done(disk.connection, space, jobs, EMBEDDER.embed([job.text for job in jobs]))


def _answer(world: World, device: Device, disk: SqliteDisk, random: Random) -> list[Write]:
    raised = joined(read_triggers(disk.connection))
    if not raised:
        return []
    one = random.choice(raised)
    status = random.randint(one.held.status, STATUS_MAX)
    _, kind, about = one.held.raised
    return [Write(Trigger(one.id, status, kind, about), one.rid)]


def _mark(world: World, device: Device, disk: SqliteDisk, random: Random) -> list[Write]:
    """Set what thinking goes by: goals, dates, and what is kept out of summaries."""
    for rid, _ in world.memo.living(device.core, random, 1):
        marks = random.choice(MARKS)
        return [Write(Set(name, value), rid) for name, value in marks.items()]
    return []


def _retract(world: World, device: Device, disk: SqliteDisk, random: Random) -> list[Write]:
    """Forget what a device told (`samemind retract --device`), with the edges that name it and its proposals."""
    whose = random.choice(world.devices).key.device
    since = 0 if random.random() < 0.5 else device.now(world.now_ms) - 60_000
    told = disk.connection.execute(
        "SELECT m.rid FROM memory m JOIN feed f ON f.no = m.feed WHERE f.device = ? AND m.created >> 16 >= ?",
        (whose, since),
    )
    rids = sorted(MemoryId(rid) for (rid,) in told)
    if not rids:
        return []
    everything = [
        MemoryId(rid) for (rid,) in disk.connection.execute("SELECT DISTINCT rid FROM proposal_member")
    ]
    proposals = sorted(
        place for place in proposals_of(disk.connection, everything) if place.origin.device == whose
    )
    names = {rid.hex() for rid in rids}
    edges = [edge for edge in disk.edges() if names.intersection((edge[0], edge[2]))]
    writes = [Write(Relate(*edge, None)) for edge in sorted(edges)]
    writes += [Write(Withdraw(tuple(proposals)))] if proposals else []
    return [*writes, Write(Forget(tuple(rids)))]


EVENTS: Final[dict[str, Callable[[World, Random], None]]] = {"think": think, "react": react, "teach": teach}
