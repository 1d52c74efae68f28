"""The second reader: canonical msgpack, frames, headers, signatures."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgpack
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


class Refused(Exception):
    """What was sent is not what the pages allow."""


def pack(value: Any) -> bytes:
    """Spell a value in the one way it has; maps are sorted on the way."""
    packed: bytes = msgpack.packb(_sorted(value), use_bin_type=True)
    return packed


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(each) for each in value] if isinstance(value, list | tuple) else value


def unpack(data: bytes) -> Any:
    """Read one value, and refuse another spelling of it."""
    try:
        value = msgpack.unpackb(data, raw=False, strict_map_key=False)
    except Exception as error:
        raise Refused(f"not msgpack: {error}") from None
    if pack(value) != data:
        raise Refused("another spelling of the value")
    return value


def sha256(data: bytes) -> bytes:
    """The hash that everything here is named by."""
    return hashlib.sha256(data).digest()


@dataclass(frozen=True)
class Op:
    """One op, as the columns state it and as its header names it."""

    device: bytes
    incarnation: bytes
    seq: int
    prev: bytes | None
    stamp: int
    seen: list[list[Any]]
    kind: int
    version: int
    ends: bool
    memory: bytes | None
    payload: bytes | None
    payload_hash: bytes

    @property
    def id(self) -> bytes:
        """The hash of the header, which is never sent."""
        return sha256(
            pack(
                [
                    1,
                    self.device,
                    self.incarnation,
                    self.seq,
                    self.stamp,
                    self.seen,
                    self.kind,
                    self.version,
                    self.ends,
                    self.memory,
                    self.prev,
                    self.payload_hash,
                ]
            )
        )

    @property
    def place(self) -> list[Any]:
        """How others name it."""
        return [self.device, self.incarnation, self.seq, self.id[:8]]


def read_frame(columns: bytes, keys: Mapping[bytes, bytes]) -> list[Op]:
    """Read the twelve columns of a frame; `keys` are the public keys of the members, by device id."""
    (
        number,
        segments,
        segment_of,
        kinds,
        flags,
        deltas,
        has_memory,
        memories,
        seen,
        salts,
        bodies,
        hashes,
    ) = unpack(columns)
    if number != 1:
        raise Refused("another format")
    next_seq = [segment[2] for segment in segments]
    before: list[bytes | None] = [segment[3] for segment in segments]
    last: dict[int, Op] = {}
    ops: list[Op] = []
    stamp = 0
    for n, at in enumerate(segment_of):
        stamp += deltas[n]
        memory = None
        if has_memory[n]:
            memory, memories = memories[:16], memories[16:]
        if bodies[n] is None:
            payload, digest, hashes = None, hashes[:32], hashes[32:]
        else:
            payload, salts = salts[:16] + bodies[n], salts[16:]
            digest = sha256(payload)
        op = Op(
            device=segments[at][0],
            incarnation=segments[at][1],
            seq=next_seq[at],
            prev=before[at],
            stamp=stamp,
            seen=seen.get(n, []),
            kind=kinds[n],
            version=flags[n] >> 1,
            ends=bool(flags[n] & 1),
            memory=memory,
            payload=payload,
            payload_hash=digest,
        )
        ops.append(op)
        next_seq[at], before[at], last[at] = op.seq + 1, op.id, op
    if memories or salts or hashes:
        raise Refused("more in a column than ops have use for")
    for at, (device, _, _, _, signature, _) in enumerate(segments):
        key = keys[device]
        if sha256(key) != device:
            raise Refused("a key that is not the device's")
        try:
            Ed25519PublicKey.from_public_bytes(key).verify(signature, b"samemind commit 1\0" + last[at].id)
        except InvalidSignature:
            raise Refused("a segment that its author did not sign") from None
        if not last[at].ends:
            raise Refused("a segment that ends within a commit")
    return ops
