"""The second reader: canonical msgpack, frames, headers, signatures."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import msgpack
import zstandard
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
    signature: bytes | None = field(default=None, compare=False)  # where a segment ended with it
    vector: list[list[Any]] | None = field(default=None, compare=False)  # where a branch began with it

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
    last: dict[int, int] = {}
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
            vector=segments[at][5] if at not in last else None,
        )
        ops.append(op)
        next_seq[at], before[at], last[at] = op.seq + 1, op.id, n
    if memories or salts or hashes:
        raise Refused("more in a column than ops have use for")
    for at, (device, _, _, _, signature, _) in enumerate(segments):
        key = keys[device]
        if sha256(key) != device:
            raise Refused("a key that is not the device's")
        end = ops[last[at]]
        try:
            Ed25519PublicKey.from_public_bytes(key).verify(signature, b"samemind commit 1\0" + end.id)
        except InvalidSignature:
            raise Refused("a segment that its author did not sign") from None
        if not end.ends:
            raise Refused("a segment that ends within a commit")
        ops[last[at]] = replace(end, signature=signature)
    return ops


def read_packed(frame: bytes, keys: Mapping[bytes, bytes]) -> list[Op]:
    """Read a frame as it travels."""
    return read_frame(zstandard.ZstdDecompressor().decompress(frame, max_output_size=15_728_640), keys)


def write_packed(ops: Sequence[Op]) -> bytes:
    """Write ops as a frame that travels; the last one of each chain has a signature."""
    numbers: dict[tuple[bytes, bytes], int] = {}
    segments: list[list[Any]] = []
    segment_of = []
    for op in ops:
        at = numbers.setdefault((op.device, op.incarnation), len(segments))
        if at == len(segments):
            segments.append([op.device, op.incarnation, op.seq, op.prev, None, op.vector])
        segments[at][4] = op.signature
        segment_of.append(at)
    stamps = [0, *(op.stamp for op in ops)]
    columns = [
        1,
        segments,
        segment_of,
        [op.kind for op in ops],
        [op.version * 2 + op.ends for op in ops],
        [after - before for before, after in pairwise(stamps)],
        [op.memory is not None for op in ops],
        b"".join(op.memory or b"" for op in ops),
        {n: op.seen for n, op in enumerate(ops) if op.seen},
        b"".join(op.payload[:16] for op in ops if op.payload is not None),
        [op.payload[16:] if op.payload is not None else None for op in ops],
        b"".join(op.payload_hash for op in ops if op.payload is None),
    ]
    return zstandard.ZstdCompressor().compress(pack(columns))
