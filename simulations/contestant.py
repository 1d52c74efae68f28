"""Run the protocol of the YantrikDB paper in the same world, to show where it loses ops.

Its rule is published: a device remembers, for each peer, the highest (hlc, op id) that it has received from it, and
asks for what lies above. That is right between two devices. With three, an op that was written under an old clock, or
far away, reaches the peer after the cursor has passed its stamp, and is never asked for again.

This is our own code after that description, with the same ops, network, faults and workload. It is spared what it
does not claim to survive: forks, lying relays, members that come and go.
"""

from bisect import bisect_right, insort
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from random import Random
from typing import Any, Final

from replica import hlc
from replica.codec import (
    SALT_BYTES,
    decode_payload,
    encode_payload,
    header,
    header_hash,
    pack,
    payload_hash,
    read_place,
    unpack,
    wire_place,
)
from replica.ids import DeviceId, MemoryId, OpId, Origin
from replica.oplog import FoldStatus, LogEntry
from replica.ops import KIND_OF, Forget, Op, Relate, Remember, Set, Write
from replica.state import cells
from replica.state.adds import Add
from replica.state.digest import element
from replica.state.memories import MemoryCell
from replica.state.register import Dot
from simulations import faults
from simulations.checkers.no_wedge import NoWedge
from simulations.clock import Clock
from simulations.device import Device, Key
from simulations.disk import MemoryDisk
from simulations.household import Checker, Household
from simulations.network import Conversation
from simulations.observer import Bits, bits
from simulations.playing import PlayedWorld
from simulations.wire import SessionWork, Wire

# Ops in one answer; the paper names no number.
PAGE: Final = 500

Cursor = tuple[int, bytes]


@dataclass(slots=True)
class CursorCore:
    """Ops by (hlc, id), last writer wins by the same order, and a cursor for each peer."""

    device: DeviceId
    random: Random
    ops: dict[bytes, Op] = field(default_factory=dict)
    order: list[Cursor] = field(default_factory=list)
    arrived: list[bytes] = field(default_factory=list)
    cursors: dict[DeviceId, Cursor] = field(default_factory=dict)
    registers: dict[Any, tuple[Cursor, Any]] = field(default_factory=dict)
    tombstones: set[bytes] = field(default_factory=set)
    written: int = 0
    clock: hlc.Hlc = field(default_factory=lambda: hlc.Hlc(0))

    @property
    def position(self) -> int:
        """Return how many ops are held."""
        return len(self.arrived)

    @property
    def store(self) -> "CursorCore":
        """Return what the workload and the world read: this very object."""
        return self

    def load(self, keys: Iterable[cells.Key]) -> dict[cells.Key, cells.Cell]:
        """Return those of the memories that live here, with their texts."""
        found: dict[cells.Key, cells.Cell] = {}
        for key in keys:
            held = self.registers.get(("memory", key.name))
            if key.part is cells.CellKind.MEMORY and held is not None and key.name not in self.tombstones:
                (stamp, op_id), text = held
                found[key] = MemoryCell(adds={Dot(0, 1, op_id[:8]): Add(stamp, text, {})})
        return found

    def begin(self, now_ms: int) -> None:
        """Nothing begins anew in this protocol."""

    def commit(self, writes: Sequence[Write], now_ms: int) -> list[Op]:
        """Write some changes."""
        ops = []
        origin = Origin(self.device, bytes(8))
        for write in writes:
            self.clock = hlc.tick(self.clock, now_ms)
            payload = encode_payload(self.random.randbytes(SALT_BYTES), write.body)
            digest, kind = payload_hash(payload), KIND_OF[type(write.body)]
            self.written += 1
            seq = self.written
            op_id = header_hash(header(origin, seq, self.clock, (), kind, 1, True, write.rid, None, digest))
            op = Op(origin, seq, self.clock, (), kind, 1, True, write.rid, None, digest, payload, op_id)
            self.keep(op, Write(decode_payload(kind, payload), write.rid))
            ops.append(op)
        return ops

    def keep(self, op: Op, write: Write) -> None:
        """Take one op, if it is new."""
        if op.id in self.ops:
            return
        self.ops[op.id] = op
        self.arrived.append(op.id)
        stamp = (op.hlc, op.id)
        insort(self.order, stamp)
        match write.body:
            case Remember(text):
                self._write(("memory", op.rid), stamp, text)
            case Set(name, value):
                self._write(("field", op.rid, name), stamp, value)
            case Relate(source, relation, target, weight):
                self._write(("edge", source, relation, target), stamp, weight)
            case Forget(rids):
                self.tombstones.update(rids)
            case _:
                raise AssertionError("the contestant's workload has no other kinds")

    def digest(self) -> bytes:
        """Return a hash of everything that shows."""
        shown = [
            [list(key), value]
            for key, (_, value) in sorted(self.registers.items(), key=repr)
            if key[1] not in self.tombstones
        ]
        return element([shown, sorted(self.tombstones)]).to_bytes(32)

    def beyond(self, cursor: Cursor, asker: DeviceId) -> Iterator[Op]:
        """Return what lies above a cursor, oldest stamp first, without the asker's own ops."""
        for stamp in islice(self.order, bisect_right(self.order, cursor), None):
            if self.ops[stamp[1]].origin.device != asker:
                yield self.ops[stamp[1]]

    def _write(self, key: Any, stamp: Cursor, value: Any) -> None:
        if key not in self.registers or self.registers[key][0] < stamp:
            self.registers[key] = (stamp, value)


class CursorExchange:
    """One side of a conversation: ask beyond my cursor, answer in pages, until a page is the last."""

    def __init__(self, core: CursorCore, peer: DeviceId, wire: Wire) -> None:
        self.core, self.peer, self.wire = core, peer, wire
        self.asked = self.done = self.answered = False

    @property
    def is_over(self) -> bool:
        """Whether both sides have their last page."""
        return self.done and self.answered

    def more(self, now_ms: int) -> list[bytes]:
        """Ask, at the start."""
        if self.asked:
            return []
        self.asked = True
        return [self._ask()]

    def receive(self, data: bytes, now_ms: int) -> list[bytes]:
        """Answer a question, or take a page and ask for the next."""
        kind, *rest = unpack(data)
        if kind == "ask":
            (stamp, op_id) = rest
            page: list[Any] = []
            for op in self.core.beyond((stamp, op_id), self.peer):
                if len(page) == PAGE:
                    break
                page.append([wire_place(op.place), op.hlc, op.kind, op.rid, op.payload, op.id])
            self.answered = len(page) < PAGE
            return [pack(["page", page])]
        (page,) = rest
        self.wire.frames += 1
        self.wire.ops += len(page)
        for place, stamp, op_kind, rid, payload, op_id in page:
            origin, seq, _ = read_place(place)
            target = None if rid is None else MemoryId(rid)
            digest = payload_hash(payload)
            op = Op(origin, seq, stamp, (), op_kind, 1, True, target, None, digest, payload, OpId(op_id))
            self.core.keep(op, Write(decode_payload(op_kind, payload), target))
            self.core.clock = hlc.absorb(self.core.clock, stamp, now_ms)
            self.core.cursors[self.peer] = max(
                self.core.cursors.get(self.peer, (0, b"")), (stamp, bytes(op_id))
            )
        self.done = len(page) < PAGE
        return [] if self.done else [self._ask()]

    def _ask(self) -> bytes:
        return pack(["ask", *self.core.cursors.get(self.peer, (0, b""))])


class CursorConvergence(Checker):
    """The same question as ours is asked: does everybody hold, and show, the same in the end?"""

    name = "convergence"

    def settled(self, world: Household, groups: Sequence[Sequence[Device]]) -> None:
        """All devices hold what any of them holds, and show the same."""
        for group in groups:
            union = 0
            for device in group:
                union |= device.held
            for device in group:
                lost = union & ~device.held
                world.lost |= lost
                if lost:
                    world.violate(self.name, f"{device.name} never got {world.observer.names(lost)}")
            if len({core_of(device).digest() for device in group}) > 1:
                world.violate(self.name, "digests differ")


class CursorDevice(Device):
    """A device whose disk never fails: what this protocol loses, it loses by its rule alone."""

    def start(self, true_ms: int) -> None:
        """Begin empty; a process that dies has everything on its disk."""
        if not hasattr(self, "core"):
            core: Any = CursorCore(self.key.device, self.random)
            self.core = core


@dataclass(slots=True, eq=False)
class CursorWorld(PlayedWorld):
    """A world of contestants: everybody knows everybody, and news travels along the topology only.

    With every pair in direct contact in the end, even this protocol finds what it lost: from its author.
    """

    def __post_init__(self) -> None:
        PlayedWorld.__post_init__(self)
        self.checkers = [CursorConvergence(), NoWedge()]

    def populate(self) -> None:
        """Make the devices."""
        random = Random(f"{self.options.seed} devices")
        for _ in range(self.options.replicas):
            faults.draw_clock(self, self.add_device(random), random)

    def new_device(self, name: str, key: Key, own: Random) -> Device:
        """Return a contestant."""
        return CursorDevice(name, key, MemoryDisk(), Clock(), own, self.verify)

    def conversation(self, device: Device, peer: Device) -> Conversation:
        """Return one side of a conversation by cursors."""
        return CursorExchange(core_of(device), peer.key.device, self.wire)

    def admitted(self, a: Device, b: Device) -> bool:
        """Everybody is welcome."""
        return a is not b

    def purge(self, device: Device) -> None:
        """Nothing is ever erased in this protocol."""

    def learned(self, device: Device) -> None:
        """Nobody is ever put out."""

    def held_by(self, device: Device) -> Bits:
        """Return which ops a device holds."""
        return bits(self.observer.by_id[op_id] for op_id in core_of(device).arrived)

    def arrived(self, device: Device) -> list[LogEntry]:
        """Return what entered a device's log since the last look; there are no feeds in it."""
        core = core_of(device)
        return [
            LogEntry(pos, 0, core.ops[core.arrived[pos - 1]], None, FoldStatus.FOLDED)
            for pos in range(device.seen_pos + 1, core.position + 1)
        ]

    def pairs(self) -> Iterator[tuple[Device, Device]]:
        """Return neighbours, in a line."""
        return zip(self.devices, self.devices[1:], strict=False)

    def mark(self, device: Device) -> tuple[int, ...]:
        """Return what changes when a device hears news."""
        return (device.core.position,)

    def work(self, a: Device, b: Device) -> SessionWork:
        """Return what a session has to do; nobody judges it here."""
        return SessionWork(f"{a.name} with {b.name}", 0, 0, 0, False, False)


def core_of(device: Device) -> CursorCore:
    """Return the contestant's core of a device."""
    core: Any = device.core
    assert isinstance(core, CursorCore)
    return core
