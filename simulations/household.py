"""Hold the devices of a world: start them, crash them, swap their disks, let them write, and watch their logs.

Whoever looks at a world is told of it here: a `Checker` sees the devices and what was said of them, not the network.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

from replica.codec import payload_hash
from replica.errors import StoreFailed
from replica.frame import Frame
from replica.hlc import COUNTER_BITS
from replica.ids import DeviceId, MemoryId
from replica.membership import name_root
from replica.oplog import LogEntry
from replica.ops import Body, Claim, Erase, Op, SameSlot, Write
from replica.purging import purge
from replica.rows import body_of, op_of
from replica.signing import MemoisedVerify
from simulations import workload
from simulations.clock import Clock
from simulations.definition import Meaning, claims_of, meaning_of
from simulations.device import Device, Key
from simulations.disk import Crash, Disk, MemoryDisk, SqliteDisk
from simulations.mailboxes import Box
from simulations.observer import Bits, Observer, Written, bits
from simulations.timeline import Timeline
from simulations.wire import SessionWork
from sync.errors import Untrusted
from sync.exchange import Exchange, check_admitted

# Beyond this many devices the whole state is compared on one device of a group, and digests on all.
SMALL_MAX: Final = 16

Arrival = tuple[LogEntry, Written | None]
"""An op as it entered a log, and what its author wrote, if anybody did."""


class Checker:
    """One property. What a checker is not interested in, it does not override."""

    name = ""

    def took(self, world: "Household", device: Device, arrivals: Sequence[Arrival]) -> None:
        """Hear of ops that entered a device's log, in that order. `device.held` is what it held before."""

    def restarted(self, world: "Household", device: Device) -> None:
        """Hear that a device opened its store again, after a crash that its disk survived."""

    def rested(
        self, world: "Household", ours: tuple[Device, Exchange], theirs: tuple[Device, Exchange]
    ) -> None:
        """Look at both ends of a link on which nothing is under way."""

    def worked(self, world: "Household", work: SessionWork) -> None:
        """Hear what one session of the settling phase had to do, and what it did."""

    def audited(self, world: "Household", device: Device) -> None:
        """Look at one device on the way."""

    def settled(self, world: "Household", groups: Sequence[Sequence[Device]]) -> None:
        """Look at every group of devices that still talk to each other, at the end."""


@dataclass(frozen=True, slots=True)
class Restored:
    """Who put the group right, in whose name, and who was to belong to it from then on."""

    by: Device
    kept: frozenset[DeviceId]


@dataclass(slots=True, eq=False)
class Household(Timeline):
    """All devices of a world, and the observer who sees into each of them."""

    devices: list[Device] = field(default_factory=list)
    observer: Observer = field(default_factory=Observer)
    checkers: list[Checker] = field(default_factory=list)
    images: list[tuple[Device, Disk, Bits]] = field(default_factory=list)
    snapshots: dict[bytes, bytes] = field(default_factory=dict)
    """All that were ever cut into parts, by their digests."""
    hostiles: list[Device] = field(default_factory=list)
    """Members that turned on the others (`simulations.hostile`); they are not among the devices."""
    guilty: set[DeviceId] = field(default_factory=set)
    """Who broke a rule at any time: whom devices may accuse."""
    proven: set[bytes] = field(default_factory=set)
    """Memories that somebody erased."""
    founder: DeviceId | None = None
    """Whose word comes first, in worlds with politics."""
    code: Key | None = None
    """The recovery code of such a group, on paper."""
    decided: set[DeviceId] = field(default_factory=set)
    """Whom honest devices have revoked."""
    founded: set[DeviceId] = field(default_factory=set)
    """Who founded a group with another, as neither had heard of a founder."""
    misled: set[DeviceId] = field(default_factory=set)
    """Who was paired with a device that turned before it had said who founded the group, or that had founded it."""
    restored: Restored | None = None
    """Who ended the politics of hostile members."""
    box: Box = field(init=False)
    """A mailbox that all know, in worlds where somebody looks into it."""
    disks_forget: bool = False
    """A planted bug: a process that dies takes its last commit with it."""
    verify: MemoisedVerify = field(default_factory=MemoisedVerify)
    memo: workload.Memo = field(init=False)
    meanings: dict[tuple[Bits, bool, frozenset[bytes]], Meaning] = field(default_factory=dict)
    """What was asked for last: what a set of ops means to who understands so much of it."""
    is_quiet: bool = False
    """Whether nobody had anything left to say when the world had settled."""
    rounds: int = 0
    """In how many rounds it settled."""
    last_refusals: list[str] = field(default_factory=list)
    """Why ops were refused in the last of them."""
    lost: Bits = 0
    _device_count: int = 0

    def __post_init__(self) -> None:
        self.memo = workload.Memo(self.options.keys)
        self.box = Box.drawn(self.options.seed)

    # -- told by those who carry messages --------------------------------------------------------------------

    def flush(self, device: Device) -> None:
        """Hear that a device has news; here, nobody is connected to it."""

    def drop_links(self, device: Device, why: str) -> None:
        """Hear that a device's process is gone."""

    def learned(self, device: Device) -> None:
        """Hear that a device may know news of the group."""

    # -- who is who ------------------------------------------------------------------------------------------

    @property
    def is_small(self) -> bool:
        """Whether everything can be compared with everything."""
        return len(self.devices) <= SMALL_MAX

    def admitted(self, a: Device, b: Device) -> bool:
        """Whether both sides let the other in: not twins of one device, and neither knows that the other is out."""
        if a.key.device == b.key.device:
            return False
        try:
            check_admitted(a.core, b.key.device)
            check_admitted(b.core, a.key.device)
        except Untrusted:
            return False
        return True

    def defined_for(self, device: Device) -> Meaning:
        """Return what the ops that a device holds and understands mean, by definition."""
        erased = frozenset(device.core.erased)
        known = self.meanings.get((device.held, device.upgraded, erased))
        if known is None:
            held = [each for each in self.observer.among(device.held) if device.upgraded or not each.newer]
            self.meanings.clear()  # several checkers ask about one device, then about one that holds the same
            known = self.meanings[device.held, device.upgraded, erased] = meaning_of(held, erased)
        return known

    # -- devices ---------------------------------------------------------------------------------------------

    def add_device(self, random: Random) -> Device:
        """Make a new device, not introduced to anybody yet."""
        number, self._device_count = self._device_count, self._device_count + 1
        name = _name(number)
        device = self.new_device(name, Key.draw(random), Random(f"{self.options.seed} device {name}"))
        self.devices.append(device)
        return device

    def new_device(self, name: str, key: Key, own: Random) -> Device:
        """Return a device with an empty disk."""
        disk = self.new_disk()
        clock = Clock(coarse="coarse" in self.options.faults)
        upgraded = "future" not in self.options.faults or own.random() < 0.5
        return Device(name, key, disk, clock, own, self.verify, upgraded=upgraded)

    def new_disk(self) -> Disk:
        """Return an empty disk."""
        return SqliteDisk(thinks=self.options.thinks) if self.options.store == "sqlite" else MemoryDisk()

    def add_twin(self, original: Device, disk: Disk, held: Bits) -> Device:
        """Start a second device from a copy of a disk: same key, same store."""
        number, self._device_count = self._device_count, self._device_count + 1
        name = f"{original.name}{number}"
        own = Random(f"{self.options.seed} device {name}")
        clock = Clock(original.clock.offset_ms)
        twin = Device(
            name, original.key, disk, clock, own, self.verify, held=held, upgraded=original.upgraded
        )
        twin.seen_pos = twin.core.position
        self.devices.append(twin)
        return twin

    def swap_disk(self, device: Device, disk: Disk, held: Bits) -> None:
        """Start a device from another disk than it had."""
        self.drop_links(device, "its disk was swapped")
        device.disk, device.held = disk, held
        device.start(self.now_ms)
        device.seen_pos = device.core.position

    def restart(self, device: Device) -> None:
        """Let the process die and start again: only what was written is left."""
        self.drop_links(device, "the process died")
        device.disk.failing = None
        if device.before is not None:
            device.disk, device.before = device.before, None
        device.start(self.now_ms)
        device.seen_pos = device.core.position
        for checker in self.checkers:
            checker.restarted(self, device)

    def upgrade(self, device: Device) -> None:
        """Start the later version of the program on a device."""
        if not device.upgraded:
            self.drop_links(device, "it is upgraded")
            device.upgraded = True
            if not self.attempt(device, lambda: device.start(self.now_ms), "at its first start"):
                self.restart(device)
            self.say(device.name, "upgrade", "")

    def held_by(self, device: Device) -> Bits:
        """Return which ops a device's store holds, read from its feeds rather than remembered."""
        core, observer = device.core, self.observer
        held = [observer.by_id.get(entry.op.id) for entry in core.store.entries(0, {}, core.feeds.origin_of)]
        for feed in core.feeds:
            based = range(feed.fork + 1, feed.base_seq + 1)
            held += [observer.by_place.get(core.feeds.place(feed.no, seq)) for seq in based]
        return bits(written for written in held if written is not None)

    def attempt(self, device: Device, action: Callable[[], object], what: str = "") -> bool:
        """Do something that writes on a device; False when its disk refused or its process died there."""
        try:
            action()
        except Crash:
            self.say(device.name, "torn", what)
            self.count("crashes")
            self.restart(device)
            return False
        except StoreFailed:
            self.say(device.name, "refused", f"disk full {what}".rstrip())
            return False
        return True

    def pair(self, host: Device, guest: Device) -> None:
        """Introduce two devices to each other, as pairing does; either may fail to write it down."""
        if (
            self.attempt(guest, guest.found)
            and (self.founder is None or self._expect_root(host, guest))
            and self.attempt(guest, lambda: guest.core.learn([guest.introduce(host)], []))
            and self.attempt(host, lambda: host.core.learn([host.introduce(guest)], []))
        ):
            self.flush(host)

    def _expect_root(self, host: Device, guest: Device) -> bool:
        """Let two that pair say whom they take the root from; whoever shows the code founds, where neither has one."""
        sign = host.key.private.sign
        own = name_root(sign, host.key.device, public_key=host.key.public, name=host.name)
        expected = self.attempt(host, lambda: host.core.expect_root(guest.key.device, own)) and self.attempt(
            guest, lambda: guest.core.expect_root(host.key.device, None)
        )
        if host.core.membership.root == host.key.device:
            self.founded.add(host.key.device)
        return expected

    def write(self, device: Device, writes: Sequence[Write]) -> list[Op]:
        """Commit on a device; empty when its disk refused or its process died."""
        if not writes:
            return []
        bodies: list[Body | None] = [each.body for each in writes]
        ops: list[Op] = []
        changed_mind = any(isinstance(body, Claim) and body.replaces for body in bodies)
        knew = frozenset(claims_of(self.defined_for(device)) if changed_mind else ())
        device.before = device.disk.image() if self.disks_forget else None
        if not self.attempt(device, lambda: ops.extend(device.core.commit(writes, device.now(self.now_ms)))):
            return []
        newer = any(isinstance(body, SameSlot) for body in bodies)
        held = self.observer.wrote(device.name, device.held, ops, bodies, newer=newer)
        for body in bodies:
            if isinstance(body, Erase):
                self.proven.update(body.rids)
        workload.note(self.memo, writes, [op.place for op in ops])
        if changed_mind:
            self.memo.knew.update((op.place, knew) for op in ops)
        self.say(device.name, "writes", _told(ops), ops=len(ops))
        self.notice(device, held)
        return ops

    def purge(self, device: Device) -> None:
        """Let a device clean its pages of what was erased; the receipt that it writes is noted like any commit."""
        if self.attempt(device, lambda: purge(device.core, device.now(self.now_ms))):
            self.note_own(device)

    def note_own(self, device: Device) -> None:
        """Note what a device's own program wrote by itself: a receipt, or what came of thinking."""
        core, held, own = device.core, device.held, list[Op]()
        for row in list(core.store.rows(after=device.seen_pos)):
            op = op_of(row, core.feeds.origin_of(row.feed))
            prev = None if row.seq == 1 else core.feeds.id_at(row.feed, row.seq - 1)
            own.append(op._replace(payload_hash=payload_hash(row.payload or b""), prev=prev))
        if own:
            bodies = [body_of(op, core.understood) for op in own]
            held = self.observer.wrote(device.name, held, own, bodies)
            said = [(Write(body), op.place) for op, body in zip(own, bodies, strict=True) if body is not None]
            workload.note(self.memo, [each for each, _ in said], [place for _, place in said])
            self.say(device.name, "writes", _told(own), ops=len(own))
        self.notice(device, held)

    def stamp(self, device: Device) -> int:
        """Return a stamp for a crafted op: the device's time, and later than any it was given before."""
        device.stamped = max(device.now(self.now_ms) << COUNTER_BITS, device.stamped + 1)
        return device.stamped

    def take_crafted(self, device: Device, frame: Frame, write: Write | None, *, honest: bool) -> None:
        """Let a device take an op of its own that this version would not write (`simulations.crafting`)."""
        ops = list(frame.ops)
        body = None if write is None else write.body
        if not honest:
            self.guilty.add(device.key.device)
        self.observer.wrote(device.name, device.held, ops, [body], honest=honest, newer=honest)
        if not self.attempt(device, lambda: device.core.take(frame, device.now(self.now_ms))):
            return
        if write is not None:
            workload.note(self.memo, [write], [ops[0].place])
        self.say(device.name, "writes", f"{'newer' if honest else 'wrong'} {_told(ops)}", ops=len(ops))
        self.notice(device)

    def notice(self, device: Device, own: Bits | None = None) -> int:
        """Read what entered a device's log since the last time, let checkers see it, and push it on."""
        core = device.core
        if core.position <= device.seen_pos:
            bases = "compact" in self.options.faults or self.options.hostility
            return self._notice_base(device) if bases else 0
        by_id = self.observer.by_id
        arrivals = [(entry, by_id.get(entry.op.id)) for entry in self.arrived(device)]
        for checker in self.checkers:
            checker.took(self, device, arrivals)
        device.held = held = device.held | bits(written for _, written in arrivals if written is not None)
        taken = len(arrivals)
        device.seen_pos = core.position
        if own is not None and own != held:
            self.violate("durability", f"{device.name} committed ops that are not in its log")
        self.flush(device)
        return taken

    def arrived(self, device: Device) -> Iterable[LogEntry]:
        """Return what entered a device's log since the last look."""
        return device.core.store.entries(device.seen_pos, {}, device.core.feeds.origin_of)

    def _notice_base(self, device: Device) -> int:
        """See what came below the base, in a snapshot: it is not in the log."""
        feeds = device.core.feeds
        if sum(feed.seq - feed.fork for feed in feeds) == device.held.bit_count():
            return 0
        news = self.held_by(device) & ~device.held
        for written in self.observer.among(news):
            missing = written.past & ~device.held & ~news
            if missing:
                names = self.observer.names(missing)
                self.violate(
                    "causality", f"{device.name} took a snapshot without {names}, which its ops had seen"
                )
        device.held |= news
        self.count("snapshots")
        self.say(device.name, "absorbs", f"{news.bit_count()} ops", ops=news.bit_count())
        self.flush(device)
        return news.bit_count()


def _told(ops: Sequence[Op]) -> str:
    first = ops[0]
    target = "" if first.rid is None else f" on {MemoryId(first.rid).hex()[-8:]}"
    more = "" if len(ops) == 1 else f" and {len(ops) - 1} more"
    return f"kind {first.kind} {first.id.hex()[:8]}{target}{more}"


def _name(number: int) -> str:
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    return letters[number] if number < len(letters) else f"N{number}"
