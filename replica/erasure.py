"""Prove that memories were erased, so that a header without its payload can be told from a payload withheld.

An erase op is signed by itself and travels ahead of everything else as a proof. Whoever holds the proof takes headers
of those memories without their payloads, drops the payloads it has, and puts the tombstone up at once, long before the
erase op's own place in the log has reached it. Proofs are never dropped: an old backup, or a device that was away for a
year, must meet them before it can spread what was erased.
"""

from typing import Final, NamedTuple

from replica.codec import decode_payload
from replica.errors import InvalidOp
from replica.frame import Frame, Segment, decode_frame, encode_frame
from replica.ids import DeviceId, MemoryId, OpId
from replica.ops import Erase, Op, OpKind

# What one author's proofs may come to in an hour ahead of their ops; the rest waits at whoever has it. A person erases
# tens of memories; an import that is taken back names ten thousand in one op.
PROOFS_AN_HOUR_MAX: Final = 1_000
# What waits for its ops is kept for whoever gets the headers first; more is asked for again at the next sync.
PROOFS_WAITING_MAX: Final = 10_000
# How many memories all of these may name: an import of a hundred thousand that is taken back; and what a newcomer holds
# meanwhile of somebody who erased for years. Each costs some hundred bytes of memory as long as the device runs.
NAMED_AN_HOUR_MAX: Final = 100_000
NAMED_WAITING_MAX: Final = 1_000_000
HOUR_MS: Final = 3_600_000


class Proof(NamedTuple):
    """One erase op, as a frame of its own with its author's signature."""

    id: OpId
    author: DeviceId
    rids: tuple[MemoryId, ...]
    signature: bytes
    frame: bytes

    def op(self) -> Op:
        """Return the op that it is."""
        (op,) = decode_frame(self.frame).ops
        return op


def proof_of(op: Op, signature: bytes) -> Proof:
    """Return the proof that this signed erase op is."""
    segment = Segment(op.origin, op.seq, op.prev, signature, None)
    return read_proof(encode_frame(Frame((segment,), (op,), (0,))))


def read_proof(data: bytes) -> Proof:
    """Return the proof that a frame holds; whether its author signed it is checked by whoever knows the members."""
    frame = decode_frame(data)
    if len(frame.ops) != 1 or frame.ops[0].kind != OpKind.ERASE or not frame.ops[0].ends:
        raise InvalidOp("expected a proof that is one erase op in a commit of its own")
    (op,) = frame.ops
    if op.payload is None:
        raise InvalidOp("expected a proof to say what it erases")
    body = decode_payload(op.kind, op.payload)
    assert isinstance(body, Erase)
    return Proof(op.id, op.origin.device, body.rids, frame.segments[0].signature, data)
