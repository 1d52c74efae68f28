"""Know what really happened: every op ever written in a world, and what its writer truly held at that moment.

No device can read this. Devices name what they have seen by vectors; the observer remembers it as a set (bits of one
integer), taken from what each device's log really held, so that vectors, `seen` deltas and delivery order can be
judged by something that shares no code with them.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from replica.ids import OpRef
from replica.ops import Body, Erase, Forget, Op

Bits = int
"""A set of ops: bit `index` is set when the op is in it."""


@dataclass(frozen=True, slots=True)
class Written:
    """One op as its author wrote it.

    `past`: what the author held, without the op itself. `chain`: its own chain up to the op, the op included.
    """

    index: int
    op: Op
    body: Body | None
    past: Bits
    chain: Bits
    device: str
    honest: bool
    newer: bool


@dataclass(slots=True)
class Observer:
    """All ops of a world, by number, by id and by place."""

    ops: list[Written] = field(default_factory=list)
    by_id: dict[bytes, Written] = field(default_factory=dict)
    by_place: dict[OpRef, Written] = field(default_factory=dict)
    forgetting: list[Written] = field(default_factory=list)
    """Those that forget or erase: few, and asked for at every look."""

    def wrote(
        self,
        device: str,
        held: Bits,
        ops: Sequence[Op],
        bodies: Sequence[Body | None],
        *,
        honest: bool = True,
        newer: bool = False,
    ) -> Bits:
        """Note one commit by someone who held `held`; return what they hold now."""
        for op, body in zip(ops, bodies, strict=True):
            index = len(self.ops)
            before = self.by_id.get(op.prev) if op.prev is not None else None
            chain = (before.chain if before is not None else 0) | 1 << index
            written = Written(index, op, body, held, chain, device, honest, newer)
            self.ops.append(written)
            self.by_id[op.id] = self.by_place[op.place] = written
            if isinstance(body, Forget | Erase):
                self.forgetting.append(written)
            held |= 1 << index
        return held

    def among(self, held: Bits) -> Iterator[Written]:
        """Return the ops of a set, in the order in which they were written."""
        return (self.ops[index] for index in members(held))

    def names(self, held: Bits, *, limit: int = 5) -> str:
        """Say which ops a set holds, for a person."""
        indices = members(held)
        shown = [name_of(self.ops[index].op) for _, index in zip(range(limit), indices, strict=False)]
        return ", ".join(shown) + (" and more" if held.bit_count() > limit else "")


def members(held: Bits) -> Iterator[int]:
    """Return the numbers in a set, smallest first."""
    while held:
        low = held & -held
        yield low.bit_length() - 1
        held ^= low


def bits(written: Iterable[Written]) -> Bits:
    """Return the set of some ops."""
    indices = [each.index for each in written]
    if not indices:
        return 0
    held = bytearray(max(indices) // 8 + 1)  # to set the bits of an integer one by one copies it as often
    for index in indices:
        held[index >> 3] |= 1 << (index & 7)
    return int.from_bytes(held, "little")


def name_of(op: Op) -> str:
    """Return an op's short name: author, seq, hash."""
    return f"{op.origin.device.hex()[:4]}/{op.seq}/{op.id.hex()[:8]}"
