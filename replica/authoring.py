"""Make the ops of one commit: stamped, chained and signed."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from replica.codec import SALT_BYTES, encode_payload, header, header_hash, payload_hash
from replica.errors import TooLarge
from replica.hlc import HLC_MAX, Hlc, drift, tick
from replica.ids import MEMORY_ID_BYTES, OpId, OpRef, Origin
from replica.limits import COMMIT_OPS_MAX, COMMIT_PAYLOAD_BYTES_MAX
from replica.ops import KIND_OF, NEEDS_RID, Edit, Erase, Op, Write
from replica.signing import Sign, sign_commit
from replica.state.text import check_update

if TYPE_CHECKING:
    from random import Random


class Head(NamedTuple):
    """Where a chain stands before a commit: its last op, if it has one, and what its author has merged since."""

    origin: Origin
    seq: int
    prev: OpId | None
    clock: Hlc
    seen: tuple[OpRef, ...]


class Commit(NamedTuple):
    """The ops of one commit, the author's signature of the last of them, and its stamp."""

    ops: tuple[Op, ...]
    signature: bytes
    clock: Hlc


VERSION: Final = 1
"""The version in which this program writes every kind."""


def author(writes: Sequence[Write], head: Head, now_ms: int, random: "Random", sign: Sign) -> Commit:
    """Return the commit that makes these changes; `InvalidOp` and `TooLarge` say what is wrong with one of them."""
    if len(writes) > COMMIT_OPS_MAX:
        raise TooLarge(f"expected at most {COMMIT_OPS_MAX} changes in one commit, got {len(writes)}")
    if len(writes) > 1 and any(isinstance(write.body, Erase) for write in writes):
        raise ValueError("an erase is a commit of its own, since its signature travels as a proof")
    for write in writes:
        _check_target(write)
        if isinstance(write.body, Edit):
            check_update(write.body.update)
    payloads = [
        encode_payload(random.randbytes(SALT_BYTES), write.body, by_any=write.by_any) for write in writes
    ]
    if (size := sum(map(len, payloads))) > COMMIT_PAYLOAD_BYTES_MAX:
        raise TooLarge(
            f"expected at most {COMMIT_PAYLOAD_BYTES_MAX} bytes in one commit, got {size}: split it"
        )
    origin, seq, prev, clock, seen = head
    ops: list[Op] = []
    for write, payload in zip(writes, payloads, strict=True):
        clock = tick(clock, now_ms)
        if clock > HLC_MAX:
            raise drift(now_ms)
        seq += 1
        kind, ends = KIND_OF[type(write.body)], len(ops) == len(writes) - 1
        digest = payload_hash(payload)
        op_id = header_hash(header(origin, seq, clock, seen, kind, VERSION, ends, write.rid, prev, digest))
        ops.append(Op(origin, seq, clock, seen, kind, VERSION, ends, write.rid, prev, digest, payload, op_id))
        prev, seen = op_id, ()
    return Commit(tuple(ops), sign_commit(sign, ops[-1].id), clock)


def _check_target(write: Write) -> None:
    """Refuse what every other device would keep without effect, while its author folded it."""
    kind = KIND_OF[type(write.body)]
    if write.rid is None and kind in NEEDS_RID:
        raise ValueError(f"expected the memory that a {kind.name} acts on, got none")
    if write.rid is not None and len(write.rid) != MEMORY_ID_BYTES:
        raise ValueError(f"expected a memory id of {MEMORY_ID_BYTES} bytes, got {len(write.rid)}")
