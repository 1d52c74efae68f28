"""What may happen at one step of the plan: somebody writes, dials, or something goes wrong.

Every event acts on the world through its public methods, and draws from the generator that it is given.
"""

from collections.abc import Callable
from itertools import product
from random import Random
from typing import Final

from replica.membership import revoking
from replica.state.cells import memory_key
from replica.state.memories import MemoryCell, document_of
from simulations import carrying, endings, handing, hostile, judging, minds, mishaps, retelling, workload
from simulations.clock import DAY_MS, HOUR_MS, YEAR_MS
from simulations.crafting import UNHEARD_OF, craft, newer_payload, wrong_bodies
from simulations.device import Device
from simulations.disk import Failure
from simulations.mishaps import talk
from simulations.network import End, Link
from simulations.world import World
from sync.wire.messages import Ack, Bye, CaughtUp, Known, Ops, encode_message

REVOCATIONS_MAX: Final = 2
# How far off clocks are: a wrong time zone, a flat battery, a wrong year; and within and beyond what is absorbed.
OFFSETS_MS: Final = (
    0,
    0,
    180_000,
    -180_000,
    HOUR_MS,
    -HOUR_MS,
    30 * HOUR_MS,
    -30 * HOUR_MS,
    YEAR_MS,
    -YEAR_MS,
)


def draw_clock(world: World, device: Device, random: Random) -> None:
    """Give a device the clock that it starts with."""
    if "skew" in world.options.faults:
        device.clock.offset_ms = random.choice(OFFSETS_MS)


def write(world: World, random: Random) -> None:
    """Somebody changes something."""
    device = world.pick(random)
    now = device.now(world.now_ms)
    device.core.begin(now)
    writes = workload.write(device.core, device.name, world.memo, random, now, world.options.writes)
    world.write(device, writes)


def dial(world: World, random: Random) -> None:
    """Two devices find each other."""
    device = world.pick(random)
    world.dial(device, world.peer_of(device, random), random)


def sync(world: World, random: Random) -> None:
    """Two devices talk for a moment, perhaps not to the end."""
    a = world.pick(random)
    talk(world, a, world.peer_of(a, random), lambda *_: random.randrange(100) < world.options.cut_percent)


def tick(world: World, random: Random) -> None:
    """Nothing happens for a while."""
    world.pass_time(random.choice([10, 1_000, 60_000]))


def audit(world: World, random: Random) -> None:
    """Somebody looks closely at one device."""
    device = world.pick(random)
    world.say(device.name, "audit", "")
    world.look_at(device)


def partition(world: World, random: Random) -> None:
    """Some devices cannot reach others; or all can again."""
    world.blocked.clear()
    side = {device.name: random.randrange(2) for device in world.devices}
    how = random.choice(["none", "full", "one way"])
    if how != "none":
        near, far = ([name for name, where in side.items() if where == which] for which in (0, 1))
        world.blocked.update(product(near, far))
        if how == "full":
            world.blocked.update(product(far, near))
    apart = "".join(name for name, where in side.items() if where)
    world.say("", "partition", f"{how} {apart}" if how != "none" else how)
    world.count("partitions")


def crash(world: World, random: Random) -> None:
    """A process dies between two writes."""
    mishaps.crash(world, world.pick(random))


def torn(world: World, random: Random) -> None:
    """A process will die inside its next write."""
    world.pick(random).disk.failing = Failure.TORN


def full(world: World, random: Random) -> None:
    """A disk will refuse its next write."""
    mishaps.fill(world, world.pick(random))


def images(world: World, random: Random) -> None:
    """A disk is copied; or a copy comes back, in place of the device or beside it, and the device may not know."""
    if not world.images or random.random() < 0.5:
        device = world.pick(random)
        world.images.append((device, device.disk.image(), device.held))
        world.say(device.name, "image", "")
        return
    original, disk, held = random.choice(world.images)
    knows = random.random() < 0.3
    if random.random() < 0.6 and original in world.devices:
        device = original
        world.swap_disk(device, disk.image(), held)
        world.say(device.name, "restored" if knows else "rolled back", "")
        world.count("restores")
    elif len(world.devices) < world.options.replicas + mishaps.DEVICES_MORE_MAX:
        device = world.add_twin(original, disk.image(), held)
        world.say(device.name, "twin", f"of {original.name}")
        world.count("clones")
    else:
        return
    if knows:
        device.core.incarnate()


def wipe(world: World, random: Random) -> None:
    """A device loses its store, keeps its key, and is introduced again by somebody who knows it."""
    device, other = world.pick(random), world.pick(random)
    if device is other or not world.admitted(device, other) or len(world.devices) < 3:
        return
    world.swap_disk(device, world.new_disk(), 0)
    world.say(device.name, "wiped", f"paired again with {other.name}")
    world.count("wipes")
    world.pair(other, device)


def skew(world: World, random: Random) -> None:
    """A clock is set, drifts, stops, or is corrected."""
    device = world.pick(random)
    how = random.choice(["step", "drift", "freeze", "correct"])
    if how == "step":
        device.clock.step(random.choice(OFFSETS_MS))
    elif how == "drift":
        device.clock.drift(random.choice([-200_000, -100, 100, 200_000]), world.now_ms)
    elif how == "freeze":
        device.clock.freeze(world.now_ms)
    else:
        device.clock.correct()
    world.say(device.name, "clock", f"{how}, now {device.now(world.now_ms) - world.now_ms} ms off")


def sleep(world: World, random: Random) -> None:
    """A long time passes."""
    days = random.choice([1, 40, 100, 365])
    world.say("", "time", f"{days} days")
    world.pass_time(days * DAY_MS)


def put_out(world: World, random: Random) -> None:
    """A device is revoked by another."""
    by, target = world.pick(random), world.pick(random)
    known = by.core.membership
    if by.key.device == target.key.device or world.counts.get("revocations", 0) >= REVOCATIONS_MAX:
        return
    if target.key.device in known.revoked or target.key.device not in known.members:
        return
    world.say(by.name, "revokes", target.name, other=target.name)
    world.count("revocations")
    world.decided.add(target.key.device)
    acts = revoking(known, by.key.private.sign, by.key.device, [target.key.device])
    if world.attempt(by, lambda: by.core.learn(*acts)):
        world.flush(by)


def flood(world: World, random: Random) -> None:
    """A peer says what the protocol does not allow, or more than it allows."""
    talking = [link for link in world.links if not link.stalled]
    if not talking:
        return
    link = random.choice(talking)
    end = random.choice(link.ends)
    data = random.choice(list(FLOODS.values()))(random)
    world.say(end.device.name, "floods", link.name, other=link.other(end).device.name)
    world.count("floods")
    was, end.device.lies = end.device.lies, True
    world.guilty.add(end.device.key.device)
    try:
        for chunk in data:
            link.under_way += 1
            _hear_flood(world, link, link.other(end), chunk)
    finally:
        end.device.lies = was
    world.lose(link, "flooded")


def _hear_flood(world: World, link: Link, to: End, chunk: bytes) -> None:
    from sync.errors import SyncError

    try:
        world.deliver(link, to, chunk)
    except SyncError as error:  # the framing itself refuses what announces too much
        world.accuse(link, to.device, link.other(to).device, error)


def _framed(*bodies: bytes) -> list[bytes]:
    return [len(body).to_bytes(4) + body for body in bodies]


FLOODS: Final[dict[str, Callable[[Random], list[bytes]]]] = {
    "beyond credit": lambda random: _framed(*[encode_message(Ops(b"?", True))] * 9),
    "a frame of 4 GB": lambda random: [b"\xff\xff\xff\xff"],
    "noise": lambda random: _framed(random.randbytes(50)),
    "acknowledges nothing": lambda random: _framed(encode_message(Ack(3, ()))),
    "knows unasked": lambda random: _framed(encode_message(Known(()))),
    "goes": lambda random: _framed(encode_message(Bye("bye")), encode_message(CaughtUp())),
    "empty": lambda random: _framed(b""),
}


def future(world: World, random: Random) -> None:
    """A later version of the program writes what the others do not understand, or a device is upgraded to it."""
    device = world.pick(random)
    now = device.now(world.now_ms)
    if not device.upgraded and random.random() < 0.2:
        world.upgrade(device)
        return
    later = [each for each in world.devices if each.upgraded]
    if not later:
        return
    device = random.choice(later)
    write = None
    kind, rid, payload = UNHEARD_OF, None, random.randbytes(20)
    if random.random() < 0.9:
        device.core.begin(now)
        weights = world.options.writes | dict.fromkeys(("access", "batch", "erase"), 0)
        if weights["import"] and random.random() < 0.4:
            weights = {
                "import": 1
            }  # an add that others cannot read, of a memory that they may add themselves
        writes = workload.write(device.core, device.name, world.memo, random, now, weights)
        if not writes:
            return
        write = writes[0]
        kind, payload = newer_payload(write.body, random)
        rid = write.rid
    frame = craft(
        device,
        feed=f"{device.name} later",
        kind=kind,
        version=2,
        rid=rid,
        payload=payload,
        hlc=world.stamp(device),
    )
    world.take_crafted(device, frame, write, honest=True)
    world.count("newer ops")


def rogue(world: World, random: Random) -> None:
    """A member signs ops that keep the rules of headers and break those of bodies, or stamps them at random."""
    device = world.pick(random)
    rid = random.choice(world.memo.rids or [random.randbytes(16)])
    cell = device.core.store.load([memory_key(rid)]).get(memory_key(rid))
    base = document_of(rid, cell)[0] if isinstance(cell, MemoryCell) else bytes(8)
    kind, target, payload = wrong_bodies(random, rid, base)
    now = device.now(world.now_ms)
    hlc = random.choice([world.stamp(device), (now + YEAR_MS) << 16, 1])
    frame = craft(
        device, feed=f"{device.name} rogue", kind=kind, version=1, rid=target, payload=payload, hlc=hlc
    )
    world.take_crafted(device, frame, None, honest=False)
    world.count("wrong ops")


def fold_down(world: World, random: Random) -> None:
    """A device folds what everybody has into its base."""
    mishaps.fold_down(world, world.pick(random))


def clean(world: World, random: Random) -> None:
    """A device cleans its pages of what was erased, and writes a receipt."""
    world.purge(world.pick(random))


EVENTS: Final[dict[str, Callable[[World, Random], None]]] = {
    "write": write,
    "dial": dial,
    "sync": sync,
    "tick": tick,
    "audit": audit,
    "partition": partition,
    "crash": crash,
    "torn": torn,
    "full": full,
    "images": images,
    "wipe": wipe,
    "skew": skew,
    "sleep": sleep,
    "join": mishaps.join,
    "revoke": put_out,
    "flood": flood,
    "future": future,
    "compact": fold_down,
    "erase": clean,
    "rogue": rogue,
    **handing.EVENTS,
    **minds.EVENTS,
    **endings.EVENTS,
    **hostile.EVENTS,
    **retelling.EVENTS,
    **judging.EVENTS,
    **carrying.EVENTS,
}
