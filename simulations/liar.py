"""Twist what a relay sends: the peer is a member, its link is encrypted, and it lies about other people's ops.

A relay can drop ops, send old frames again, alter, forge and back-date them, withhold payloads, cut commits and change
their order. It cannot sign for others, so whatever it does, a receiver must end with ops that their authors wrote.
"""

from collections.abc import Callable
from random import Random
from typing import Final

from replica.frame import Frame, Segment, decode_frame, encode_frame
from replica.ids import DeviceId, OpId, Origin
from replica.ops import Op
from sync.wire.messages import Ops, decode_message, encode_message

Lie = Callable[[Frame, Random], Frame | bytes]


def twist(message: bytes, random: Random) -> tuple[str, bytes]:
    """Return a lie in place of a message, and what kind it is; messages that hold no ops stay true."""
    told = decode_message(message)
    if not isinstance(told, Ops):
        return "", message
    name = random.choice(list(LIES))
    lie = LIES[name](decode_frame(told.frame), random)
    data = lie if isinstance(lie, bytes) else encode_frame(lie)
    return name, encode_message(Ops(data, told.last))


def _drop(frame: Frame, random: Random) -> Frame:
    gone = random.randrange(len(frame.ops))
    kept = [i for i in range(len(frame.ops)) if i != gone]
    return _rebuilt(frame, kept)


def _reorder(frame: Frame, random: Random) -> Frame:
    order = list(range(len(frame.ops)))
    random.shuffle(order)
    return _rebuilt(frame, order)


def _truncate(frame: Frame, random: Random) -> Frame:
    return _rebuilt(frame, list(range(random.randrange(len(frame.ops)))))


def _alter(frame: Frame, random: Random) -> Frame:
    def altered(op: Op) -> Op:
        return op if op.payload is None else op._replace(payload=op.payload[:-1] + b"!")

    return _with_one(frame, random, altered)


def _back_date(frame: Frame, random: Random) -> Frame:
    return _with_one(frame, random, lambda op: op._replace(hlc=max(1, op.hlc - (1 << 40))))


def _withhold(frame: Frame, random: Random) -> Frame:
    return _with_one(frame, random, lambda op: op._replace(payload=None))


def _aim(frame: Frame, random: Random) -> Frame:
    """Point an op at another memory."""
    return _with_one(frame, random, lambda op: op if op.rid is None else op._replace(rid=bytes(16)))


def _unsee(frame: Frame, random: Random) -> Frame:
    return _with_one(frame, random, lambda op: op._replace(seen=()))


def _forge(frame: Frame, random: Random) -> Frame:
    """Say that somebody else wrote it."""
    at = random.randrange(len(frame.segments))
    origins = [segment.origin for segment in frame.segments]
    forged = Origin(
        random.choice(origins).device if len(origins) > 1 else DeviceId(random.randbytes(32)),
        frame.segments[at].origin.incarnation,
    )
    return _with_segment(frame, at, frame.segments[at]._replace(origin=forged))


def _unsign(frame: Frame, random: Random) -> Frame:
    at = random.randrange(len(frame.segments))
    return _with_segment(frame, at, frame.segments[at]._replace(signature=random.randbytes(64)))


def _reattach(frame: Frame, random: Random) -> Frame:
    """Hang a chain on another op."""
    at = random.randrange(len(frame.segments))
    segment = frame.segments[at]
    if segment.prev is None:
        return _with_segment(frame, at, segment._replace(first_seq=7, prev=OpId(random.randbytes(32))))
    return _with_segment(frame, at, segment._replace(first_seq=segment.first_seq + 1))


def _garbage(frame: Frame, random: Random) -> bytes:
    data = bytearray(encode_frame(frame))
    data[int(random.random() * len(data))] ^= 0x55
    return bytes(data)


LIES: Final[dict[str, Lie]] = {
    "drops": _drop,
    "reorders": _reorder,
    "truncates": _truncate,
    "alters": _alter,
    "back-dates": _back_date,
    "withholds": _withhold,
    "aims": _aim,
    "unsees": _unsee,
    "forges": _forge,
    "unsigns": _unsign,
    "reattaches": _reattach,
    "garbles": _garbage,
}


def _rebuilt(frame: Frame, order: list[int]) -> Frame:
    """Return the frame with some of its ops, in some order; segments that are left empty go."""
    used = sorted({frame.segment_of[i] for i in order})
    number = {at: n for n, at in enumerate(used)}
    return Frame(
        tuple(frame.segments[at] for at in used),
        tuple(frame.ops[i] for i in order),
        tuple(number[frame.segment_of[i]] for i in order),
    )


def _with_one(frame: Frame, random: Random, change: Callable[[Op], Op]) -> Frame:
    at = random.randrange(len(frame.ops))
    ops = tuple(change(op) if i == at else op for i, op in enumerate(frame.ops))
    return frame._replace(ops=ops)


def _with_segment(frame: Frame, at: int, segment: Segment) -> Frame:
    segments = tuple(segment if i == at else each for i, each in enumerate(frame.segments))
    return frame._replace(segments=segments)
