"""The second reader: a device that writes, and holds conversations with others over links that it dials.

One conversation at a time, on a socket that blocks. It may stand between devices that never meet: what it heard from
one, it hands on to the next.
"""

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any, Final

from cryptography import x509
from cryptography.hazmat.primitives import serialization

from tests.support.second.folding import Place, Replica
from tests.support.second.frames import Op, Refused, pack, read_packed, sha256, write_packed
from tests.support.second.identity import Device, Group, public_key
from tests.support.second.meeting import Met, Wire, over_tls
from tests.support.second.messages import read_message
from tests.support.second.snapshots import make_snapshot, merge_packed

_NUMBERS: Final = {
    "Hello": 1, "Trust": 2, "Heads": 3, "Locator": 4, "Known": 5, "Ops": 6, "Ack": 7, "CaughtUp": 8, "Base": 10,
}  # fmt: skip
_CREDITS: Final = 4
_PART_BYTES: Final = 2**20


@dataclass
class Peer:
    """One of a person's devices, as this reader of the pages builds it."""

    device: Device
    random: Random
    now_ms: int
    group: Group = field(init=False)
    replica: Replica = field(default_factory=Replica)
    incarnation: bytes = field(init=False)
    merged: list[list[Any]] = field(default_factory=list)  # places merged since the last own op
    own: Op | None = None
    stamp: int = 0

    def __post_init__(self) -> None:
        self.group = Group.of(self.device)
        self.incarnation = self.random.randbytes(8)

    def write(self, kind: int, memory: bytes | None, body: Any) -> Op:
        """Write an op, a commit of its own, and fold it."""
        self.stamp = max(self.now_ms << 16, self.stamp + 1)
        payload = self.random.randbytes(16) + pack(body)
        op = Op(
            device=self.device.id,
            incarnation=self.incarnation,
            seq=self.own.seq + 1 if self.own else 1,
            prev=self.own.id if self.own else None,
            stamp=self.stamp,
            seen=sorted(self.merged),
            kind=kind,
            version=1,
            ends=True,
            memory=memory,
            payload=payload,
            payload_hash=sha256(payload),
        )
        self.own = replace(op, signature=self.device.key.sign(b"samemind commit 1\0" + op.id))
        self.merged = []
        self.replica.take(self.own)
        return self.own

    def remember(self, text: str) -> bytes:
        """Write a memory; return its id, a UUIDv7."""
        memory = bytearray(self.now_ms.to_bytes(6) + self.random.randbytes(10))
        memory[6], memory[8] = memory[6] & 0x0F | 0x70, memory[8] & 0x3F | 0x80
        self.write(1, bytes(memory), [text, {}])
        return bytes(memory)

    def met(self, other: Met) -> None:
        """Introduce whom pairing showed."""
        public = public_key(other.certificate)
        self.group.introductions.append(self.device.introduce(public, other.certificate, other.name))

    def take(self, ops: Iterable[Op]) -> int:
        """Take what a peer sent; return how many were new."""
        new = [op for op in ops if tuple(op.place) not in self.replica.before]
        for op in new:
            self.replica.take(op)
            self.stamp = max(self.stamp, op.stamp)
            chain = [op.device, op.incarnation]
            self.merged = [place for place in self.merged if place[:2] != chain] + [op.place]
        return len(new)

    def talk(self, address: tuple[str, int], certificate: bytes) -> list[str]:
        """Hold one conversation until both sides said that this was all; return the names of what was heard."""
        with _own_files(self.device) as own, over_tls(address, own=own) as carrier:
            if carrier.getpeercert(binary_form=True) != certificate:
                raise Refused("somebody else")
            wire = Wire(carrier, 2**24)
            if wire.exactly(1) != b"\x01":
                raise Refused("not let in")
            return _Talk(self, wire, sha256(public_key(certificate))).run()


class _Talk:
    """What is known of one conversation."""

    def __init__(self, peer: Peer, wire: Wire, other: bytes) -> None:
        self.peer = peer
        self.wire = wire
        self.other = other
        self.heard: list[str] = []

    def say(self, name: str, *values: Any) -> None:
        self.wire.send(pack([_NUMBERS[name], *values]))

    def hear(self) -> tuple[str, dict[str, Any]]:
        name, said = read_message(self.wire.receive())
        self.heard.append(name)
        if name == "Bye":
            raise Refused(f"the other side said: {said['reason']}")
        return name, said

    def run(self) -> list[str]:
        peer, replica = self.peer, self.peer.replica
        self.say(
            "Hello",
            2,
            peer.now_ms,
            peer.group.digest(),
            replica.frontier_digest(),
            not replica.unknown,
            _CREDITS,
            None,
        )
        name, hello = self.hear()
        if name != "Hello":
            raise Refused("no Hello")
        if hello["trust"] != peer.group.digest():
            self._trust()
        if hello["frontier"] == replica.frontier_digest():
            return self.heard
        self.say("Heads", replica.heads(), None, 0)
        self._exchange()
        return self.heard

    def _trust(self) -> None:
        """Both say all they know; what is new is taken before any op."""
        group = self.peer.group
        self.say("Trust", group.introductions, group.revocations, list(group.proofs.values()), False)
        more = True
        while more:
            name, said = self.hear()
            if name != "Trust":
                raise Refused("something before all of the Trust")
            self.peer.replica.prove(group.learn(said["introductions"], said["revocations"], said["proofs"]))
            more = said["more"]
        if any({gone, by} & {self.other, self.peer.device.id} for gone, by in group.revoked()):
            raise Refused("revoked")

    def _exchange(self) -> None:
        """Pull and push at once, until the other side has no more and has acknowledged what it got."""
        pulled, due = False, 1  # the other side's Heads, until they are there
        parts: list[bytes] = []
        frontier: list[list[Any]] | None = None
        while due or not pulled:
            name, said = self.hear()
            match name:
                case "Heads":
                    frontier = said["frontier"]
                    held = self.peer.replica.before
                    news = {tuple(place[:2]) for place in frontier if tuple(place) not in held}
                    news &= {place[:2] for place in held}
                    if news:
                        self.say("Locator", self._ladder(news))
                    else:
                        due = self._push(frontier)
                case "Known":
                    assert frontier is not None
                    due = self._push([*frontier, *said["places"]])
                case "Locator":
                    held = self.peer.replica.before
                    self.say("Known", _by_origin(place for place in said["places"] if tuple(place) in held))
                case "Base":
                    parts.append(said["part"])
                    if len(parts) == said["count"]:
                        self._merge(b"".join(parts), said["digest"])
                    self.say("Ack", 0, [])
                case "Ops":
                    taken = self.peer.take(read_packed(said["frame"], self.peer.group.members()))
                    self.say("Ack", taken, [])
                    pulled = pulled or said["last"]
                case "CaughtUp":
                    pulled = True
                case "Ack":
                    if said["refused"]:
                        raise Refused(f"what was pushed was refused: {said['refused']}")
                    due -= 1
                case "Trust":
                    self.peer.replica.prove(
                        self.peer.group.learn(said["introductions"], said["revocations"], said["proofs"])
                    )
                case _:
                    raise Refused(f"a {name} at a time when none is allowed")

    def _merge(self, packed: bytes, digest: bytes) -> None:
        """Take what left the other side's log."""
        if sha256(packed) != digest:
            raise Refused("a snapshot of other parts than were announced")
        merge_packed(self.peer.replica, packed, self.peer.group.members(), maker=self.other)

    def _ladder(self, origins: set[tuple[Any, ...]]) -> list[list[Any]]:
        """Of every chain of some origins, the head, places 1, 2, 4, … further down, and the first."""
        replica = self.peer.replica
        places: list[Place] = []
        for device, incarnation, seq, id8 in replica.heads():
            if (device, incarnation) in origins:
                chain: list[Place] = []
                at: Place | None = (device, incarnation, seq, id8)
                while at is not None:
                    chain.append(at)
                    at = replica.before[at]
                steps = {0, len(chain) - 1} | {2**n for n in range(40) if 2**n < len(chain)}
                places += [chain[step] for step in sorted(steps)]
        return _by_origin(map(list, places))

    def _push(self, known: Iterable[list[Any]]) -> int:
        """Send everything that the other side is not known to hold; return how many Acks are due."""
        replica = self.peer.replica
        below: set[Place] = set()
        for device, incarnation, seq, id8 in known:
            below |= replica.seen.get((device, incarnation, seq, id8), frozenset())
        ops = [op for op in replica.ops.values() if tuple(op.place) not in below]
        parts: list[bytes] = []
        if replica.base.covered - below:
            device = self.peer.device
            whole = make_snapshot(replica, device.key.sign, device.id, self.peer.now_ms)
            parts = [whole[at : at + _PART_BYTES] for at in range(0, len(whole), _PART_BYTES)]
            for index, part in enumerate(parts):
                self.say("Base", index, len(parts), sha256(whole), part)
        if ops:
            self.say("Ops", True, write_packed(ops))
        else:
            self.say("CaughtUp")
        return len(parts) + bool(ops)


def _by_origin(places: Iterable[list[Any]]) -> list[list[Any]]:
    told: dict[tuple[bytes, bytes], list[list[Any]]] = {}
    for device, incarnation, *rest in places:
        told.setdefault((device, incarnation), []).append(rest)
    return [[*origin, sorted(rest)] for origin, rest in sorted(told.items())]


@contextmanager
def _own_files(device: Device) -> Iterator[str]:
    """A file of key and certificate, as Python's TLS wants them."""
    key = device.key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    certificate = x509.load_der_x509_certificate(device.certificate).public_bytes(serialization.Encoding.PEM)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "own.pem"
        path.write_bytes(key + certificate)
        yield str(path)
